"""The built-in patterns as PDL text; `tools/gen_patterns.py` writes it."""
