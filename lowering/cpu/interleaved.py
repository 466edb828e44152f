"""Stores to every second element along the lanes, and along a dimension of extent 2 to the elements between: both vectors are interleaved,
and stored as two contiguous ones."""

from __future__ import annotations

from collections.abc import Callable

from ..kernel.analysis import Node
from .body import LaneBody
from .builder import Val
from .index import LaneIndex
from .schedule import interleaved_stores

EXTENT = 2


class Pairs:
    """The points of a vector at both positions along the dimension `dim`. `found`: what each of the stores stores, by position."""

    def __init__(self, body: LaneBody, dim: int) -> None:
        lane = body.schedule.lane
        assert lane is not None
        self.body, self.dim, self.first = body, dim, body.dims[dim]
        self.found: dict[Node, list[tuple[LaneIndex, Val]]] = {node: [] for node in interleaved_stores(body.kernel, lane, dim)}
        self.body.pairs = self

    def emit(self, point: Callable[[list[Val]], list[Val]]) -> list[Val]:
        """Emits `point` for both positions, then the stores."""
        for position in range(EXTENT):
            self.body.move_along(self.dim, self.first, position)
            point([])
        self.body.pairs = None
        for node, stored in self.found.items():
            self._store(node, stored)
        return []

    def _store(self, node: Node, stored: list[tuple[LaneIndex, Val]]) -> None:
        body, b, lanes = self.body, self.body.b, self.body.lanes
        (offset, even), (_, odd) = stored
        even, odd = b.spread(even, lanes), b.spread(odd, lanes)
        buffer = node.operands[0]
        for half in range(EXTENT):
            picked = [lane // 2 + lane % 2 * lanes for lane in range(half * lanes, (half + 1) * lanes)]
            place = LaneIndex(b.add(offset.base, half * lanes), 1)
            body.memory.store(body.arguments.buffers[buffer], body.kernel.buffers[buffer], place, b.shuffle(even, odd, picked), None)
