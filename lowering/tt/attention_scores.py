"""The code that modifies and masks the scores of attention, and that of its gradients: a `loop.func` over all scores, for one tile."""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.narrowing import integer
from ..kernel.analysis import Kernel, Node
from .body import TileBody
from .builder import Val
from .index import Num, TileIndex

_LAST_SIGNED = 5  # of the predicates of arith.cmpi
EXACT = 1 << 24  # positions are less: float32 has all of them, and their differences

# What a kernel over all scores loads in place of the tile's values: scores before their modification, the gradient of modified scores, and
# a condition that is true.
SCORES, GRADIENT, INSIDE = "scores", "gradient", "inside"


@dataclass(frozen=True)
class ScoreCode:
    """A kernel over all scores. `inputs`: the buffers that it loads the tile's values from, each with what it is (`SCORES`, ...); `dims`:
    the dimensions of its domain that are batch, head, row and key, None for one of size 1; `result`: the value that it stores; `others`:
    its other buffers that it loads from."""

    kernel: Kernel
    inputs: tuple[tuple[int, str], ...]
    dims: tuple[int | None, ...]
    result: int
    others: tuple[int, ...]

    def reads_by_row_and_key(self) -> bool:
        """Whether it loads elements of its other buffers at places that depend on the row, and elements at places that depend on the key:
        a mask that compares the documents of both does so."""
        loads = [n for n in self.kernel.of(("loop.load",)) if n.operands[0] in self.others]
        return all(dim is not None and any(load.deps >> dim & 1 for load in loads) for dim in self.dims[2:])


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


@dataclass(frozen=True)
class Scatter:
    """A part of the gradient of a captured tensor, the `number`th with a gradient: each score adds `value` to the element number
    `place`."""

    number: int
    value: ScoreCode
    place: ScoreCode


@dataclass(frozen=True)
class GradientCodes:
    """The code of the backward: of the modified scores, the mask, and the gradient of the scores before their modification; None: scores
    and their gradients stay as they are, the mask allows all scores. `captured`: the number of captured tensors with gradients."""

    scores: ScoreCode | None
    allowed: ScoreCode | None
    gradient: ScoreCode | None
    scatters: tuple[Scatter, ...] = ()
    captured: int = 0

    def all(self) -> list[ScoreCode]:
        """All code."""
        known = [code for code in (self.scores, self.allowed, self.gradient) if code is not None]
        return [*known, *(code for scatter in self.scatters for code in (scatter.value, scatter.place))]


class ScoreBody(TileBody):
    """A body that computes with positions in 32 bits where they fit: eager's positions have 64, which cost two to four times as much. A
    difference of a row and a key is taken apart, so that a score costs one operation more, instead of several."""

    def _emit(self, node: Node) -> Val | TileIndex:
        if node.name in ("arith.cmpi", "arith.andi"):
            truth = self.truth(node.results[0])
            if truth is not None:
                return self.b.number(truth, self.b.i1)
        if node.name == "arith.select":
            truth = self.truth(node.operands[0])
            if truth is not None:
                return self.find(node.operands[1 if truth else 2])
        return self._narrow_result(node) or super()._emit(node)

    def truth(self, number: int) -> bool | None:
        """What a condition is for all positions, if that is known."""
        producer = self.kernel.values[number].producer
        if producer is None or not isinstance(self.kernel.values[number].type, ir.IntegerType):
            return None
        if producer.name == "arith.constant":
            return bool(producer.attributes["value"].value)
        if producer.name == "arith.andi" and self.kernel.values[number].type == self.b.i1:
            parts = [self.truth(i) for i in producer.operands]
            return False if False in parts else None if None in parts else True
        if producer.name != "arith.cmpi":
            return None
        found = [self.find(i) for i in producer.operands]
        totals = [self.indices.total(f) for f in found if isinstance(f, TileIndex)]
        return _compared(integer(producer.attributes["predicate"]), *totals) if len(totals) == len(found) else None

    def _narrow_result(self, node: Node) -> Val | TileIndex | None:
        """The result of a comparison, an absolute value or a conversion of integers that fit."""
        if node.name not in ("arith.cmpi", "arith.sitofp", "math.absi"):
            return None
        found = [self.find(i) for i in node.operands]
        indices = [f for f in found if isinstance(f, TileIndex)]
        if len(indices) < len(found) or not all(i.base.narrow and (i.lanes is None or i.lanes.narrow) for i in indices):
            return None
        if node.name == "arith.sitofp":
            return self._float(node, indices[0])
        totals = [self.indices.total(i) for i in indices]
        if not all(t.narrow for t in totals):
            return None
        if node.name == "math.absi":
            size = max(abs(totals[0].lo or 0), abs(totals[0].hi or 0))
            absolute = Num(self.b.elementwise(node.name, [self.indices.numbers.emitted(totals[0])], self.b.i32), 0, size)
            return TileIndex(Num(0), absolute) if absolute.axes else TileIndex(absolute)
        return self._comparison(node, indices)

    def _comparison(self, node: Node, indices: list[TileIndex]) -> Val | None:
        """row + base - key <= number is row + (base - number) <= key"""
        predicate = node.attributes["predicate"]
        if integer(predicate) > _LAST_SIGNED:
            return None
        indices_of, numbers, (left, right) = self.indices, self.indices.numbers, indices
        parts = self._difference(node.operands[0]) if right.lanes is None else None
        sides = [indices_of.total(i) for i in indices]
        if parts is not None:
            sides = [indices_of.total(indices_of.sub(TileIndex(left.base, parts[0]), right)), parts[1]]
        values = [numbers.emitted(s, self.b.i32) for s in sides]
        return self.b.elementwise(node.name, values, self.b.i1, {"predicate": predicate}, predicate)

    def _float(self, node: Node, index: TileIndex) -> Val | None:
        """An integer as a float. The absolute value of a difference is that of the float."""
        b, numbers, number = self.b, self.indices.numbers, node.operands[0]
        element = self.kernel.values[node.results[0]].type
        producer = self.kernel.values[number].producer
        is_absolute = producer is not None and producer.name == "math.absi"
        if producer is not None and is_absolute:
            number = producer.operands[0]
            inner = self.find(number)
            index = inner if isinstance(inner, TileIndex) else index
        parts = self._difference(number) if element == b.f32 else None
        if parts is None or max(abs(index.base.lo or 0), abs(index.base.hi or 0)) > EXACT:
            found = self.find(node.operands[0])
            total = self.indices.total(found) if isinstance(found, TileIndex) else None
            return None if total is None or not total.narrow else b.elementwise(node.name, [numbers.emitted(total)], element)
        base, row, key = (b.elementwise(node.name, [numbers.emitted(n)], element) for n in (index.base, *parts))
        result = b.binary("subf", b.binary("addf", base, row), key)
        return b.elementwise("math.absf", [result], element) if is_absolute else result

    def _difference(self, number: int) -> tuple[Num, Num] | None:
        """The lanes of a and b, if a value is a - b, and each of them varies along one axis of its own."""
        producer = self.kernel.values[number].producer
        if producer is None or producer.name != "arith.subi":
            return None
        left, right = (self.find(i) for i in producer.operands)
        if not isinstance(left, TileIndex) or not isinstance(right, TileIndex) or left.lanes is None or right.lanes is None:
            return None
        apart = len(left.lanes.axes) == len(right.lanes.axes) == 1 and left.lanes.axes != right.lanes.axes
        return (left.lanes, right.lanes) if apart else None


def _compared(predicate: int, left: Num, right: Num) -> bool | None:
    """The result of a signed comparison that the bounds decide."""
    if None in (left.lo, left.hi, right.lo, right.hi):
        return None
    assert left.lo is not None and left.hi is not None and right.lo is not None and right.hi is not None
    less, not_less = left.hi < right.lo, left.lo >= right.hi
    greater, not_greater = left.lo > right.hi, left.hi <= right.lo
    known = {2: (less, not_less), 3: (not_greater, greater), 4: (greater, not_greater), 5: (not_less, less)}.get(predicate)
    return None if known is None or not any(known) else known[0]
