"""`user-patterns`: the patterns that users registered for no other pass."""

from .patterns.engine.pattern_rewriting import pattern_pass
from .registry import register_pass

register_pass("user-patterns", pattern_pass("user-patterns"))
