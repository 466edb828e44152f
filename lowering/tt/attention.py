"""Makes the kernel of attention: a program computes some query rows of a head, block by block of keys, with an online softmax.

The softmax is that of Milakov and Gimelshein (2018); the order of the loops is that of FlashAttention-2 (Dao, 2023). A `loop.func` gives
the code that modifies and masks the scores: its loads of scores become the product of the tile.
"""

from __future__ import annotations

import functools
import math

from torch_mlir import ir

from .attention_emitter import BOTH, LOG2E, AttentionEmitter, AttentionShape, Signature
from .attention_scores import SCORES, ScoreCode, ScoreCodes
from .body import SIGNED_LESS
from .builder import Builder, Val

# The first symbols of the function. Strides count elements; those of the block mask are 0 along a dimension of size 1.
SYMBOLS = (
    "batch_heads", "heads", "groups", "rows", "keys", "q_batch", "q_head", "q_row", "k_batch", "k_head", "k_row", "v_batch", "v_head",
    "v_row", "o_batch", "o_head", "o_row", "mask_batch", "mask_head", "mask_columns",
)  # fmt: skip
_ORDERED_EQUAL = 1  # predicate of arith.cmpf


def emit_attention(codes: ScoreCodes, shape: AttentionShape) -> ir.Operation:
    """The `tt.func`, at the current insertion point.

    Its buffers: query, key, value, output, logarithms and largest scores (both base 2, f32, contiguous); with a block mask the counts and
    indices of its blocks, and those of full blocks if there are; the other buffers of each code. Its symbols: `SYMBOLS`, and those of each
    code."""
    b = Builder()
    lists = 0 if not shape.block_rows else 4 if shape.full_blocks else 2
    buffers = [shape.dtype] * 4 + [b.f32] * 2 + [b.i32] * lists
    emitter = _Attention(shape, Signature("attention", buffers, SYMBOLS, codes.all()))
    emitter.codes, emitter.lists = codes, lists
    return emitter.run(grid_of("batch_heads", "rows", shape.rows, SYMBOLS))


def grid_of(heads: str, name: str, size: int, symbols: tuple[str, ...]) -> ir.AffineExpr:
    """A program for each tile of each head."""
    number = ir.AffineExpr.get_symbol
    tiles = ir.AffineExpr.get_ceil_div(number(symbols.index(name)), ir.AffineExpr.get_constant(size))
    return ir.AffineExpr.get_mul(number(symbols.index(heads)), tiles)


class _Attention(AttentionEmitter):
    codes: ScoreCodes
    lists: int

    def _emit(self) -> None:
        b, shape = self.b, self.shape
        # Scores stay products until the exponential, whose base and scale are one factor, if nothing but a mask sees them.
        self.late_scale = self.codes.only_masks and shape.scale > 0
        self.factor = shape.scale * LOG2E if self.late_scale else LOG2E
        self._locate()
        lines = self.offsets(shape.rows, shape.width, self.narrow("q_row"))
        self.query = self.load(self.base(0, "q", self.head, self.first_row), lines, None if self.row_mask is None else self.row_mask.ssa)
        self.lines = [self.offsets(shape.keys, w, self.narrow(f"{n}_row")) for n, w in (("k", shape.width), ("v", shape.value_width))]
        self.bases = [self.base(n, name, self.key_head) for n, name in ((1, "k"), (2, "v"))]
        lowest, zero = b.number(-math.inf, b.f32), b.number(0.0, b.f32)
        state = [self.zeros(shape.rows, shape.value_width), b.spread(lowest, self.of_rows), b.spread(zero, self.of_rows)]
        for counts, code in zip(range(6, 6 + self.lists, 2), (self.codes.partial, self.codes.full), strict=False):
            sizes = shape.block_keys, shape.keys
            step = functools.partial(self._step, code)
            state = self.listed_tiles(counts, self._line_of_mask(), "mask_columns", sizes, state, step)
        if not self.lists:
            state = self.all_tiles("keys", shape.keys, state, functools.partial(self._step, self.codes.partial))
        self._finish(*state)

    def _locate(self) -> None:
        """The head and the rows of this program. Later rows come first: with a causal mask they take longest."""
        b = self.b
        blocks, program = self.blocks("rows", self.shape.rows), b.program_id()
        block = b.binary("subi", b.binary("subi", blocks, self.number_of(1)), b.binary("remsi", program, blocks))
        self.head_of_all = b.binary("divsi", program, blocks)
        self.head = self.locate_head(self.head_of_all, self.narrow("heads"))
        self.key_head = b.binary("divsi", self.head, self.narrow("groups"))
        self.first_row = b.binary("muli", block, self.number_of(self.shape.rows))
        self.row_mask = None
        if not self.shape.whole_rows:
            self.row_mask = b.compare(SIGNED_LESS, b.ramp(0), b.binary("subi", self.narrow("rows"), self.first_row))

    def _line_of_mask(self) -> Val:
        b = self.b
        batch, head = (b.binary("muli", i, self.narrow(f"mask_{n}")) for i, n in ((self.batch, "batch"), (self.head, "head")))
        line = b.binary("divsi", self.first_row, self.number_of(self.shape.block_rows))
        return b.binary("addi", b.binary("addi", batch, head), line)

    def _step(self, code: ScoreCode | None, key: Val, state: list[Val]) -> list[Val]:
        """The sums, the largest score and the sum of exponentials of each row, with one more tile of keys, which begins at `key`."""
        b, shape = self.b, self.shape
        sums, largest, total = state
        mask = lines = None
        if not shape.whole_keys:
            left = b.binary("subi", self.narrow("keys"), key)
            mask, lines = b.compare(SIGNED_LESS, b.ramp(1), left), self.first_lines(shape.keys, left)
        keys, values = (self.load(self._at(n, key), self.lines[n], lines) for n in range(2))
        scores = self.tile_product(self.query, keys)
        if not self.late_scale:
            scores = b.binary("mulf", scores, b.number(shape.scale, b.f32))
        if code is not None:
            masks = {axis: m for axis, m in ((0, self.row_mask), (1, mask)) if m is not None}
            scores = self.modified(code, {SCORES: scores}, self.first_row, key, masks)
        if mask is not None:
            scores = b.select(mask, scores, b.number(-math.inf, b.f32))
        highest = b.reduce([scores], 1, BOTH, lambda x, y: [b.binary("maxnumf", x[0], y[0])])[0]
        highest = b.binary("maxnumf", largest, highest)
        # A row without an allowed score so far: the difference of two infinities would be NaN.
        empty = b.compare(_ORDERED_EQUAL, highest, b.number(-math.inf, b.f32))
        shift = b.select(empty, b.number(0.0, b.f32), highest)
        weights, factor = (self._below(v, shift) for v in (scores, largest))
        added = b.reduce([weights], 1, BOTH, lambda x, y: [b.binary("addf", x[0], y[0])])[0]
        total = b.binary("addf", b.binary("mulf", total, factor), added)
        matrix = [shape.rows, shape.value_width]
        scaled = self.raw("arith.mulf", sums.ssa.type, [sums.ssa, self.spread(factor.ssa, matrix)])
        return [Val(self.dot(self.rounded(weights), values, scaled), b.f32, BOTH, self.level), highest, total]

    def _below(self, value: Val, shift: Val) -> Val:
        """The exponential of a score or row maximum relative to `shift`."""
        b = self.b
        factor, negative = (b.number(f, b.f32) for f in (self.factor, -self.factor))
        return self.exp2(b.elementwise("math.fma", [value, factor, b.binary("mulf", shift, negative)], b.f32))

    def _at(self, number: int, key: Val) -> Val:
        """The address of a row of keys or values."""
        return self.moved(self.bases[number], self.wide_sum((key, self.symbol("kv"[number] + "_row"))))

    def _finish(self, sums: Val, largest: Val, total: Val) -> None:
        """Stores the output and the statistics of each row."""
        b, shape = self.b, self.shape
        empty = b.compare(_ORDERED_EQUAL, total, b.number(0.0, b.f32))
        total = b.select(empty, b.number(1.0, b.f32), total)
        out = self.raw("arith.divf", sums.ssa.type, [sums.ssa, self.spread(total.ssa, [shape.rows, shape.value_width])])
        mask = None if self.row_mask is None else self.row_mask.ssa
        base = self.base(3, "o", self.head, self.first_row)
        self.store_matrix(base, self.narrow("o_row"), Val(out, b.f32, BOTH, 0), mask)
        largest = b.binary("mulf", largest, b.number(self.factor, b.f32))
        logarithms = b.binary("addf", largest, b.elementwise("math.log2", [total], b.f32))
        place = self.wide_sum((self.head_of_all, self.symbol("rows")), (self.first_row, None))
        for buffer, value in ((4, logarithms), (5, largest)):
            self.store_rows(self.buffers[buffer], place, value, self.row_mask)
