"""Patterns: the engine that matches and replaces, and the built-in ones as PDL text."""
