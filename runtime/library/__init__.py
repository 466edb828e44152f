"""A compiled graph as a shared library."""
