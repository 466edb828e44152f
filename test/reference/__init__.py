"""Evaluators that only tests use."""
