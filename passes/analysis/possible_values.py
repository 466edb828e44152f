"""The few numbers that a tensor's elements can be, whatever the inputs are: masks are made of booleans. Imports torch when used."""

from __future__ import annotations

from itertools import product
from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.dtypes import FLOATS, KERNEL_DTYPES
from ...dialects.narrowing import AnyOp
from .alias_analysis import base_name
from .constant_values import call
from .infer_metadata import outside_tracing
from .uniform_values import PASSING, uniform_value

# The most numbers, and the longest chain of operators, that are followed.
MOST, DEPTH = 8, 16
_POINTWISE = frozenset({
    "add", "sub", "rsub", "mul", "neg", "abs", "maximum", "minimum", "clamp_min", "clamp_max", "logical_not", "bitwise_not",
})  # fmt: skip
_CONVERSIONS = frozenset({"_to_copy", "convert_element_type"})
_CHOICES = {"where": ("condition", "self", "other"), "masked_fill": ("mask", "value", "self")}

Numbers = frozenset[float]


def possible_values(value: Any, depth: int = DEPTH) -> Numbers | None:
    """The numbers that an element of a value can be, perhaps more than occur; None if unknown, or if one is NaN."""
    number = uniform_value(value)
    if not isinstance(value, ir.Value) or aten_ops.is_number(value):
        return None if number is None else _numbers([number])
    dtype = TensorInfo.of(value.type).dtype
    if number is not None:
        return _converted(_numbers([number]), dtype)
    if dtype == "bool":
        return frozenset((0.0, 1.0))
    if not isinstance(value, ir.OpResult) or not aten_ops.is_operator(value.owner) or not depth:
        return None
    return _of_operator(value.owner, dtype, depth - 1)


def _of_operator(op: AnyOp, dtype: str, depth: int) -> Numbers | None:
    schema = aten_ops.schema(op)
    name = base_name(schema)
    if name in PASSING:
        return None if schema.name == "aten.view.dtype" else possible_values(op.operands[0], depth)
    if name in _CHOICES:
        return _chosen(op, _CHOICES[name], dtype, depth)
    if name in _CONVERSIONS:
        return _converted(possible_values(op.operands[0], depth), dtype)
    return _computed(op, dtype, depth) if name in _POINTWISE else None


def _numbers(values: Any) -> Numbers | None:
    found = frozenset(float(v) for v in values)
    return found if len(found) <= MOST and not any(v != v for v in found) else None


def _chosen(op: AnyOp, names: tuple[str, str, str], dtype: str, depth: int) -> Numbers | None:
    """where(c, x, y): the numbers of x and y. If c says that y is not 0, only zeros of y remain."""
    arguments = aten_ops.arguments(op)
    condition, taken, left = (arguments[n] for n in names)
    found = possible_values(taken, depth)
    rest = frozenset((0.0,)) if _is_truth_of(condition, left) else possible_values(left, depth)
    if found is None or rest is None:
        return None
    return _converted(found | rest, dtype)


def _is_truth_of(condition: Any, value: Any) -> bool:
    """Whether a condition is true exactly where elements of `value` are not 0 (NaN is not 0)."""
    if not isinstance(condition, ir.OpResult) or not aten_ops.is_operator(condition.owner):
        return False
    op = condition.owner
    if TensorInfo.of(condition.type).dtype != "bool" or op.operands[0] != value:
        return False
    name = base_name(aten_ops.schema(op))
    return name in _CONVERSIONS or (name == "ne" and uniform_value(aten_ops.arguments(op)["other"]) == 0)


def _converted(found: Numbers | None, dtype: str) -> Numbers | None:
    import torch

    if found is None or dtype not in KERNEL_DTYPES or (dtype not in FLOATS and max(map(abs, found)) > 2**24):
        return None
    with outside_tracing():
        return _numbers(torch.tensor(sorted(found), dtype=torch.float64).to(getattr(torch, dtype)).tolist())


def _computed(op: AnyOp, dtype: str, depth: int) -> Numbers | None:
    """The results of a pointwise operator for all numbers of its operands."""
    import torch

    operands = list(dict.fromkeys(v for v in op.operands if not aten_ops.is_number(v)))
    dtypes = [TensorInfo.of(v.type).dtype for v in operands]
    if not KERNEL_DTYPES.issuperset((dtype, *dtypes)) or any(d in FLOATS and d != dtype for d in dtypes):
        return None  # which of several float types wins depends on dims
    if any(not isinstance(a, (ir.Value, int, float)) for a in aten_ops.arguments(op).values()):
        return None
    sets = []
    for operand in operands:
        sets.append(possible_values(operand, depth))
        if sets[-1] is None:
            return None
    rows = product(*(sorted(s) for s in sets if s is not None))
    with outside_tracing():
        columns = [torch.tensor(c, dtype=torch.float64).to(getattr(torch, d)) for c, d in zip(zip(*rows, strict=True), dtypes, strict=True)]
        return _numbers(call(op, dict(zip(operands, columns, strict=True))).to(getattr(torch, dtype)).tolist())
