"""Which calls may raise while they run, so that they must run even if nothing reads their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.aten_schema import DIMENSIONS, Schema
from ...dialects.dtypes import INTEGERS

# Tensor arguments whose elements are positions or classes.
_POSITIONS = ("index", "indices", "target")
# Operators whose kernels, not their meta functions, check integers, sizes or elements.
_CHECKED = frozenset({"select_scatter", "slice_scatter", "diagonal_scatter", "as_strided_scatter", "take", "put", "binary_cross_entropy"})
# Operators that raise for some integers: a divisor that is 0, a negative exponent.
_OF_INTEGERS = frozenset({"floor_divide", "remainder", "fmod", "div", "pow"})
_NAMESPACES = ("aten.", "prims.")


def may_raise(op: ir.Operation, schema: Schema) -> bool:
    """Whether a call of the operator may raise for the elements or the numbers that it is given: custom operators may for any."""
    if not schema.name.startswith(_NAMESPACES):
        return True
    arguments = aten_ops.arguments(op)
    if schema.base_name in _CHECKED or not has_dims(arguments, [*op.operands, *op.results]):
        return True
    if schema.base_name in _OF_INTEGERS:
        return all(_is_integral(r) for r in op.results)
    return any(_is_integral(value) for name in _POSITIONS for value in aten_ops.listed(arguments.get(name)))


def has_dims(arguments: Mapping[str, Any], tensors: Iterable[ir.Value]) -> bool:
    """Whether every dim argument is within the rank of the call's operands and results. Negative ones occur in hand-written graphs."""
    names = DIMENSIONS & arguments.keys()
    ranks = [type_.rank for type_ in [v.type for v in tensors] if isinstance(type_, ir.RankedTensorType)] if names else []
    if not ranks:
        return True
    limit = max(*ranks, 1)
    for name in names:
        value = arguments[name]
        dims = value if isinstance(value, list) else [value]
        if not all(-limit <= d < limit for d in dims if isinstance(d, int) and not isinstance(d, bool)):
            return False
    return True


def _is_integral(value: object) -> bool:
    return isinstance(value, ir.Value) and isinstance(value.type, ir.RankedTensorType) and TensorInfo.of(value.type).dtype in INTEGERS
