"""What reductions and scans carry: the identity of each kind, the step, and the combination of two parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.narrowing import text
from ...errors import UnsupportedGraph
from ..kernel.analysis import Kernel, Node, is_half
from ..kernel.part_merging import FLOAT, INTEGER, merge_arg, merge_welford
from .builder import Builder, Val

Values = list[Val]


@dataclass(slots=True, eq=False)
class Carry:
    """A reduction or scan, at `slots` of the carried values of a pass. `cascaded`: a sum of floats, added in a cascade of partial sums."""

    node: Node
    kind: str
    types: list[ir.Type]
    slots: slice
    cascaded: bool


def start(b: Builder, kind: str, types: Sequence[ir.Type], lanes: int) -> Values:
    """The identity values of a reduction. Welford's third value, the number of elements, is a scalar here: it is equal in all lanes."""
    if kind == "welford":
        return [b.number(0.0, types[0], lanes), b.number(0.0, types[0], lanes), b.number(0.0, types[0])]
    if kind in ("argmax", "argmin"):
        return [_extreme(b, types[0], kind == "argmax", lanes), b.integer((1 << 63) - 1, types[1], lanes)]
    element = types[0]
    if kind == "add" or kind == "or":
        return [b.number(0, element, lanes)]
    if kind == "mul":
        return [b.number(1, element, lanes)]
    if kind == "and":
        return [b.integer(-1, element, lanes)]
    if kind in ("maxu", "minu"):
        return [b.integer(0 if kind == "maxu" else -1, element, lanes)]
    if kind in ("max", "min"):
        return [_extreme(b, element, kind == "max", lanes)]
    raise UnsupportedGraph(f"the CPU has no code for a reduction of kind {kind!r}")


def _extreme(b: Builder, element: ir.Type, lowest: bool, lanes: int) -> Val:
    if not isinstance(element, ir.IntegerType):
        return b.number(float("-inf") if lowest else float("inf"), element, lanes)
    if element.width == 1:
        return b.integer(0 if lowest else -1, element, lanes)
    top = 1 << (element.width - 1)
    return b.integer(-top if lowest else top - 1, element, lanes)


def step(b: Builder, kind: str, carried: Values, inputs: Values) -> Values:
    """`carried`, combined with one more element."""
    if kind != "welford":
        return merge(b, kind, carried, inputs)
    mean, squares, count = carried
    one = b.number(1.0, count.type)
    count = b.binary("addf", count, one)
    delta = b.binary("subf", inputs[0], mean)
    mean = b.binary("addf", mean, b.binary("mulf", delta, b.binary("divf", one, count)))
    squares = b.binary("addf", squares, b.binary("mulf", delta, b.binary("subf", inputs[0], mean)))
    return [mean, squares, count]


def merge(b: Builder, kind: str, left: Values, right: Values) -> Values:
    """The combination of two parts; `left` comes first."""
    if kind == "welford":
        return merge_welford(b, left, right)
    if kind in ("argmax", "argmin"):
        return merge_arg(b, kind == "argmax", left, right)
    return [b.binary(_binary_name(kind, left[0].type), left[0], right[0])]


_BIT = {"add": "ori", "mul": "andi", "max": "ori", "min": "andi", "maxu": "ori", "minu": "andi", "or": "ori", "and": "andi"}


def _binary_name(kind: str, element: ir.Type) -> str:
    if not isinstance(element, ir.IntegerType):
        return FLOAT[kind]
    return (_BIT if element.width == 1 else INTEGER)[kind]


def across_lanes(b: Builder, kind: str, carried: Values) -> Values:
    """One scalar for all lanes: combines halves until one lane is left."""
    carried = b.same_lanes(carried) if kind == "welford" else carried
    while carried[0].lanes > 1:
        half = carried[0].lanes // 2
        low = [b.shuffle(v, v, range(half)) for v in carried]
        high = [b.shuffle(v, v, range(half, 2 * half)) for v in carried]
        carried = merge(b, kind, low, high)
    return [b.lane(v, 0) if v.lanes else v for v in carried]


def pair_across_lanes(b: Builder, kind: str, one: Val, other: Val) -> tuple[Val, Val]:
    """One scalar each for the lanes of two values of the same `kind`: combines halves of both at once."""
    lanes, half = one.lanes, one.lanes // 2
    low = b.shuffle(one, other, [*range(half), *range(lanes, lanes + half)])
    high = b.shuffle(one, other, [*range(half, lanes), *range(lanes + half, 2 * lanes)])
    (both,) = merge(b, kind, [low], [high])
    while half > 1:
        half //= 2
        left = [*range(half), *range(2 * half, 3 * half)]
        low, high = (b.shuffle(both, both, [lane + offset for lane in left]) for offset in (0, half))
        (both,) = merge(b, kind, [low], [high])
    return b.lane(both, 0), b.lane(both, 1)


def carry_of(b: Builder, kernel: Kernel, node: Node, at: int) -> Carry:
    """What the reduction or scan `node` carries, at `at` of the carried values."""
    kind = text(node.attributes["kind"])
    types = [b.f32 if is_half(t) else t for t in (kernel.values[r].type for r in node.results)]
    if kind == "welford":
        types = [b.f64 for _ in types]  # as in eager: in f32 the mean of many elements would stop changing
    cascaded = node.name == "loop.reduce" and kind == "add" and not isinstance(types[0], ir.IntegerType)
    return Carry(node, kind, types, slice(at, at + len(types) + (kind == "welford")), cascaded)
