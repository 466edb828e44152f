"""The live ranges and bytes of the buffers of a `host` sequence, and which buffers nothing outside the graph can refer to."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence

from torch_mlir import ir

from ...dialects import aten_ops, aten_registry
from ...dialects.aten import Size, TensorInfo
from ...dialects.dtypes import item_size
from ...dialects.host import call_into
from ...dialects.lazy import sympy
from ...dialects.narrowing import text
from ...dialects.size_hints import Hints, evaluated
from ...passes.analysis.memory_overlap import is_dense
from ..host.shims import find_shim

# C functions that may return an operand's memory although their schemas don't say so, or that keep it.
_NOT_FRESH = frozenset({"aten.native_dropout.default", "aten.pad.default", "aten._to_sparse.default", "aten.to_sparse.default"})
# C functions that only a GPU has, and that return new memory. Not the gradients of attention: these may be parts of one buffer.
_FRESH = frozenset({"aten._scaled_dot_product_efficient_attention.default", "aten._scaled_dot_product_flash_attention.default"})


def bytes_of(type_: ir.Type) -> Size | None:
    """The bytes of a tensor with its own memory; None for an unknown dtype, and for gaps between elements if sizes are symbolic."""
    return _bytes(TensorInfo.of(type_))


@functools.lru_cache(maxsize=1 << 14)
def _bytes(info: TensorInfo) -> Size | None:
    item = item_size(info.dtype)
    if item is None:
        return None
    if all(isinstance(n, int) for n in (*info.sizes, *info.strides)):
        if 0 in info.sizes:
            return 0
        return item * (1 + sum((s - 1) * t for s, t in zip(info.sizes, info.strides, strict=True)))
    return sympy.expand(item * math.prod(info.sizes)) if is_dense(info) else None


def guessed_bytes(type_: ir.Type, hints: Hints) -> int:
    """The bytes of a tensor with its own memory, for these values of the symbols."""
    size = bytes_of(type_)
    return evaluated(math.prod(TensorInfo.of(type_).sizes) if size is None else size, hints)


def forgets_operands(call: ir.OpView) -> bool:
    """Whether an operator certainly returns new memory and keeps no reference to an operand's memory. Only operators with a libtorch C
    function for the CPU, and two more, were reviewed; others may do anything."""
    target = text(call.attributes["target"])
    if call_into(call) is not None or target in _FRESH:
        return True
    if find_shim(target, "cpu") is None or target in _NOT_FRESH:
        return False
    schema = aten_registry.schema_by_name(aten_ops.op_name(target))
    return schema is not None and not any(a.alias for a in schema.arguments) and not any(r.is_list for r in schema.returns)


def last_uses(operations: Sequence[ir.OpView]) -> dict[ir.Value, int]:
    """The number of the last operation that uses a value or a view of it, except to free it."""
    roots = view_roots(operations)
    last: dict[ir.Value, int] = {}
    for index, op in enumerate(operations):
        if op.operation.name != "host.free":
            last.update((roots.get(v, v), index) for v in op.operands)
    return last


def view_roots(operations: Sequence[ir.OpView]) -> dict[ir.Value, ir.Value]:
    """The value that each view shows, itself no view."""
    roots: dict[ir.Value, ir.Value] = {}
    for op in operations:
        if op.operation.name == "host.view":
            roots[op.results[0]] = roots.get(op.operands[0], op.operands[0])
    return roots


def taken_inputs(operations: Sequence[ir.OpView]) -> list[ir.BlockArgument]:
    """The inputs whose memory a buffer reuses: they are freed with it."""
    donors = [op.operands[0] for op in operations if op.operation.name == "host.reuse"]
    return [d for d in donors if isinstance(d, ir.BlockArgument)]


class Lives:
    """The values of a graph in `host` form. `root` maps a view to the value that it shows."""

    def __init__(self, function: ir.OpView) -> None:
        block = function.regions[0].blocks[0]
        self.operations: list[ir.OpView] = list(block.operations)
        self._roots = view_roots(self.operations)
        self.last_use = last_uses(self.operations)
        self.known_outside: set[ir.Value] = set()  # returned, or passed to an operator that was not reviewed
        self.seen_as_tensor: set[ir.Value] = set()  # used as a tensor, not only by address
        for op in self.operations:
            self._note(op)

    def root(self, value: ir.Value) -> ir.Value:
        """The value that owns the memory of `value`."""
        return self._roots.get(value, value)

    def _note(self, op: ir.OpView) -> None:
        name = op.operation.name
        operands = [self.root(v) for v in op.operands]
        if name in ("host.call", "host.copy", "func.return"):
            self.seen_as_tensor.update(operands)
        if name == "func.return" or (name == "host.call" and not forgets_operands(op)):
            self.known_outside.update([*operands, *op.results])


def buffers_made(op: ir.OpView) -> Iterator[ir.Value]:
    """The results of an operation that have new memory."""
    if op.operation.name in ("host.alloc", "host.call"):
        yield from (r for r in op.results if isinstance(r.type, ir.RankedTensorType))


def bytes_over_time(lives: Lives, hints: Hints, donated: Sequence[ir.Value] = ()) -> list[int]:
    """During each operation, the bytes of buffers that the graph has made and not freed, and of `donated` inputs that it still needs."""
    dying: dict[int, list[ir.Value]] = {}
    for value in donated:
        dying.setdefault(lives.last_use[value], []).append(value)
    live, found = sum(guessed_bytes(v.type, hints) for v in donated), []
    for index, op in enumerate(lives.operations):
        live += sum(guessed_bytes(b.type, hints) for b in buffers_made(op))
        if op.operation.name == "host.free":
            live -= guessed_bytes(op.operands[0].type, hints)
        found.append(live)
        live -= sum(guessed_bytes(v.type, hints) for v in dying.get(index, ()))
    return found
