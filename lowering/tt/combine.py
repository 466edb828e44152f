"""What reductions and scans carry: the element types, the identity of each kind, the step, and the combination of two parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.narrowing import bits, text
from ...errors import UnsupportedGraph
from ..kernel.analysis import Kernel, Node, is_half
from ..kernel.part_merging import FLOAT, INTEGER, merge_arg, merge_welford
from .builder import Builder, Val
from .online import ONLINE
from .scalar_ops import emit_operation

OEQ, OGT, OLT = 1, 2, 4

Values = list[Val]
# Kinds whose step is not `merge` with the element: masked lanes keep their old values.
STEPWISE = ("welford", ONLINE)
# On bool.
_BIT = {"add": "or", "mul": "and", "max": "or", "min": "and", "maxu": "or", "minu": "and", "or": "or", "and": "and"}


@dataclass(frozen=True)
class Carry:
    """The values that one reduction or scan carries.

    `kind`: for bool "or" and "and" replace others; `types`: of the carried values: f32 for half types, i32 for narrower integers, and last
    Welford's count.
    """

    node: Node
    kind: str
    types: tuple[ir.Type, ...]


def carry_of(b: Builder, kernel: Kernel, node: Node) -> Carry:
    """The values that the reduction or scan `node` carries."""
    kind = text(node.attributes["kind"])
    types = [kernel.values[r].type for r in node.results]
    if types[0] == b.i1 and kind in _BIT:
        kind = _BIT[kind]
    carried = [_carried_type(b, t) for t in types]
    return Carry(node, kind, tuple(carried + carried[:1] if kind == "welford" else carried))


def _carried_type(b: Builder, type_: ir.Type) -> ir.Type:
    if is_half(type_):
        return b.f32
    return b.i32 if isinstance(type_, ir.IntegerType) and type_.width < 32 else type_


def enter(b: Builder, carry: Carry, values: Sequence[Val]) -> Values:
    """Converts inputs to the carried types."""
    unsigned = carry.kind in ("maxu", "minu")
    return [_convert(b, v, t, unsigned or v.type == b.i1) for v, t in zip(values, carry.types, strict=False)]


def leave(b: Builder, kernel: Kernel, carry: Carry, values: Sequence[Val]) -> Values:
    """Converts the results to their own types."""
    return [_convert(b, v, kernel.values[r].type, False) for v, r in zip(values, carry.node.results, strict=False)]


def _convert(b: Builder, value: Val, type_: ir.Type, unsigned: bool) -> Val:
    if value.type == type_:
        return value
    if isinstance(type_, ir.IntegerType):
        if bits(type_) < bits(value.type):
            return b.cast("trunci", value, type_)
        return b.cast("extui" if unsigned else "extsi", value, type_)
    return b.cast("extf" if is_half(value.type) else "truncf", value, type_)


def start(b: Builder, carry: Carry) -> Values:
    """The identity: values that change nothing."""
    kind, types = carry.kind, carry.types
    if kind == "welford":
        return [b.number(0.0, t) for t in types]
    if kind == ONLINE:
        return [b.number(float("-inf"), types[0]), b.number(0.0, types[1])]
    if kind in ("argmax", "argmin"):
        return [_extreme(b, types[0], kind == "argmax"), b.number((1 << 63) - 1, types[1])]
    if kind in ("add", "or", "maxu"):
        return [b.number(0, types[0])]
    if kind == "mul":
        return [b.number(1, types[0])]
    if kind in ("and", "minu"):
        return [b.number(-1, types[0])]
    if kind in ("max", "min"):
        return [_extreme(b, types[0], kind == "max")]
    raise UnsupportedGraph(f"the GPU has no code for a reduction of kind {kind!r}")


def _extreme(b: Builder, element: ir.Type, lowest: bool) -> Val:
    if not isinstance(element, ir.IntegerType):
        return b.number(float("-inf") if lowest else float("inf"), element)
    top = 1 << (element.width - 1)
    return b.number(-top if lowest else top - 1, element)


def step(b: Builder, carry: Carry, carried: Values, inputs: Values) -> Values:
    """`carried` with one more element each. Welford's count is a scalar here; the caller keeps the old values of masked points."""
    if carry.kind == ONLINE:
        return _merge_online(b, carried, [*inputs, b.number(1.0, inputs[0].type)])
    if carry.kind != "welford":
        return merge(b, carry.kind, carried, inputs)
    mean, squares, count = carried
    one = b.number(1.0, count.type)
    count = b.binary("addf", count, one)
    delta = b.binary("subf", inputs[0], mean)
    mean = b.binary("addf", mean, b.binary("mulf", delta, b.binary("divf", one, count)))
    squares = b.binary("addf", squares, b.binary("mulf", delta, b.binary("subf", inputs[0], mean)))
    return [mean, squares, count]


def merge(b: Builder, kind: str, left: Values, right: Values) -> Values:
    """The combination of two parts."""
    if kind == "welford":
        return merge_welford(b, left, right)
    if kind == ONLINE:
        return _merge_online(b, left, right)
    if kind in ("argmax", "argmin"):
        return merge_arg(b, kind == "argmax", left, right)
    names = INTEGER if isinstance(left[0].type, ir.IntegerType) else FLOAT
    return [b.binary(names[kind], left[0], right[0])]


def _merge_online(b: Builder, left: Values, right: Values) -> Values:
    """Scales the sum of the smaller maximum down; sums of equal maxima, infinite ones too, are added."""
    (m, s), (n, t) = left, right
    element = m.type
    distance = b.elementwise("math.absf", [b.binary("subf", m, n)], element)
    scale = emit_operation(b, "math.exp", [b.binary("subf", b.number(0.0, element), distance)], element, {})
    scale = b.select(b.compare(OEQ, m, n), b.number(1.0, element), scale)
    right_is_larger = b.compare(OGT, n, m)
    scaled_left = b.binary("addf", b.binary("mulf", s, scale), t)
    scaled_right = b.binary("addf", s, b.binary("mulf", t, scale))
    return [b.binary("maximumf", m, n), b.select(right_is_larger, scaled_left, scaled_right)]
