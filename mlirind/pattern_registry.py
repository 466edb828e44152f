"""The patterns and functions that are registered, by pass. `passes/patterns/engine/pattern_set.py` fills it. Imports nothing: the backend
asks for patterns before it imports the passes."""

import sys
from collections.abc import Sequence
from typing import Any

PROJECTS = "the project's"  # the identity of what the project's own files register

patterns: dict[str, dict[str, Any]] = {}
rewrites: dict[str, list[Any]] = {}
users_passes: set[str] = set()  # passes that exist because a user registered a pattern for them: they run where options name them
files: dict[str, dict[str, None]] = {}  # the files that registered something for a pass, in order; a reproducer's command loads them
_changes = 0


def changes() -> int:
    """The number of registrations and removals of patterns so far."""
    return _changes


def note_change() -> None:
    """Called with each registration and removal."""
    global _changes
    _changes += 1


def note_file(pass_name: str) -> None:
    """Remembers the file of the program that calls the function which calls this one: it registers something for the pass."""
    files.setdefault(pass_name, {})[sys._getframe(2).f_code.co_filename] = None


def state(steps: Sequence[str]) -> list[Any]:
    """What users registered for the passes that run, which are those of the project's pipelines and `steps`: patterns and functions, each
    with its pass. Two equal states rewrite a graph in the same way."""
    names = [name for name in sorted({*patterns, *rewrites}) if name not in users_passes or name in steps]
    found = [(name, p) for name in names for p in (*patterns.get(name, {}).values(), *rewrites.get(name, ()))]
    return [(name, p) for name, p in found if p.identity != PROJECTS]
