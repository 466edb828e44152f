"""`fold-cumsum`: sums along rows of one number become its multiples, if no sum is rounded."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo, contiguous_strides
from ..dialects.dtypes import FLOATS, TABLE
from .analysis.node_identity import identity
from .analysis.uniform_values import uniform_value
from .patterns.engine import pattern_set
from .patterns.engine.pattern_rewriting import pattern_pass
from .registry import register_pass


def multiples(op: ir.Operation) -> ir.Value | None:
    """cumsum(full(c), dim) -> c * arange(1, n + 1) along `dim`"""
    given, info = aten_ops.arguments(op), TensorInfo.of(op.result.type)
    number = uniform_value(given["self"])
    if number is None or not info.rank or info.strides != contiguous_strides(info.sizes):
        return None
    length = info.sizes[given["dim"]]
    number = _as_summed(number, TensorInfo.of(given["self"].type).dtype, info.dtype, length)
    if number is None:
        return None
    extra = identity(op)
    arguments = {"start": 1, "end": length + 1, "step": 1, "dtype": info.dtype, "device": info.device}
    line = TensorInfo((length,), info.dtype, info.device, (1,))
    value = aten_ops.create("aten.arange.start_step", arguments, [line.type()], extra=extra).result
    if number != 1:
        value = aten_ops.create("aten.mul.Tensor", {"self": value, "other": number}, [line.type()], extra=extra).result
    along = tuple(length if d == given["dim"] else 1 for d in range(info.rank))
    shown = replace(info, sizes=along, strides=contiguous_strides(along), offset=0)
    value = aten_ops.create("aten.view.default", {"self": value, "size": list(along)}, [shown.type()], extra=extra).result
    strides = tuple(1 if d == given["dim"] else 0 for d in range(info.rank))
    arguments = {"self": value, "size": list(info.sizes)}
    value = aten_ops.create("aten.expand.default", arguments, [replace(info, strides=strides, offset=0).type()], extra=extra).result
    arguments = {"self": value, "memory_format": "contiguous_format"}
    return aten_ops.create("aten.clone.default", arguments, [op.result.type], extra=extra).result


def _as_summed(number: Any, given: str, summed: str, length: Size) -> int | None:
    """The number as an integer of the dtype of the sum; None if a sum might be rounded, or the conversion changes it."""
    if given == "bool":
        number = int(bool(number))
    if isinstance(number, float):
        if not number.is_integer() or math.copysign(1, number) < 0 and number == 0:
            return None
        number = int(number) if summed in FLOATS else None
    if number is None or not isinstance(number, int):
        return None
    if summed not in FLOATS:
        return number if summed in ("int32", "int64") and abs(number) < 2**31 else None
    return number if isinstance(length, int) and abs(number) * length <= 2 ** TABLE[summed].significand else None


pattern_set.add_rewrite("aten.cumsum.default", multiples, "fold-cumsum")
register_pass("fold-cumsum", pattern_pass("fold-cumsum"))
