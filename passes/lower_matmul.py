"""`lower-matmul`: a matmul that `raise-matmul` made and no pattern took becomes a bmm between views, or copies if views are impossible."""

from __future__ import annotations

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo, contiguous_strides
from .analysis.alias_analysis import functions_with_body
from .analysis.node_identity import identity
from .registry import register_pass
from .working_on import works_on_operation

MATMUL = aten_ops.op_name("aten.matmul.default")


def lower_matmul(module: ir.Module) -> None:
    """matmul(x, y) -> view(bmm(view x, view y)), on four dimensions"""
    for function in functions_with_body(module):
        merged: dict[ir.Value, ir.Value] = {}
        for view in list(function.regions[0].blocks[0].operations):
            if view.operation.name == MATMUL and all(TensorInfo.of(v.type).rank == 4 for v in view.operation.operands):
                _lower(view.operation, merged)


@works_on_operation
def _lower(op: ir.Operation, merged: dict[ir.Value, ir.Value]) -> None:
    extra = identity(op)
    result = TensorInfo.of(op.result.type)
    with ir.InsertionPoint(op), op.location:
        x, y = (_merged(v, merged, extra) for v in op.operands)
        flat = (result.sizes[0] * result.sizes[1], *result.sizes[2:])
        type_ = TensorInfo(flat, result.dtype, result.device, contiguous_strides(flat)).type()
        product = aten_ops.create("aten.bmm.default", {"self": x, "mat2": y}, [type_], extra=extra)
        view = aten_ops.create("aten.view.default", {"self": product.result, "size": list(result.sizes)}, [op.result.type], extra=extra)
    op.result.replace_all_uses_with(view.result)
    op.erase()


def _merged(value: ir.Value, merged: dict[ir.Value, ir.Value], extra: dict[str, ir.Attribute]) -> ir.Value:
    """The value with its first two dimensions merged: a view if its strides allow one, else a view of a copy, as in eager's matmul."""
    if value in merged:
        return merged[value]
    info = TensorInfo.of(value.type)
    first, second = info.sizes[:2]
    source = value
    if not (first == 1 or second == 1 or info.strides[0] == info.strides[1] * second):
        type_ = TensorInfo(info.sizes, info.dtype, info.device, contiguous_strides(info.sizes)).type()
        arguments = {"self": value, "memory_format": "contiguous_format"}
        source = aten_ops.create("aten.clone.default", arguments, [type_], extra=extra).result
        info = TensorInfo.of(type_)
    flat = (first * second, *info.sizes[2:])
    stride = info.strides[0] if second == 1 else info.strides[1]
    type_ = TensorInfo(flat, info.dtype, info.device, (stride, *info.strides[2:]), info.offset).type()
    merged[value] = aten_ops.create("aten.view.default", {"self": source, "size": list(flat)}, [type_], extra=extra).result
    return merged[value]


register_pass("lower-matmul", lower_matmul)
