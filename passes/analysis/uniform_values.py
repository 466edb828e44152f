"""Tensors whose elements are all one number that the graph states."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten_schema import Schema
from .alias_analysis import base_name

# Operators that return every element of an operand, or some of them.
PASSING = frozenset({
    "expand", "view", "permute", "slice", "select", "squeeze", "unsqueeze", "alias", "detach", "clone", "transpose", "t", "lift_fresh_copy",
})  # fmt: skip
_FULLS = frozenset({"full", "full_like", "new_full"})
_FILLS = {"zeros": 0, "zeros_like": 0, "new_zeros": 0, "ones": 1, "ones_like": 1, "new_ones": 1}


def is_fill(schema: Schema) -> bool:
    """Whether an operator returns one number, whatever its operands hold."""
    name = base_name(schema)
    return name in _FILLS or name in _FULLS


def uniform_value(value: Any) -> int | float | bool | None:
    """The number that all elements of `value` equal (`value` itself if it is a number); None if unknown."""
    if isinstance(value, (int, float, bool)):
        return value
    while isinstance(value, ir.OpResult) and aten_ops.is_operator(value.owner):
        op = value.owner
        schema = aten_ops.schema(op)
        name = base_name(schema)
        if name in _FILLS:
            return _FILLS[name]
        if name in _FULLS:
            number = aten_ops.arguments(op)["fill_value"]
            return number if isinstance(number, (int, float, bool)) else None
        if name == "scalar_tensor":
            number = aten_ops.arguments(op)["s"]
            return number if isinstance(number, (int, float, bool)) else None
        if name not in PASSING or schema.name == "aten.view.dtype":
            return None
        value = op.operands[0]
    return None
