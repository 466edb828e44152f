"""Makes the kernels of attention's backward: one of the query's gradient, which walks over keys, and one of those of keys and values, which
walks over query rows.

The order of the loops is that of FlashAttention-2 (Dao, 2023): both kernels compute the scores again from the saved logarithms. A captured
tensor's gradient is summed by atomic additions in the second kernel, in which each score is computed once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from torch_mlir import ir

from .attention import grid_of
from .attention_emitter import BOTH, LOG2E, AttentionEmitter, AttentionShape, Signature
from .attention_scores import GRADIENT, INSIDE, SCORES, GradientCodes, Scatter
from .body import ATOMIC_FLOAT, SIGNED_LESS
from .builder import Builder, Val

# The first symbols of the functions. Strides count elements: of query, key, value, output, the output's gradient, and the gradients of
# query, key and value; those of the block mask, in its lists of keys and of rows, are 0 along a dimension of size 1.
SYMBOLS = (
    "batch_heads", "batch_key_heads", "heads", "key_heads", "groups", "rows", "keys",
    *(f"{name}_{of}" for name in ("q", "k", "v", "o", "g", "dq", "dk", "dv") for of in ("batch", "head", "row")),
    *(f"{name}_{of}" for name in ("mask", "turned") for of in ("batch", "head", "columns")),
)  # fmt: skip
_QUERY, _KEY, _VALUE, _OUT, _OF_OUT, _LOGARITHMS, _OF_LOGARITHMS, _OF_QUERY, _OF_KEY, _OF_VALUE = range(10)
_LISTS = 10
_EQUAL = 1  # ordered, predicate of arith.cmpf
_EQUAL_INTEGERS = 0
_MINUS_ZERO = -(1 << 31)  # the bits of -0.0
_LN2 = math.log(2)


@dataclass(frozen=True)
class BackwardShape:
    """`of_query`, `of_keys`: the shapes of the two kernels; `grouped`: several query heads have one key head; `has_logarithms`: the
    logarithms have a gradient."""

    of_query: AttentionShape
    of_keys: AttentionShape
    grouped: bool
    has_logarithms: bool


def emit_attention_backward(codes: GradientCodes, shape: BackwardShape) -> list[ir.Operation]:
    """The two `tt.func`s of one kernel, at the current insertion point, in the order of their launches.

    Their buffers: query, key, value, output, the output's gradient, logarithms (base 2) and their gradient (both f32, contiguous), the
    gradients of query, key and value; with a block mask the counts and indices of the key blocks of each row block, those of full blocks if
    there are, and the same of the row blocks of each key block; the gradients of captured tensors (f32, contiguous); the other buffers of
    each code. Their symbols: `SYMBOLS`, and those of each code."""
    b, lists = Builder(), 0 if not shape.of_query.block_rows else 8 if shape.of_query.full_blocks else 4
    dtype = shape.of_query.dtype
    buffers = [*[dtype] * 5, b.f32, b.f32, *[dtype] * 3, *[b.i32] * lists, *[b.f32] * codes.captured]
    number, constant = ir.AffineExpr.get_symbol, ir.AffineExpr.get_constant
    scalars = ir.AffineExpr.get_mul(number(SYMBOLS.index("batch_heads")), number(SYMBOLS.index("rows")))
    signature = Signature(
        "attention_backward", buffers, SYMBOLS, list(dict.fromkeys(codes.all())), ir.AffineExpr.get_mul(scalars, constant(8))
    )
    of_query, of_keys = _OfQuery(shape.of_query, signature), _OfKeys(shape.of_keys, signature, 1)
    for emitter in (of_query, of_keys):
        emitter.codes, emitter.call, emitter.lists = codes, shape, lists
    return [
        of_query.run(grid_of("batch_heads", "rows", shape.of_query.rows, SYMBOLS)),
        of_keys.run(grid_of("batch_key_heads", "keys", shape.of_keys.keys, SYMBOLS)),
    ]


@dataclass
class _Rows:
    """Rows of a head: query, the output's gradient, negative logarithms, what is subtracted from gradients of weights, and the tile's mask
    of those inside the call."""

    first: Val
    query: ir.Value
    of_out: ir.Value
    logarithms: Val
    subtracted: Val
    mask: Val | None


@dataclass
class _Keys:
    """Keys of a head, and their values."""

    first: Val
    key: ir.Value
    value: ir.Value
    mask: Val | None


class _Backward(AttentionEmitter):
    codes: GradientCodes
    call: BackwardShape
    lists: int

    def _emit(self) -> None:
        shape = self.shape
        self.late_scale = self.codes.scores is None and self.codes.gradient is None and not self.codes.scatters
        self.factor = shape.scale * LOG2E if self.late_scale else LOG2E
        self.row_lines = {
            n: self.offsets(shape.rows, w, self.narrow(f"{n}_row")) for n, w in (("q", shape.width), ("g", shape.value_width))
        }
        self.key_lines = {
            n: self.offsets(shape.keys, w, self.narrow(f"{n}_row")) for n, w in (("k", shape.width), ("v", shape.value_width))
        }
        self._walk()

    def _walk(self) -> None:
        raise NotImplementedError

    def _inside(self, first: Val, name: str, axis: int, whole: bool) -> tuple[Val | None, ir.Value | None]:
        """The masks of the rows or keys inside the call: of the tile, and of matrices."""
        if whole:
            return None, None
        b, left = self.b, self.b.binary("subi", self.narrow(name), first)
        return b.compare(SIGNED_LESS, b.ramp(axis), left), self.first_lines(b.shape[axis], left)

    def _line_of_mask(self, name: str, first: Val, block: int) -> Val:
        b = self.b
        batch, head = (b.binary("muli", i, self.narrow(f"{name}_{n}")) for i, n in ((self.batch, "batch"), (self.head, "head")))
        return b.binary("addi", b.binary("addi", batch, head), b.binary("divsi", first, self.number_of(block)))

    def _place_of_rows(self, first: Val) -> Val:
        """Their number among the rows of all heads."""
        head = self.b.binary("addi", self.b.binary("muli", self.batch, self.narrow("heads")), self.head)
        return self.wide_sum((head, self.symbol("rows")), (first, None))

    def _kept(self) -> tuple[Val, Val]:
        """The parts of the scratch buffer: what is subtracted from gradients of weights, and negative logarithms."""
        rows = self.wide_sum((self.narrow("batch_heads"), self.symbol("rows")))
        return self.buffers[-1], self.moved(self.buffers[-1], rows)

    def _keys_at(self, first: Val, bases: Mapping[str, Val]) -> _Keys:
        mask, lines = self._inside(first, "keys", self.key_axis, self.shape.whole_keys)
        key, value = (
            self.load(self.moved(bases[n], self.wide_sum((first, self.symbol(f"{n}_row")))), self.key_lines[n], lines) for n in "kv"
        )
        return _Keys(first, key, value, mask)

    def _tile(self, rows: _Rows, keys: _Keys, partial: bool) -> tuple[Val, Val]:
        """The weights, and the gradients of the scores without their scale. The weights of scores that are left out are -0, which no
        exponential is: so the mask needs no registers until the gradients are known."""
        b, codes = self.b, self.codes
        outside = {axis: mask for axis, mask in ((self.row_axis, rows.mask), (self.key_axis, keys.mask)) if mask is not None}
        plain = self._product(rows.query, keys.key)
        if not self.late_scale:
            plain = b.binary("mulf", plain, b.number(self.shape.scale, b.f32))
        given, places = {SCORES: plain, INSIDE: b.number(1, b.i1)}, (rows.first, keys.first, outside)
        scores = plain if codes.scores is None else self.modified(codes.scores, given, *places)
        exponent = b.elementwise("math.fma", [scores, b.number(self.factor, b.f32), rows.logarithms], b.f32)
        weights = self.exp2(exponent)
        masks = list(outside.values())
        if partial and codes.allowed is not None:
            masks.append(self.emitted(codes.allowed, given, *places))
        for mask in masks:
            weights = b.select(mask, weights, b.number(-0.0, b.f32))
        of_weights = self._product(rows.of_out, keys.value)
        given[GRADIENT] = gradient = b.binary("mulf", weights, b.binary("subf", of_weights, rows.subtracted))
        self._scatter(given, rows, keys, outside)
        if codes.gradient is not None:
            gradient = self.modified(codes.gradient, given, *places)
        if masks:
            left_out = b.compare(_EQUAL_INTEGERS, b.elementwise("tt.bitcast", [weights], b.i32), b.number(_MINUS_ZERO, b.i32))
            gradient = b.select(left_out, b.number(0.0, b.f32), gradient)
        return weights, gradient

    def _masked(self, tile: Val, masks: Mapping[int, Val]) -> Val:
        """The tile, 0 outside of the call."""
        for mask in masks.values():
            tile = self.b.select(mask, tile, self.b.number(0.0, self.b.f32))
        return tile

    def _product(self, of_rows: ir.Value, of_keys: ir.Value) -> Val:
        """A tile of products of rows with keys."""
        return self.tile_product(*((of_rows, of_keys) if self.row_axis == 0 else (of_keys, of_rows)))

    def _scatter(self, given: Mapping[str, Val], rows: _Rows, keys: _Keys, masks: Mapping[int, Val]) -> None:
        """Adds to the gradients of captured tensors, in one of the kernels."""

    def _added(self, left: ir.Value, right: ir.Value, total: Val) -> Val:
        return Val(self.dot(left, right, total.ssa), self.b.f32, BOTH, self.level)

    def _scaled(self, total: Val) -> Val:
        shape = list(ir.RankedTensorType(total.ssa.type).shape)
        scale = self.splat(self.b.number(self.shape.scale, self.b.f32), shape)
        return Val(self.raw("arith.mulf", total.ssa.type, [total.ssa, scale]), total.type, total.axes, total.level)


class _OfQuery(_Backward):
    """A program computes the gradient of some query rows. It also stores what is subtracted from the gradients of their weights, and their
    negative logarithms, for the other kernel."""

    def _walk(self) -> None:
        b, shape = self.b, self.shape
        blocks, program = self.blocks("rows", shape.rows), b.program_id()
        # Later rows come first: with a causal mask they take longest.
        block = b.binary("subi", b.binary("subi", blocks, self.number_of(1)), b.binary("remsi", program, blocks))
        self.head = self.locate_head(b.binary("divsi", program, blocks), self.narrow("heads"))
        key_head, first = b.binary("divsi", self.head, self.narrow("groups")), b.binary("muli", block, self.number_of(shape.rows))
        mask, lines = self._inside(first, "rows", 0, shape.whole_rows)
        query = self.load(self.base(_QUERY, "q", self.head, first), self.row_lines["q"], lines)
        of_out = self.load(self.base(_OF_OUT, "g", self.head, first), self.row_lines["g"], lines)
        subtracted = self._subtracted(first, of_out, mask, lines)
        rows = _Rows(first, query, of_out, self._logarithms(first, mask), subtracted, mask)
        bases = {n: self.base(number, n, key_head) for n, number in (("k", _KEY), ("v", _VALUE))}

        def step(partial: bool, key: Val, state: list[Val]) -> list[Val]:
            keys = self._keys_at(key, bases)
            _, gradient = self._tile(rows, keys, partial)
            return [self._added(self.rounded(gradient), keys.key, state[0])]

        state = [self.zeros(shape.rows, shape.width)]
        line = self._line_of_mask("mask", first, shape.block_rows) if self.lists else None
        for number in range(self.lists // 4):
            assert line is not None
            sizes, partial = (shape.block_keys, shape.keys), number == 0
            state = self.listed_tiles(_LISTS + 2 * number, line, "mask_columns", sizes, state, functools.partial(step, partial))
        if not self.lists:
            state = self.all_tiles("keys", shape.keys, state, functools.partial(step, True))
        self.store_matrix(self.base(_OF_QUERY, "dq", self.head, first), self.narrow("dq_row"), self._scaled(state[0]), lines)

    def _subtracted(self, first: Val, of_out: ir.Value, mask: Val | None, lines: ir.Value | None) -> Val:
        """The sum of each output row times its gradient, less the gradient of the logarithm; stores it."""
        b, shape = self.b, self.shape
        out = self.load(self.base(_OUT, "o", self.head, first), self.offsets(shape.rows, shape.value_width, self.narrow("o_row")), lines)
        wide = ir.RankedTensorType.get([shape.rows, shape.value_width], b.f32)
        parts = [self.raw("arith.extf", wide, [matrix]) for matrix in (out, of_out)]
        product = Val(self.raw("arith.mulf", wide, parts), b.f32, BOTH, 0)
        found = b.reduce([product], 1, BOTH, lambda x, y: [b.binary("addf", x[0], y[0])])[0]
        place = self._place_of_rows(first)
        if self.call.has_logarithms:
            of_logarithms = self.read_rows(self.buffers[_OF_LOGARITHMS], place, mask)
            found = b.binary("subf", found, b.binary("mulf", of_logarithms, b.number(1 / _LN2, b.f32)))
        self.store_rows(self._kept()[0], place, found, mask)
        return found

    def _logarithms(self, first: Val, mask: Val | None) -> Val:
        """The negative logarithms of rows; -inf for rows without an allowed score, whose weights are then 0. Stores them."""
        b, place = self.b, self._place_of_rows(first)
        found = self.read_rows(self.buffers[_LOGARITHMS], place, mask)
        lowest = b.number(-math.inf, b.f32)
        found = b.select(b.compare(_EQUAL, found, lowest), lowest, b.binary("subf", b.number(0.0, b.f32), found))
        self.store_rows(self._kept()[1], place, found, mask)
        return found


class _OfKeys(_Backward):
    """A program computes the gradients of some keys and values, from all query heads of their head. Its tiles are transposed: the weights
    are then an operand as they are."""

    row_axis, key_axis = 1, 0

    def _walk(self) -> None:
        b, shape = self.b, self.shape
        blocks, program = self.blocks("keys", shape.keys), b.program_id()
        self.key_head = self.locate_head(b.binary("divsi", program, blocks), self.narrow("key_heads"))
        first = b.binary("muli", b.binary("remsi", program, blocks), self.number_of(shape.keys))
        bases = {n: self.base(number, n, self.key_head) for n, number in (("k", _KEY), ("v", _VALUE))}
        keys = self._keys_at(first, bases)
        state = [self.zeros(shape.keys, shape.width), self.zeros(shape.keys, shape.value_width)]
        if self.call.grouped:
            groups = self.narrow("groups")
            with b.loop(self.number_of(0), groups, self.number_of(1), state) as loop:
                head = b.binary("addi", b.binary("muli", self.key_head, groups), loop.counter)
                loop.yield_(self._of_head(head, keys, loop.carried))
            state = loop.results
        else:
            state = self._of_head(self.key_head, keys, state)
        _, lines = self._inside(first, "keys", 0, shape.whole_keys)
        self.store_matrix(self.base(_OF_KEY, "dk", self.key_head, first), self.narrow("dk_row"), self._scaled(state[0]), lines)
        self.store_matrix(self.base(_OF_VALUE, "dv", self.key_head, first), self.narrow("dv_row"), state[1], lines)

    def _of_head(self, head: Val, keys: _Keys, state: list[Val]) -> list[Val]:
        """The gradients, with what a query head adds."""
        shape, self.head = self.shape, head
        bases = {n: self.base(number, n, head) for n, number in (("q", _QUERY), ("g", _OF_OUT))}

        def step(partial: bool, row: Val, state: list[Val]) -> list[Val]:
            rows = self._rows_at(row, bases)
            weights, gradient = self._tile(rows, keys, partial)
            of_value = self._added(self.rounded(weights), rows.of_out, state[1])
            return [self._added(self.rounded(gradient), rows.query, state[0]), of_value]

        if not self.lists:
            return self.all_tiles("rows", shape.rows, state, functools.partial(step, True))
        line = self._line_of_mask("turned", keys.first, shape.block_keys)
        for number in range(self.lists // 4):
            sizes, partial = (shape.block_rows, shape.rows), number == 0
            counts = _LISTS + self.lists // 2 + 2 * number
            state = self.listed_tiles(counts, line, "turned_columns", sizes, state, functools.partial(step, partial))
        return state

    def _rows_at(self, first: Val, bases: Mapping[str, Val]) -> _Rows:
        mask, lines = self._inside(first, "rows", self.row_axis, self.shape.whole_rows)
        query, of_out = (
            self.load(self.moved(bases[n], self.wide_sum((first, self.symbol(f"{n}_row")))), self.row_lines[n], lines) for n in "qg"
        )
        subtracted, logarithms = (self.read_rows(kept, self._place_of_rows(first), mask) for kept in self._kept())
        return _Rows(first, query, of_out, logarithms, subtracted, mask)

    def _scatter(self, given: Mapping[str, Val], rows: _Rows, keys: _Keys, masks: Mapping[int, Val]) -> None:
        """Adds the sums of what has one place in the tile: along an axis on which the place does not depend."""
        for scatter in self.codes.scatters:
            self._add(_LISTS + self.lists + scatter.number, scatter, given, rows, keys, masks)

    def _add(self, buffer: int, scatter: Scatter, given: Mapping[str, Val], rows: _Rows, keys: _Keys, masks: Mapping[int, Val]) -> None:
        b = self.b
        value = self._masked(self.modified(scatter.value, given, rows.first, keys.first, masks), masks)
        place = self.emitted(scatter.place, given, rows.first, keys.first, masks)
        pointer, axes = self.buffers[buffer], place.axes
        value = b.spread(value, BOTH)
        for axis in sorted(BOTH - axes, reverse=True):
            value = b.reduce([value], axis, value.axes, lambda x, y: [b.binary("addf", x[0], y[0])])[0]
        mask = b.number(1, b.i1)
        for axis, inside in masks.items():
            if axis in axes:
                mask = b.binary("andi", mask, inside)
        pointers = b.elementwise("tt.addptr", [b.spread(pointer, axes), b.spread(place, axes)], pointer.type)
        attributes = {"atomic_rmw_op": b.i32_attr(ATOMIC_FLOAT["add"]), "sem": b.i32_attr(1), "scope": b.i32_attr(1)}
        operands = [pointers.ssa, value.ssa, b.spread(mask, axes).ssa]
        self.raw("tt.atomic_rmw", b.type_of(b.f32, axes), operands, attributes)
