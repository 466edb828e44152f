"""`lower-loop-to-tt`: each `loop.func` becomes one or more `tt.func`s in Triton's IR, with how they are launched."""

from __future__ import annotations

from torch_mlir import ir

from ...errors import UnsupportedGraph
from ...passes.registry import register_pass
from ..cpu.kernel import read_kernel
from .functions import emit_kernel
from .support import why_unsupported


def lower_loop_to_tt(module: ir.Module) -> None:
    """Runs the lowering. What can't be lowered stays, with the attribute `unsupported`."""
    for op in [op.operation for op in module.body.operations if op.operation.name == "loop.func"]:
        reason = why_unsupported(op)
        if reason is None:
            reason = _lower(op)
        if reason is not None:
            op.attributes["unsupported"] = ir.StringAttr.get(reason)


def _lower(op: ir.Operation) -> str | None:
    """Replaces the function; the reason why it stays."""
    try:
        emit_kernel(read_kernel(op), op.attributes["symbols"], op)
    except UnsupportedGraph as error:
        return str(error)
    op.erase()
    return None


register_pass("lower-loop-to-tt", lower_loop_to_tt)
