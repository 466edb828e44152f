"""Dynamo's guard on users' patterns: a function is compiled again when it is called after its passes' patterns have changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...pattern_registry import changes, state
from ...torch_internals.aot import tracing_context
from ...torch_internals.dynamo import add_guard, add_to_root


def guard_on_patterns(steps: Sequence[str]) -> None:
    """Guards the code that Dynamo is compiling, if it is compiling. `steps`: the user's passes that its options name."""
    context = tracing_context()
    if context is None:
        return
    guard = _PatternGuard(steps)
    add_guard(context, guard.install)


class _PatternGuard:
    """The patterns of the passes that run."""

    def __init__(self, steps: Sequence[str]) -> None:
        self.steps = steps
        self.changes, self.state = changes(), state(steps)

    def holds(self, _scope: Any = None) -> bool:
        """Whether the patterns are still the same."""
        now = changes()
        if now != self.changes and state(self.steps) == self.state:
            self.changes = now
        return now == self.changes

    def install(self, builder: Any, guard: Any) -> None:
        """Adds it to the guards of the compiled code."""
        reason = "mlirind: the patterns are those that it was compiled with"
        add_to_root(builder.guard_manager.root.add_lambda_guard, self.holds, reason, guard)
