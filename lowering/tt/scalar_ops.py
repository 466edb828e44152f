"""Emits one arithmetic operation of a body on scalars or tiles: Triton's own if it is as exact as PyTorch's, else libdevice's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch_mlir import ir

from ...errors import UnsupportedGraph
from ..kernel.analysis import is_half
from .builder import Builder, Val

# math op -> libdevice's name for f64; the name for f32 appends `f`.
LIBDEVICE = {
    **{f"math.{name}": f"__nv_{name}" for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan")},
    **{f"math.{name}": f"__nv_{name}" for name in ("asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    **{f"math.{name}": f"__nv_{name}" for name in ("erf", "erfc", "cbrt", "rsqrt", "trunc", "copysign")},
    "math.powf": "__nv_pow",
    "math.roundeven": "__nv_rint",
    "math.round": "__nv_round",
    "arith.remf": "__nv_fmod",
}
# Operations that Triton computes exactly.
_MATH = {"math.absf", "math.absi", "math.floor", "math.ceil", "math.fma", "math.ctpop"}
# Operations that move or select values, and so work on half types directly.
_MOVES = {"arith.select", "arith.bitcast", "arith.extf"}
_NOT_IN_TRITON = {"arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"}


def has_code(name: str) -> bool:
    """Whether `emit_operation` knows the `arith` or `math` op."""
    return name in _MATH or name in LIBDEVICE or name == "math.sqrt" or (name.startswith("arith.") and name not in _NOT_IN_TRITON)


def emit_operation(b: Builder, name: str, operands: Sequence[Val], element: ir.Type, attributes: dict[str, Any]) -> Val:
    """The result of the `arith` or `math` op `name`, with element type `element`. Half types are computed in f32."""
    if name not in _MOVES and any(is_half(v.type) for v in operands):
        operands = [b.cast("extf", v, b.f32) if is_half(v.type) else v for v in operands]
    if is_half(element) and name not in _MOVES and name != "arith.truncf":
        return b.cast("truncf", emit_operation(b, name, operands, b.f32, attributes), element)
    if name in LIBDEVICE:
        return b.extern(LIBDEVICE[name] + ("f" if element == b.f32 else ""), operands)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(b, operands, element)
    if not has_code(name):
        raise UnsupportedGraph(f"the GPU has no code for {name}")
    kept = {k: v for k, v in attributes.items() if k == "predicate"}
    return b.elementwise(name, operands, element, kept, tuple(kept.values()))


def _truncf(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    value = operands[0]
    if value.type == b.f64 and is_half(element):
        value = b.cast("truncf", value, b.f32)
    return b.cast("truncf", value, element)


def _extf(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    value = operands[0]
    if element == b.f64 and is_half(value.type):
        value = b.cast("extf", value, b.f32)
    return b.cast("extf", value, element)


def _divf(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    return b.elementwise("tt.precise_divf" if element == b.f32 else "arith.divf", operands, element)


def _sqrt(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    return b.elementwise("tt.precise_sqrt", operands, element) if element == b.f32 else b.extern("__nv_sqrt", operands)


def _negf(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    return b.binary("subf", b.number(-0.0, element), operands[0])


def _bitcast(b: Builder, operands: Sequence[Val], element: ir.Type) -> Val:
    """Triton's own; it has no code for MLIR's."""
    return b.elementwise("tt.bitcast", operands, element)


_SPECIAL: dict[str, Callable[[Builder, Sequence[Val], ir.Type], Val]] = {
    "arith.truncf": _truncf,
    "arith.bitcast": _bitcast,
    "arith.extf": _extf,
    "arith.divf": _divf,
    "arith.negf": _negf,
    "math.sqrt": _sqrt,
}
