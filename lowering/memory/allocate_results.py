"""`allocate-results`: results that an operator can write into a given tensor become our buffers, allocated before the call."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.aten import TensorInfo, size_attr
from ...dialects.host import INTO
from ...dialects.narrowing import text
from ...dialects.segments import LAUNCH_RUNS, run_sizes_attr
from ...passes.registry import register_pass
from ...passes.rewrite_limit import may_rewrite
from ...passes.working_on import works_on_operation
from ..host.shims import find_shim
from ..launch.convert_to_host import graph_function


def allocate_results(module: ir.Module) -> None:
    """call(x, w) -> y becomes alloc -> y; call(x, w, y), if libtorch has the operator's `out` overload as a C function"""
    for op in list(graph_function(module).regions[0].blocks[0].operations):
        if op.operation.name == "host.call" and _takes_out(op) and may_rewrite("result in a buffer", op):
            _write_into_buffer(op)


def _takes_out(call: ir.OpView) -> bool:
    target = text(call.attributes["target"])
    if not target.endswith(".default") or len(call.results) != 1 or INTO in call.attributes:
        return False
    devices = {TensorInfo.of(v.type).device for v in [*call.operands, *call.results] if isinstance(v.type, ir.RankedTensorType)}
    shim = find_shim(target, devices.pop().partition(":")[0]) if len(devices) == 1 else None
    return shim is not None and shim.out


@works_on_operation
def _write_into_buffer(call: ir.OpView) -> None:
    ip, loc, result = ir.InsertionPoint(call), call.location, call.results[0]
    buffer = ir.Operation.create("host.alloc", [result.type], loc=loc, ip=ip).result
    operands = [*call.operands, buffer]
    attributes = {name: call.attributes[name] for name in ("target", "arguments", "reason")} | {
        INTO: size_attr(len(operands) - 1),
        "operandSegmentSizes": run_sizes_attr([v.type for v in operands], LAUNCH_RUNS),
        "resultSegmentSizes": run_sizes_attr([]),
    }
    ir.Operation.create("host.call", operands=operands, attributes=attributes, loc=loc, ip=ip)
    result.replace_all_uses_with(buffer)
    call.operation.erase()


register_pass("allocate-results", allocate_results)
