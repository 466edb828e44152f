"""Which inputs a call can let go before it ends."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch_mlir import ir

from ...dialects.aten import TensorInfo

# Letting go takes a handle of our own, some 60 ns: it is worth it from this many elements on.
ELEMENTS = 1 << 14


# The attribute of a graph with the numbers of the arguments that its caller keeps: parameters.
KEPT = "host.kept"


def input_releases(graph: ir.OpView) -> dict[int, list[ir.Value]]:
    """By the number of an operation: the inputs that no later one uses, nor a view of them."""
    block = graph.regions[0].blocks[0]
    operations, kept = list(block.operations), set(graph.attributes[KEPT]) if KEPT in graph.attributes else set()
    last = last_uses(operations)
    releases: dict[int, list[ir.Value]] = {}
    for argument in (a for a in block.arguments if a.arg_number not in kept):
        index = last.get(argument, len(operations))
        if isinstance(argument.type, ir.RankedTensorType) and index < len(operations) - 1 and is_large(argument.type):
            releases.setdefault(index, []).append(argument)
    return releases


def last_uses(operations: Sequence[ir.OpView]) -> dict[ir.Value, int]:
    """The number of the last operation that uses a value or a view of it, other than to free it."""
    roots = view_roots(operations)
    last: dict[ir.Value, int] = {}
    for index, op in enumerate(operations):
        if op.operation.name != "host.free":
            last.update((roots.get(v, v), index) for v in op.operands)
    return last


def view_roots(operations: Sequence[ir.OpView]) -> dict[ir.Value, ir.Value]:
    """Of each view the value that it shows, no view itself."""
    roots: dict[ir.Value, ir.Value] = {}
    for op in operations:
        if op.operation.name == "host.view":
            roots[op.results[0]] = roots.get(op.operands[0], op.operands[0])
    return roots


def taken_inputs(operations: Sequence[ir.OpView]) -> list[ir.Value]:
    """The inputs whose memory a buffer takes: they are freed with it."""
    donors = [op.operands[0] for op in operations if op.operation.name == "host.reuse"]
    return [d for d in donors if isinstance(d, ir.BlockArgument)]


def is_large(type_: ir.Type) -> bool:
    """Whether an input is let go before the call ends."""
    sizes = TensorInfo.of(type_).sizes
    return any(not isinstance(s, int) for s in sizes) or math.prod(sizes) >= ELEMENTS
