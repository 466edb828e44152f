"""Tuning constants, a table for each target, and the measurement that each constant came from."""
