"""Divides the lanes' dimension into pieces on which computed indices are affine: the inside of a padded row, and its borders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from torch_mlir import ir

from ...tuning.cpu import TUNING
from ..kernel.analysis import ExprTree, Kernel, Node
from .schedule import Schedule

LARGE = 1 << 62  # if every intermediate number is below this, 64-bit arithmetic is exact

Numbers = list[int]

_SIMPLE: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
}
# arith.cmpi's signed predicates, by number.
_COMPARED: dict[int, Callable[[int, int], bool]] = {
    0: lambda a, b: a == b,
    1: lambda a, b: a != b,
    2: lambda a, b: a < b,
    3: lambda a, b: a <= b,
    4: lambda a, b: a > b,
    5: lambda a, b: a >= b,
}


Line = tuple[int, int]  # the value at the piece's first position, and the step from one position to the next


@dataclass(frozen=True)
class Piece:
    """Positions `lower` to `upper` of the dimension, on which values of the body and parts of index expressions are affine."""

    lower: int
    upper: int
    values: dict[int, Line]
    exprs: dict[ExprTree, Line]


def plan_pieces(kernel: Kernel, schedule: Schedule) -> list[Piece]:
    """The pieces of the lanes' dimension, in order; none if the indices are affine anyway, or there would be too many pieces."""
    lane = schedule.lane
    extent = None if lane is None else kernel.extents[lane]
    if (
        kernel.reduction_dims
        or not isinstance(extent, int)
        or not 1 < extent <= TUNING.block_points
        or lane in schedule.blocks
        or schedule.across is not None
        or schedule.between is not None
    ):
        return []
    assert lane is not None
    if schedule.lanes < 2 or len(kernel.nodes) > TUNING.piece_nodes:
        return []
    walk = _Walk(kernel, lane, extent)
    values = _bent({v: walk.value(v) for v in _index_values(kernel)})
    exprs = _bent({e: walk.expr(e) for node in kernel.of(_ACCESSES) for e in _divisions(kernel.index_expr(node))})
    starts = sorted({0, extent}.union(*(_bends(numbers) for numbers in (*values.values(), *exprs.values()))))
    if not 2 < len(starts) <= TUNING.pieces + 1:
        return []
    return [Piece(a, b, _lines(values, a, b), _lines(exprs, a, b)) for a, b in zip(starts, starts[1:], strict=False)]


_ACCESSES = ("loop.load", "loop.store")
K = TypeVar("K")


def _bent(found: dict[K, Numbers | None]) -> dict[K, Numbers]:
    return {key: numbers for key, numbers in found.items() if numbers is not None and not _is_line(numbers)}


def _lines(found: dict[K, Numbers], lower: int, upper: int) -> dict[K, Line]:
    return {key: (n[lower], n[lower + 1] - n[lower] if upper - lower > 1 else 0) for key, n in found.items()}


def _index_values(kernel: Kernel) -> set[int]:
    """The computed values in the indices of accesses."""
    return {i for node in kernel.of(_ACCESSES) for i in node.indices if kernel.values[i].dim is None}


def _divisions(expr: ExprTree) -> list[ExprTree]:
    """The outermost quotients and remainders in an index expression."""
    if expr[0] in ("dim", "symbol", "constant", "value"):
        return []
    return [expr] if expr[0] in ("mod", "floordiv", "ceildiv") else [*_divisions(expr[1]), *_divisions(expr[2])]


def _is_line(numbers: Numbers) -> bool:
    return all(b - a == numbers[1] - numbers[0] for a, b in zip(numbers, numbers[1:], strict=False))


def _bends(numbers: Numbers) -> set[int]:
    """The first positions of the affine pieces; each piece is as long as possible."""
    starts, at = {0}, 0
    while at < len(numbers):
        end = at + 2
        while end < len(numbers) and numbers[end] - numbers[end - 1] == numbers[at + 1] - numbers[at]:
            end += 1
        # Two positions are affine with any slope. Leave the second one to the next piece, whose slope may fit more positions.
        if end - at == 2 and end < len(numbers):
            end = at + 1
        starts.add(at)
        at = end
        if len(starts) > TUNING.pieces + 1:
            break
    return starts


class _Walk:
    """Computes integers of the body at every position of one dimension; None for those that depend on anything else."""

    def __init__(self, kernel: Kernel, dim: int, extent: int) -> None:
        self.kernel, self.dim, self.extent = kernel, dim, extent

    def value(self, number: int) -> Numbers | None:
        """Value `number` of the body."""
        info = self.kernel.values[number]
        if info.dim is not None:
            return list(range(self.extent)) if info.dim == self.dim else None
        node = info.producer
        if node is None or info.deps & ~(1 << self.dim) or str(info.type) not in ("index", "i64", "i1"):
            return None
        return self._result(node)

    def _result(self, node: Node) -> Numbers | None:
        if node.name == "arith.constant":
            return [int(node.attributes["value"].value)] * self.extent
        if node.name == "loop.apply":
            return self.expr(self.kernel.index_expr(node))
        if node.name not in _SIMPLE and node.name not in _OTHERS:
            return None
        operands = [self.value(i) for i in node.operands]
        if any(o is None for o in operands):
            return None
        return self._apply(node, [o for o in operands if o is not None])

    def _apply(self, node: Node, operands: Sequence[Numbers]) -> Numbers | None:
        if node.name == "arith.cmpi":
            compare = _COMPARED.get(ir.IntegerAttr(node.attributes["predicate"]).value)
            return None if compare is None else [int(compare(a, b)) for a, b in zip(*operands, strict=True)]
        if node.name == "arith.select":
            return [a if chosen else b for chosen, a, b in zip(*operands, strict=True)]
        if node.name == "math.absi":
            return [abs(a) for a in operands[0]]
        if node.name == "arith.index_cast":
            return operands[0]
        numbers = [_SIMPLE[node.name](a, b) for a, b in zip(*operands, strict=True)]
        return numbers if max(map(abs, numbers)) < LARGE else None

    def expr(self, expr: ExprTree) -> Numbers | None:
        """An index expression."""
        kind = expr[0]
        if kind == "constant":
            return [expr[1]] * self.extent
        if kind == "dim":
            return list(range(self.extent)) if expr[1] == self.dim else None
        if kind == "value":
            return self.value(expr[1])
        if kind == "symbol":
            return None
        left, right = self.expr(expr[1]), self.expr(expr[2])
        if left is None or right is None:
            return None
        return [_SIMPLE[kind](a, b) for a, b in zip(left, right, strict=True)]


_OTHERS = ("arith.cmpi", "arith.select", "math.absi", "arith.index_cast")
