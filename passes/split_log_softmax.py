"""`split-log-softmax`: log_softmax in float32 of a half type becomes the row's maximum, the logarithm of its sum and what they make of each
element, if its gradient is in the graph: the backward then needs the elements of the half type and two numbers a row, not all results in
float32.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo, contiguous_strides
from ..dialects.dtypes import HALVES
from .analysis.alias_analysis import functions_with_body
from .analysis.inplace_rules import writes_once_a_line
from .analysis.node_identity import identity
from .analysis.uniform_values import uniform_value
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .working_on import works_on_operation

LOG_SOFTMAX = aten_ops.op_name("aten._log_softmax.default")
GRADIENT = aten_ops.op_name("aten._log_softmax_backward_data.default")
SCATTER = aten_ops.op_name("aten.scatter.src")
CAST = aten_ops.op_name("aten._to_copy.default")
VIEW = aten_ops.op_name("aten.view.default")


def split_log_softmax(module: ir.Module) -> None:
    """log_softmax(x) -> (x - max(x)) - log(sum(exp(x - max(x)))), and its gradient -> g - exp(y) * sum(g)"""
    for function in functions_with_body(module):
        for view in list(function.regions[0].blocks[0].operations):
            if view.operation.name == GRADIENT:
                _split(view.operation)


@works_on_operation
def _split(gradient: ir.Operation) -> None:
    output = aten_ops.arguments(gradient)["output"]
    made = output.owner if isinstance(output, ir.OpResult) else None
    of_halves = made is not None and made.name == LOG_SOFTMAX and _is_of_halves(made.operation) and _is_dense_or_one_number(gradient)
    written = _written(gradient)
    if (of_halves or written is not None) and not may_rewrite("split", gradient):
        return
    if made is not None and of_halves:
        made.operation.result.replace_all_uses_with(_recomputable(made.operation))
        made.operation.erase()
    if of_halves or written is not None:
        gradient.result.replace_all_uses_with(_difference(gradient, written))
        gradient.erase()


def _is_of_halves(op: ir.Operation) -> bool:
    """Whether the operand is of a half type, or its copy in float32, or a view of that; for rows of a known size in memory order."""
    given = aten_ops.arguments(op)
    source, info = given["self"], TensorInfo.of(op.result.type)
    while isinstance(source, ir.OpResult) and source.owner.name == VIEW:
        source = source.owner.operands[0]
    if isinstance(source, ir.OpResult) and source.owner.name == CAST:
        source = aten_ops.arguments(source.owner)["self"]
    plain = all(t.strides == contiguous_strides(t.sizes) for t in (info, TensorInfo.of(given["self"].type)))
    return info.dtype == "float32" and TensorInfo.of(source.type).dtype in HALVES and plain and _has_rows(info, given["dim"])


def _is_dense_or_one_number(gradient: ir.Operation) -> bool:
    """Whether the incoming gradient lies in memory as the output does, or is one number: then so does what is computed from both."""
    given = aten_ops.arguments(gradient)
    return given["grad_output"].type == given["output"].type or not any(TensorInfo.of(given["grad_output"].type).strides)


def _has_rows(info: TensorInfo, dim: int) -> bool:
    size = info.sizes[dim] if info.rank else 0
    return isinstance(size, int) and size > 0


def _row(info: TensorInfo, dim: int) -> TensorInfo:
    """One number for each row."""
    one = tuple(1 if d == dim else s for d, s in enumerate(info.sizes))
    return replace(info, sizes=one, strides=contiguous_strides(one), offset=0)


def _recomputable(op: ir.Operation) -> ir.Value:
    given, info, extra = aten_ops.arguments(op), TensorInfo.of(op.result.type), identity(op)
    row = _row(info, given["dim"]).type()

    def create(name: str, type_: ir.Type, **arguments: Any) -> ir.Value:
        return aten_ops.create(f"aten.{name}", arguments, [type_], op.location, ir.InsertionPoint(op), extra).result

    x = given["self"]
    if x.type != op.result.type:
        x = create("_to_copy.default", op.result.type, self=x, dtype=info.dtype)
    most = create("amax.default", row, self=x, dim=[given["dim"]], keepdim=True)
    shifted = create("sub.Tensor", op.result.type, self=x, other=most)
    total = create("sum.dim_IntList", row, self=create("exp.default", op.result.type, self=shifted), dim=[given["dim"]], keepdim=True)
    return create("sub.Tensor", op.result.type, self=shifted, other=create("log.default", row, self=total))


def _written(gradient: ir.Operation) -> ir.Value | None:
    """The one number in each row of the incoming gradient, if all others are zeros: what its row sums to."""
    given = aten_ops.arguments(gradient)
    incoming, info = given["grad_output"], TensorInfo.of(gradient.result.type)
    if not isinstance(incoming, ir.OpResult) or incoming.owner.name != SCATTER or incoming.type != given["output"].type:
        return None
    scatter = aten_ops.arguments(incoming.owner)
    source = TensorInfo.of(scatter["src"].type)
    once = scatter["dim"] == given["dim"] and writes_once_a_line(incoming.owner)
    if (
        not once
        or source.sizes != _row(info, given["dim"]).sizes
        or uniform_value(scatter["self"]) != 0
        or info.strides != contiguous_strides(info.sizes)
        or source.dtype != "float32"
    ):
        return None
    src: ir.Value = scatter["src"]
    return src


def _difference(gradient: ir.Operation, total: ir.Value | None) -> ir.Value:
    """g - exp(y) * sum(g), in the result's dtype; operators that the partition may compute together with y. `total`: sum(g), if known."""
    given, extra = aten_ops.arguments(gradient), identity(gradient)
    wide = given["output"].type

    def create(name: str, type_: ir.Type, **arguments: Any) -> ir.Value:
        return aten_ops.create(f"aten.{name}", arguments, [type_], gradient.location, ir.InsertionPoint(gradient), extra).result

    if total is None:
        row = _row(TensorInfo.of(wide), given["dim"]).type()
        total = create("sum.dim_IntList", row, self=given["grad_output"], dim=[given["dim"]], keepdim=True)
    share = create("mul.Tensor", wide, self=create("exp.default", wide, self=given["output"]), other=total)
    result = create("sub.Tensor", wide, self=given["grad_output"], other=share)
    if result.type == gradient.result.type:
        return result
    return create("_to_copy.default", gradient.result.type, self=result, dtype=TensorInfo.of(gradient.result.type).dtype)


register_pass("split-log-softmax", split_log_softmax)
