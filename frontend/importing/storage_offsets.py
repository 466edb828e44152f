"""Where the tensors of a graph begin in their storages. PyTorch may put a result behind a gap in its memory (`aten.copy` does), and
its fake tensors do not always agree with its kernels on that; here memory of its own begins at 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch_mlir import ir

from ...bridge.functional_forms import originals, written_arguments
from ...bridge.tensor_types import tensor_info
from ...dialects.aten import Size, TensorInfo
from ...dialects.aten_schema import Schema
from ...errors import UnsupportedGraph
from ...lowering.rules.region_scatter import strided_coordinates
from ...passes.analysis.alias_analysis import UNTOLD_VIEWS, base_name
from ...passes.analysis.memory_overlap import is_dense
from ...torch_internals.trees import tree_leaves

# Operators whose kernels copy the whole storage of `self`, so that the result begins where `self` does. Their fake results begin at 0.
_KEEP_OFFSET = frozenset({"copy", "select_scatter", "slice_scatter", "diagonal_scatter", "as_strided_scatter"})


@dataclass(frozen=True)
class _Place:
    """Where a value's memory begins in PyTorch's storage: by the fake tensor, and by the kernel. `made`: the tensor that owns it."""

    fake: Size
    real: Size
    made: TensorInfo


class StoragePlaces:
    """The `_Place` of each value with memory that the graph makes."""

    def __init__(self) -> None:
        self._known: dict[ir.Value, _Place] = {}

    def viewed(self, schema: Schema, arguments: dict[str, Any]) -> ir.Value | None:
        """The argument that a call's results are views of; None where they have memory of their own."""
        told = [a for a in schema.tensors if a.alias]
        named = told or (schema.tensors[:1] if base_name(schema) in UNTOLD_VIEWS else [])
        source = arguments[named[0].name] if named else None
        return source[0] if isinstance(source, list) else source

    def start(self, viewed: ir.Value | None) -> Size | None:
        """What is to be taken from the offsets of fake results; None: all of it."""
        return None if viewed is None else self._known[viewed].fake if viewed in self._known else 0

    def note(self, op: ir.Operation, schema: Schema, arguments: dict[str, Any], given: Any) -> None:
        """Remembers the results of a call. `given`: PyTorch's own, as the graph's `meta` has them."""
        viewed = self.viewed(schema, arguments)
        copied = _copied(schema, arguments, len(op.results))
        for number, (result, tensor) in enumerate(zip(op.results, tree_leaves(given), strict=False)):
            if viewed is not None and viewed in self._known:
                self._known[result] = self._known[viewed]
            elif viewed is None and isinstance(tensor, torch.Tensor):
                fake = tensor_info(tensor).offset
                real = self._offset(copied[number]) if number in copied else fake
                self._known[result] = _Place(fake, real, TensorInfo.of(result.type))

    def _offset(self, value: ir.Value) -> Size:
        """The offset of a tensor in PyTorch's storage."""
        offset = TensorInfo.of(value.type).offset
        return offset + self._known[value].real if value in self._known else offset

    def begins_late(self, value: ir.Value) -> bool:
        """Whether PyTorch has a gap before the tensor, or before the one that it is a view of."""
        return value in self._known and self._known[value].fake != 0

    def begins_late_in_eager(self, value: ir.Value) -> bool:
        """Whether eager's tensor, or the one that it is a view of, is a copy that begins behind a gap, as its input does. AOTAutograd
        takes the place of a view of an input from it, in graphs with symbolic numbers or inputs that share a storage."""
        return value in self._known and self._known[value].real != 0

    def shift(self, schema: Schema, arguments: dict[str, Any]) -> None:
        """`as_strided` and its kin count from the start of the storage: corrects their offset."""
        base = arguments.get("self")
        if "storage_offset" not in arguments or not isinstance(base, ir.Value) or base not in self._known:
            return
        place = self._known[base]
        if arguments["storage_offset"] is not None:
            arguments["storage_offset"] -= place.fake
        if not (is_dense(place.made) and _is_within(arguments, place.made)) and not _is_block(arguments, place.made):
            raise UnsupportedGraph(f"{schema.name} looks at memory between or behind the elements of a tensor")


def _copied(schema: Schema, arguments: dict[str, Any], results: int) -> dict[int, ir.Value]:
    """For each result that begins where an argument does, by number: that argument."""
    if base_name(schema) in _KEEP_OFFSET:
        return {0: arguments["self"]}
    if schema.name not in originals:
        return {}
    written = tree_leaves([arguments[a.name] for a in written_arguments(originals[schema.name])])
    return dict(enumerate(written, results - len(written)))


def _is_block(arguments: dict[str, Any], made: TensorInfo) -> bool:
    """Whether the strides show elements of a tensor, a block of slices, and nothing that lies between them."""
    return strided_coordinates(made, arguments["size"], arguments["stride"], arguments["storage_offset"] or 0) is not None


def _is_within(arguments: dict[str, Any], made: TensorInfo) -> bool:
    """Whether the strides stay within the elements of a dense tensor; True where that is not known, for symbolic sizes."""
    numbers = [*arguments["size"], *arguments["stride"], arguments["storage_offset"] or 0, *made.sizes]
    if not all(isinstance(n, int) for n in numbers) or 0 in arguments["size"]:
        return True
    first = arguments["storage_offset"] or 0
    last = first + sum((s - 1) * t for s, t in zip(arguments["size"], arguments["stride"], strict=True))
    elements = 1
    for size in made.sizes:
        elements *= size
    return first >= 0 and last < elements
