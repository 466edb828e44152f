"""Users' patterns and passes: tracing, checks, and passes before AOTAutograd."""
