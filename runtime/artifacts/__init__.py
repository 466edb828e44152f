"""Compiled graphs as files that another process loads, without the compiler."""
