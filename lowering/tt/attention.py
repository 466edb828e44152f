"""Makes the kernel of attention: a program computes some query rows of a head, block by block of keys, with an online softmax.

The softmax is that of Milakov and Gimelshein (2018); the order of the loops is that of FlashAttention-2 (Dao, 2023). A `loop.func` gives
the code that modifies and masks the scores: its loads of scores become the product of the tile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.tt import Ptr
from ..kernel.hoisting import Level
from .attention_scores import ScoreBody, ScoreCode, ScoreCodes
from .body import SIGNED_LESS, Arguments
from .builder import NONE, Builder, Val
from .index import Num, TileIndex
from .schedule import Axis, Schedule

# The first symbols of the function. Strides count elements; those of the block mask are 0 along a dimension of size 1.
SYMBOLS = (
    "batch_heads", "heads", "groups", "rows", "keys", "q_batch", "q_head", "q_row", "k_batch", "k_head", "k_row", "v_batch", "v_head",
    "v_row", "o_batch", "o_head", "o_row", "mask_batch", "mask_head", "mask_columns",
)  # fmt: skip
_ROWS, _KEYS, _BOTH = frozenset({0}), frozenset({1}), frozenset({0, 1})
_HIGHEST = 1 << 30  # positions are less: sums and differences of two fit in 32 bits
_ORDERED_EQUAL = 1  # predicate of arith.cmpf
_LOG2E = math.log2(math.e)


@dataclass(frozen=True)
class AttentionShape:
    """`dtype`: bf16 or f16; `width`, `value_width`: elements of a query and of a value, powers of two; `rows`, `keys`: those of a tile;
    `block_rows`, `block_keys`: the blocks of a block mask, multiples of these, or 0; `whole_rows`, `whole_keys`: the tile's rows and keys
    divide those of the call."""

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


def emit_attention(codes: ScoreCodes, shape: AttentionShape) -> ir.Operation:
    """The `tt.func`, at the current insertion point.

    Its buffers: query, key, value, output, logarithms and largest scores (both base 2, f32, contiguous); with a block mask the counts and
    indices of its blocks, and those of full blocks if there are; the other buffers of each code. Its symbols: `SYMBOLS`, and those of each
    code."""
    return _Attention(codes, shape).run()


class _Attention:
    def __init__(self, codes: ScoreCodes, shape: AttentionShape) -> None:
        self.codes, self.shape, self.b = codes, shape, Builder()
        self.b.shape = (shape.rows, shape.keys)
        b = self.b
        pointers = [shape.dtype] * 4 + [b.f32] * 2
        self.mask_pointers = 0 if not shape.block_rows else 4 if shape.full_blocks else 2
        pointers += [b.i32] * self.mask_pointers
        self.first_buffer, self.first_symbol = {}, {}
        symbols = len(SYMBOLS)
        for code in codes.all():
            self.first_buffer[code], self.first_symbol[code] = len(pointers), symbols
            pointers += [code.kernel.buffers[n] for n in code.others]
            symbols += code.kernel.symbols
        self.pointers = [Ptr.get(b.i8 if t == b.i1 else t) for t in pointers]
        self.symbol_count = symbols
        # Scores stay products until the exponential, whose base and scale are one factor, if nothing but a mask sees them.
        self.late_scale = codes.only_masks and shape.scale > 0
        self.factor = shape.scale * _LOG2E if self.late_scale else 1.0

    def run(self) -> ir.Operation:
        """The function."""
        b = self.b
        types = [*self.pointers, *[b.i64] * self.symbol_count]
        op = ir.Operation.create("tt.func", attributes=self._attributes(types), regions=1)
        block = op.regions[0].blocks.append(*types, arg_locs=[b.loc] * len(types))
        b.levels = [Level(ir.InsertionPoint(block))]
        given = [Val(a, a.type, NONE, 0) for a in block.arguments]
        self.buffers, self.symbols = given[: len(self.pointers)], given[len(self.pointers) :]
        self._locate()
        self._emit()
        b.effect("tt.return", [])
        return op

    def _attributes(self, types: Sequence[ir.Type]) -> dict[str, ir.Attribute]:
        number = ir.AffineExpr.get_symbol
        rows = ir.AffineExpr.get_ceil_div(number(SYMBOLS.index("rows")), ir.AffineExpr.get_constant(self.shape.rows))
        grid = ir.AffineExpr.get_mul(number(SYMBOLS.index("batch_heads")), rows)
        text = ir.StringAttr.get
        return {
            "sym_name": text("attention"),
            "kernel": text("attention"),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(types), [])),
            "buffers": ir.IntegerAttr.get(self.b.i64, len(self.pointers)),
            "symbols": ir.ArrayAttr.get([text(f"n{n}") for n in range(self.symbol_count)]),
            "scratch": ir.AffineMapAttr.get(ir.AffineMap.get(0, self.symbol_count, [])),
            "grid": ir.AffineMapAttr.get(ir.AffineMap.get(0, self.symbol_count, [grid])),
            "num_warps": self.b.i32_attr(self.shape.warps),
            "num_stages": self.b.i32_attr(self.shape.stages),
        }

    # Scalars.

    def _symbol(self, name: str) -> Val:
        """A symbol as i64."""
        return self.symbols[SYMBOLS.index(name)]

    def _narrow(self, name: str) -> Val:
        """A symbol that fits, as i32."""
        return self.b.cast("trunci", self._symbol(name), self.b.i32)

    def _number(self, value: int) -> Val:
        return self.b.number(value, self.b.i32)

    def _locate(self) -> None:
        """The head and the rows of this program. Later rows come first: with a causal mask they take longest."""
        b, rows = self.b, self._narrow("rows")
        blocks = b.binary("divsi", b.binary("addi", rows, self._number(self.shape.rows - 1)), self._number(self.shape.rows))
        program = b.program_id()
        place = b.binary("remsi", program, blocks)
        self.block = b.binary("subi", b.binary("subi", blocks, self._number(1)), place)
        self.head_of_all = b.binary("divsi", program, blocks)
        self.batch = b.binary("divsi", self.head_of_all, self._narrow("heads"))
        self.head = b.binary("remsi", self.head_of_all, self._narrow("heads"))
        self.key_head = b.binary("divsi", self.head, self._narrow("groups"))
        self.first_row = b.binary("muli", self.block, self._number(self.shape.rows))
        self.row_mask = None
        if not self.shape.whole_rows:
            self.row_mask = b.compare(SIGNED_LESS, b.ramp(0), b.binary("subi", rows, self.first_row))

    def _base(self, buffer: int, name: str, head: Val, row: Val | None = None) -> Val:
        """The address of a head's first element, or of that of one of its rows."""
        b = self.b
        parts = [(self.batch, "batch"), (head, "head"), *([(row, "row")] if row is not None else [])]
        offset = b.number(0, b.i64)
        for index, of in parts:
            offset = b.binary("addi", offset, b.binary("muli", b.cast("extsi", index, b.i64), self._symbol(f"{name}_{of}")))
        return b.pure("tt.addptr", [self.buffers[buffer], offset], self.buffers[buffer].type, NONE)

    # Tensors of other shapes than the tile's.

    def _raw(self, name: str, type_: ir.Type, operands: Sequence[ir.Value], attributes: dict[str, ir.Attribute] | None = None) -> ir.Value:
        b = self.b
        return ir.Operation.create(name, [type_], list(operands), attributes or {}, loc=b.loc, ip=b.levels[-1].ip).result

    def _splat(self, value: Val, shape: Sequence[int]) -> ir.Value:
        return self._raw("tt.splat", ir.RankedTensorType.get(shape, value.type), [value.ssa])

    def _line(self, size: int, axis: int) -> ir.Value:
        """0, 1, 2, ... along an axis of a matrix."""
        b = self.b
        ends = {"start": b.i32_attr(0), "end": b.i32_attr(size)}
        line = self._raw("tt.make_range", ir.RankedTensorType.get([size], b.i32), [], ends)
        type_ = ir.RankedTensorType.get([size, 1] if axis == 0 else [1, size], b.i32)
        return self._raw("tt.expand_dims", type_, [line], {"axis": b.i32_attr(1 - axis)})

    def _broadcast(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        element = ir.RankedTensorType(value.type).element_type
        return self._raw("tt.broadcast", ir.RankedTensorType.get(shape, element), [value])

    def _offsets(self, rows: int, width: int, stride: Val) -> ir.Value:
        """The offsets of a matrix's elements."""
        type_ = ir.RankedTensorType.get([rows, 1], self.b.i32)
        lines = self._raw("arith.muli", type_, [self._line(rows, 0), self._splat(stride, [rows, 1])])
        parts = [self._broadcast(lines, [rows, width]), self._broadcast(self._line(width, 1), [rows, width])]
        return self._raw("arith.addi", ir.RankedTensorType.get([rows, width], self.b.i32), parts)

    def _addresses(self, base: Val, offsets: ir.Value) -> ir.Value:
        shape = list(ir.RankedTensorType(offsets.type).shape)
        return self._raw("tt.addptr", ir.RankedTensorType.get(shape, base.type), [self._splat(base, shape), offsets])

    def _load(self, base: Val, offsets: ir.Value, mask: Val | None) -> ir.Value:
        """A matrix of the operands' dtype, zero where the mask of its rows is false."""
        b, shape = self.b, list(ir.RankedTensorType(offsets.type).shape)
        operands = [self._addresses(base, offsets)]
        if mask is not None:
            rows = mask.ssa
            operands += [self._broadcast(rows, shape), self._splat(b.number(0, self.shape.dtype), shape)]
        return self._raw("tt.load", ir.RankedTensorType.get(shape, self.shape.dtype), operands, self._load_attributes(len(operands)))

    def _load_attributes(self, operands: int) -> dict[str, ir.Attribute]:
        return {
            "boundaryCheck": ir.DenseI32ArrayAttr.get([]), "cache": self.b.i32_attr(1), "evict": self.b.i32_attr(1),
            "isVolatile": ir.BoolAttr.get(False),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, int(operands > 1), int(operands > 2)]),
        }  # fmt: skip

    def _read(self, buffer: int, index: Val) -> Val:
        """One number of a block mask."""
        b = self.b
        pointer = b.pure("tt.addptr", [self.buffers[buffer], index], self.buffers[buffer].type, NONE)
        level = len(b.levels) - 1
        return Val(self._raw("tt.load", b.i32, [pointer.ssa], self._load_attributes(1)), b.i32, NONE, level)

    def _dot(self, left: ir.Value, right: ir.Value, total: ir.Value) -> ir.Value:
        attributes = {"inputPrecision": self.b.i32_attr(2), "maxNumImpreciseAcc": self.b.i32_attr(0)}
        return self._raw("tt.dot", total.type, [left, right, total], attributes)

    # The kernel.

    def _emit(self) -> None:
        b, shape = self.b, self.shape
        self.query = self._load(
            self._base(0, "q", self.head, self.first_row), self._offsets(shape.rows, shape.width, self._narrow("q_row")), self.row_mask
        )
        self.offsets = [self._offsets(shape.keys, w, self._narrow(f"{n}_row")) for n, w in (("k", shape.width), ("v", shape.value_width))]
        self.bases = [self._base(n, name, self.key_head) for n, name in ((1, "k"), (2, "v"))]
        lowest, zero = b.number(-math.inf, b.f32), b.number(0.0, b.f32)
        sums = Val(self._splat(zero, [shape.rows, shape.value_width]), b.f32, _BOTH, 0)
        state = [sums, b.spread(lowest, _ROWS), b.spread(zero, _ROWS)]
        for counts, code in zip(range(6, 6 + self.mask_pointers, 2), (self.codes.partial, self.codes.full), strict=False):
            state = self._listed_blocks(counts, state, code)
        if not self.mask_pointers:
            state = self._all_blocks(state)
        self._finish(*state)

    def _all_blocks(self, state: list[Val]) -> list[Val]:
        """The walk over all keys."""
        b, size = self.b, self._number(self.shape.keys)
        blocks = b.binary("divsi", b.binary("addi", self._narrow("keys"), self._number(self.shape.keys - 1)), size)
        with b.loop(self._number(0), blocks, self._number(1), state, self.shape.stages) as loop:
            loop.yield_(self._step(b.binary("muli", loop.counter, size), loop.carried, self.codes.partial))
        return loop.results

    def _listed_blocks(self, counts: int, state: list[Val], code: ScoreCode | None) -> list[Val]:
        """The walk over the blocks that the mask lists, or over its full blocks. A block may be several tiles."""
        b, shape = self.b, self.shape
        batch = b.binary("muli", self.batch, self._narrow("mask_batch"))
        head = b.binary("muli", self.head, self._narrow("mask_head"))
        line = b.binary("divsi", self.first_row, self._number(shape.block_rows))
        line = b.binary("addi", b.binary("addi", batch, head), line)
        tiles = self._number(shape.block_keys // shape.keys)
        count = b.binary("muli", self._read(counts, line), tiles)
        first = b.binary("muli", b.cast("extsi", line, b.i64), self._symbol("mask_columns"))
        last = b.binary("maxsi", b.binary("subi", count, self._number(1)), self._number(0))

        def key_of(tile: Val) -> Val:
            tile = b.binary("minsi", tile, last)
            block = self._read(counts + 1, b.binary("addi", first, b.cast("extsi", b.binary("divsi", tile, tiles), b.i64)))
            place = b.binary("muli", b.binary("remsi", tile, tiles), self._number(shape.keys))
            return b.binary("addi", b.binary("muli", block, self._number(shape.block_keys)), place)

        # The next tile's key is carried: loads of keys then wait for no load of this round, and can be prefetched.
        start = [*state, key_of(self._number(0))]
        with b.loop(self._number(0), count, self._number(1), start, shape.stages) as loop:
            *inner, key = loop.carried
            following = key_of(b.binary("addi", loop.counter, self._number(1)))
            loop.yield_([*self._step(key, inner, code), following])
        return loop.results[:-1]

    def _step(self, key: Val, state: Sequence[Val], code: ScoreCode | None) -> list[Val]:
        """The sums, the largest score and the sum of exponentials of each row, with one more tile of keys, which begins at `key`."""
        b, shape = self.b, self.shape
        level = len(b.levels) - 1
        sums, largest, total = state
        mask = column = None
        if not shape.whole_keys:
            left = b.binary("subi", self._narrow("keys"), key)
            mask = b.compare(SIGNED_LESS, b.ramp(1), left)
            lines = Val(self._line(shape.keys, 0), b.i32, _ROWS, level)
            column = Val(
                self._raw(
                    "arith.cmpi",
                    ir.RankedTensorType.get([shape.keys, 1], b.i1),
                    [lines.ssa, self._splat(left, [shape.keys, 1])],
                    {"predicate": ir.IntegerAttr.get(b.i64, SIGNED_LESS)},
                ),
                b.i1,
                _ROWS,
                level,
            )
        tile = [self._load(self._at(n, key), self.offsets[n], column) for n in range(2)]
        turned = ir.RankedTensorType.get([shape.width, shape.keys], shape.dtype)
        transposed = self._raw("tt.trans", turned, [tile[0]], {"order": ir.DenseI32ArrayAttr.get([1, 0])})
        zeros = self._splat(b.number(0.0, b.f32), [shape.rows, shape.keys])
        scores = Val(self._dot(self.query, transposed, zeros), b.f32, _BOTH, level)
        if not self.late_scale:
            scores = b.binary("mulf", scores, b.number(shape.scale, b.f32))
        scores = scores if code is None else self._modified(code, scores, key, mask)
        if mask is not None:
            scores = b.select(mask, scores, b.number(-math.inf, b.f32))
        if not self.late_scale:
            scores = b.binary("mulf", scores, b.number(_LOG2E, b.f32))
        highest = b.reduce([scores], 1, _BOTH, lambda x, y: [b.binary("maxnumf", x[0], y[0])])[0]
        highest = b.binary("maxnumf", largest, highest)
        # A row without an allowed score so far: the difference of two infinities would be NaN.
        empty = b.compare(_ORDERED_EQUAL, highest, b.number(-math.inf, b.f32))
        shift = b.select(empty, b.number(0.0, b.f32), highest)
        weights, factor = (b.elementwise("math.exp2", [self._below(v, shift)], b.f32) for v in (scores, largest))
        added = b.reduce([weights], 1, _BOTH, lambda x, y: [b.binary("addf", x[0], y[0])])[0]
        total = b.binary("addf", b.binary("mulf", total, factor), added)
        matrix = sums.ssa.type
        scaled = self._raw("arith.mulf", matrix, [sums.ssa, self._broadcast(factor.ssa, list(ir.RankedTensorType(matrix).shape))])
        rounded = b.cast("truncf", b.spread(weights, _BOTH), shape.dtype)
        return [Val(self._dot(rounded.ssa, tile[1], scaled), b.f32, _BOTH, level), highest, total]

    def _below(self, value: Val, shift: Val) -> Val:
        """The exponent, to base 2, of a score or row maximum relative to `shift`."""
        b = self.b
        if not self.late_scale:
            return b.binary("subf", value, shift)
        factor, negative = (b.number(f, b.f32) for f in (self.factor, -self.factor))
        return b.elementwise("math.fma", [value, factor, b.binary("mulf", shift, negative)], b.f32)

    def _at(self, number: int, key: Val) -> Val:
        """The address of a row of keys or values."""
        b, base = self.b, self.bases[number]
        offset = b.binary("muli", b.cast("extsi", key, b.i64), self._symbol("kv"[number] + "_row"))
        return b.pure("tt.addptr", [base, offset], base.type, NONE)

    def _modified(self, code: ScoreCode, scores: Val, key: Val, key_mask: Val | None) -> Val:
        """The scores after modification and mask."""
        b = self.b
        axes = [Axis([], self.shape.rows), Axis([], self.shape.keys)]
        buffers = [self.buffers[0]] * len(code.kernel.buffers)
        for place, number in enumerate(code.others):
            buffers[number] = self.buffers[self.first_buffer[code] + place]
        symbols = self.symbols[self.first_symbol[code] :][: code.kernel.symbols]
        body = ScoreBody(b, code.kernel, Schedule(axes), Arguments(buffers, [], symbols))
        places = [TileIndex(Num(v, 0, _HIGHEST)) for v in (self.batch, self.head, self.first_row, key)]
        places[2].lanes, places[3].lanes = Num(b.ramp(0), 0, self.shape.rows - 1), Num(b.ramp(1), 0, self.shape.keys - 1)
        body.dims = {dim: place for dim, place in zip(code.dims, places, strict=True) if dim is not None}
        body.masks = {axis: mask for axis, mask in ((0, self.row_mask), (1, key_mask)) if mask is not None}
        for node in code.kernel.of(("loop.load",)):
            if node.operands[0] == code.scores:
                body.define(node.results[0], scores)
        inner = b.levels
        for node in code.kernel.of(("loop.check",)):
            b.levels = inner[:1] if body.value(node.operands[0]).level == 0 else inner  # outside of the loop if it can be
            body.emit_sink(node)
            b.levels = inner
        result = b.cast("extf", body.value(code.result), b.f32)
        for level in b.levels:  # the other code has values of the same numbers
            for known in [k for k in level.memo if k[0] == "value"]:
                del level.memo[known]
        return result

    def _finish(self, sums: Val, largest: Val, total: Val) -> None:
        """Stores the output and the statistics of each row."""
        b, shape = self.b, self.shape
        empty = b.compare(_ORDERED_EQUAL, total, b.number(0.0, b.f32))
        total = b.select(empty, b.number(1.0, b.f32), total)
        matrix = ir.RankedTensorType.get([shape.rows, shape.value_width], b.f32)
        out = self._raw("arith.divf", matrix, [sums.ssa, self._broadcast(total.ssa, [shape.rows, shape.value_width])])
        out = self._raw("arith.truncf", ir.RankedTensorType.get([shape.rows, shape.value_width], shape.dtype), [out])
        offsets = self._offsets(shape.rows, shape.value_width, self._narrow("o_row"))
        self._store(self._addresses(self._base(3, "o", self.head, self.first_row), offsets), out)
        largest = b.binary("mulf", largest, b.number(self.factor, b.f32)) if self.late_scale else largest
        logarithms = b.binary("addf", largest, b.elementwise("math.log2", [total], b.f32))
        place = b.binary("muli", b.cast("extsi", self.head_of_all, b.i64), self._symbol("rows"))
        place = b.binary("addi", place, b.cast("extsi", self.first_row, b.i64))
        for buffer, value in ((4, logarithms), (5, largest)):
            pointer = b.pure("tt.addptr", [self.buffers[buffer], place], self.buffers[buffer].type, NONE)
            pointers = b.elementwise("tt.addptr", [b.spread(pointer, _ROWS), b.ramp(0)], pointer.type)
            self._store(pointers.ssa, b.spread(value, _ROWS).ssa)

    def _store(self, addresses: ir.Value, value: ir.Value) -> None:
        b, shape = self.b, list(ir.RankedTensorType(value.type).shape)
        operands = [addresses, value]
        if self.row_mask is not None:
            operands.append(self.row_mask.ssa if shape[1] == 1 else self._broadcast(self.row_mask.ssa, shape))
        attributes = {"boundaryCheck": ir.DenseI32ArrayAttr.get([]), "cache": b.i32_attr(1), "evict": b.i32_attr(1)}
        ir.Operation.create("tt.store", [], operands, attributes, loc=b.loc, ip=b.levels[-1].ip)
