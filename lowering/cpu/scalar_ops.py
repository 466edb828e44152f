"""Emits one arithmetic operation of a body, on scalars or lane by lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.narrowing import number
from ...errors import UnsupportedGraph
from ..kernel.analysis import is_half
from .builder import Builder, Val
from .target import Target
from .vector_math import FUNCTIONS, emit_function

EQUAL, UNSIGNED_LESS = 0, 6
# Operations that move or select values, and so work on half types directly.
_MOVES = {"arith.select", "arith.bitcast", "arith.extf"}
# Operations that MLIR lowers to one intrinsic, or to arithmetic.
_INTRINSICS = {"absf", "absi", "ceil", "floor", "trunc", "roundeven", "round", "copysign", "fma", "sqrt", "ctpop", "ctlz", "cttz"}
_KEPT = {"predicate"}


def emit_operation(b: Builder, target: Target, name: str, operands: Sequence[Val], element: ir.Type, attributes: dict[str, Any]) -> Val:
    """The result of the `arith` or `math` op `name`, of element type `element`."""
    if name not in _MOVES and any(is_half(v.type) for v in operands):
        operands = [b.cast("extf", v, b.f32) if is_half(v.type) else v for v in operands]
    if is_half(element) and name not in _MOVES and name != "arith.truncf":
        return b.cast("truncf", emit_operation(b, target, name, operands, b.f32, attributes), element)
    if name in FUNCTIONS:
        return emit_function(b, target, name, operands)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(b, operands, element)
    if not name.startswith("arith.") and name.removeprefix("math.") not in _INTRINSICS:
        raise UnsupportedGraph(f"the CPU has no code for {name}")
    kept = {k: v for k, v in attributes.items() if k in _KEPT}
    if name in ("math.ctlz", "math.cttz"):
        return b.elementwise(name, operands, element)
    return b.elementwise(name, operands, element, kept, tuple(kept.values()))


def _truncf(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    value = operands[0]
    if value.type == element:
        return value
    if value.type == b.f64 and is_half(element):
        value = b.cast("truncf", value, b.f32)
    return b.cast("truncf", value, element)


def _extf(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    value = operands[0]
    if element == b.f64 and is_half(value.type):
        value = b.cast("extf", value, b.f32)
    return value if value.type == element else b.cast("extf", value, element)


def _select(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    return b.select(*operands)


def _safe_divisor(b: Builder, a: Val, d: Val) -> tuple[Val, Val]:
    """A divisor that can't trap: 1 in place of 0 (which masked lanes hold) and of -1; and where it was -1."""
    one = b.integer(1, d.type)
    minus = b.compare(EQUAL, d, b.integer(-1, d.type))
    small = b.compare(UNSIGNED_LESS, b.binary("addi", d, one), b.integer(2, d.type))
    return b.select(small, one, d), minus


def _divsi(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    a, d = operands
    if _constant(d):
        return b.binary("divsi", a, d)
    safe, minus = _safe_divisor(b, a, d)
    quotient = b.binary("divsi", a, safe)
    return b.select(minus, b.binary("subi", b.integer(0, element), a), quotient)


def _remsi(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    a, d = operands
    return b.binary("remsi", a, d if _constant(d) else _safe_divisor(b, a, d)[0])


def _floordivsi(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    """The quotient, minus one if the remainder and the divisor have different signs."""
    a, d = operands
    zero, one = b.integer(0, element), b.integer(1, element)
    quotient, remainder = _divsi(b, operands, element), _remsi(b, operands, element)
    differs = b.compare(2, b.binary("xori", remainder, d), zero)
    rest = b.compare(1, remainder, zero)
    return b.select(b.binary("andi", differs, rest), b.binary("subi", quotient, one), quotient)


def _ceildivsi(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    """-floordiv(-a, d)"""
    zero = b.integer(0, element)
    negated = b.binary("subi", zero, operands[0])
    return b.binary("subi", zero, _floordivsi(b, [negated, operands[1]], element))


def _unsigned(name: str) -> Callable[[Builder, Sequence[Val], ir.Type], Val]:
    def emit(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
        a, d = operands
        if not _constant(d):
            d = b.select(b.compare(EQUAL, d, b.integer(0, element)), b.integer(1, element), d)
        return b.binary(name, a, d)

    return emit


def _rsqrt(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    root = b.elementwise("math.sqrt", operands, element)
    return b.binary("divf", b.number(1.0, element), root)


def _constant(value: Val) -> bool:
    """Whether the value is a constant other than 0 and -1, or a broadcast of one."""
    owner = value.ssa.owner
    if isinstance(owner, ir.OpView) and owner.name == "arith.constant":
        attribute = owner.attributes["value"]
        return number(attribute.get_splat_value() if isinstance(attribute, ir.DenseElementsAttr) else attribute) not in (0, -1)
    return False


_SPECIAL: dict[str, Callable[[Builder, Sequence[Val], ir.Type], Val]] = {
    "arith.truncf": _truncf,
    "arith.extf": _extf,
    "arith.select": _select,
    "arith.divsi": _divsi,
    "arith.remsi": _remsi,
    "arith.floordivsi": _floordivsi,
    "arith.ceildivsi": _ceildivsi,
    "arith.divui": _unsigned("divui"),
    "arith.remui": _unsigned("remui"),
    "math.rsqrt": _rsqrt,
}
