"""Mathematical functions: Sleef's vector functions by width, and libm's for scalars."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from torch_mlir import ir

from ...dialects.narrowing import bits
from ..kernel.analysis import UNORDERED
from .builder import Builder, Val
from .inline_math import INLINE, emit_inline
from .target import Target

GREATER, LESS = 2, 4  # ordered

# op -> (the function's stem, the suffix of Sleef's name: its error bound in tenths of an ulp)
FUNCTIONS = {
    **{f"math.{name}": (name, "u10") for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan")},
    **{f"math.{name}": (name, "u10") for name in ("asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    "math.cbrt": ("cbrt", "u10"),
    "math.erf": ("erf", "u10"),
    "math.erfc": ("erfc", "u15"),
    "math.powf": ("pow", "u10"),
    "arith.remf": ("fmod", ""),  # exact
}


# From here on Sleef's asinh and acosh overflow, because the square of the argument does: the functions are a logarithm.
_LARGE = float(1 << 40)
_LN2 = 0.6931471805599453
# From here on Sleef's sinh and cosh overflow, because exp does; the functions themselves are finite a little further.
_LARGEST_EXPONENT = {32: 88.0, 64: 709.0}


def emit_function(b: Builder, target: Target, name: str, operands: Sequence[Val]) -> Val:
    """The value of the function of the op `name`, for f32 or f64."""
    operands = b.same_lanes(operands)
    corrected = _CORRECTED.get(name)
    if corrected is None or not operands[0].lanes or target.bits < 256:
        return _function(b, target, name, operands)
    return corrected(b, target, name, operands)


def _inverse_hyperbolic(b: Builder, target: Target, name: str, operands: Sequence[Val]) -> Val:
    """log(|x|) + log(2) with the sign of x, if |x| is large"""
    (x,) = operands
    element = x.type
    size = b.elementwise("math.absf", [x], element) if name == "math.asinh" else x
    logarithm = b.binary("addf", _function(b, target, "math.log", [size]), b.number(_LN2, element))
    signed = b.elementwise("math.copysign", [logarithm, x], element) if name == "math.asinh" else logarithm
    large = b.compare(GREATER, size, b.number(_LARGE, element))
    return b.select(large, signed, _function(b, target, name, operands))


def _hyperbolic(b: Builder, target: Target, name: str, operands: Sequence[Val]) -> Val:
    """exp(|x| / 2) ** 2 / 2 with the sign of x, if |x| is large: within 5 ulp there"""
    (x,) = operands
    element = x.type
    size = b.elementwise("math.absf", [x], element)
    half = b.number(0.5, element)
    root = _function(b, target, "math.exp", [b.binary("mulf", size, half)])
    square = b.binary("mulf", b.binary("mulf", root, half), root)
    signed = b.elementwise("math.copysign", [square, x], element) if name == "math.sinh" else square
    large = b.compare(GREATER, size, b.number(_LARGEST_EXPONENT[bits(element)], element))
    return b.select(large, signed, _function(b, target, name, operands))


def _remainder(b: Builder, target: Target, name: str, operands: Sequence[Val]) -> Val:
    """fmod(x, y). Sleef returns NaN if x / y or 1 / y overflows: libm computes vectors with such a lane."""
    x, y = operands
    value = _function(b, target, name, operands)
    element, lanes = x.type, x.lanes
    finite = b.compare(LESS, b.elementwise("math.absf", [x], element), b.number(math.inf, element))
    divides = b.compare(GREATER, b.elementwise("math.absf", [y], element), b.number(0.0, element))
    lost = b.binary("andi", b.compare(UNORDERED, value, value), b.binary("andi", finite, divides))
    some = b.pure("vector.reduction", [lost], b.i1, 0, {"kind": ir.Attribute.parse("#vector.kind<or>")}, "or")
    return b.choose(some, element, lanes, lambda: _lane_by_lane(b, name, operands, here=True), lambda: value)


_CORRECTED: dict[str, Callable[[Builder, Target, str, Sequence[Val]], Val]] = {
    "math.asinh": _inverse_hyperbolic,
    "math.acosh": _inverse_hyperbolic,
    "math.sinh": _hyperbolic,
    "math.cosh": _hyperbolic,
    "arith.remf": _remainder,
}


def _function(b: Builder, target: Target, name: str, operands: Sequence[Val]) -> Val:
    lanes, element = operands[0].lanes, operands[0].type
    if not lanes:
        return _libm(b, name, operands)
    width = target.lanes(bits(element))
    if target.bits < 256:
        return _lane_by_lane(b, name, operands)
    if lanes < width:
        result = _register(b, name, [b.shuffle(v, v, [i % lanes for i in range(width)]) for v in operands])
        return b.shuffle(result, result, range(lanes))
    if lanes == width:
        return _register(b, name, operands)
    parts = [_register(b, name, [b.shuffle(v, v, range(at, at + width)) for v in operands]) for at in range(0, lanes, width)]
    return concatenate(b, parts)


def _register(b: Builder, name: str, operands: Sequence[Val]) -> Val:
    """The function of vectors that fill a register."""
    lanes, element = operands[0].lanes, operands[0].type
    if element == b.f32 and name in INLINE:
        return emit_inline(b, name, operands[0])
    stem, accuracy = FUNCTIONS[name]
    bound = f"_{accuracy}" if accuracy else ""
    return _call(b, f"Sleef_{stem}{'f' if element == b.f32 else 'd'}{lanes}{bound}", operands)


def _libm(b: Builder, name: str, operands: Sequence[Val], here: bool = False) -> Val:
    return _call(b, FUNCTIONS[name][0] + ("f" if operands[0].type == b.f32 else ""), operands, here)


def _lane_by_lane(b: Builder, name: str, operands: Sequence[Val], here: bool = False) -> Val:
    return _join(b, [_libm(b, name, [b.lane(v, i) for v in operands], here) for i in range(operands[0].lanes)])


def _call(b: Builder, symbol: str, operands: Sequence[Val], here: bool = False) -> Val:
    """The call; `here`: not hoisted out of the current region."""
    lanes, element = operands[0].lanes, operands[0].type
    whole = b.type_of(element, lanes)
    b.declare(symbol, [whole] * len(operands), whole)
    result = b.call(symbol, operands, element, lanes, pure=not here)
    assert result is not None
    return result


def concatenate(b: Builder, parts: Sequence[Val]) -> Val:
    """One vector of all parts' lanes; their number is a power of two."""
    while len(parts) > 1:
        parts = [b.shuffle(x, y, range(2 * x.lanes)) for x, y in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _join(b: Builder, scalars: Sequence[Val]) -> Val:
    return b.pure("vector.from_elements", scalars, scalars[0].type, len(scalars))
