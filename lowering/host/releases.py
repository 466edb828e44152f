"""Inputs that a call releases before it ends."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.narrowing import dense_entries
from ...dialects.size_hints import size_hints
from ...tuning.cpu import TUNING
from ..memory.buffer_lives import guessed_bytes, last_uses

# The attribute of a graph with the numbers of the arguments that its caller keeps: parameters.
KEPT = "host.kept"


def input_releases(graph: ir.OpView) -> dict[int, list[ir.BlockArgument]]:
    """For each operation, by its number, the inputs that are released after it, because no later operation uses them or a view of them.
    Inputs without a use are released after the first operation."""
    block = graph.regions[0].blocks[0]
    operations, kept = list(block.operations), set(dense_entries(graph, KEPT))
    last = last_uses(operations)
    releases: dict[int, list[ir.BlockArgument]] = {}
    for argument in leaving(graph):
        index = last.get(argument, 0)
        if argument.arg_number not in kept and index < len(operations) - 1:
            releases.setdefault(index, []).append(argument)
    return releases


def leaving(graph: ir.OpView) -> list[ir.BlockArgument]:
    """The inputs that may be released before the call ends; none if all inputs together are small."""
    hints = size_hints(graph)
    tensors = [a for a in graph.regions[0].blocks[0].arguments if isinstance(a.type, ir.RankedTensorType)]
    return tensors if sum(guessed_bytes(a.type, hints) for a in tensors) >= TUNING.released_bytes else []
