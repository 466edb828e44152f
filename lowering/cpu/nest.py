"""Emits the loops of a kernel: over chunks, within a chunk, and in each reduction pass over the reduced dimensions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from torch_mlir import ir

from ...dialects.loop import CONTRACT
from ...tuning.cpu import TUNING
from ..kernel.analysis import is_half
from ..kernel.reduction_passes import needed_values, pass_roots
from .body import LaneBody
from .builder import Builder, Int, Val
from .combine import Carry, Values, across_lanes, carry_of, merge, pair_across_lanes, start, step
from .index import ANY, IndexEmitter, LaneIndex, no_leaf
from .interleaved import EXTENT, Pairs
from .piecewise_affine import Piece
from .schedule import Schedule
from .transposed import Square

SIGNED_LESS = 2
# A long sum is a sum of sums of this many steps each, nested, so that its error hardly grows with its length.
CASCADE = 32
UNKNOWN_STEPS = CASCADE**3

Emit = Callable[[Values], Values]


@dataclass(slots=True, eq=False)
class Nest:
    """The loops around `body`."""

    body: LaneBody
    schedule: Schedule
    extents: list[Int]
    coordinates: dict[int, Int] = field(default_factory=dict)
    starts: dict[int, Int] = field(default_factory=dict)
    carries: list[Carry] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    @property
    def b(self) -> Builder:
        """The builder."""
        return self.body.b

    def emit(self, lower: Int, upper: Int) -> None:
        """Emits the loop over the chunks from `lower` to `upper`."""
        body = self.body
        body.rows = {k.value: self.b.alloca(k.type, k.size) for k in body.kept.values() if k.store is None}
        with self.b.loop(lower, upper, 1) as chunk:
            self._locate(chunk.counter)
            self._parallel(self.schedule.inner)

    def count(self) -> Int:
        """The number of chunks."""
        total: Int = 1
        for extent in self.chunk_counts():
            total = self.b.mul(total, extent)
        return total

    def work(self, each: int) -> Int:
        """The number of operations for the whole domain, if each point takes `each`."""
        total: Int = each
        for extent in self.extents:
            total = self.b.mul(total, extent)
        return total

    def chunk_counts(self) -> list[Int]:
        """The number of chunks along each chunked dimension. A chunk takes one point of it, or a block if the schedule has blocks."""
        index = IndexEmitter(self.b, 0, no_leaf)
        blocks = self.schedule.blocks
        extents = [LaneIndex(self.extents[dim], bound=ANY) for dim in self.schedule.chunked]
        counts = [
            index.divide("ceildiv", e, LaneIndex(blocks.get(dim, 1), bound=ANY))
            for dim, e in zip(self.schedule.chunked, extents, strict=True)
        ]
        return [count.base for count in counts]

    def _locate(self, chunk: Val) -> None:
        """Sets the coordinate of each chunked dimension for chunk number `chunk`, or the start of its block."""
        index = IndexEmitter(self.b, 0, no_leaf)
        rest: Int = chunk
        counts = self.chunk_counts()
        for position, dim in reversed(list(enumerate(self.schedule.chunked))):
            coordinate = rest
            if position:
                count = LaneIndex(counts[position], bound=ANY)
                coordinate = index.divide("mod", LaneIndex(rest, bound=ANY), count).base
                rest = index.divide("floordiv", LaneIndex(rest, bound=ANY), count).base
            self.coordinates[dim] = coordinate
            block = self.schedule.blocks.get(dim)
            if block is None:
                self.body.dims[dim] = LaneIndex(coordinate, bound=self._bound(dim))
            else:
                self.starts[dim] = self.b.mul(coordinate, block)

    def _span(self, dim: int) -> tuple[Int, Int]:
        """The begin and end of a chunk along a dimension."""
        upper, block = self.extents[dim], self.schedule.blocks.get(dim)
        if block is None:
            return 0, upper
        return self.starts[dim], self.b.minimum(self.b.add(self.starts[dim], block), upper)

    def _parallel(self, dims: list[int]) -> None:
        if not dims:
            self._point()
            return

        def rest(_: Values) -> Values:
            self._parallel(dims[1:])
            return []

        self._along(dims[0], [], rest)

    def _along(self, dim: int, carried: Values, emit: Emit) -> Values:
        """Emits a loop over one dimension, by vectors if it is the lanes' dimension; returns the carried values."""
        if dim == self.schedule.lane and self.pieces:
            self._piecewise(dim, emit)
            return carried
        lower, upper = self._span(dim)
        if dim == self.schedule.across and self.body.mask is None:
            lower = self._squares(dim, lower, upper, emit)
        if dim == self.schedule.between and self.body.mask is None:
            return self._loop(dim, lower, upper, EXTENT, None, carried, lambda _: Pairs(self.body, dim).emit(emit))
        if dim != self.schedule.lane:
            return self._blocks(dim, lower, upper, 1, carried, emit)
        lanes = self.schedule.lanes
        whole = self._whole(upper, lanes)
        if whole != 0:
            carried = self._blocks(dim, lower, whole, lanes, carried, emit)
        extent = self.extents[dim]
        if isinstance(extent, int) and extent % lanes == 0:
            return carried
        # From here on Welford's number of elements differs between lanes.
        carried = [v if self._scans(slot) else self.b.spread(v, lanes) for slot, v in enumerate(carried)]
        return self._loop(dim, whole, upper, lanes, upper, carried, emit)

    def _piecewise(self, dim: int, emit: Emit) -> None:
        """Emits a loop over the lanes' dimension for each piece, by vectors; by points for short pieces."""
        body, schedule = self.body, self.schedule
        for piece in self.pieces:
            body.piece, lower, upper, lanes = piece, piece.lower, piece.upper, schedule.lanes
            if upper - lower < TUNING.unrolled_points:
                body.schedule = replace(schedule, lanes=0)
                self._loop(dim, lower, upper, 1, None, [], emit)
            else:
                whole = lower + (upper - lower) // lanes * lanes
                if whole > lower:
                    self._loop(dim, lower, whole, lanes, None, [], emit)
                if whole < upper:
                    self._loop(dim, whole, upper, lanes, upper, [], emit)
            body.schedule = schedule
        body.piece = None

    def _squares(self, dim: int, lower: Int, upper: Int, emit: Emit) -> Int:
        """Emits a loop over `dim` in steps of as many points as there are lanes, each a square; returns where the whole squares end."""
        lanes = self.schedule.lanes
        end = self.b.add(lower, self._whole(self.b.sub(upper, lower), lanes))

        def square(_: Values) -> Values:
            turned = Square(self.body, dim)
            for coordinate in range(lanes):
                turned.enter(coordinate)
                emit([])
            return []

        self._loop(dim, lower, end, lanes, None, [], square)
        return end

    def _whole(self, upper: Int, lanes: int) -> Int:
        if isinstance(upper, int):
            return upper // lanes * lanes
        return self.b.binary("andi", upper, self.b.integer(-lanes))

    def _blocks(self, dim: int, lower: Int, upper: Int, step_: int, carried: Values, emit: Emit) -> Values:
        """Emits a loop, for long sums a nest of loops; returns the carried values."""
        steps = (upper - lower) // step_ if isinstance(upper, int) and isinstance(lower, int) else UNKNOWN_STEPS
        if not any(c.cascaded for c in self.carries) or not carried:
            steps = 0
        return self._cascade(dim, lower, upper, step_, steps, carried, emit)

    def _cascade(self, dim: int, lower: Int, upper: Int, step_: int, steps: int, carried: Values, emit: Emit) -> Values:
        """Emits a loop of at most `steps` iterations, as a nest of loops if these are many; returns the carried values."""
        if steps <= 2 * CASCADE:
            return self._loop(dim, lower, upper, step_, None, carried, emit)
        count = CASCADE
        while count * CASCADE < steps:
            count *= CASCADE
        size = count * step_
        with self.b.loop(lower, upper, size, carried) as block:
            end = self.b.add(block.counter, size)
            if not (isinstance(upper, int) and isinstance(lower, int) and (upper - lower) % size == 0):
                end = self.b.minimum(end, upper)
            inside = partial(self._cascade, dim, block.counter, end, step_, count, emit=emit)
            block.yield_(self._afresh(block.carried, inside))
        return block.results

    def _loop(self, dim: int, lower: Int, upper: Int, step_: int, limit: Int | None, carried: Values, emit: Emit) -> Values:
        """Emits one loop over `dim` in steps of `step_`; returns the carried values. Lanes from `limit` on are masked; None: no mask."""
        body, lanes = self.body, self.schedule.lanes
        with self.b.loop(lower, upper, step_, carried) as loop:
            inside = dim == self.schedule.lane and body.lanes > 0
            aligned = lanes if inside and body.piece is None else 1
            body.dims[dim] = LaneIndex(loop.counter, int(inside), aligned=aligned, bound=self._bound(dim))
            if limit is not None:
                left = self.b.cast("trunci", self.b.int_value(self.b.sub(limit, loop.counter)), self.b.i32)
                body.mask = self.b.compare(SIGNED_LESS, self.b.ramp(self.b.i32, lanes), left)
            loop.yield_(emit(loop.carried))
            if limit is not None:
                body.mask = None
        return loop.results

    def _bound(self, dim: int) -> int:
        extent = self.extents[dim]
        # Lanes beyond the end are inactive, but computed.
        return extent - 1 + self.schedule.lanes if isinstance(extent, int) else ANY

    # One point of the parallel dimensions (or a vector of them).

    def _point(self) -> None:
        for phase in range(self.body.kernel.phases):
            self.row_sinks(phase)
            for carry, values in self.emit_pass(phase):
                self.define_results(carry, values)

    def row_sinks(self, phase: int) -> None:
        """Emits the stores and checks of a phase that do not depend on the reduced dimensions."""
        kernel = self.body.kernel
        for node in kernel.sinks():
            if node.phase == phase and not node.deps & kernel.reduction_dims:
                self.body.emit_sink(node)

    def emit_pass(self, phase: int) -> list[tuple[Carry, Values]]:
        """Emits one pass over the reduced dimensions, with the phase's reductions, stores and checks; returns the reductions' results."""
        kernel, body = self.body.kernel, self.body
        roots = pass_roots(kernel, phase)
        if not roots:
            return []
        body.phase = phase
        wanted = needed_values(kernel, roots, [k.value for k in body.kept.values() if k.phase < phase])
        scans = [n for n in kernel.of(("loop.scan",)) if wanted.intersection(n.results)]
        self.carries = []
        carried: Values = []
        for node in scans + [n for n in roots if n.name == "loop.reduce"]:
            self.carries.append(carry_of(self.b, kernel, node, len(carried)))
            carried += self.start(self.carries[-1])

        def emit(values: Values) -> Values:
            values = self._step(values)
            body.keep()
            for node in roots:
                if node.name != "loop.reduce":
                    body.emit_sink(node)
            return values

        results = self._reduced_loops(self.schedule.reduction_dims, carried, emit)
        found = [(carry, results[carry.slots]) for carry in self.carries if carry.node.name == "loop.reduce"]
        if self.schedule.reduces_lanes:
            return self._across_lanes(found)
        return found

    def _across_lanes(self, found: list[tuple[Carry, Values]]) -> list[tuple[Carry, Values]]:
        """Reduces the lanes of each result to a scalar. Two reductions of one kind and type share their shuffles."""
        scalars: list[tuple[Carry, Values]] = []
        waiting: dict[tuple[str, ir.Type], tuple[Carry, Val]] = {}
        for carry, values in found:
            key = carry.kind, values[0].type
            if len(values) > 1 or values[0].lanes < 2:
                scalars.append((carry, across_lanes(self.b, carry.kind, values)))
            elif key in waiting:
                other, value = waiting.pop(key)
                one, two = pair_across_lanes(self.b, carry.kind, value, values[0])
                scalars += [(other, [one]), (carry, [two])]
            else:
                waiting[key] = carry, values[0]
        return scalars + [(carry, across_lanes(self.b, carry.kind, [value])) for carry, value in waiting.values()]

    def _scans(self, slot: int) -> bool:
        """Whether the slot belongs to a scan along the lanes, which carries one value, the last lane's."""
        return self.schedule.reduces_lanes and any(
            c.node.name == "loop.scan" and c.slots.start <= slot < c.slots.stop for c in self.carries
        )

    def start(self, carry: Carry) -> Values:
        """The initial values of a reduction or scan. Welford's count is a vector if a tail makes lanes' counts differ, else a scalar."""
        if self._scans(carry.slots.start):
            return start(self.b, carry.kind, carry.types, 0)
        values = start(self.b, carry.kind, carry.types, self.schedule.lanes)
        if carry.kind == "welford" and len(self.schedule.reduction_dims) > 1 and self._has_tail():
            values = [self.b.spread(v, self.schedule.lanes) for v in values]
        return values

    def _has_tail(self) -> bool:
        """Whether the lanes run along a reduced dimension whose size they do not divide."""
        if self.schedule.lane is None or not self.schedule.reduces_lanes:
            return False
        extent = self.extents[self.schedule.lane]
        return not isinstance(extent, int) or extent % self.schedule.lanes != 0

    def _reduced_loops(self, dims: list[int], carried: Values, emit: Emit) -> Values:
        """Emits the loops over `dims`, in which each inner loop starts a new sum; without dimensions only the body."""
        if not dims:
            return emit(carried)
        if len(dims) == 1:
            return self._along(dims[0], carried, emit)
        return self._along(dims[0], carried, lambda values: self._afresh(values, lambda fresh: self._reduced_loops(dims[1:], fresh, emit)))

    def _afresh(self, values: Values, emit: Emit) -> Values:
        fresh = list(values)
        for carry in self.carries:
            if carry.cascaded:
                fresh[carry.slots] = self.start(carry)
        results = list(emit(fresh))
        for carry in self.carries:
            if carry.cascaded:
                results[carry.slots] = merge(self.b, carry.kind, values[carry.slots], results[carry.slots])
        return results

    def _step(self, values: Values) -> Values:
        """Adds one element, or vector, to each reduction and scan; scans in order, because one may feed another."""
        body = self.body
        values = list(values)
        for carry in self.carries:
            node, old = carry.node, values[carry.slots]
            factors = self._factors(carry)
            inputs = [] if factors else [self._as(body.value(i), t) for i, t in zip(node.operands, carry.types, strict=False)]
            if factors:
                new = values[carry.slots] = [self._fused(factors, old[0])]
            elif self._scans(carry.slots.start):
                new, values[carry.slots] = self._scan_lanes(carry, old, inputs)
            else:
                new = values[carry.slots] = self._masked_step(carry, old, inputs)
            if node.name == "loop.scan":
                for result, value in zip(node.results, new, strict=True):
                    body.define_here(result, self._as(value, body.kernel.values[result].type))
        return values

    def _factors(self, carry: Carry) -> Values:
        """The factors of a product that `fma` adds without rounding it first; empty if the reduction adds no such product."""
        body = self.body
        if CONTRACT not in carry.node.attributes or not body.target.fuses:
            return []
        product = body.kernel.values[carry.node.operands[0]].producer
        if product is None or product.name != "arith.mulf" or carry.types[0] != body.kernel.values[product.results[0]].type:
            return []
        return [self.b.spread(body.value(i), self.schedule.lanes) for i in product.operands]

    def _fused(self, factors: Values, old: Val) -> Val:
        new = self.b.elementwise("math.fma", [*factors, old], old.type)
        mask = self.body.mask if self.schedule.reduces_lanes else None
        return new if mask is None else self.b.select(mask, new, old)

    def _scan_lanes(self, carry: Carry, old: Values, inputs: Values) -> tuple[Values, Values]:
        """The scan of one vector, and the carried value: each lane adds the lane 1 before it, then 2 before it, then 4, and so on."""
        b, lanes = self.b, self.schedule.lanes
        nothing = start(b, carry.kind, carry.types, lanes)
        found = [b.spread(v, lanes) for v in inputs]
        if self.body.mask is not None:
            found = [b.select(self.body.mask, v, n) for v, n in zip(found, nothing, strict=True)]
        distance = 1
        while distance < lanes:
            chosen = [*range(distance), *range(lanes, 2 * lanes - distance)]
            found = merge(b, carry.kind, [b.shuffle(n, v, chosen) for n, v in zip(nothing, found, strict=True)], found)
            distance *= 2
        found = merge(b, carry.kind, [b.spread(v, lanes) for v in old], found)
        return found, [b.lane(v, lanes - 1) for v in found]

    def _masked_step(self, carry: Carry, old: Values, inputs: Values) -> Values:
        b, lanes = self.b, self.schedule.lanes
        mask = self.body.mask if self.schedule.reduces_lanes else None
        if lanes:
            inputs = [b.spread(v, lanes) for v in inputs]
        if mask is None:
            return step(b, carry.kind, old, inputs)
        if carry.kind == "welford":
            return [b.select(mask, n, o) for n, o in zip(step(b, carry.kind, old, inputs), old, strict=True)]
        nothing = start(b, carry.kind, carry.types, lanes)
        return step(b, carry.kind, old, [b.select(mask, v, n) for v, n in zip(inputs, nothing, strict=True)])

    def define_results(self, carry: Carry, values: Values) -> None:
        """Sets the results of a reduction at this point."""
        for result, value in zip(carry.node.results, values, strict=False):
            self.body.define_here(result, self._as(value, self.body.kernel.values[result].type))

    def _as(self, value: Val, type_: ir.Type) -> Val:
        """A float value in another width; half types go through f32."""
        if value.type == type_ or isinstance(type_, ir.IndexType):
            return value
        if is_half(value.type):
            return self._as(self.b.cast("extf", value, self.b.f32), type_)
        if is_half(type_) and value.type != self.b.f32:
            value = self.b.cast("truncf", value, self.b.f32)
        return self.b.cast("extf" if type_ == self.b.f64 else "truncf", value, type_)
