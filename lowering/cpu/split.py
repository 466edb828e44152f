"""Split reductions: large reductions to few results. Parts of the reduced range are chunks of their own, and their results are combined
afterwards. The division depends on the range's size alone, so the result does not depend on the number of threads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...tuning.cpu import TUNING
from ..kernel.analysis import Kernel
from ..kernel.reduction_passes import pass_roots
from .builder import Builder, Int, Val
from .combine import Carry, Values, carry_of, merge, start
from .index import ANY, IndexEmitter, LaneIndex, no_leaf
from .memory import LaneMemory
from .nest import Nest
from .schedule import Schedule, cost


@dataclass(frozen=True)
class Split:
    """Dimension `dim` is divided into at most `parts` parts; each has results at `points` points, padded to whole strips."""

    dim: int
    parts: int
    points: int
    carries: list[Carry]

    @property
    def slots(self) -> int:
        """The number of values that a part returns for a point."""
        return sum(carry.slots.stop - carry.slots.start for carry in self.carries)


def plan_split(b: Builder, kernel: Kernel, schedule: Schedule) -> Split | None:
    """The split; None if the kernel has enough chunks, too little work, or several reduction passes."""
    roots = pass_roots(kernel, 0)
    reductions = kernel.of(("loop.reduce",))
    if schedule.many_sums or not reductions:
        return None
    if len([n for n in roots if n.name == "loop.reduce"]) < len(reductions) or kernel.of(("loop.scan",)):
        return None
    if kernel.phases > 2 or any(pass_roots(kernel, phase) for phase in range(1, kernel.phases)) or _small(kernel):
        return None
    chunks = _chunks(kernel, schedule)
    points = _points(kernel, schedule)
    if chunks is None or points is None or chunks > TUNING.split_chunks // 4:
        return None
    dim = max(schedule.reduction_dims, key=lambda d: _extent(kernel, d))
    carries: list[Carry] = []
    for node in reductions:
        carries.append(carry_of(b, kernel, node, carries[-1].slots.stop if carries else 0))
    split = Split(dim, TUNING.split_chunks // max(chunks, 1), points, carries)
    return split if split.points * split.parts * split.slots * 8 <= TUNING.split_bytes else None


def _small(kernel: Kernel) -> bool:
    work = cost(kernel)
    for dim in range(len(kernel.extents)):
        work *= _extent(kernel, dim)
    return work < TUNING.split_work * TUNING.thread_work


def _extent(kernel: Kernel, dim: int) -> int:
    """The extent; a large number if it is unknown."""
    extent = kernel.extents[dim]
    return extent if isinstance(extent, int) else 1 << 30


def _chunks(kernel: Kernel, schedule: Schedule) -> int | None:
    """The number of chunks without a split."""
    count = 1
    for dim in schedule.chunked:
        extent, block = kernel.extents[dim], schedule.blocks.get(dim, 1)
        if not isinstance(extent, int) or not isinstance(block, int):
            return None
        count *= -(-extent // block)
    return count


def _points(kernel: Kernel, schedule: Schedule) -> int | None:
    count = 1
    for dim in _parallel(kernel, schedule):
        extent = kernel.extents[dim]
        if not isinstance(extent, int):
            return None
        count *= _padded(extent, dim, schedule)
    return count


def _parallel(kernel: Kernel, schedule: Schedule) -> list[int]:
    """The dimensions that are not reduced; the one in the lanes is the last."""
    found = [d for d in range(len(kernel.extents)) if d not in schedule.reduction_dims and d != schedule.lane]
    return found if schedule.lane is None or schedule.reduces_lanes else [*found, schedule.lane]


def _padded(extent: int, dim: int, schedule: Schedule) -> int:
    return -(-extent // schedule.lanes) * schedule.lanes if dim == schedule.lane else extent


def parts_schedule(nest: Nest, split: Split) -> Schedule:
    """The schedule of the parts: blocks of the divided dimension are chunks too."""
    b, schedule = nest.b, nest.schedule
    index = IndexEmitter(b, 0, no_leaf)
    extent = LaneIndex(nest.extents[split.dim], bound=ANY)
    size = index.divide("ceildiv", extent, LaneIndex(split.parts)).base
    # Whole strips, and at least as many as are worth a chunk.
    unit = 8 * max(schedule.lanes, 64)
    units = index.divide("ceildiv", LaneIndex(size, bound=ANY), LaneIndex(unit)).base
    size = b.mul(max(units, 1) if isinstance(units, int) else b.binary("maxsi", units, b.integer(1)), unit)
    return replace(schedule, chunked=[*schedule.chunked, split.dim], blocks={**schedule.blocks, split.dim: size})


@dataclass(slots=True, eq=False)
class PartsNest(Nest):
    """Reduces a part of the range, and stores the carried values in `results`, one buffer for each slot."""

    split: Split | None = None
    results: tuple[Val, ...] = ()

    def _point(self) -> None:
        assert self.split is not None
        position = position_of(self, self.split, LaneIndex(self.coordinates[self.split.dim]))
        lanes = 0 if self.schedule.reduces_lanes else self.schedule.lanes
        for carry, values in self.emit_pass(0):
            for buffer, value in zip(self.results[carry.slots], values, strict=True):
                LaneMemory(self.b, lanes, None).store(buffer, value.type, position, self.b.spread(value, lanes), None)


@dataclass(slots=True, eq=False)
class RestNest(Nest):
    """Combines the results of `parts` parts, and continues from there."""

    split: Split | None = None
    results: tuple[Val, ...] = ()
    parts: Int = 0

    def _point(self) -> None:
        assert self.split is not None
        lanes = 0 if self.schedule.reduces_lanes else self.schedule.lanes
        # A sum of sums, as everywhere: added one after the other, the error of many parts would be visible.
        with self.b.loop(0, self.parts, TUNING.split_group, self._nothing()) as block:
            end = self.b.minimum(self.b.add(block.counter, TUNING.split_group), self.parts)
            with self.b.loop(block.counter, end, 1, self._nothing()) as part:
                position = position_of(self, self.split, LaneIndex(part.counter))
                memory = LaneMemory(self.b, lanes, None)
                found = [memory.load_now(buffer, v.type, position) for buffer, v in zip(self.results, part.carried, strict=True)]
                part.yield_(self._merged(part.carried, found))
            block.yield_(self._merged(block.carried, part.results))
        self.row_sinks(0)
        for carry in self.split.carries:
            self.define_results(carry, block.results[carry.slots])
        self.row_sinks(1)

    def _nothing(self) -> Values:
        """The identities of all reductions."""
        assert self.split is not None
        lanes = 0 if self.schedule.reduces_lanes else self.schedule.lanes
        return [self.b.spread(v, lanes) for carry in self.split.carries for v in start(self.b, carry.kind, carry.types, lanes)]

    def _merged(self, left: Values, right: Values) -> Values:
        assert self.split is not None
        return [value for c in self.split.carries for value in merge(self.b, c.kind, left[c.slots], right[c.slots])]


def position_of(nest: Nest, split: Split, part: LaneIndex) -> LaneIndex:
    """The position of a part's results for this point, or strip of points."""
    indices, kernel = nest.body.indices, nest.body.kernel
    position = part
    for dim in _parallel(kernel, nest.schedule):
        extent = kernel.extents[dim]
        assert isinstance(extent, int)
        position = indices.add(indices.mul(position, LaneIndex(_padded(extent, dim, nest.schedule))), nest.body.dims[dim])
    return position
