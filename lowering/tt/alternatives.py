"""Alternatives to a kernel's default schedule, which `mode="max-autotune"` measures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ...tuning.gpu import TUNING
from ..kernel.analysis import Kernel
from .gpu_target import DEFAULT, GpuTarget
from .schedule import Axis, Schedule, choose_schedule, up

FACTORS = (2, 0.5)
POINTS = (32, 32768)  # bounds on a tile's points
WARPS = (1, 32)
STAGES = (1, 3)


def alternatives(kernel: Kernel, gpu: GpuTarget = DEFAULT) -> list[Schedule]:
    """The default schedule, then those that differ from it in one respect by a factor of 2: the tile's extents along its axes, splits,
    warps, the tile's size; or in the number of stages."""
    first = choose_schedule(kernel, gpu)
    found = [first, *(s for s in _neighbours(kernel, first) if _fits(s))]
    distinct = {(tuple(a.block for a in s.axes), s.warps, s.splits, s.stages): s for s in reversed(found)}
    return list(reversed(distinct.values()))[: TUNING.alternatives]


def _neighbours(kernel: Kernel, first: Schedule) -> Iterator[Schedule]:
    free = [a for a in first.axes if a.dims and (first.looped or not a.is_reduction)]
    tiled = [a for a in free if a.block > 1]
    for stages in STAGES if first.looped else ():
        yield replace(first, axes=[replace(a) for a in first.axes], stages=stages)
    for more in tiled:
        for less in tiled:
            if more is not less and _may_grow(kernel, more):
                yield _scaled(first, {more: 2, less: 0.5}, first.warps)
    for factor in FACTORS:
        if first.splits > 1 and first.splits * factor > 1:
            yield replace(first, axes=[replace(a) for a in first.axes], splits=int(first.splits * factor))
    for factor in FACTORS:
        yield _scaled(first, {}, int(first.warps * factor))
    for axis in free:
        for factor in FACTORS:
            if factor < 1 or _may_grow(kernel, axis):
                yield _scaled(first, {axis: factor}, max(1, int(first.warps * factor)))


def _scaled(schedule: Schedule, factors: dict[Axis, float], warps: int) -> Schedule:
    axes = [replace(a, block=int(a.block * factors.get(a, 1))) for a in schedule.axes]
    return replace(schedule, axes=axes, warps=warps)


def _may_grow(kernel: Kernel, axis: Axis) -> bool:
    extents = [kernel.extents[d] for d in axis.dims]
    known = [e for e in extents if isinstance(e, int)]
    return len(known) < len(extents) or axis.block < up(math.prod(known))


def _fits(schedule: Schedule) -> bool:
    points = math.prod(a.block for a in schedule.axes)
    empty = any(a.block < (2 if a.is_reduction else 1) for a in schedule.axes)
    return not empty and POINTS[0] <= points <= POINTS[1] and WARPS[0] <= schedule.warps <= WARPS[1]
