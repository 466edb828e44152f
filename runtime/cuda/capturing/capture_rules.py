"""Which graphs can be captured as CUDA graphs, and what a capture needs to know of a graph. A failed capture only costs time, so graphs
that might fail are not captured."""

from __future__ import annotations

import fnmatch
import logging
from collections.abc import Collection

import torch
from torch_mlir import ir

from ....bridge.operators import overload
from ....dialects.aten import TensorInfo
from ....dialects.aten_names import is_opaque
from ....dialects.host import argument_attributes, launch_count
from ....dialects.narrowing import integer, named_entries, text
from ....lowering.launch.convert_to_host import Storages, graph_function
from ....torch_internals.cuda import can_capture
from ....torch_internals.operators import schema_of
from ....torch_internals.tensors import use_count
from ....tuning.gpu import TUNING
from .policies import StaticBuffers

log = logging.getLogger(__name__)


_UNSAFE_TAGS = ("data_dependent_output", "dynamic_output_shape", "cudagraph_unsafe")
# Operators that wait for the GPU, although their schemas don't say so.
_WAITING = (
    "aten.*linalg_*",
    "aten.*_cholesky*",
    "aten.multinomial.*",
    "aten.bincount.*",
    "aten.histc.*",
    "aten.*_ctc_loss*",
    "aten._pack*",
)


def why_not_captured(module: ir.Module) -> str | None:
    """The reason why the graph of a module in `host` form can't be captured; None if it can."""
    if not can_capture() or use_count is None:
        return "this PyTorch lacks what captures need"
    function = graph_function(module)
    devices = {d for t in _types(function.regions[0].blocks[0]) if (d := _device(t)) is not None}
    if len(devices) != 1 or not next(iter(devices)).startswith("cuda"):
        return f"its tensors are on {', '.join(sorted(devices)) or 'no device'}"
    for op in function.regions[0].blocks[0].operations:
        if op.operation.name == "host.call" and (why := _why_not_called(op)):
            return why
    return None


def host_microseconds(module: ir.Module) -> int:
    """The host's microseconds for the launches that one replay would replace."""
    operations = list(graph_function(module).regions[0].blocks[0].operations)
    calls = sum(op.operation.name == "host.call" for op in operations)
    return TUNING.launch_us * launch_count(operations) + TUNING.call_us * calls


def static_buffers(module: ir.Module, static: Collection[int], name: str) -> StaticBuffers | None:
    """How calls of the module's graph are captured as CUDA graphs and replayed; None if the graph can't be captured."""
    why = why_not_captured(module)
    if why is None and host_microseconds(module) <= TUNING.replay_us:
        why = "launching it is as fast"
    if why is not None:
        log.info("%s is not captured as a CUDA graph: %s", name, why)
        return None
    function = graph_function(module)
    staying = frozenset(static) | {n for n, a in enumerate(argument_attributes(function)) if "aten.constant" in a}
    (device,) = {d for a in _types(function.regions[0].blocks[0]) if (d := _device(a))}
    is_dynamic = len(named_entries(function, "aten.symbols")) > 0
    return StaticBuffers(device, tuple(sorted(staying)), tuple(sorted(arguments_written_by_graph(module))), is_dynamic)


def _types(block: ir.Block) -> list[ir.Type]:
    values = [*block.arguments, *(r for op in block.operations for r in op.results)]
    return [v.type for v in values]


def _device(type_: ir.Type) -> str | None:
    return TensorInfo.of(type_).device if isinstance(type_, ir.RankedTensorType) else None


def _why_not_called(op: ir.OpView) -> str | None:
    target = text(op.attributes["target"])
    operator = overload(target)
    if any(getattr(torch.Tag, tag, None) in operator.tags for tag in _UNSAFE_TAGS):
        return f"the sizes or address of the results of {target} depend on data"
    if is_opaque(target) or any(fnmatch.fnmatchcase(target, pattern) for pattern in _WAITING):
        return f"{target} waits for the GPU"
    if target.startswith("aten.index") and any(TensorInfo.of(v.type).dtype == "bool" for v in list(op.operands)[1:]):
        return f"{target} by a mask waits for the GPU"
    return None


def arguments_written_by_graph(module: ir.Module) -> frozenset[int]:
    """The numbers of the arguments that the graph writes."""
    function = graph_function(module)
    block = function.regions[0].blocks[0]
    storages = Storages(block)
    outputs = {
        text(op.attributes["sym_name"]): integer(op.attributes["outputs"])
        for op in module.body.operations
        if op.operation.name == "loop.func"
    }
    written: set[ir.Value] = set()
    for op in block.operations:
        name = op.operation.name
        if name == "host.copy":
            written.add(storages.root(op.operands[0]))
        elif name == "host.launch":
            count = outputs[text(op.attributes["kernel"])]
            written.update(storages.root(v) for v in list(op.operands)[-count:])
        elif name == "host.call" and schema_of(overload(text(op.attributes["target"]))).is_mutable:
            written.update(storages.root(v) for v in op.operands)
    return frozenset(n for n, argument in enumerate(block.arguments) if argument in written)
