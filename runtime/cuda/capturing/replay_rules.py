"""Which graphs `by_address.py` captures: small ones on one GPU, of kernels and library calls that do the same in every call."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator

import torch
from torch_mlir import ir

from ....bridge.operators import overload
from ....dialects.aten import TensorInfo, outputs_of
from ....dialects.narrowing import array, text
from ....lowering.host.routes import BODIES, PYTHON, route, schema_of
from ....lowering.launch.convert_to_host import graph_function
from ....lowering.memory.buffer_lives import buffers_made, bytes_of
from ....torch_internals.cuda import can_replay
from ....tuning.gpu import TUNING
from .capture_rules import host_microseconds, why_not_captured
from .policies import ByAddress

log = logging.getLogger(__name__)

# Its last results are numbers on the CPU that nothing reads if nothing is dropped.
_EFFICIENT = "aten._scaled_dot_product_efficient_attention.default"


def by_address(module: ir.Module, static: Collection[int], name: str) -> ByAddress | None:
    """How calls of the module's graph are captured and replayed; None if that is impossible or does not pay. `static`: the arguments whose
    addresses never change."""
    why = why_not_replayed(module)
    if why is not None:
        log.debug("%s is not replayed: %s", name, why)
        return None
    arguments = list(graph_function(module).regions[0].blocks[0].arguments)
    device = next(TensorInfo.of(a.type).device for a in arguments)
    moving = tuple(n for n in range(len(arguments)) if n not in static)
    return ByAddress(device, moving, tuple(sorted(idle_outputs(module))))


def why_not_replayed(module: ir.Module) -> str | None:
    """The reason why the graph of a module in `host` form is never replayed; None if it may be."""
    function = graph_function(module)
    why = why_not_captured(module) if can_replay() else "PyTorch does not say how its libraries choose kernels"
    if why is not None:
        return why
    block = function.regions[0].blocks[0]
    if not len(block.arguments) or not all(isinstance(a.type, ir.RankedTensorType) for a in block.arguments):
        return "an input is no tensor"
    operations = [op for op in block.operations if op.operation.name in ("host.launch", "host.call")]
    if host_microseconds(module) <= TUNING.replay_us + TUNING.by_address_us + TUNING.output_us * sum(1 for _ in _outputs(module)):
        return f"it is {len(operations)} launches and calls"
    sizes = [bytes_of(buffer.type) for op in block.operations for buffer in buffers_made(op)]
    if not all(isinstance(size, int) for size in sizes):
        return "its sizes are not known"
    total = sum(int(size) for size in sizes if size is not None)
    if total > TUNING.by_address_bytes:
        return f"its buffers are {total} bytes"
    return next((why for op in operations if op.operation.name == "host.call" and (why := _why_not_called(op))), None)


def _why_not_called(op: ir.OpView) -> str | None:
    target = text(op.attributes["target"])
    if route(op) in (PYTHON, BODIES):
        return f"{target} is called by {route(op)}"
    if torch.Tag.nondeterministic_seeded in overload(target).tags and not _drops_nothing(op):
        return f"{target} draws random numbers"
    return None


def _drops_nothing(op: ir.OpView) -> bool:
    """Whether the only random part of an operator is a dropout that is switched off."""
    schema = schema_of(op)
    assert schema is not None
    given = zip(schema.arguments, array(op.attributes["arguments"]), strict=True)
    return any(a.name == "dropout_p" and isinstance(value, ir.FloatAttr) and value.value == 0 for a, value in given)


def idle_outputs(module: ir.Module) -> frozenset[int]:
    """The outputs whose content nobody reads: random states of attention without dropout."""
    return frozenset(n for n, value in _outputs(module) if value.owner.name == "host.call" and _is_idle(value))


def _is_idle(value: ir.OpResult) -> bool:
    call = value.owner
    number = next(n for n, r in enumerate(call.results) if r == value)
    return text(call.attributes["target"]) == _EFFICIENT and number >= 2


def _outputs(module: ir.Module) -> Iterator[tuple[int, ir.OpResult]]:
    """The outputs that an operation computes, with their numbers."""
    function = graph_function(module)
    *_, ending = function.regions[0].blocks[0].operations
    for n, value in enumerate(outputs_of(function, ending.operands)):
        if isinstance(value, ir.OpResult):
            yield n, value
