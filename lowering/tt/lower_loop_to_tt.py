"""`lower-loop-to-tt`: each `loop.func` or `loop.group` becomes one or more `tt.func`s in Triton's IR, with grids and scratch sizes."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from ...dialects.loop import GROUPED
from ...dialects.narrowing import integer, text, texts
from ...errors import UnsupportedGraph
from ...passes.registry import register_pass
from ...passes.working_on import works_on_operation
from ..kernel.analysis import Kernel, read_kernel
from .alternatives import alternatives
from .functions import emit_kernel
from .gpu_target import gpu_target
from .groups import emit_group
from .schedule import Schedule, choose_schedule
from .support import why_unsupported

# Attribute of a `loop.func`: the number of its schedule.
ALTERNATIVE = "alternative"


def lower_loop_to_tt(module: ir.Module) -> None:
    """Runs the lowering. A function that can't be lowered stays, with the attribute `unsupported`."""
    functions = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
    kernels = {text(op.attributes["sym_name"]): op for op in functions}
    groups = [op.operation for op in module.body.operations if op.operation.name == "loop.group"]
    lowered = [_lower_group(op, kernels) for op in groups]
    for op in functions:
        if GROUPED in op.attributes and all(lowered):
            op.erase()
            continue
        reason = why_unsupported(op)
        if reason is None:
            reason = _lower(op)
        if reason is not None:
            op.attributes["unsupported"] = ir.StringAttr.get(reason)


@works_on_operation
def _lower_group(op: ir.Operation, kernels: Mapping[str, ir.Operation]) -> bool:
    """Replaces a group; False, with the attribute `unsupported` on it, if it could not be lowered."""
    parts = {name: kernels[name] for name in texts(op.attributes["parts"])}
    reason = next((why for part in parts.values() if (why := why_unsupported(part)) is not None), None)
    try:
        if reason is None:
            emit_group(op, parts, gpu_target(op))
    except UnsupportedGraph as error:
        reason = str(error)
    if reason is not None:
        op.attributes["unsupported"] = ir.StringAttr.get(reason)
        return False
    op.erase()
    return True


@works_on_operation
def _lower(op: ir.Operation) -> str | None:
    """Replaces the function; returns the reason why it could not be lowered, or None."""
    try:
        kernel = read_kernel(op)
        emit_kernel(kernel, _schedule(kernel, op), op.attributes["symbols"], op)
    except UnsupportedGraph as error:
        return str(error)
    op.erase()
    return None


def _schedule(kernel: Kernel, op: ir.Operation) -> Schedule:
    """The default schedule, or the one that the attribute `alternative` names."""
    if ALTERNATIVE not in op.attributes:
        return choose_schedule(kernel, gpu_target(op))
    number, found = integer(op.attributes[ALTERNATIVE]), alternatives(kernel, gpu_target(op))
    if number >= len(found):
        raise UnsupportedGraph(f"there are {len(found)} alternatives")
    return found[number]


register_pass("lower-loop-to-tt", lower_loop_to_tt)
