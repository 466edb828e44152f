"""`split-group-norm`: on GPUs, the result of a group norm becomes what the groups' statistics make of each element, if the backward needs
it. The partition may then compute the result again, from the operand and the statistics, which the gradient of the norm needs anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo, contiguous_strides
from ..dialects.dtypes import HALVES
from .analysis.alias_analysis import functions_with_body
from .analysis.node_identity import identity
from .analysis.saved_values import may_be_saved
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .split_batch_norm import keeps_layout, uncast
from .working_on import works_on_operation

NORM = aten_ops.op_name("aten.native_group_norm.default")


def split_group_norm(module: ir.Module) -> None:
    """group_norm(x)[0] -> ((x - mean) * rstd) * weight + bias, with the mean and rstd that group_norm(x) returns"""
    for function in functions_with_body(module):
        norms = [view.operation for view in function.regions[0].blocks[0].operations if view.operation.name == NORM]
        saved = may_be_saved(function) if norms else set()
        for op in norms:
            if op.results[0] in saved and _has_exact_statistics(op) and keeps_layout(op):
                _split(op)


def _has_exact_statistics(op: ir.Operation) -> bool:
    """Whether the norm is on a GPU, with a known number of channels, and mean and rstd are not rounded to a half type. Eager's kernel on
    CPUs adds `bias - mean * scale` by fused operations, which no operators on elements do."""
    info, mean = (TensorInfo.of(op.results[n].type) for n in (0, 1))
    return _is_on_gpu(info) and isinstance(info.sizes[1], int) and mean.dtype not in HALVES


def _is_on_gpu(info: TensorInfo) -> bool:
    return info.device.startswith("cuda")


@works_on_operation
def _split(op: ir.Operation) -> None:
    if not may_rewrite("split", op):
        return
    given, out, extra, point = aten_ops.arguments(op), op.results[0], identity(op), ir.InsertionPoint.after(op)
    info, samples = TensorInfo.of(out.type), TensorInfo.of(op.results[1].type)
    wide = "float32" if info.dtype in HALVES else info.dtype
    elements = out.type if wide == info.dtype else replace(info, dtype=wide).type()

    def create(name: str, type_: ir.Type, **arguments: Any) -> ir.Value:
        return aten_ops.create(f"aten.{name}", arguments, [type_], op.location, point, extra).result

    def converted(value: ir.Value, dtype: str) -> ir.Value:
        found = TensorInfo.of(value.type)
        return value if found.dtype == dtype else create("_to_copy.default", replace(found, dtype=dtype).type(), self=value, dtype=dtype)

    def viewed(value: ir.Value, sizes: Sequence[Size]) -> ir.Value:
        made = replace(TensorInfo.of(value.type), sizes=tuple(sizes), strides=contiguous_strides(tuple(sizes)), offset=0)
        return create("view.default", made.type(), self=value, size=list(sizes))

    def by_channel(value: ir.Value) -> ir.Value:
        return viewed(converted(value, wide), [1, info.sizes[1], *ones])

    def of_group(value: ir.Value) -> ir.Value:
        one = viewed(converted(value, wide), [*samples.sizes, 1])
        strides = (*TensorInfo.of(one.type).strides[:2], 0)
        many = replace(TensorInfo.of(one.type), sizes=(*samples.sizes, each), strides=strides)
        expanded = create("expand.default", many.type(), self=one, size=list(many.sizes))
        dense = replace(many, strides=contiguous_strides(many.sizes)).type()
        copied = create("clone.default", dense, self=expanded, memory_format="contiguous_format")
        return viewed(copied, [*info.sizes[:2], *ones])

    channels = info.sizes[1]
    assert isinstance(channels, int)
    each, ones = channels // given["group"], [1] * (info.rank - 2)
    mean, rstd = (of_group(v) for v in op.results[1:3])
    result = create("sub.Tensor", elements, self=converted(uncast(given["input"]), wide), other=mean)
    result = create("mul.Tensor", elements, self=result, other=rstd)
    if given["weight"] is not None:
        result = create("mul.Tensor", elements, self=result, other=by_channel(given["weight"]))
    if given["bias"] is not None:
        result = create("add.Tensor", elements, self=result, other=by_channel(given["bias"]))
    out.replace_all_uses_with(converted(result, info.dtype))


register_pass("split-group-norm", split_group_norm)
