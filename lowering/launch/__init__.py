"""The graph as a launch sequence in the `host` dialect."""
