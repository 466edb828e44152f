"""`split-batch-norm`: the result of a batch norm becomes what the batch's statistics make of each element, if the backward needs it. The
partition may then compute the result again, from the operand and the statistics, which the gradient of the norm needs anyway.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo, contiguous_strides
from ..dialects.dtypes import HALVES
from .analysis.alias_analysis import functions_with_body
from .analysis.memory_overlap import has_own_layout
from .analysis.node_identity import identity
from .analysis.saved_values import may_be_saved
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .working_on import works_on_operation

NORMS = frozenset(
    aten_ops.op_name(f"aten.{name}")
    for name in (
        "_native_batch_norm_legit_functional.default",
        "_batch_norm_with_update_functional.default",
        "_native_batch_norm_legit.no_stats",
    )
)

CAST = aten_ops.op_name("aten._to_copy.default")


def split_batch_norm(module: ir.Module) -> None:
    """batch_norm(x)[0] -> (x - mean) * (rstd * weight) + bias, with the mean and rstd that batch_norm(x) returns"""
    for function in functions_with_body(module):
        norms = [view.operation for view in function.regions[0].blocks[0].operations if view.operation.name in NORMS]
        saved = may_be_saved(function) if norms else set()
        for op in norms:
            if op.results[0] in saved and aten_ops.arguments(op).get("training", True) and keeps_layout(op):
                _split(op)


def keeps_layout(op: ir.Operation) -> bool:
    """Whether pointwise operators on a norm's operand give results with the norm's strides."""
    given, info = aten_ops.arguments(op), TensorInfo.of(op.results[0].type)
    source = TensorInfo.of(given["input"].type)
    alike = (source.sizes, source.strides, source.dtype) == (info.sizes, info.strides, info.dtype)
    return alike and has_own_layout(info) and all(not isinstance(s, int) or s > 1 for s in info.sizes)


def uncast(value: ir.Value) -> ir.Value:
    """A half type's tensor, if `value` is its copy in a wider type. It is cast again for the elements: functorch's partition does not
    compute again what reads one value before and after an operator that it does not fuse, here the norm."""
    if not isinstance(value, ir.OpResult) or value.owner.name != CAST:
        return value
    source: ir.Value = aten_ops.arguments(value.owner)["self"]
    found, info = TensorInfo.of(source.type), TensorInfo.of(value.type)
    return source if found.dtype in HALVES and (found.sizes, found.strides) == (info.sizes, info.strides) else value


@works_on_operation
def _split(op: ir.Operation) -> None:
    if not may_rewrite("split", op):
        return
    given, out, extra, point = aten_ops.arguments(op), op.results[0], identity(op), ir.InsertionPoint.after(op)
    info = TensorInfo.of(out.type)
    wide = "float32" if info.dtype in HALVES else info.dtype
    elements = out.type if wide == info.dtype else replace(info, dtype=wide).type()

    def create(name: str, type_: ir.Type, **arguments: Any) -> ir.Value:
        return aten_ops.create(f"aten.{name}", arguments, [type_], op.location, point, extra).result

    def converted(value: ir.Value, type_: ir.Type) -> ir.Value:
        dtype = TensorInfo.of(type_).dtype
        return value if TensorInfo.of(value.type).dtype == dtype else create("_to_copy.default", type_, self=value, dtype=dtype)

    def by_channel(value: ir.Value) -> ir.Value:
        found = replace(TensorInfo.of(value.type), dtype=wide)
        sizes = (1, info.sizes[1], *[1] * (info.rank - 2))
        made = replace(found, sizes=sizes, strides=contiguous_strides(sizes)).type()
        return create("view.default", made, self=converted(value, replace(found, offset=0).type()), size=list(sizes))

    mean, scale = (by_channel(v) for v in op.results[1:3])
    if given["weight"] is not None:
        scale = create("mul.Tensor", scale.type, self=scale, other=by_channel(given["weight"]))
    result = create("sub.Tensor", elements, self=converted(uncast(given["input"]), elements), other=mean)
    result = create("mul.Tensor", elements, self=result, other=scale)
    if given["bias"] is not None:
        result = create("add.Tensor", elements, self=result, other=by_channel(given["bias"]))
    elif info.device == "cpu":
        result = create("add.Tensor", elements, self=result, other=0.0)  # as eager's kernel on CPUs: no zero is negative
    out.replace_all_uses_with(converted(result, out.type))


register_pass("split-batch-norm", split_batch_norm)
