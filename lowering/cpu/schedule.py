"""Chooses how a kernel's domain is walked: which dimension lies in the lanes, and in which order the others are looped over."""

from __future__ import annotations

from dataclasses import dataclass

from .kernel import Kernel
from .target import Target


@dataclass(slots=True, eq=False)
class Schedule:
    """`items`: the dimensions whose points are shared out between threads, outermost first; `inner`: loops within an item;
    `lane`: the dimension in the lanes, if any; `swept`: the reduced or scanned ones, looped over once per phase."""

    items: list[int]
    inner: list[int]
    lane: int | None
    lanes: int
    swept: list[int]


def choose_schedule(kernel: Kernel, target: Target) -> Schedule:
    """The walk for `kernel`."""
    dims = range(len(kernel.extents))
    swept = [d for d in dims if kernel.swept >> d & 1]
    items = [d for d in dims if d not in swept]
    return Schedule(items, [], None, 0, swept)
