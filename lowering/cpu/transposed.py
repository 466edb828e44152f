"""Loads that are contiguous along one dimension, with the lanes along another: reads squares of as many rows as there are lanes, and
transposes them."""

from __future__ import annotations

from ..kernel.analysis import Node
from .body import LaneBody
from .builder import Builder, Val
from .memory import LaneMemory
from .schedule import strided_loads


class Square:
    """The points of a strip at the next positions along the dimension `across`, as many as there are lanes."""

    def __init__(self, body: LaneBody, across: int) -> None:
        self.body, self.across = body, across
        self.first = body.dims[across]
        lane = body.schedule.lane
        assert lane is not None
        self.columns = {node: self._turned(node) for node in strided_loads(body.kernel, lane, across)}

    def _turned(self, node: Node) -> list[Val]:
        """The values of a load at each position, as one vector each."""
        body, kernel = self.body, self.body.kernel
        offset = body.indices.emit(kernel.index_expr(node))
        buffer = node.operands[0]
        memory = LaneMemory(body.b, body.lanes, None)
        pointer, element = body.arguments.buffers[buffer], kernel.buffers[buffer]
        rows = [memory.load_row(pointer, element, offset, lane) for lane in range(body.lanes)]
        return transpose(body.b, rows)

    def enter(self, position: int) -> None:
        """Moves to this position: the code emitted from here on is for it."""
        self.body.move_along(self.across, self.first, position)
        for node, columns in self.columns.items():
            self.body.define_here(node.results[0], columns[position])


def transpose(b: Builder, rows: list[Val]) -> list[Val]:
    """Transposes as many vectors as each has lanes: exchanges blocks of 1, 2, 4, ... lanes (J. O. Eklundh, A Fast Computer Method for
    Matrix Transposing, IEEE Transactions on Computers C-21, 1972)."""
    rows, size = list(rows), len(rows)
    step = 1
    while step < size:
        upper = [lane if not lane & step else size + lane - step for lane in range(size)]
        lower = [lane + step if not lane & step else size + lane for lane in range(size)]
        for i in range(size):
            if not i & step:
                one, other = rows[i], rows[i | step]
                rows[i], rows[i | step] = b.shuffle(one, other, upper), b.shuffle(one, other, lower)
        step *= 2
    return rows
