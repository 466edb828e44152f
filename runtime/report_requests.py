"""Who asks for reports. Apart from the reports themselves, which read MLIR modules: a graph that is loaded from the cache needs no MLIR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .report import GraphReport


@dataclass(eq=False)
class Collector:
    """A list that receives reports; `stages`: with the IR of every stage; `times`: graphs measure their steps."""

    reports: list[GraphReport]
    stages: bool
    times: bool


collectors: list[Collector] = []


def stages_wanted() -> bool:
    """Whether a collector requests the IR of the stages."""
    return any(c.stages for c in collectors)


def times_wanted() -> bool:
    """Whether a collector requests the times of steps."""
    return any(c.times for c in collectors)


def reports_wanted() -> bool:
    """Whether a collector exists."""
    return bool(collectors)
