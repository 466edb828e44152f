"""Runs the launch sequence: as a native function, or as a Python function for debugging."""
