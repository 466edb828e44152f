"""`allocate-results`: results that an operator can write into a given tensor become our buffers, allocated before the call. A matrix
product whose rows are not aligned is computed in regions that are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch_mlir import ir

from ...dialects.aten import TensorInfo, contiguous_strides, size_attr
from ...dialects.host import INTO
from ...dialects.narrowing import text
from ...dialects.segments import LAUNCH_RUNS, run_sizes_attr
from ...passes.analysis.unaligned_products import Region, aligned_regions
from ...passes.reassociate_products import rounding_of
from ...passes.registry import register_pass
from ...passes.rewrite_limit import may_rewrite
from ...passes.working_on import works_on_operation
from ..host.shims import find_shim
from ..launch.convert_to_host import buffer_of, graph_function


def allocate_results(module: ir.Module) -> None:
    """call(x, w) -> y becomes alloc -> y; call(x, w, y), if libtorch has the operator's `out` overload as a C function"""
    function = graph_function(module)
    for op in [o for o in function.regions[0].blocks[0].operations if o.operation.name == "host.call"]:
        if _takes_out(op) and may_rewrite("result in a buffer", op):
            regions = _regions(op) if rounding_of(function) != "eager" else ()
            if regions and may_rewrite("product in regions", op):
                _write_regions(op, regions)
            else:
                _write_into_buffer(op)


def _takes_out(call: ir.OpView) -> bool:
    target = text(call.attributes["target"])
    if not target.endswith(".default") or len(call.results) != 1 or INTO in call.attributes:
        return False
    devices = {TensorInfo.of(v.type).device for v in [*call.operands, *call.results] if isinstance(v.type, ir.RankedTensorType)}
    shim = find_shim(target, devices.pop().partition(":")[0]) if len(devices) == 1 else None
    return shim is not None and shim.out


def _regions(call: ir.OpView) -> Sequence[Region]:
    """The regions in which a matrix product is computed; none if at once."""
    if text(call.attributes["target"]) != "aten.mm.default" or len(call.operands) != 2:
        return ()
    a, b = (TensorInfo.of(v.type) for v in call.operands)
    return aligned_regions(a, b, TensorInfo.of(call.results[0].type))


@works_on_operation
def _write_into_buffer(call: ir.OpView) -> None:
    buffer = _buffer(call, call.results[0].type)
    _call_into(call, list(call.operands), buffer)
    _replace(call, buffer)


@works_on_operation
def _write_regions(call: ir.OpView, regions: Sequence[Region]) -> None:
    """Computes a product region by region. A narrow one is copied, because the library rounds twice in narrow products with odd rows."""
    a, b = call.operands
    buffer = _buffer(call, call.results[0].type)
    for region in regions:
        part = _part(buffer, region, call)
        rows, columns = replace(region, column=0, columns=TensorInfo.of(a.type).sizes[1]), replace(region, row=0, step=1)
        target = _buffer(call, _contiguous(part.type)) if region.is_narrow else part
        _call_into(call, [_part(a, rows, call), _part(b, columns, call)], target)
        if region.is_narrow:
            _put(call, "host.copy", [part, target])
            _put(call, "host.free", [target])
    _replace(call, buffer)


def _contiguous(type_: ir.Type) -> ir.Type:
    info = TensorInfo.of(type_)
    return replace(info, strides=contiguous_strides(info.sizes), offset=0).type()


def _buffer(call: ir.OpView, type_: ir.Type) -> ir.Value:
    """A new buffer, allocated before a call."""
    return ir.Operation.create("host.alloc", [type_], loc=call.location, ip=ir.InsertionPoint(call)).result


def _put(call: ir.OpView, name: str, operands: Sequence[ir.Value]) -> None:
    ir.Operation.create(name, operands=list(operands), loc=call.location, ip=ir.InsertionPoint(call))


def _replace(call: ir.OpView, buffer: ir.Value) -> None:
    call.results[0].replace_all_uses_with(buffer)
    call.operation.erase()


def _call_into(call: ir.OpView, given: Sequence[ir.Value], target: ir.Value) -> None:
    """Puts a call with these operands that writes `target` before a call of the same operator."""
    operands = [*given, target]
    attributes = {name: call.attributes[name] for name in ("target", "arguments", "reason")} | {
        INTO: size_attr(len(given)),
        "operandSegmentSizes": run_sizes_attr([v.type for v in operands], LAUNCH_RUNS),
        "resultSegmentSizes": run_sizes_attr([]),
    }
    ir.Operation.create("host.call", operands=operands, attributes=attributes, loc=call.location, ip=ir.InsertionPoint(call))


def _part(value: ir.Value, region: Region, before: ir.OpView) -> ir.Value:
    """The view of a matrix that shows a region."""
    type_ = region.of(TensorInfo.of(value.type)).type()
    if type_ == value.type:
        return value
    return ir.Operation.create("host.view", [type_], [buffer_of(value)], loc=before.location, ip=ir.InsertionPoint(before)).result


register_pass("allocate-results", allocate_results)
