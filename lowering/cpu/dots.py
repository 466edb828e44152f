"""Products whose operands are both contiguous along the summed dimension: as many neighbouring results are computed at once as there are
lanes.

Each result is summed in its own register, with the summed dimension in the lanes. Then the lanes of all registers are added, and
operations on the results are vector code along them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..kernel.analysis import Node
from .builder import Builder, Val
from .combine import Carry, Values, carry_of, merge
from .index import LaneIndex
from .nest import Nest
from .schedule import stride

GROUP = 4  # the first two exchanges stay among this many lanes: they are one instruction each


@dataclass(slots=True, eq=False)
class DotsNest(Nest):
    """The loops of a schedule with `many_sums`."""

    def emit_pass(self, phase: int) -> list[tuple[Carry, Values]]:
        """Emits the sums of one vector of results."""
        if phase:
            return []
        body, outer = self.body, self.schedule
        (dim,), lane = outer.reduction_dims, outer.lane
        assert lane is not None
        strip, mask, extent = body.dims[lane], body.mask, self.extents[lane]
        assert isinstance(extent, int)
        self.schedule = body.schedule = replace(outer, lane=dim)
        body.mask, body.phase = None, phase
        sums = self._sums(strip, lane, outer.lanes if mask is None else extent % outer.lanes)
        self.schedule = body.schedule = outer
        body.dims[lane], body.mask = strip, mask
        self._forget(lane)
        return [(self.carries[0], [add_lanes(self.b, [*sums, *[sums[-1]] * (outer.lanes - len(sums))])])]

    def _sums(self, strip: LaneIndex, lane: int, positions: int) -> Values:
        """Emits the sums of the first `positions` results of a vector; each is still a vector of partial sums."""
        body = self.body
        (node,) = body.kernel.of(("loop.reduce",))
        self.carries = carries = [carry_of(self.b, body.kernel, node, position) for position in range(positions)]
        loads = [n for n in body.kernel.of(("loop.load",)) if n.deps >> lane & 1 and stride(body.kernel, n, lane)]

        def step(values: Values) -> Values:
            body.dims[lane] = LaneIndex(strip.base, bound=strip.bound)
            self._forget(lane)
            offsets = [body.indices.emit(body.kernel.index_expr(n)) for n in loads]
            for position, carry in enumerate(carries):
                self._enter(strip, lane, position, dict(zip(loads, offsets, strict=True)))
                self.carries = [carry]
                values = self._step(values)
            self.carries = carries
            return values

        return self._along(self.schedule.reduction_dims[0], [v for carry in carries for v in self.start(carry)], step)

    def _enter(self, strip: LaneIndex, lane: int, position: int, offsets: dict[Node, LaneIndex]) -> None:
        """Sets the coordinate of result number `position`, and its loads: they lie at constant distances from those of the first result."""
        body, kernel = self.body, self.body.kernel
        self._forget(lane)
        body.dims[lane] = LaneIndex(self.b.add(strip.base, position), bound=strip.bound)
        for node, offset in offsets.items():
            apart = stride(kernel, node, lane)
            assert apart is not None
            there = LaneIndex(self.b.add(offset.base, position * apart), offset.stride, offset.vector)
            buffer = node.operands[0]
            value = body.memory.load(body.arguments.buffers[buffer], kernel.buffers[buffer], there, None)
            body.define_here(node.results[0], value)

    def _forget(self, lane: int) -> None:
        """Drops the emitted values that differ between the results of a vector."""
        for level in self.b.levels:
            for key in [k for k in level.memo if k[0] == "value" and self.body.kernel.values[k[1]].deps >> lane & 1]:
                del level.memo[key]


def add_lanes(b: Builder, rows: Values) -> Val:
    """The sums over the lanes of each vector, as one vector. There are as many vectors as lanes; pairs exchange lanes until one is left."""
    lanes, distance = len(rows), 1
    while len(rows) > 1:
        first, second = exchange(lanes, distance)
        pairs = zip(rows[::2], rows[1::2], strict=True)
        rows = [merge(b, "add", [b.shuffle(one, other, first)], [b.shuffle(one, other, second)])[0] for one, other in pairs]
        distance *= 2
    return rows[0]


def exchange(lanes: int, distance: int) -> tuple[list[int], list[int]]:
    """The lanes of two vectors to add: neighbours within a group of lanes first, then whole groups."""
    groups = range(0, lanes, GROUP)
    if distance < GROUP:
        order = [0, lanes, 1, lanes + 1] if distance == 1 else [0, 1, lanes, lanes + 1]
        first = [group + lane for group in groups for lane in order]
        return first, [lane + 2 for lane in first]
    first = [start + group + lane for start in (0, lanes) for group in groups[::2] for lane in range(GROUP)]
    return first, [lane + GROUP for lane in first]
