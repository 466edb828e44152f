"""How two parts of a reduction are combined, on either target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from .hoisting import HoistingBuilder, V

OEQ, UGT, ULT, ORD, UNO = 1, 9, 11, 7, 14
EQ, SLT, SGT = 0, 2, 4

# The `arith` operation of each kind.
FLOAT = {"add": "addf", "mul": "mulf", "max": "maximumf", "min": "minimumf"}
INTEGER = {"add": "addi", "mul": "muli", "max": "maxsi", "min": "minsi", "maxu": "maxui", "minu": "minui", "or": "ori", "and": "andi"}


def merge_arg(b: HoistingBuilder[V, Any], largest: bool, left: Sequence[V], right: Sequence[V]) -> list[V]:
    """The better value wins; NaN is best; among equals the lower index wins."""
    (a, i), (c, j) = left, right
    lower = b.compare(SLT, j, i)
    if isinstance(a.type, ir.IntegerType):
        better = b.compare(SGT if largest else SLT, c, a)
        same = b.compare(EQ, a, c)
    else:
        better = b.binary("andi", b.compare(UGT if largest else ULT, c, a), b.compare(ORD, a, a))
        nans = b.binary("andi", b.compare(UNO, a, a), b.compare(UNO, c, c))
        same = b.binary("ori", b.compare(OEQ, a, c), nans)
    take = b.binary("ori", better, b.binary("andi", same, lower))
    return [b.select(take, c, a), b.select(take, j, i)]


def merge_welford(b: HoistingBuilder[V, Any], left: Sequence[V], right: Sequence[V]) -> list[V]:
    """Chan's rule; a part without elements changes nothing."""
    (mean_a, squares_a, n_a), (mean_b, squares_b, n_b) = left, right
    element = n_a.type
    count = b.binary("addf", n_a, n_b)
    empty = b.compare(OEQ, count, b.number(0.0, element))
    share = b.select(empty, b.number(0.0, element), b.binary("divf", n_b, count))
    delta = b.binary("subf", mean_b, mean_a)
    mean = b.binary("addf", mean_a, b.binary("mulf", delta, share))
    cross = b.binary("mulf", b.binary("mulf", delta, delta), b.binary("mulf", n_a, share))
    squares = b.binary("addf", b.binary("addf", squares_a, squares_b), cross)
    return [mean, squares, count]
