"""Patterns: the engine that finds and replaces, and attention that is written out."""
