"""Where the tensors of a graph begin in their storages. PyTorch may put a result behind a gap in its memory (`aten.copy` does), and
its fake tensors do not always agree with its kernels on that; here memory of its own begins at 0.
"""

from __future__ import annotations

from typing import Any

import torch
from torch_mlir import ir

from ..bridge.tensor_types import tensor_info
from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo
from ..dialects.aten_schema import Schema
from ..errors import UnsupportedGraph
from ..lowering.rules.region_scatter import strided_coordinates
from ..passes.alias_analysis import UNTOLD_VIEWS, base_name
from ..passes.memory_overlap import is_dense
from ..torch_internals.trees import tree_leaves


class StoragePlaces:
    """For each value with memory that the graph makes: where PyTorch begins to count in it, and the tensor that it was made as."""

    def __init__(self) -> None:
        self._known: dict[ir.Value, tuple[Size, TensorInfo]] = {}
        self._scattered: set[ir.Value] = set()  # kernels put them behind a gap, and PyTorch's tracer does not say so

    def viewed(self, schema: Schema, arguments: dict[str, Any]) -> ir.Value | None:
        """The argument that a call's results are views of; None where they have memory of their own."""
        told = [a for a in schema.tensors if a.alias]
        named = told or (schema.tensors[:1] if base_name(schema) in UNTOLD_VIEWS else [])
        source = arguments[named[0].name] if named else None
        return source[0] if isinstance(source, list) else source

    def start(self, viewed: ir.Value | None) -> Size | None:
        """What is to be taken from PyTorch's offsets; None: all of it."""
        return None if viewed is None else self._known[viewed][0] if viewed in self._known else 0

    def note(self, op: ir.Operation, viewed: ir.Value | None, given: Any) -> None:
        """Remembers the results of a call. `given`: PyTorch's own, as the graph's `meta` has them."""
        if viewed in self._scattered or self._is_scattered(op):
            self._scattered.update(op.results)
        for result, tensor in zip(op.results, tree_leaves(given), strict=False):
            if viewed is not None and viewed in self._known:
                self._known[result] = self._known[viewed]
            elif viewed is None and isinstance(tensor, torch.Tensor):
                self._known[result] = tensor_info(tensor).offset, TensorInfo.of(result.type)

    def begins_late(self, value: ir.Value) -> bool:
        """Whether PyTorch has a gap before the tensor, or before the one that it is a view of."""
        return value in self._known and self._known[value][0] != 0

    def _is_scattered(self, op: ir.Operation) -> bool:
        """Whether an operator copies the whole memory of an input that begins inside its storage, from the storage's start."""
        if not aten_ops.schema(op).name.endswith("_scatter.default"):
            return False
        base = op.operands[0]
        return base in self._scattered or TensorInfo.of(base.type).offset != 0

    def is_scattered(self, value: ir.Value) -> bool:
        """Whether eager's tensor, or the one that it is a view of, is a scatter's copy that begins behind a gap, as its input does.
        AOTAutograd takes the place of a view of an input from it, in graphs with symbolic numbers."""
        return value in self._scattered

    def shift(self, schema: Schema, arguments: dict[str, Any]) -> None:
        """`as_strided` and its kin count from the start of the storage: corrects their offset."""
        base = arguments.get("self")
        if "storage_offset" not in arguments or not isinstance(base, ir.Value) or base not in self._known:
            return
        start, made = self._known[base]
        if arguments["storage_offset"] is not None:
            arguments["storage_offset"] -= start
        if not (is_dense(made) and _is_within(arguments, made)) and not _is_block(arguments, made):
            raise UnsupportedGraph(f"{schema.name} looks at memory between or behind the elements of a tensor")


def _is_block(arguments: dict[str, Any], made: TensorInfo) -> bool:
    """Whether the strides show elements of a tensor, a block of slices, and nothing that lies between them."""
    return strided_coordinates(made, arguments["size"], arguments["stride"], arguments["storage_offset"] or 0) is not None


def _is_within(arguments: dict[str, Any], made: TensorInfo) -> bool:
    """Whether the strides stay within the elements of a dense tensor; True where that is not known, for symbolic sizes."""
    numbers = [*arguments["size"], *arguments["stride"], arguments["storage_offset"] or 0, *made.sizes]
    if not all(isinstance(n, int) for n in numbers) or 0 in arguments["size"]:
        return True
    last = (arguments["storage_offset"] or 0) + sum((s - 1) * t for s, t in zip(arguments["size"], arguments["stride"], strict=True))
    elements = 1
    for size in made.sizes:
        elements *= size
    return last < elements
