"""Compiles exported programs ahead of time."""
