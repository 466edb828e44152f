"""Emits the operations of a kernel's body, for one point of the domain or for several along one dimension, in lanes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from torch_mlir import ir

from ...dialects.kernel_status import STATUS_OF_ERROR
from ...dialects.narrowing import bits, integer, text
from ..kernel.analysis import ExprTree, Kernel, Node
from .builder import Builder, Val
from .index import IndexEmitter, LaneIndex
from .kept import Kept
from .memory import LaneMemory
from .piecewise_affine import Piece
from .scalar_ops import emit_operation
from .schedule import Schedule
from .target import Target

_INDEX_ARITHMETIC = {"arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul"}


@dataclass(slots=True, eq=False)
class Arguments:
    """The arguments of a kernel's function."""

    buffers: list[Val]
    symbols: list[Val]
    status: Val


class StoredPairs(Protocol):
    """Collects the values of stores that are emitted together; `found`: by store, the place and value at each position."""

    found: dict[Node, list[tuple[LaneIndex, Val]]]


@dataclass(slots=True, eq=False)
class LaneBody:
    """The state of an emission. `dims`: the coordinate of each dimension; `mask`: the active lanes, None for all; `phase`: the reduction
    pass; `rows`: the row buffers of the `kept` values; `piece`: the range of the lanes' dimension in which the current loop runs, and in
    which piecewise-affine indices are affine; `pairs`: collects stores."""

    b: Builder
    target: Target
    kernel: Kernel
    arguments: Arguments
    schedule: Schedule
    dims: dict[int, LaneIndex] = field(default_factory=dict)
    mask: Val | None = None
    phase: int = 0
    kept: dict[int, Kept] = field(default_factory=dict)
    rows: dict[int, Val] = field(default_factory=dict)
    piece: Piece | None = None
    pairs: StoredPairs | None = None

    @property
    def lanes(self) -> int:
        """The number of points that are computed at once in vectors; 0: one point, as scalars."""
        return self.schedule.lanes

    # Values.

    @property
    def indices(self) -> IndexEmitter:
        """Emits index expressions at the current point."""
        return IndexEmitter(self.b, self.lanes, self._leaf, self._known)

    @property
    def memory(self) -> LaneMemory:
        """Emits accesses at the current point."""
        return LaneMemory(self.b, self.lanes, self.mask)

    def _leaf(self, expr: ExprTree) -> LaneIndex:
        kind, number = expr
        if kind == "dim":
            return self.dims[number]
        if kind == "symbol":
            return LaneIndex(self.arguments.symbols[number])
        return self.index(number)

    def _known(self, expr: ExprTree) -> LaneIndex | None:
        line = None if self.piece is None else self.piece.exprs.get(expr)
        return None if line is None else self._on(line)

    def _on(self, line: tuple[int, int]) -> LaneIndex:
        """The affine function `line` (its value where the piece begins, its slope) at the current coordinate of the lanes' dimension."""
        assert self.piece is not None and self.schedule.lane is not None
        position = self.indices.sub(self.dims[self.schedule.lane], LaneIndex(self.piece.lower))
        return self.indices.add(self.indices.mul(position, LaneIndex(line[1])), LaneIndex(line[0]))

    def value(self, number: int) -> Val:
        """Value `number` of the body; emits it if needed."""
        found = self._find(number)
        return self.indices.value(found) if isinstance(found, LaneIndex) else found

    def index(self, number: int) -> LaneIndex:
        """Value `number` as an index."""
        found = self._find(number)
        if isinstance(found, LaneIndex):
            return found
        return LaneIndex(0, vector=found) if found.lanes else LaneIndex(found)

    def define(self, number: int, value: Val | LaneIndex) -> None:
        """Sets value `number` for as long as the loop that contains its operations is open."""
        self.b.levels[_level(value)].memo["value", number] = value

    def define_here(self, number: int, value: Val | LaneIndex) -> None:
        """Sets value `number` for as long as the innermost loop is open, wherever its operations are."""
        self.b.levels[-1].memo["value", number] = value

    def move_along(self, dim: int, first: LaneIndex, position: int) -> None:
        """Moves to a position along `dim`, counted from `first`, in the innermost loop: the code emitted from here on is for it."""
        memo = self.b.levels[-1].memo
        for key in [k for k in memo if k[0] == "value"]:
            del memo[key]
        self.dims[dim] = self.indices.shifted(first, position)

    def _find(self, number: int) -> Val | LaneIndex:
        key = ("value", number)
        for level in reversed(self.b.levels):
            found: Val | LaneIndex | None = level.memo.get(key)
            if found is not None:
                return found
        info = self.kernel.values[number]
        if info.dim is not None:
            return self.dims[info.dim]
        if self.piece is not None and number in self.piece.values:
            return self._on(self.piece.values[number])
        kept = self.kept.get(number)
        if kept is not None and kept.phase < self.phase:
            recalled = self._recall(kept)
            self.define_here(number, recalled)
            return recalled
        assert info.producer is not None and len(info.producer.results) == 1, (self.kernel.name, number)
        value = self._emit(info.producer)
        # A value that is the same throughout one piece may differ in the next.
        (self.define if self.piece is None else self.define_here)(number, value)
        return value

    def _emit(self, node: Node) -> Val | LaneIndex:
        """The result of a node without effects."""
        if node.name == "loop.load":
            return self._load(node)
        if node.name == "loop.apply":
            return self.indices.emit(self.kernel.index_expr(node))
        element = self._type(node.results[0])
        if node.name == "arith.constant":
            return self._constant(node, element)
        if node.name in ("arith.index_cast", "arith.index_castui"):
            return self._index_cast(node, element)
        if node.name in _INDEX_ARITHMETIC and element == self.b.i64:
            found = [self._find(i) for i in node.operands]
            if all(isinstance(f, LaneIndex) for f in found):
                index: LaneIndex = getattr(self.indices, _INDEX_ARITHMETIC[node.name])(*found)
                return index
        operands = [self.value(i) for i in node.operands]
        return emit_operation(self.b, self.target, node.name, operands, element, node.attributes)

    def _type(self, number: int) -> ir.Type:
        type_ = self.kernel.values[number].type
        return self.b.i64 if isinstance(type_, ir.IndexType) else type_

    def _constant(self, node: Node, element: ir.Type) -> Val | LaneIndex:
        attribute = node.attributes["value"]
        if element == self.b.i64:
            return LaneIndex(integer(attribute))
        return self.b.constant(attribute, element)

    def _index_cast(self, node: Node, element: ir.Type) -> Val | LaneIndex:
        number = node.operands[0]
        source = self._type(number)
        if source == element:
            return self._find(number)
        value = self.value(number)
        if bits(source) > bits(element):
            return self.b.cast("trunci", value, element)
        return self.b.cast("extui" if node.name.endswith("ui") else "extsi", value, element)

    # Effects.

    def emit_sink(self, node: Node) -> None:
        """Emits a store or a check."""
        if node.name == "loop.store":
            self._store(node)
        else:
            self._check(node)

    def _load(self, node: Node) -> Val:
        buffer = node.operands[0]
        mask = None if node.mask is None else self.value(node.mask)
        expr = self.kernel.index_expr(node)
        near = not self.kernel.reads_data(expr)
        return self.memory.load(self.arguments.buffers[buffer], self.kernel.buffers[buffer], self.indices.emit(expr), mask, near)

    def _store(self, node: Node) -> None:
        value = self.value(node.operands[1])
        mask = None if node.mask is None else self.value(node.mask)
        pointer, element, offset = self._position(node)
        accumulate = node.attributes.get("accumulate")
        if self.pairs is not None and node in self.pairs.found:
            self.pairs.found[node].append((offset, value))
        elif accumulate is None:
            self.memory.store(pointer, element, offset, value, mask)
        else:
            self.memory.accumulate(accumulate.value, pointer, element, offset, value, mask)

    # Values that are kept between reduction passes.

    def keep(self) -> None:
        """Stores the values that this pass is the first to compute."""
        for kept in self.kept.values():
            if kept.phase != self.phase:
                continue
            value = self.b.spread(self.value(kept.value), self.lanes)
            if kept.store is None:
                memory = LaneMemory(self.b, self.lanes, None)
                memory.store(self.rows[kept.value], kept.type, self._row_position(), value, None)
            else:
                self.memory.store(*self._position(kept.store), value, None)

    def _recall(self, kept: Kept) -> Val:
        if kept.store is None:
            return LaneMemory(self.b, self.lanes, None).load_now(self.rows[kept.value], kept.type, self._row_position())
        return self.memory.load_now(*self._position(kept.store))

    def _position(self, store: Node) -> tuple[Val, ir.Type, LaneIndex]:
        buffer = store.operands[0]
        offset = self.indices.emit(self.kernel.index_expr(store))
        return self.arguments.buffers[buffer], self.kernel.buffers[buffer], offset

    def _row_position(self) -> LaneIndex:
        """The position of this point in a row buffer."""
        indices, position = self.indices, LaneIndex(0)
        for dim in self.schedule.reduction_dims:
            extent = self.kernel.extents[dim]
            assert isinstance(extent, int)
            padded = -(-extent // self.lanes) * self.lanes if dim == self.schedule.lane else extent
            position = indices.add(indices.mul(position, LaneIndex(padded)), self.dims[dim])
        if self.lanes and not self.schedule.reduces_lanes:
            position = indices.add(indices.mul(position, LaneIndex(self.lanes)), LaneIndex(0, 1))
        return position

    def _check(self, node: Node) -> None:
        b = self.b
        failed = b.binary("xori", self.value(node.operands[0]), b.integer(1, b.i1))
        if failed.lanes:
            failed = failed if self.mask is None else b.binary("andi", failed, self.mask)
            attributes = {"kind": ir.Attribute.parse("#vector.kind<or>")}
            failed = b.pure("vector.reduction", [failed], b.i1, 0, attributes, "or")
        with b.when(failed):
            b.effect("llvm.store", [b.integer(STATUS_OF_ERROR[text(node.attributes["error"])], b.i32), self.arguments.status])


def _level(value: Val | LaneIndex) -> int:
    if isinstance(value, Val):
        return value.level
    parts = [p for p in (value.base, value.stride, value.vector) if isinstance(p, Val)]
    return max((p.level for p in parts), default=0)
