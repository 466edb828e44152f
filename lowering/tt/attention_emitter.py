"""What the kernels of attention share: their arguments, matrices whose shape is not the tile's, the walk over a block mask, and the code
that modifies scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.tt import Ptr
from ..kernel.hoisting import Level
from .attention_scores import EXACT, ScoreBody, ScoreCode
from .body import SIGNED_LESS, Arguments
from .builder import NONE, Builder, Val
from .index import Num, TileIndex
from .schedule import Axis, Schedule

BOTH = frozenset({0, 1})
LOG2E = math.log2(math.e)
Step = Callable[[Val, list[Val]], list[Val]]


@dataclass(frozen=True)
class AttentionShape:
    """`dtype`: bf16 or f16; `width`, `value_width`: elements of a query and of a value, powers of two; `rows`, `keys`: those of a tile;
    `block_rows`, `block_keys`: the blocks of a block mask, multiples of these, or 0; `whole_rows`, `whole_keys`: the tile's rows and keys
    divide those of the call; `sizes`: batches, heads, rows and keys of the call, `EXACT` for those that are not known."""

    dtype: ir.Type
    width: int
    value_width: int
    scale: float
    rows: int
    keys: int
    warps: int
    stages: int
    block_rows: int = 0
    block_keys: int = 0
    full_blocks: bool = False
    whole_rows: bool = False
    whole_keys: bool = False
    sizes: tuple[int, ...] = (EXACT, EXACT, EXACT, EXACT)


@dataclass(frozen=True)
class Signature:
    """A kernel's arguments. `buffers`: element types of its own buffers, then come those of the code; `scratch`: the bytes of a scratch
    buffer of float32, over the symbols; `symbols`: names of its own symbols, then come those of the code."""

    name: str
    buffers: Sequence[ir.Type]
    symbols: tuple[str, ...]
    codes: Sequence[ScoreCode]
    scratch: ir.AffineExpr | None = None


class AttentionEmitter:
    """Emits one function. `row_axis`, `key_axis`: the tile's axes along which rows and keys vary; `batch`, `head`: the current ones."""

    row_axis, key_axis = 0, 1
    batch: Val
    head: Val

    def __init__(self, shape: AttentionShape, signature: Signature, number: int = 0) -> None:
        self.shape, self.signature, self.number, self.b = shape, signature, number, Builder()
        b = self.b
        sizes = {self.row_axis: shape.rows, self.key_axis: shape.keys}
        b.shape = (sizes[0], sizes[1])
        self.of_rows, self.of_keys = frozenset({self.row_axis}), frozenset({self.key_axis})
        elements, symbols = list(signature.buffers), len(signature.symbols)
        self.first_buffer, self.first_symbol = dict[ScoreCode, int](), dict[ScoreCode, int]()
        for code in signature.codes:
            self.first_buffer[code], self.first_symbol[code] = len(elements), symbols
            elements += [code.kernel.buffers[n] for n in code.others]
            symbols += code.kernel.symbols
        self.buffer_count, self.symbol_count = len(elements), symbols
        elements += [b.f32] if signature.scratch is not None else []
        self.pointers = [Ptr.get(b.i8 if t == b.i1 else t) for t in elements]

    def run(self, grid: ir.AffineExpr) -> ir.Operation:
        """The function, at the current insertion point."""
        b = self.b
        types = [*self.pointers, *[b.i64] * self.symbol_count]
        op = ir.Operation.create("tt.func", attributes=self._attributes(types, grid), regions=1)
        block = op.regions[0].blocks.append(*types, arg_locs=[b.loc] * len(types))
        b.levels = [Level(ir.InsertionPoint(block))]
        given = [Val(a, a.type, NONE, 0) for a in block.arguments]
        self.buffers, self.symbols = given[: len(self.pointers)], given[len(self.pointers) :]
        self._emit()
        b.effect("tt.return", [])
        return op

    def _emit(self) -> None:
        raise NotImplementedError

    def _attributes(self, types: Sequence[ir.Type], grid: ir.AffineExpr) -> dict[str, ir.Attribute]:
        text, name, scratch = ir.StringAttr.get, self.signature.name, self.signature.scratch
        sizes = [] if scratch is None else [scratch]
        return {
            "sym_name": text(f"{name}__{self.number}" if self.number else name),
            "kernel": text(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(types), [])),
            "buffers": ir.IntegerAttr.get(self.b.i64, self.buffer_count),
            "symbols": ir.ArrayAttr.get([text(f"n{n}") for n in range(self.symbol_count)]),
            "scratch": ir.AffineMapAttr.get(ir.AffineMap.get(0, self.symbol_count, sizes)),
            "grid": ir.AffineMapAttr.get(ir.AffineMap.get(0, self.symbol_count, [grid])),
            "num_warps": self.b.i32_attr(self.shape.warps),
            "num_stages": self.b.i32_attr(self.shape.stages),
        }

    # Scalars.

    def symbol(self, name: str) -> Val:
        """A symbol as i64."""
        return self.symbols[self.signature.symbols.index(name)]

    def narrow(self, name: str) -> Val:
        """A symbol that fits, as i32."""
        return self.b.cast("trunci", self.symbol(name), self.b.i32)

    def number_of(self, value: int) -> Val:
        """A number as i32."""
        return self.b.number(value, self.b.i32)

    def blocks(self, name: str, size: int) -> Val:
        """The number of tiles of `size` rows or keys."""
        return self.b.binary("divsi", self.b.binary("addi", self.narrow(name), self.number_of(size - 1)), self.number_of(size))

    def wide_sum(self, *products: tuple[Val, Val | None]) -> Val:
        """The sum of products in 64 bits; None: of a number alone."""
        b, total = self.b, self.b.number(0, self.b.i64)
        for index, stride in products:
            wide = b.cast("extsi", index, b.i64)
            total = b.binary("addi", total, wide if stride is None else b.binary("muli", wide, stride))
        return total

    def moved(self, pointer: Val, offset: Val) -> Val:
        """A scalar address, further by `offset` elements."""
        return self.b.pure("tt.addptr", [pointer, offset], pointer.type, NONE)

    def base(self, buffer: int, name: str, head: Val, row: Val | None = None) -> Val:
        """The address of the first element of a head, or of one of its rows. `name`: the tensor whose strides are used."""
        parts = [(self.batch, "batch"), (head, "head"), *([(row, "row")] if row is not None else [])]
        return self.moved(self.buffers[buffer], self.wide_sum(*((index, self.symbol(f"{name}_{of}")) for index, of in parts)))

    def locate_head(self, number: Val, heads: Val) -> Val:
        """Splits the combined number of a batch and a head: sets the batch, returns the head."""
        self.batch = self.b.binary("divsi", number, heads)
        return self.b.binary("remsi", number, heads)

    # Matrices.

    def raw(self, name: str, type_: ir.Type, operands: Sequence[ir.Value], attributes: dict[str, ir.Attribute] | None = None) -> ir.Value:
        """An operation on matrices, in the innermost block."""
        b = self.b
        return ir.Operation.create(name, [type_], list(operands), attributes or {}, loc=b.loc, ip=b.levels[-1].ip).result

    def splat(self, value: Val, shape: Sequence[int]) -> ir.Value:
        """A matrix of one number."""
        return self.raw("tt.splat", ir.RankedTensorType.get(shape, value.type), [value.ssa])

    def zeros(self, rows: int, width: int) -> Val:
        """A matrix of sums."""
        return Val(self.splat(self.b.number(0.0, self.b.f32), [rows, width]), self.b.f32, BOTH, 0)

    def _line(self, size: int, axis: int) -> ir.Value:
        """0, 1, 2, ... along an axis of a matrix."""
        b = self.b
        ends = {"start": b.i32_attr(0), "end": b.i32_attr(size)}
        line = self.raw("tt.make_range", ir.RankedTensorType.get([size], b.i32), [], ends)
        type_ = ir.RankedTensorType.get([size, 1] if axis == 0 else [1, size], b.i32)
        return self.raw("tt.expand_dims", type_, [line], {"axis": b.i32_attr(1 - axis)})

    def spread(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        """A row or column of numbers as a matrix."""
        element = ir.RankedTensorType(value.type).element_type
        return self.raw("tt.broadcast", ir.RankedTensorType.get(shape, element), [value])

    def offsets(self, rows: int, width: int, stride: Val) -> ir.Value:
        """The offsets of a matrix's elements."""
        type_ = ir.RankedTensorType.get([rows, 1], self.b.i32)
        lines = self.raw("arith.muli", type_, [self._line(rows, 0), self.splat(stride, [rows, 1])])
        parts = [self.spread(lines, [rows, width]), self.spread(self._line(width, 1), [rows, width])]
        return self.raw("arith.addi", ir.RankedTensorType.get([rows, width], self.b.i32), parts)

    def addresses(self, base: Val, offsets: ir.Value) -> ir.Value:
        """The addresses of a matrix's elements."""
        shape = list(ir.RankedTensorType(offsets.type).shape)
        return self.raw("tt.addptr", ir.RankedTensorType.get(shape, base.type), [self.splat(base, shape), offsets])

    def first_lines(self, size: int, left: Val) -> ir.Value:
        """The mask of a matrix's first `left` lines."""
        operands, predicate = [self._line(size, 0), self.splat(left, [size, 1])], ir.IntegerAttr.get(self.b.i64, SIGNED_LESS)
        return self.raw("arith.cmpi", ir.RankedTensorType.get([size, 1], self.b.i1), operands, {"predicate": predicate})

    def load(self, base: Val, offsets: ir.Value, mask: ir.Value | None) -> ir.Value:
        """A matrix of the operands' dtype, zero where the mask of its lines is false."""
        b, shape = self.b, list(ir.RankedTensorType(offsets.type).shape)
        operands = [self.addresses(base, offsets)]
        if mask is not None:
            operands += [self.spread(mask, shape), self.splat(b.number(0, self.shape.dtype), shape)]
        return self.raw("tt.load", ir.RankedTensorType.get(shape, self.shape.dtype), operands, self._load_attributes(len(operands)))

    def _load_attributes(self, operands: int) -> dict[str, ir.Attribute]:
        return {
            "boundaryCheck": ir.DenseI32ArrayAttr.get([]), "cache": self.b.i32_attr(1), "evict": self.b.i32_attr(1),
            "isVolatile": ir.BoolAttr.get(False),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, int(operands > 1), int(operands > 2)]),
        }  # fmt: skip

    def read(self, buffer: int, index: Val) -> Val:
        """One number of a block mask."""
        pointer = self.moved(self.buffers[buffer], index)
        return Val(self.raw("tt.load", self.b.i32, [pointer.ssa], self._load_attributes(1)), self.b.i32, NONE, len(self.b.levels) - 1)

    def read_rows(self, buffer: Val, first: Val, mask: Val | None) -> Val:
        """A float32 for each row of the tile, the first of them number `first` of the buffer; 0 where the mask is false."""
        b = self.b
        operands = [b.elementwise("tt.addptr", [b.spread(self.moved(buffer, first), self.of_rows), b.ramp(self.row_axis)], buffer.type)]
        if mask is not None:
            operands += [mask, b.spread(b.number(0.0, b.f32), self.of_rows)]
        ssa = self.raw("tt.load", b.type_of(b.f32, self.of_rows), [v.ssa for v in operands], self._load_attributes(len(operands)))
        return Val(ssa, b.f32, self.of_rows, len(b.levels) - 1)

    def store_rows(self, buffer: Val, first: Val, value: Val, mask: Val | None) -> None:
        """Stores a float32 for each row of the tile."""
        b = self.b
        pointers = b.elementwise("tt.addptr", [b.spread(self.moved(buffer, first), self.of_rows), b.ramp(self.row_axis)], buffer.type)
        self.store(pointers.ssa, b.spread(value, self.of_rows).ssa, None if mask is None else mask.ssa)

    def store(self, addresses: ir.Value, value: ir.Value, mask: ir.Value | None) -> None:
        """Stores a matrix; `mask`: that of its lines."""
        b, shape = self.b, list(ir.RankedTensorType(value.type).shape)
        operands = [addresses, value]
        if mask is not None:
            operands.append(mask if list(ir.RankedTensorType(mask.type).shape) == shape else self.spread(mask, shape))
        attributes = {"boundaryCheck": ir.DenseI32ArrayAttr.get([]), "cache": b.i32_attr(1), "evict": b.i32_attr(1)}
        ir.Operation.create("tt.store", [], operands, attributes, loc=b.loc, ip=b.levels[-1].ip)

    def store_matrix(self, base: Val, stride: Val, value: Val, mask: ir.Value | None) -> None:
        """Stores sums in the operands' dtype."""
        rows, width = ir.RankedTensorType(value.ssa.type).shape
        rounded = self.raw("arith.truncf", ir.RankedTensorType.get([rows, width], self.shape.dtype), [value.ssa])
        self.store(self.addresses(base, self.offsets(rows, width, stride)), rounded, mask)

    def turned(self, matrix: ir.Value) -> ir.Value:
        """The transposed matrix."""
        rows, width = ir.RankedTensorType(matrix.type).shape
        type_ = ir.RankedTensorType.get([width, rows], self.shape.dtype)
        return self.raw("tt.trans", type_, [matrix], {"order": ir.DenseI32ArrayAttr.get([1, 0])})

    def dot(self, left: ir.Value, right: ir.Value, total: ir.Value) -> ir.Value:
        """left @ right + total"""
        attributes = {"inputPrecision": self.b.i32_attr(2), "maxNumImpreciseAcc": self.b.i32_attr(0)}
        return self.raw("tt.dot", total.type, [left, right, total], attributes)

    def tile_product(self, left: ir.Value, right: ir.Value) -> Val:
        """left @ right.T, a tile."""
        return Val(
            self.dot(left, self.turned(right), self.splat(self.b.number(0.0, self.b.f32), self.b.shape)), self.b.f32, BOTH, self.level
        )

    def exp2(self, value: Val) -> Val:
        """2 to the power of each element. The instruction returns 0 instead of a denormal; without this, four instructions are needed."""
        text = ir.StringAttr.get
        attributes = {"asm_string": text("ex2.approx.ftz.f32 $0, $1;"), "constraints": text("=f,f")}
        return self.b.elementwise(
            "tt.elementwise_inline_asm",
            [value],
            self.b.f32,
            {**attributes, "pure": ir.BoolAttr.get(True), "packed_element": self.b.i32_attr(1)},
        )

    @property
    def level(self) -> int:
        """The innermost loop."""
        return len(self.b.levels) - 1

    def rounded(self, tile: Val) -> ir.Value:
        """A tile in the operands' dtype."""
        return self.b.cast("truncf", self.b.spread(tile, BOTH), self.shape.dtype).ssa

    # The walk.

    def all_tiles(self, name: str, size: int, state: list[Val], step: Step) -> list[Val]:
        """The walk over all rows or keys, tile by tile."""
        b = self.b
        with b.loop(self.number_of(0), self.blocks(name, size), self.number_of(1), state, self.shape.stages) as loop:
            loop.yield_(step(b.binary("muli", loop.counter, self.number_of(size)), loop.carried))
        return loop.results

    def listed_tiles(self, counts: int, line: Val, columns: str, sizes: tuple[int, int], state: list[Val], step: Step) -> list[Val]:
        """The walk over the blocks that line `line` of a list has. `sizes`: those of a block and of a tile; `columns`: the symbol of the
        length of a line."""
        b, (block, size) = self.b, sizes
        tiles = self.number_of(block // size)
        count = b.binary("muli", self.read(counts, line), tiles)
        first = b.binary("muli", b.cast("extsi", line, b.i64), self.symbol(columns))
        last = b.binary("maxsi", b.binary("subi", count, self.number_of(1)), self.number_of(0))

        def begin_of(tile: Val) -> Val:
            tile = b.binary("minsi", tile, last)
            found = self.read(counts + 1, b.binary("addi", first, b.cast("extsi", b.binary("divsi", tile, tiles), b.i64)))
            place = b.binary("muli", b.binary("remsi", tile, tiles), self.number_of(size))
            return b.binary("addi", b.binary("muli", found, self.number_of(block)), place)

        # The next tile's begin is carried: loads then wait for no load of this round, and can be prefetched.
        with b.loop(self.number_of(0), count, self.number_of(1), [*state, begin_of(self.number_of(0))], self.shape.stages) as loop:
            *inner, begin = loop.carried
            following = begin_of(b.binary("addi", loop.counter, self.number_of(1)))
            loop.yield_([*step(begin, inner), following])
        return loop.results[:-1]

    # The code that modifies scores.

    def emitted(self, code: ScoreCode, given: Mapping[str, Val], row: Val, key: Val, masks: Mapping[int, Val]) -> Val:
        """The result of code for the tile of the current head that begins at `row` and `key`. `given`: the tile's values by what they are;
        `masks`: the positions inside the call, by axis, where some are not."""
        b = self.b
        buffers = [self.buffers[0]] * len(code.kernel.buffers)
        for place, number in enumerate(code.others):
            buffers[number] = self.buffers[self.first_buffer[code] + place]
        symbols = self.symbols[self.first_symbol[code] :][: code.kernel.symbols]
        axes = [Axis([], size) for size in b.shape]
        body = ScoreBody(b, code.kernel, Schedule(axes), Arguments(buffers, [], symbols))
        sizes = self.shape.sizes
        places = [TileIndex(Num(v, 0, size - 1)) for v, size in zip((self.batch, self.head), sizes[:2], strict=True)]
        for begin, axis, size in ((row, self.row_axis, sizes[2]), (key, self.key_axis, sizes[3])):
            # The bounds are those of positions inside the call: `masks` has the others, and no memory is accessed for them.
            lanes = min(b.shape[axis], size)
            places.append(TileIndex(Num(begin, 0, size - lanes), Num(b.ramp(axis), 0, lanes - 1)))
        body.dims = {dim: place for dim, place in zip(code.dims, places, strict=True) if dim is not None}
        body.masks = dict(masks)
        kinds = dict(code.inputs)
        for node in code.kernel.of(("loop.load",)):
            if node.operands[0] in kinds:
                body.define(node.results[0], given[kinds[node.operands[0]]])
        inner = b.levels
        for node in code.kernel.of(("loop.check",)):
            if body.truth(node.operands[0]):  # the call of a failed check would make the assembler wait for each product
                continue
            b.levels = inner[:1] if body.value(node.operands[0]).level == 0 else inner  # outside of the loop if it can be
            body.emit_sink(node)
            b.levels = inner
        found = body.find(code.result)
        result = found if isinstance(found, Val) else body.indices.numbers.emitted(body.indices.total(found))
        for level in b.levels:  # other code has values of the same numbers
            for known in [k for k in level.memo if k[0] == "value"]:
                del level.memo[known]
        return result

    def modified(self, code: ScoreCode, given: Mapping[str, Val], row: Val, key: Val, masks: Mapping[int, Val]) -> Val:
        """As `emitted`, of floats: in float32."""
        return self.b.cast("extf", self.emitted(code, given, row, key, masks), self.b.f32)
