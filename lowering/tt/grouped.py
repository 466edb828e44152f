"""Online softmax by groups: keeps one maximum and one sum for the few points of a group, which are in the registers of one thread. In each
iteration the sum is rescaled once for each group, so a point costs one exponential, as in two separate reduction passes."""

from __future__ import annotations

import math
from functools import partial

from torch_mlir import ir

from ...dialects.narrowing import bits
from ..kernel.analysis import Kernel, Node
from ..kernel.hoisting import Level
from ..kernel.strides import stride_along
from .builder import Builder, Val
from .combine import OEQ, Carry, Values, merge, start
from .scalar_ops import emit_operation
from .schedule import Schedule

ACCESS = 128  # bits that a thread reads at a time
LOG2_E = math.log2(math.e)

_BOTH = frozenset({0, 1})


class Groups:
    """The points of a tile with one axis, in groups of `size` neighbours. With `apart`, the points of a group lie as far from each other as
    there are groups."""

    def __init__(self, tile: Builder, size: int, apart: bool) -> None:
        (points,) = tile.shape
        self.tile = tile
        self.shape = (size, points // size) if apart else (points // size, size)
        self.within = 0 if apart else 1
        self.among = frozenset({1 - self.within})

    def _builder(self) -> Builder:
        """The builder for operations on groups; a value that varies `among` the groups is one number for each."""
        b = Builder()
        b.shape = self.shape
        b.levels = [Level(level.ip) for level in self.tile.levels]
        return b

    def start(self, carry: Carry) -> Values:
        """The loop's initial values."""
        b = self._builder()
        return [b.spread(v, self.among) for v in start(b, carry)]

    def step(self, old: Values, x: Val) -> Values:
        """Adds the points of a block to maximum and sum. The sum is 0 until the first number."""
        b, (largest, total), element = self._builder(), old, x.type
        level = len(b.levels) - 1
        shaped = ir.Operation.create("tt.reshape", [b.type_of(element, _BOTH)], [x.ssa], loc=b.loc, ip=b.levels[-1].ip).result
        values = Val(shaped, element, _BOTH, level)
        new = b.binary("maximumf", largest, *b.reduce([values], self.within, _BOTH, partial(merge, b, "max")))
        nothing = b.compare(OEQ, new, b.number(float("-inf"), element))
        shift = b.select(nothing, b.number(0.0, element), new)
        added = b.reduce([_term(b, b.binary("subf", values, shift))], self.within, _BOTH, partial(merge, b, "add"))
        scale = emit_operation(b, "math.exp", [b.binary("subf", largest, shift)], element, {})
        return [new, b.binary("addf", b.binary("mulf", total, scale), *added)]

    def across(self, carry: Carry, values: Values) -> Values:
        """The maximum and sum of all groups."""
        b = self._builder()
        (axis,) = self.among
        return b.reduce(values, axis, self.among, partial(merge, b, carry.kind))


def _term(b: Builder, exponent: Val) -> Val:
    """exp(exponent), for a non-positive exponent, as a term of a sum whose largest term is 1. The product's rounding, at most |exponent| /
    2^23 of the term, is of the order of the sum's own."""
    if exponent.type != b.f32:
        return emit_operation(b, "math.exp", [exponent], exponent.type, {})
    return emit_operation(b, "math.exp2", [b.binary("mulf", exponent, b.number(LOG2_E, b.f32))], b.f32, {})


def groups_of(tile: Builder, kernel: Kernel, schedule: Schedule) -> Groups | None:
    """The largest groups of points that one thread holds, in a tile of long rows: neighbours that the thread reads in one access, or one
    point of each round over the tile. None if a group would have one point."""
    if len(tile.shape) != 1:
        return None
    rows = [n for n in kernel.of(("loop.load", "loop.store")) if n.deps & kernel.reduction_dims]
    least, most = (max(r[n] for r in (_at_once(kernel, node) for node in rows)) for n in (0, 1))
    each = tile.shape[0] // (32 * schedule.warps)
    size, apart = max((min(least, each), False), (each // most, True), key=lambda found: found[0])
    return Groups(tile, size, apart) if size > 1 else None


def _at_once(kernel: Kernel, node: Node) -> tuple[int, int]:
    """The fewest and most neighbours that a thread reads or writes at a time."""
    expr, width = kernel.index_expr(node), max(bits(kernel.buffers[node.operands[0]]), 8)
    strides = [stride_along(kernel, expr, d) for d in range(len(kernel.extents))]
    known = [s * width for s in strides if s is not None and s != 1]
    most = max(1, math.gcd(ACCESS, *known) // width)
    return (1 if None in strides else most), most
