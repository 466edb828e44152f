"""The launches of a kernel: one, or, for a split reduction, one for each reduction pass and for each merge of splits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...tuning.gpu import TUNING
from ..kernel.analysis import Kernel, Node
from ..kernel.reduction_passes import pass_roots
from .schedule import Axis, Schedule, up, warps_for


@dataclass(frozen=True, eq=False)
class TileLaunch:
    """One launch. `phase`: the number of the reduction pass that it makes; None: all of them, or none. `merged`: the reductions whose
    splits it merges for later launches. `last`: it stores the values of one element a row."""

    schedule: Schedule
    phase: int | None = None
    merged: tuple[Node, ...] = ()
    last: bool = True


def launches(kernel: Kernel, schedule: Schedule) -> list[TileLaunch]:
    """The launches of `kernel`.

    A split reduction has one launch for each reduction pass. The results of a pass's splits are merged by the next launch: by every
    program of the next pass if they are few, else by a launch of its own. The last pass, if it reduces, is followed by a launch that merges
    its splits and stores the results.
    """
    if schedule.splits == 1:
        return [TileLaunch(schedule)]
    phases = [p for p in range(kernel.phases) if pass_roots(kernel, p)]
    apart = merges_apart(schedule)
    with_splits = schedule if apart else replace(schedule, axes=[*schedule.axes, Axis([], up(schedule.splits))])
    found = []
    for phase in phases:
        found.append(TileLaunch(schedule if phase == phases[0] else with_splits, phase, last=False))
        reductions = tuple(n for n in pass_roots(kernel, phase) if n.name == "loop.reduce")
        if apart and reductions and phase != phases[-1]:
            found.append(TileLaunch(_merging(schedule), merged=reductions, last=False))
    if any(n.name == "loop.reduce" for n in pass_roots(kernel, phases[-1])):
        return [*found, TileLaunch(_merging(schedule))]
    return [*found[:-1], replace(found[-1], last=True)]


def merges_apart(schedule: Schedule) -> bool:
    """Whether a launch of its own merges the splits of a pass before the next one."""
    return schedule.splits > TUNING.few_splits


def _merging(schedule: Schedule) -> Schedule:
    """The schedule of a launch that merges splits: tiles of as many rows as there are threads for all of their splits, but of at least a
    sector of memory."""
    splits = up(schedule.splits)
    (rows,) = [a for a in schedule.axes if not a.is_reduction]
    block = min(rows.block, max(TUNING.sector_points, TUNING.merged_points // splits))
    return Schedule([Axis(rows.dims, block), Axis([], splits)], warps_for(splits * block), splits=schedule.splits)
