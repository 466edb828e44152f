"""Dynamo's guard on users' patterns: a function is compiled again when it is called after its passes' patterns have changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...options import Options
from ...passes.patterns.engine import pattern_set
from ...passes.plugins import POINTS, steps_at
from ...torch_internals.aot import tracing_context
from ...torch_internals.dynamo import add_guard, add_to_root


def guard_on_patterns(options: Options) -> None:
    """Guards the code that Dynamo is compiling with `options`, if it is compiling."""
    context = tracing_context()
    if context is None:
        return
    passes = [*pattern_set.OPEN_PASSES, *(step for point in POINTS for step in steps_at(options, point))]
    guard = _PatternGuard(passes)
    add_guard(context, guard.install)


class _PatternGuard:
    """The patterns of some passes."""

    def __init__(self, passes: Sequence[str]) -> None:
        self.passes = passes
        self.changes, self.state = pattern_set.changes(), pattern_set.state(passes)

    def holds(self, _scope: Any = None) -> bool:
        """Whether the patterns are still the same."""
        changes = pattern_set.changes()
        if changes != self.changes and pattern_set.state(self.passes) == self.state:
            self.changes = changes
        return changes == self.changes

    def install(self, builder: Any, guard: Any) -> None:
        """Adds it to the guards of the compiled code."""
        reason = "mlirind: the patterns are those that it was compiled with"
        add_to_root(builder.guard_manager.root.add_lambda_guard, self.holds, reason, guard)
