"""Runs a graph another way for inputs for which one of its conditions is false."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import Any

from ...runner import Runner
from ...torch_internals.aot import mark_boxed

log = logging.getLogger(__name__)


def guarded_by(runner: Runner, conditions: Sequence[str], otherwise: Runner, name: str) -> Runner:
    """The runner; `otherwise` runs instead for inputs for which a condition is false."""
    return mark_boxed(guarded(runner, conditions, otherwise, name)) if conditions else runner


def guarded(runner: Runner, conditions: Sequence[str], otherwise: Runner, name: str) -> Runner:
    """Runs `runner` if the conditions are true, else `otherwise`."""
    holds: Callable[[list[Any]], bool] = eval(f"lambda inputs: {' and '.join(conditions)}", {"math": math})

    def run(inputs: list[Any]) -> Sequence[Any]:
        if holds(inputs):
            return runner(inputs)
        log.debug("%s runs uncompiled: one of its conditions on sizes is false: %s", name, " and ".join(conditions))
        return otherwise(inputs)

    return run
