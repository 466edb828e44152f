"""The code that modifies and masks the scores of attention: that of a `loop.func` over all scores, for one tile of them."""

from __future__ import annotations

from dataclasses import dataclass

from ...dialects.narrowing import integer
from ..kernel.analysis import Kernel, Node
from .body import TileBody
from .builder import Val
from .index import Num, TileIndex

_LAST_SIGNED = 5  # of the predicates of arith.cmpi


@dataclass(frozen=True)
class ScoreCode:
    """What modifies and masks scores: a kernel over all scores. `scores`: the buffer that it loads them from; `dims`: the dimensions of its
    domain that are batch, head, row and key, None for one of size 1; `result`: the value that it stores; `others`: its other buffers that
    it loads from."""

    kernel: Kernel
    scores: int
    dims: tuple[int | None, ...]
    result: int
    others: tuple[int, ...]


@dataclass(frozen=True)
class ScoreCodes:
    """The code for the blocks that a mask lists, and that for its full blocks, which has no mask; None: scores stay as they are.
    `only_masks`: the functions do nothing but mask scores."""

    partial: ScoreCode | None
    full: ScoreCode | None = None
    only_masks: bool = False

    def all(self) -> list[ScoreCode]:
        """Both, if there are."""
        return [code for code in (self.partial, self.full) if code is not None]


class ScoreBody(TileBody):
    """A body that computes with positions in 32 bits where they fit: eager's positions have 64, which cost two to four times as much."""

    def _emit(self, node: Node) -> Val | TileIndex:
        return self._narrow_result(node) or super()._emit(node)

    def _narrow_result(self, node: Node) -> Val | TileIndex | None:
        """The result of a comparison, an absolute value or a conversion of integers that fit."""
        if node.name not in ("arith.cmpi", "arith.sitofp", "math.absi"):
            return None
        found = [self.find(i) for i in node.operands]
        totals = [self.indices.total(f) for f in found if isinstance(f, TileIndex)]
        if len(totals) < len(found) or not all(t.narrow for t in totals):
            return None
        values, element = [self.indices.numbers.emitted(t) for t in totals], self.kernel.values[node.results[0]].type
        if node.name == "arith.sitofp":
            return self.b.elementwise(node.name, values, element)
        if node.name == "math.absi":
            size = max(abs(totals[0].lo or 0), abs(totals[0].hi or 0))
            absolute = Num(self.b.elementwise(node.name, values, self.b.i32), 0, size)
            return TileIndex(Num(0), absolute) if absolute.axes else TileIndex(absolute)
        predicate = node.attributes["predicate"]
        if integer(predicate) > _LAST_SIGNED:
            return None
        return self.b.elementwise(node.name, values, self.b.i1, {"predicate": predicate}, predicate)
