"""Emits the values of a kernel's body for one tile, on demand, and its loads, stores and assertions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch_mlir import ir

from ...dialects.narrowing import bits, text
from ..kernel.analysis import ExprTree, Kernel, Node, substitute_leaves
from ..kernel.strides import stride_along
from .builder import NONE, Builder, Val
from .index import Indices, Num, TileIndex, constant
from .row_reciprocals import divide_by_row_value, is_by_row
from .scalar_ops import emit_operation
from .schedule import Axis, Schedule

EQUAL, NOT_EQUAL, SIGNED_LESS = 0, 1, 2
EVICT_NORMAL, EVICT_FIRST, EVICT_LAST = 1, 2, 3
_INDEX_ARITHMETIC = {"arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul"}
# Triton's numbers for atomic operations on floats and integers.
ATOMIC_FLOAT = {"add": 5}
ATOMIC_INTEGER = {"add": 4, "max": 6, "min": 7}


@dataclass(slots=True, eq=False)
class Arguments:
    """The function's arguments."""

    buffers: list[Val]
    scratch: list[Val]
    symbols: list[Val]
    largest: int | None = None  # the symbols are at least 1 and at most this


@dataclass(slots=True, eq=False)
class TileBody:
    """The body of `kernel` in one function.

    `dims`, `walked`: the tile's coordinates along each dimension and each axis; `masks`: which lanes are inside the domain, for each axis
    of the tile whose last block may reach beyond the end; `linear`: the number of the row, over all parallel dimensions; `split`: the
    number of this program's split; `evictions`: the eviction hints of loads; `streaming`: stored values are not read again.
    """

    b: Builder
    kernel: Kernel
    schedule: Schedule
    arguments: Arguments
    dims: dict[int, TileIndex] = field(default_factory=dict)
    masks: dict[int, Val] = field(default_factory=dict)
    linear: TileIndex = field(default_factory=lambda: constant(0))
    walked: dict[Axis, TileIndex] = field(default_factory=dict)
    split: Num = field(default_factory=lambda: Num(0))
    evictions: dict[Node, int] = field(default_factory=dict)
    streaming: bool = False
    indices: Indices = field(init=False)

    def __post_init__(self) -> None:
        self.indices = Indices(self.b, self._leaf)

    # The position of this program.

    def locate(self, program: Val | None = None) -> None:
        """Computes this program's tile from its number, whose lowest digit is the split, then comes the last axis."""
        numbers = self.indices.numbers
        rest = Num(program or self.b.program_id(), 0, (1 << 31) - 1)
        axes = [a for a in self.schedule.axes if a.dims and not a.is_reduction]
        if self.schedule.splits > 1 and self.schedule.reduction_axis is not None:
            splits = Num(self.schedule.splits)
            self.split, rest = numbers.divide("mod", rest, splits), numbers.divide("floordiv", rest, splits)
        for axis in reversed(axes):
            count = self.blocks(axis)
            position = rest
            if axis is not axes[0]:
                position, rest = numbers.divide("mod", rest, count), numbers.divide("floordiv", rest, count)
            position = Num(position.value, 0, None if count.hi is None else max(count.hi - 1, 0))
            self.enter_block(axis, numbers.mul(position, Num(axis.block)))

    def blocks(self, axis: Axis) -> Num:
        """The number of tiles along an axis."""
        index = self.indices.divide("ceildiv", TileIndex(self.extent(axis)), constant(axis.block))
        return index.base

    def extent(self, axis: Axis) -> Num:
        """The number of points of an axis."""
        total = Num(1)
        for dim in axis.dims:
            total = self.indices.numbers.mul(total, self.dim_extent(dim))
        return total

    def dim_extent(self, dim: int) -> Num:
        """The extent of a dimension."""
        extent = self.kernel.extents[dim]
        if isinstance(extent, int):
            return Num(extent)
        found = self.indices.emit(extent).base
        return found if isinstance(found.value, int) else Num(found.value, max(found.lo or 0, 0), found.hi)

    def enter_block(self, axis: Axis, start: Num) -> None:
        """Sets the coordinates of an axis, and its mask, for the tile that begins at `start`."""
        index, extent = TileIndex(start), self.extent(axis)
        if axis.block > 1:
            number = self.tile_axis(axis)
            index.lanes = Num(self.b.ramp(number), 0, axis.block - 1)
            if not isinstance(extent.value, int) or extent.value % axis.block or not extent.value:
                self.masks[number] = self._below(index.lanes, self.indices.numbers.sub(extent, start), axis.block)
        if not axis.is_reduction:
            self.linear = index
        self.walked[axis] = index

    def forget(self, axis: Axis) -> None:
        """Drops the coordinates of an axis after its loop."""
        del self.walked[axis]
        self.masks.pop(self.tile_axis(axis), None)
        for dim in axis.dims:
            self.dims.pop(dim, None)

    def dim(self, dim: int) -> TileIndex:
        """The tile's coordinates along a dimension."""
        if dim not in self.dims:
            axis = next(a for a in self.walked if dim in a.dims)
            index = self.walked[axis]
            for inner in reversed(axis.dims[axis.dims.index(dim) + 1 :]):
                index = self.indices.divide("floordiv", index, TileIndex(self.dim_extent(inner)))
            if dim != axis.dims[0]:
                index = self.indices.divide("mod", index, TileIndex(self.dim_extent(dim)))
            self.dims[dim] = index
        return self.dims[dim]

    def _below(self, lanes: Num, left: Num, block: int) -> Val:
        """The mask of the lanes below `left`."""
        numbers = self.indices.numbers
        left = left if left.narrow else numbers.minimum(left, Num(block))
        return self.b.compare(SIGNED_LESS, numbers.emitted(lanes), numbers.emitted(left, self.b.i32))

    def tile_axis(self, axis: Axis) -> int:
        """The tile's axis for an axis of the schedule."""
        return self.schedule.tile.index(axis)

    # Values.

    def value(self, number: int) -> Val:
        """An operand as a value."""
        found = self.find(number)
        return found if isinstance(found, Val) else self._index_value(found)

    def _index_value(self, index: TileIndex) -> Val:
        return self.indices.numbers.emitted(self.indices.total(index), self.b.i64)

    def _leaf(self, expr: ExprTree) -> TileIndex:
        kind, number = expr
        if kind == "symbol":
            return TileIndex(Num(self.arguments.symbols[number], *self._symbol_bounds(number)))
        found = self.dim(number) if kind == "dim" else self.find(number)
        if isinstance(found, TileIndex):
            return found
        num = Num(found, None, None)
        return TileIndex(Num(0), num) if found.axes else TileIndex(num)

    def _symbol_bounds(self, number: int) -> tuple[int | None, int | None]:
        """A symbol that is the extent of a dimension is not negative."""
        if self.arguments.largest is not None:
            return 1, self.arguments.largest
        return (0 if ("symbol", number) in self.kernel.extents else None), None

    def define(self, number: int, value: Val | TileIndex) -> None:
        """Sets value `number` for as long as the current loop is open."""
        self.b.levels[_level(value)].memo["value", number] = value

    def knows(self, number: int) -> bool:
        """Whether value `number` was emitted and is still in scope."""
        return any(("value", number) in level.memo for level in self.b.levels)

    def find(self, number: int) -> Val | TileIndex:
        """Value `number`; emits it if needed."""
        key = ("value", number)
        for level in reversed(self.b.levels):
            if key in level.memo:
                found: Val | TileIndex = level.memo[key]
                return found
        info = self.kernel.values[number]
        if info.dim is not None:
            return self.dim(info.dim)
        assert info.producer is not None and len(info.producer.results) == 1, (self.kernel.name, number)
        value = self._emit(info.producer)
        self.define(number, value)
        return value

    def _emit(self, node: Node) -> Val | TileIndex:
        """The result of a node without effects."""
        if node.name == "loop.load":
            return self._load(node)
        if node.name == "loop.apply":
            return self.indices.emit(self.kernel.index_expr(node))
        type_ = self.kernel.values[node.results[0]].type
        element = self.b.i64 if isinstance(type_, ir.IndexType) else type_
        if node.name == "arith.constant":
            attribute = node.attributes["value"]
            return constant(attribute.value) if element == self.b.i64 else self.b.constant(attribute, element)
        if node.name in ("arith.index_cast", "arith.index_castui"):
            return self._index_cast(node, element)
        if node.name in _INDEX_ARITHMETIC and element == self.b.i64:
            found = [self.find(i) for i in node.operands]
            if all(isinstance(f, TileIndex) for f in found):
                index: TileIndex = getattr(self.indices, _INDEX_ARITHMETIC[node.name])(*found)
                return index
        operands = [self.value(i) for i in node.operands]
        if is_by_row(self.kernel, node):
            return divide_by_row_value(self.b, *operands)
        return emit_operation(self.b, node.name, operands, element, node.attributes)

    def _index_cast(self, node: Node, element: ir.Type) -> Val | TileIndex:
        found = self.find(node.operands[0])
        if isinstance(found, TileIndex) and element == self.b.i64:
            return found
        value = self.value(node.operands[0])
        if bits(value.type) > bits(element):
            return self.b.cast("trunci", value, element)
        return self.b.cast("extui" if node.name.endswith("ui") else "extsi", value, element)

    # Memory accesses.

    def address(self, buffer: Val, offset: TileIndex) -> Val:
        """The addresses of the elements at `offset`."""
        numbers = self.indices.numbers
        if offset.base.value != 0:
            buffer = self.b.pure("tt.addptr", [buffer, numbers.emitted(offset.base)], buffer.type, NONE)
        if offset.lanes is None:
            return buffer
        lanes = numbers.emitted(offset.lanes)
        return self.b.elementwise("tt.addptr", [self.b.spread(buffer, lanes.axes), lanes], buffer.type)

    def mask(self, axes: frozenset[int], given: Val | None) -> Val | None:
        """The mask of a tile that varies along `axes`: inside the domain, and `given`."""
        found = given
        for axis in sorted(axes):
            if axis in self.masks:
                found = self.masks[axis] if found is None else self.b.binary("andi", found, self.masks[axis])
        return found

    def load(self, pointer: Val, stored: ir.Type, given: Val | None, evict: int = EVICT_NORMAL) -> Val:
        """The elements at `pointer`, zero where `given` is false."""
        axes = pointer.axes | (given.axes if given else NONE)
        mask = self.mask(axes, given)
        operands = [self.b.spread(pointer, axes)]
        if mask is not None:
            operands.append(self.b.spread(mask, axes))
        if given is not None:
            operands.append(self.b.spread(self.b.number(0, stored), axes))
        attributes = {
            **self._cache_hints(evict),
            "isVolatile": ir.BoolAttr.get(False),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, int(len(operands) > 1), int(len(operands) > 2)]),
        }
        return self.b.pure("tt.load", operands, stored, axes, attributes)

    def _cache_hints(self, evict: int) -> dict[str, ir.Attribute]:
        i32 = self.b.i32_attr
        return {"boundaryCheck": ir.DenseI32ArrayAttr.get([]), "cache": i32(1), "evict": i32(evict)}

    def store(self, pointer: Val, value: Val, given: Val | None) -> None:
        """Stores `value` where `given` is true."""
        axes = pointer.axes | value.axes | (given.axes if given else NONE)
        mask = self.mask(axes, given)
        operands = [pointer, value] if mask is None else [pointer, value, mask]
        self.b.effect(
            "tt.store", [self.b.spread(v, axes) for v in operands], self._cache_hints(EVICT_FIRST if self.streaming else EVICT_NORMAL)
        )

    def _load(self, node: Node) -> Val:
        element = self.kernel.buffers[node.operands[0]]
        given = None if node.mask is None else self.value(node.mask)
        stored = self.b.i8 if element == self.b.i1 else element
        value = self.load(self._position(node), stored, given, self.evictions.get(node, EVICT_NORMAL))
        return self.b.compare(NOT_EQUAL, value, self.b.number(0, self.b.i8)) if element == self.b.i1 else value

    def _position(self, node: Node) -> Val:
        return self.address(self.arguments.buffers[node.operands[0]], self._offset(node))

    def _offset(self, node: Node) -> TileIndex:
        """The offset of an access. Dimensions of an axis along which it is linear need no coordinates of their own, so no divisions."""
        kernel, total = self.kernel, constant(0)
        expr = kernel.index_expr(node)
        for axis, linear in self.walked.items():
            strides = [stride_along(kernel, expr, d) for d in axis.dims]
            extents = [kernel.extents[d] for d in axis.dims]
            if len(axis.dims) > 1 and None not in strides and all(isinstance(e, int) for e in extents[1:]):
                total = self.indices.add(total, self._walk(linear, strides, extents))
                origin: list[ExprTree] = [("constant", 0) if d in axis.dims else ("dim", d) for d in range(len(kernel.extents))]
                expr = substitute_leaves(expr, "dim", origin)
        return self.indices.add(total, self.indices.emit(expr))

    def _walk(self, linear: TileIndex, strides: Sequence[Any], extents: Sequence[Any]) -> TileIndex:
        """The offset of point number `linear`: the sum of its coordinates times their strides. Neighbouring dimensions that are contiguous
        with each other are one coordinate."""
        indices, total = self.indices, constant(0)
        inner, last = 1, len(strides) - 1
        while last >= 0:
            first, size = last, extents[last]
            while first > 0 and strides[first - 1] == strides[last] * size:
                first -= 1
                size = size * extents[first] if first else 0
            if strides[last]:
                position = indices.divide("floordiv", linear, constant(inner))
                position = indices.divide("mod", position, constant(size)) if first else position
                total = indices.add(total, indices.mul(position, constant(strides[last])))
            inner, last = inner * (size if first else 1), first - 1
        return total

    # Effects.

    def emit_sink(self, node: Node) -> None:
        """Emits a store or a check."""
        if node.name == "loop.check":
            self._check(node)
            return
        value = self.value(node.operands[1])
        given = None if node.mask is None else self.value(node.mask)
        if not node.deps & self.kernel.reduction_dims:
            given = self._in_first_split(given)
        if value.type == self.b.i1:
            value = self.b.cast("extui", value, self.b.i8)
        if "accumulate" in node.attributes:
            self._accumulate(node, value, given)
        else:
            self.store(self._position(node), value, given)

    def _in_first_split(self, given: Val | None) -> Val | None:
        """`given`, and only for the row's first split. So a value of one element a row may overwrite an input that it is computed from."""
        if isinstance(self.split.value, int):
            return given
        first = self.b.compare(EQUAL, self.indices.numbers.emitted(self.split), self.b.number(0, self.b.i32))
        return first if given is None else self.b.binary("andi", given, first)

    def _accumulate(self, node: Node, value: Val, given: Val | None) -> None:
        """Accumulates once for every point of the parallel dimensions, and of the reduction dimensions if the store depends on them, even
        along axes on which neither the value nor the address depends."""
        b = self.b
        every = [a for a in self.schedule.tile if not a.is_reduction or node.deps & self.kernel.reduction_dims]
        axes = frozenset(self.tile_axis(a) for a in every)
        assert self.schedule.reduction_axis is None or self.schedule.splits == 1
        table = ATOMIC_INTEGER if isinstance(value.type, ir.IntegerType) else ATOMIC_FLOAT
        attributes = {
            "atomic_rmw_op": b.i32_attr(table[text(node.attributes["accumulate"])]), "sem": b.i32_attr(1), "scope": b.i32_attr(1),
        }  # fmt: skip
        mask = self.mask(axes, given) or b.number(1, b.i1)
        operands = [b.spread(v, axes) for v in (self._position(node), value, mask)]
        type_ = b.type_of(value.type, axes)
        ip = b.levels[-1].ip
        ir.Operation.create("tt.atomic_rmw", [type_], [v.ssa for v in operands], attributes, loc=b.loc, ip=ip)

    def _check(self, node: Node) -> None:
        """Emits an assertion that an index or an element is in range. As on every GPU, integer division by zero does not fail."""
        error = text(node.attributes["error"])
        if error == "zero_division":
            return
        b = self.b
        producer = self.kernel.values[node.operands[0]].producer
        if producer is not None and producer.name == "arith.constant" and producer.attributes["value"].value:
            return
        condition = self.value(node.operands[0])
        mask = self.mask(condition.axes, None)
        if mask is not None:
            outside = b.binary("xori", mask, b.number(1, b.i1))
            condition = b.binary("ori", condition, outside)
        message = "index out of range" if error == "index" else "an element out of range"
        b.effect("tt.assert", [condition], {"message": ir.StringAttr.get(message)})


def _level(value: Val | TileIndex) -> int:
    if isinstance(value, Val):
        return value.level
    nums: Sequence[Num] = [value.base] if value.lanes is None else [value.base, value.lanes]
    return max((n.value.level for n in nums if isinstance(n.value, Val)), default=0)
