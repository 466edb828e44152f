"""`remove-noops`: removes operator calls that return an operand unchanged, where types, later writes and the caller's tensors allow it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from .analysis.alias_analysis import functions_with_body
from .analysis.uniform_values import uniform_value
from .registry import add_rule, register_pass
from .rewriting.replacement import Replacer
from .working_on import works_on_operation

Arguments = dict[str, Any]
# The argument that a call returns unchanged; None if there is none.
Rule = Callable[[Arguments], Any]

_RULES: dict[str, Rule] = {}
_rule = functools.partial(add_rule, _RULES)


def remove_noops(module: ir.Module) -> None:
    """Applies the rules once to every operator call, in order."""
    for function in functions_with_body(module):
        replacer = Replacer(function)
        for view in list(function.regions[0].blocks[0].operations):
            if aten_ops.is_operator(view):
                _visit(view.operation, replacer)


@works_on_operation
def _visit(op: ir.Operation, replacer: Replacer) -> None:
    rule = _RULES.get(aten_ops.pytorch_name(op))
    source = rule(aten_ops.arguments(op)) if rule else None
    if isinstance(source, ir.Value):
        replacer.replace(op, source)


def gives_again(operator: str) -> bool:
    """Whether this pass may remove calls of an operator (PyTorch's name)."""
    return operator in _RULES


def _dtype(value: Any) -> str:
    return TensorInfo.of(value.type).dtype if isinstance(value, ir.Value) else ""


def _is_integer(value: Any) -> bool:
    dtype = _dtype(value)
    return dtype == "bool" or dtype.startswith(("int", "uint"))


def _is_real(value: Any) -> bool:
    """Whether a value is real. A complex x * 1 or x + 0 is not x, because the parts mix."""
    return _is_integer(value) or _dtype(value).startswith(("float16", "float32", "float64", "bfloat16"))


@_rule("aten.clone.default", "aten.lift_fresh_copy.default", "aten._to_copy.default", "aten.alias.default", "aten.detach.default",
       "aten.view.default", "aten._unsafe_view.default", "aten.expand.default", "aten.slice.Tensor", "aten.permute.default",
       "aten.as_strided.default", "aten.squeeze.dims", "aten.squeeze.dim", "aten.squeeze.default",
       "prims.convert_element_type.default")  # fmt: skip
def same_elements(a: Arguments) -> Any:
    """A copy, or a view of the type of x -> x; the replacement compares types"""
    return None if a.get("pin_memory") else a.get("self", a.get("a"))


@_rule("aten.copy.default")
def copy(a: Arguments) -> Any:
    """copy(x, y) -> y, if y has the type of the result"""
    return a["src"]


@_rule("aten.repeat.default")
def repeat(a: Arguments) -> Any:
    """repeat(x, [1, ...]) -> x"""
    return a["self"] if all(_is_number(r, 1) for r in a["repeats"]) else None


@_rule("aten.constant_pad_nd.default")
def pad(a: Arguments) -> Any:
    """constant_pad_nd(x, [0, ...]) -> x"""
    return a["self"] if all(_is_number(p, 0) for p in a["pad"]) else None


@_rule("aten.cat.default")
def cat(a: Arguments) -> Any:
    """cat([x]) -> x, also with further tensors that have no element"""
    filled = [t for t in a["tensors"] if not _is_empty(t)]
    return filled[0] if len(filled) == 1 else None


@_rule("aten.ceil.default", "aten.floor.default", "aten.round.default", "aten.trunc.default")
def rounding(a: Arguments) -> Any:
    """ceil(x) -> x for integers"""
    return a["self"] if _is_integer(a["self"]) else None


@_rule("aten.pow.Tensor_Scalar")
def power(a: Arguments) -> Any:
    """x ** 1 -> x"""
    return a["self"] if _is_number(a["exponent"], 1) and _is_real(a["self"]) else None


@_rule("aten.mul.Tensor", "aten.mul.Scalar")
def multiply(a: Arguments) -> Any:
    """x * 1 -> x and 1 * x -> x: exact for NaN, infinities and both zeros"""
    x, y = a["self"], a["other"]
    return next((v for v, factor in ((x, y), (y, x)) if _is_real(v) and _is_number(uniform_value(factor), 1)), None)


@_rule("aten.div.Tensor", "aten.div.Scalar")
def divide(a: Arguments) -> Any:
    """x / 1 -> x"""
    return a["self"] if _is_real(a["self"]) and _is_number(uniform_value(a["other"]), 1) else None


@_rule("aten.div.Tensor_mode", "aten.div.Scalar_mode", "aten.floor_divide.default")
def divide_rounding(a: Arguments) -> Any:
    """x // 1 -> x for integers"""
    return a["self"] if _is_integer(a["self"]) and _is_number(uniform_value(a["other"]), 1) else None


@_rule("aten.add.Tensor", "aten.add.Scalar")
def add(a: Arguments) -> Any:
    """x + 0 -> x for integers; x + -0.0 -> x for floats, as -0.0 + 0.0 is 0.0"""
    x, y, alpha = a["self"], a["other"], a["alpha"]
    if _adds_nothing(x, y, alpha, -1.0):
        return x
    return y if alpha == 1 and type(alpha) is int and _adds_nothing(y, x, 1, -1.0) else None


@_rule("aten.sub.Tensor", "aten.sub.Scalar")
def subtract(a: Arguments) -> Any:
    """x - 0 -> x for integers; x - 0.0 -> x for floats, as -0.0 - -0.0 is 0.0"""
    return a["self"] if _adds_nothing(a["self"], a["other"], a["alpha"], 1.0) else None


def _adds_nothing(x: Any, zero: Any, alpha: Any, sign: float) -> bool:
    """Whether alpha * zero is 0, with that sign if x is a float."""
    number = uniform_value(zero)
    if number is None or number != 0 or not isinstance(alpha, (int, float)) or not math.isfinite(alpha) or not isinstance(x, ir.Value):
        return False
    if _is_integer(x):
        return True
    if not _is_real(x) or _dtype(zero) == "bool":
        return False
    number = int(number) if _is_integer(zero) else number
    return math.copysign(1.0, float(number)) * math.copysign(1.0, float(alpha)) == sign


@_rule("aten.slice_scatter.default")
def slice_scatter(a: Arguments) -> Any:
    """slice_scatter(x, y, the whole) -> y, and slice_scatter(x, slice(x, a, b), a, b) -> x"""
    size = TensorInfo.of(a["self"].type).sizes[a["dim"]]
    if _is_number(a["start"], 0) and _is_number(a["step"], 1) and _equal(a["end"], size):
        return a["src"]
    return _put_back(a, "aten.slice.Tensor", ("dim", "start", "end", "step"))


@_rule("aten.select_scatter.default")
def select_scatter(a: Arguments) -> Any:
    """select_scatter(x, select(x, i), i) -> x"""
    return _put_back(a, "aten.select.int", ("dim", "index"))


@_rule("aten.diagonal_scatter.default")
def diagonal_scatter(a: Arguments) -> Any:
    """diagonal_scatter(x, diagonal(x, ...), ...) -> x"""
    return _put_back(a, "aten.diagonal.default", ("offset", "dim1", "dim2"))


@_rule("aten.as_strided_scatter.default")
def as_strided_scatter(a: Arguments) -> Any:
    """as_strided_scatter(x, as_strided(x, ...), ...) -> x"""
    return _put_back(a, "aten.as_strided.default", ("size", "stride", "storage_offset"))


def _put_back(a: Arguments, view: str, names: tuple[str, ...]) -> Any:
    """The tensor, if the elements that are put into it equal those that it has there."""
    made = a["src"].owner if isinstance(a["src"], ir.OpResult) else None
    if made is None or made.name != aten_ops.op_name(view) or made.operands[0] != a["self"]:
        return None
    given = aten_ops.arguments(made)
    return a["self"] if all(_equal(given[n], a[n]) for n in names) else None


def _is_number(value: Any, number: int) -> bool:
    return isinstance(value, (int, float)) and value == number


def _equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def _is_empty(value: ir.Value) -> bool:
    return any(isinstance(s, int) and s == 0 for s in TensorInfo.of(value.type).sizes)


register_pass("remove-noops", remove_noops)
