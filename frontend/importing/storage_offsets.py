"""Storage offsets of the graph's tensors. PyTorch may place a result at an offset in its new storage (`aten.copy` does); here a tensor with
memory of its own has offset 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch_mlir import ir

from ...bridge.symbols import size_from_torch
from ...dialects.aten import Size, TensorInfo
from ...dialects.aten_schema import Schema
from ...dialects.requirements import Condition, at_least
from ...errors import UnsupportedGraph
from ...lowering.rules.region_scatter import strided_coordinates
from ...passes.analysis.alias_analysis import UNTOLD_VIEWS, base_name
from ...passes.analysis.memory_overlap import is_dense
from ...torch_internals.trees import tree_leaves


@dataclass(frozen=True)
class _Memory:
    """`start`: the offset of the owner's memory in PyTorch's storage; `made`: the tensor that owns it. `is_input`: in a call it is an input
    that begins anywhere in its real storage, at an offset of which a view of it keeps count."""

    start: Size
    made: TensorInfo
    is_input: bool = False


class StorageOffsets:
    """The `_Memory` of each value whose memory the graph allocates, and of inputs that begin anywhere."""

    def __init__(self) -> None:
        self._known: dict[ir.Value, _Memory] = {}

    def viewed(self, schema: Schema, arguments: dict[str, Any]) -> ir.Value | None:
        """The argument of which a call's results are views; None if they have memory of their own."""
        told = [a for a in schema.tensors if a.alias]
        named = told or (schema.tensors[:1] if base_name(schema) in UNTOLD_VIEWS else [])
        source = arguments[named[0].name] if named else None
        return source[0] if isinstance(source, list) else source

    def start(self, viewed: ir.Value | None) -> Size | None:
        """The number to subtract from the offsets of PyTorch's results; None: the whole offset."""
        return None if viewed is None else self._known[viewed].start if viewed in self._known else 0

    def note(self, op: ir.Operation, viewed: ir.Value | None, given: Any) -> None:
        """Records the results of a call. `given`: PyTorch's results, from the graph's `meta`."""
        for result, tensor in zip(op.results, [given] if isinstance(given, torch.Tensor) else tree_leaves(given), strict=False):
            if viewed is not None and viewed in self._known:
                self._known[result] = self._known[viewed]
            elif viewed is None and isinstance(tensor, torch.Tensor):
                self._known[result] = _Memory(size_from_torch(tensor.storage_offset()), TensorInfo.of(result.type))

    def note_input(self, argument: ir.Value, tensor: Any, inputs: Sequence[fx.Node]) -> None:
        """Records an input that begins anywhere, so that its views count from its first element."""
        if begins_anywhere(tensor, inputs):
            self._known[argument] = _Memory(size_from_torch(tensor.storage_offset()), TensorInfo.of(argument.type), is_input=True)

    def begins_late(self, value: ir.Value) -> bool:
        """Whether the tensor, or the one of which it is a view, has an offset in PyTorch's storage, but not in the graph's."""
        return value in self._known and self._known[value].start != 0 and not self._known[value].is_input

    def check_alignment(self, schema: Schema, arguments: dict[str, Any]) -> None:
        """Refuses dropout on a GPU of a result with an offset: the alignment of its address decides which random number an element gets."""
        late = schema.name == "aten.native_dropout.default" and self.begins_late(arguments["input"])
        if late and TensorInfo.of(arguments["input"].type).device != "cpu":
            raise UnsupportedGraph("dropout of a tensor with an offset in its storage")

    def shift(self, schema: Schema, arguments: dict[str, Any]) -> list[Condition]:
        """Corrects the offset of `as_strided` and the like, which counts from the start of the storage. Returns the condition that a
        symbolic one is not before the tensor. Raises UnsupportedGraph if they show memory that is no element of the tensor."""
        base = arguments.get("self")
        if "storage_offset" not in arguments or not isinstance(base, ir.Value) or base not in self._known:
            return []
        memory = self._known[base]
        if arguments["storage_offset"] is not None:
            arguments["storage_offset"] -= memory.start
        if not (is_dense(memory.made) and _is_within(arguments, memory.made)) and not _is_block(arguments, memory.made):
            raise UnsupportedGraph(f"{schema.name} shows memory that is no element of its tensor")
        first = arguments["storage_offset"]
        return [] if first is None or isinstance(first, int) else [at_least(first, 0)]


def _is_block(arguments: dict[str, Any], made: TensorInfo) -> bool:
    """Whether the strides show elements of a tensor only, as a block of slices does."""
    return strided_coordinates(made, arguments["size"], arguments["stride"], arguments["storage_offset"] or 0) is not None


def _is_within(arguments: dict[str, Any], made: TensorInfo) -> bool:
    """Whether the strides stay within the elements of a dense tensor; if sizes are symbolic, only whether they begin before them."""
    first = arguments["storage_offset"] or 0
    if 0 in arguments["size"]:
        return True
    if not all(isinstance(n, int) for n in [*arguments["size"], *arguments["stride"], first, *made.sizes]):
        return not isinstance(first, int) or first >= 0
    last = first + sum((s - 1) * t for s, t in zip(arguments["size"], arguments["stride"], strict=True))
    return first >= 0 and last < math.prod(made.sizes)


def begins_anywhere(value: Any, inputs: Sequence[fx.Node]) -> bool:
    """Whether an input's storage offset has a symbol that no input gives. Gradients that were traced as parts of a loop's result, and views
    at a place that depends on data, have. The import then leaves the offset out: code gets the address of the first element anyway."""
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided or isinstance(value.storage_offset(), int):
        return False
    given = [s for node in inputs for s in _sizes(node.meta.get("val")) if isinstance(s, torch.SymInt)]
    return not value.storage_offset().node.expr.free_symbols <= {s.node.expr for s in given}


def _sizes(value: Any) -> Sequence[Any]:
    """The sizes and strides of a tensor; any other value itself."""
    is_strided = isinstance(value, torch.Tensor) and value.layout is torch.strided
    return (*value.shape, *value.stride()) if is_strided else (value,)
