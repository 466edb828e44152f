"""The patterns and functions that are registered, by pass. `passes/patterns/engine/pattern_set.py` fills it. Imports nothing: the backend
asks for patterns before it imports the passes."""

from collections.abc import Sequence
from typing import Any

# The passes of every pipeline for patterns that users register without naming a pass.
OPEN_PASSES = ("user-patterns",)

patterns: dict[str, dict[str, Any]] = {}
rewrites: dict[str, list[Any]] = {}
_changes = 0


def changes() -> int:
    """The number of registrations and removals of patterns so far."""
    return _changes


def note_change() -> None:
    """Called with each registration and removal."""
    global _changes
    _changes += 1


def state(pass_names: Sequence[str]) -> list[Any]:
    """The patterns and functions registered for the passes. Two equal states rewrite a graph in the same way."""
    return [(name, list(patterns.get(name, {}).values()), list(rewrites.get(name, ()))) for name in pass_names]


def has_patterns(pass_names: Sequence[str]) -> bool:
    """Whether any pattern or function is registered for the passes."""
    return any(patterns.get(name) or rewrites.get(name) for name in pass_names)
