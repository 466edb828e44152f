"""`lower-loop-to-tt`: each `loop.func` becomes one or more `tt.func`s in Triton's IR, with how they are launched."""

from __future__ import annotations

from torch_mlir import ir

from ...errors import UnsupportedGraph
from ...passes.registry import register_pass
from ...passes.working_on import works_on_operation
from ..kernel.analysis import Kernel, read_kernel
from .alternatives import alternatives
from .functions import emit_kernel
from .schedule import Schedule, choose_schedule
from .support import why_unsupported

# Of a `loop.func`: the number of the way in which it is cut into tiles.
ALTERNATIVE = "alternative"


def lower_loop_to_tt(module: ir.Module) -> None:
    """Runs the lowering. What can't be lowered stays, with the attribute `unsupported`."""
    for op in [op.operation for op in module.body.operations if op.operation.name == "loop.func"]:
        reason = why_unsupported(op)
        if reason is None:
            reason = _lower(op)
        if reason is not None:
            op.attributes["unsupported"] = ir.StringAttr.get(reason)


@works_on_operation
def _lower(op: ir.Operation) -> str | None:
    """Replaces the function; the reason why it stays."""
    try:
        kernel = read_kernel(op)
        emit_kernel(kernel, _schedule(kernel, op), op.attributes["symbols"], op)
    except UnsupportedGraph as error:
        return str(error)
    op.erase()
    return None


def _schedule(kernel: Kernel, op: ir.Operation) -> Schedule:
    """The first choice, or what the attribute `alternative` asks for."""
    if ALTERNATIVE not in op.attributes:
        return choose_schedule(kernel)
    number, found = op.attributes[ALTERNATIVE].value, alternatives(kernel)
    if number >= len(found):
        raise UnsupportedGraph(f"there are {len(found)} alternatives")
    return found[number]


register_pass("lower-loop-to-tt", lower_loop_to_tt)
