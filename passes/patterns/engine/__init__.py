"""Converts, matches and replaces patterns."""
