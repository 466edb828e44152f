"""The cache of compiled graphs on disk: keys, and what surrounds a graph that is loaded."""
