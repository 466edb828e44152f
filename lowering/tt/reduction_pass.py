"""Emits a kernel's reduction passes over its reduced or scanned dimensions: at once, or block by block in a loop."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from torch_mlir import ir

from ...dialects.narrowing import text
from ..kernel.analysis import Kernel, Node
from ..kernel.hoisting import Level
from ..kernel.reduction_passes import needed_values, pass_roots
from .body import EVICT_FIRST, EVICT_LAST, SIGNED_LESS, TileBody
from .builder import Builder, Val
from .combine import STEPWISE, Carry, Values, carry_of, enter, leave, merge, start, step
from .eviction_hints import final_reads
from .grouped import Groups, groups_of
from .index import Num, TileIndex
from .online import ONLINE
from .schedule import Axis


@dataclass(frozen=True, eq=False)
class Work:
    """What a reduction pass has to compute."""

    scans: list[Carry]
    reductions: list[Carry]
    sinks: list[Node]


@dataclass(frozen=True, eq=False)
class Block:
    """A block of the reduced axis that stays in registers: its begin, and the values that were emitted for it."""

    position: int
    level: Level


@dataclass(slots=True, eq=False)
class PassEmitter:
    """The reduction passes of the kernel of `body`. `scratch`: the first scratch buffer of each split reduction; `merged`: the first of the
    merged results, if a launch of its own merges them; `kept`: the blocks that the previous pass left in registers."""

    body: TileBody
    scratch: dict[Node, int] = field(default_factory=dict)
    merged: dict[Node, int] = field(default_factory=dict)
    placed: bool = False
    passes: int = 0
    phase: int = 0
    kept: list[Block] = field(default_factory=list)
    bounds: tuple[Num, Num] = field(default_factory=lambda: (Num(0), Num(0)))

    @property
    def b(self) -> Builder:
        """The builder."""
        return self.body.b

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.body.kernel

    def row_sinks(self, phase: int) -> None:
        """Emits the stores and checks of a phase that do not depend on the reduced dimensions."""
        for node in self.kernel.sinks():
            if node.phase == phase and not node.deps & self.kernel.reduction_dims:
                self.body.emit_sink(node)

    def emit_pass(self, phase: int) -> None:
        """Emits one pass over the reduced dimensions, with the phase's reductions, stores and checks."""
        roots = pass_roots(self.kernel, phase)
        if not roots:
            return
        wanted = needed_values(self.kernel, roots)
        scans = [carry_of(self.b, self.kernel, n) for n in self.kernel.of(("loop.scan",)) if wanted.intersection(n.results)]
        reductions = [carry_of(self.b, self.kernel, n) for n in roots if n.name == "loop.reduce"]
        work = Work(scans, reductions, [n for n in roots if n.name != "loop.reduce"])
        self.phase = phase
        self.body.evictions = dict.fromkeys(final_reads(self.kernel, phase, self.body.schedule.looped), EVICT_FIRST)
        if self.body.schedule.looped:
            self._in_blocks(work)
        else:
            self._at_once(work)

    # At once.

    def _at_once(self, work: Work) -> None:
        if not self.placed:
            self.body.enter_block(self._axis, Num(0))
            self.placed = True
        for carry in work.scans:
            if not self.body.knows(carry.node.results[0]):
                self._define(carry, self._scanned(carry, self._inputs(carry)))
        for carry in work.reductions:
            inputs = self._counted(carry, self._step(carry, self._start(carry))) if carry.kind in STEPWISE else self._inputs(carry)
            self._done(carry, self._from_zero(carry, self._across(carry, inputs)))
        for node in work.sinks:
            self.body.emit_sink(node)

    @property
    def _axis(self) -> Axis:
        axis = self.body.schedule.reduction_axis
        assert axis is not None
        return axis

    @property
    def _number(self) -> int:
        return self.body.tile_axis(self._axis)

    @property
    def _axes(self) -> frozenset[int]:
        """The axes of rows and of the reduced dimensions; splits are another axis."""
        return frozenset(n for n, a in enumerate(self.body.schedule.tile) if a.dims)

    def _inputs(self, carry: Carry) -> Values:
        """The elements of this block; out-of-range lanes hold the reduction's identity."""
        values = enter(self.b, carry, [self.body.value(i) for i in carry.node.operands])
        mask = self.body.masks.get(self._number)
        if mask is None or carry.kind in STEPWISE:
            return values
        return [self.b.select(mask, v, n) for v, n in zip(values, start(self.b, carry), strict=True)]

    def _across(self, carry: Carry, values: Values) -> Values:
        groups = self._groups(carry)
        if groups is not None:
            return groups.across(carry, values)
        return self.b.reduce(values, self._number, self._axes, partial(merge, self.b, carry.kind))

    def _from_zero(self, carry: Carry, sums: Values) -> Values:
        """The sums of floats with 0.0 before them, as in eager and in the loop over blocks: no sum is -0.0."""
        is_sum = carry.kind == "add" and not isinstance(carry.types[0], ir.IntegerType)
        return merge(self.b, carry.kind, start(self.b, carry), sums) if is_sum else sums

    def _groups(self, carry: Carry) -> Groups | None:
        """The groups of points that share one value of `carry`."""
        return groups_of(self.b, self.kernel, self.body.schedule) if carry.kind == ONLINE else None

    def _done(self, carry: Carry, values: Values) -> None:
        """Defines the results of a reduction, or stores those of a split in scratch memory."""
        if self.body.schedule.splits > 1:
            self._put_away(carry, values)
        else:
            self._define(carry, values)

    def _define(self, carry: Carry, values: Values) -> None:
        for result, value in zip(carry.node.results, leave(self.b, self.kernel, carry, values), strict=True):
            self.body.define(result, value)

    def _scanned(self, carry: Carry, inputs: Values) -> Values:
        return self.b.scan(inputs, self._number, self._axes, partial(merge, self.b, carry.kind))

    # In blocks.

    def _in_blocks(self, work: Work) -> None:
        carried = [self._start(c) for c in (*work.scans, *work.reductions)]
        self._range()
        last = self._last_start()
        backwards = self.passes % 2 == 1 and not work.scans and not any(c.kind == "welford" for c in work.reductions)
        self.passes += 1
        self.body.streaming = self.passes > 1 and not work.reductions
        kept, self.kept = self.kept, []
        for block in reversed(kept):
            with self._at(block):
                carried = _outside(self._round(work, carried))
        if kept:
            self.bounds = self.bounds[0], Num(kept[0].position)
        elif self._may_keep(work):
            self._set_apart()
        carried = self._keep(work, self._loop(work, carried, backwards))
        self.body.enter_block(self._axis, last)
        results = [self._counted(c, values) for c, values in zip(work.reductions, carried[len(work.scans) :], strict=True)]
        self.body.forget(self._axis)
        for carry, values in zip(work.reductions, results, strict=True):
            self._done(carry, self._across(carry, values))

    def _loop(self, work: Work, carried: list[Values], backwards: bool) -> list[Values]:
        """Emits the loop over the blocks; returns the carried values after the last one."""
        body, numbers = self.body, self.body.indices.numbers
        narrow = all(n.narrow for n in (body.extent(self._axis), *self.bounds))
        type_ = self.b.i32 if narrow else self.b.i64
        lower, upper = (numbers.emitted(n, type_) for n in self.bounds)
        flat = [v for values in carried for v in values]
        with self.b.loop(lower, upper, self.b.number(self._axis.block, type_), flat, body.schedule.stages) as loop:
            body.enter_block(self._axis, self._block_start(Num(loop.counter, 0, self._last()), backwards))
            loop.yield_([v for values in self._round(work, _unflatten(loop.carried, carried)) for v in values])
        body.forget(self._axis)
        return _unflatten(loop.results, carried)

    def _round(self, work: Work, old: list[Values]) -> list[Values]:
        """Emits the code for one block; returns the carried values after it."""
        many = len(work.scans)
        new = [self._scan_block(c, values) for c, values in zip(work.scans, old[:many], strict=True)]
        new += [self._step(c, values) for c, values in zip(work.reductions, old[many:], strict=True)]
        for node in work.sinks:
            self.body.emit_sink(node)
        return new

    # Blocks that stay in registers: the last ones of a pass, with which the next one begins.

    def _may_keep(self, work: Work) -> bool:
        """Whether this is the first pass, and the next one reads the same blocks backwards."""
        roots = pass_roots(self.kernel, self.phase + 1)
        welford = any(n.name == "loop.reduce" and text(n.attributes["kind"]) == "welford" for n in roots)
        return bool(roots and self.body.schedule.kept and self.passes == 1 and not work.scans and not welford)

    def _set_apart(self) -> None:
        """Chooses the blocks that stay in registers. Loads of the other blocks ask the cache to keep as much of them as possible."""
        extent, size, schedule = self.body.extent(self._axis).value, self._axis.block, self.body.schedule
        assert isinstance(extent, int) and schedule.splits == 1
        count = -(-extent // size)
        first = max(1, count - schedule.kept)
        self.kept = [Block(n * size, Level(self.b.levels[-1].ip)) for n in range(first, count)]
        self.bounds = Num(0), Num(first * size)
        self.body.evictions = dict.fromkeys(final_reads(self.kernel, self.phase + 1, True), EVICT_LAST)

    def _keep(self, work: Work, carried: list[Values]) -> list[Values]:
        """Processes the blocks that stay in registers. All their loads are issued before the first value is used."""
        if not self.kept:
            return carried
        self.body.evictions = dict.fromkeys(final_reads(self.kernel, self.phase + 1, True), EVICT_FIRST)
        wanted = needed_values(self.kernel, pass_roots(self.kernel, self.phase))
        loads = [n.results[0] for n in self.kernel.of(("loop.load",)) if n.deps & self.kernel.reduction_dims and n.results[0] in wanted]
        for block in self.kept:
            with self._at(block):
                for load in loads:
                    self.body.find(load)
        for block in self.kept:
            with self._at(block):
                carried = _outside(self._round(work, carried))
        return carried

    @contextlib.contextmanager
    def _at(self, block: Block) -> Iterator[None]:
        """A context in which values emitted for a kept block are found again."""
        b = self.b
        b.levels.append(block.level)
        constant = b.number(block.position, b.i32)
        self.body.enter_block(self._axis, Num(Val(constant.ssa, b.i32, constant.axes, len(b.levels) - 1), block.position, block.position))
        yield
        self.body.forget(self._axis)
        b.levels.pop()

    def _start(self, carry: Carry) -> Values:
        groups = self._groups(carry)
        if groups is not None:
            return groups.start(carry)
        axes = self._axes if carry.node.name == "loop.reduce" else self._axes - {self._number}
        values = start(self.b, carry)
        spread = [self.b.spread(v, axes) for v in values]
        return [*spread[:2], values[2]] if carry.kind == "welford" else spread

    def _counted(self, carry: Carry, values: Values) -> Values:
        """Welford's values, with the count of each lane instead of the number of iterations: the last block may reach beyond the end."""
        b, mask = self.b, self.body.masks.get(self._number)
        if carry.kind != "welford" or mask is None:
            return values
        rounds = values[2]
        zero, one = (b.number(n, rounds.type) for n in (0.0, 1.0))
        return [*values[:2], b.select(mask, rounds, b.binary("maximumf", b.binary("subf", rounds, one), zero))]

    def _range(self) -> None:
        """Sets the range of blocks of this program."""
        body, numbers = self.body, self.body.indices.numbers
        extent = body.extent(self._axis)
        lower, upper = Num(0), extent
        if body.schedule.splits > 1:
            blocks = body.indices.divide("ceildiv", TileIndex(body.blocks(self._axis)), TileIndex(Num(body.schedule.splits))).base
            size = numbers.mul(blocks, Num(self._axis.block))
            lower = numbers.mul(body.split, size)
            upper = numbers.minimum(numbers.add(lower, size), extent)
        self.bounds = lower, upper

    def _block_start(self, counter: Num, backwards: bool) -> Num:
        """The begin of a block. Every other pass goes backwards: what was read last is still in the cache."""
        if not backwards:
            return counter
        numbers = self.body.indices.numbers
        both = numbers.add(self.bounds[0], self._last_start())
        return Num(numbers.sub(both, counter).value, 0, self._last())

    def _last_start(self) -> Num:
        """The begin of this program's last block."""
        numbers, block, (lower, upper) = self.body.indices.numbers, Num(self._axis.block), self.bounds
        count = self.body.indices.divide("ceildiv", TileIndex(numbers.sub(upper, lower)), TileIndex(block)).base
        return numbers.add(lower, numbers.mul(numbers.sub(count, Num(1)), block))

    def _last(self) -> int | None:
        hi = self.body.extent(self._axis).hi
        return None if hi is None else max(hi - 1, 0)

    def _step(self, carry: Carry, old: Values) -> Values:
        mask, groups, inputs = self.body.masks.get(self._number), self._groups(carry), self._inputs(carry)
        if groups is not None:
            inside = inputs[0] if mask is None else self.b.select(mask, inputs[0], start(self.b, carry)[0])
            return groups.step(old, self.b.spread(inside, self._axes))
        new = step(self.b, carry, old, inputs)
        if mask is None or carry.kind not in STEPWISE:
            return new
        changed = 2  # Welford's count is the same in all lanes
        return [self.b.select(mask, n, o) for n, o in zip(new[:changed], old, strict=False)] + new[changed:]

    def _scan_block(self, carry: Carry, old: Values) -> Values:
        """The running values of a block, continued from those of earlier blocks; the last ones are carried on."""
        inputs = self._inputs(carry)
        self._define(carry, merge(self.b, carry.kind, old, self._scanned(carry, inputs)))
        return merge(self.b, carry.kind, old, self._across(carry, inputs))

    # Split reductions.

    def _put_away(self, carry: Carry, values: Values) -> None:
        """Stores the results of this split in scratch memory."""
        for slot, value in enumerate(values):
            offset = self._slot_offset(TileIndex(self.body.split))
            pointer = self.body.address(self.body.arguments.scratch[self.scratch[carry.node] + slot], offset)
            self.body.store(pointer, value, None)

    def _slot_offset(self, split: TileIndex) -> TileIndex:
        """The offset of a split's results: [split][row]."""
        body, indices = self.body, self.body.indices
        rows = Num(1)
        for axis in body.schedule.axes:
            if axis.dims and not axis.is_reduction:
                rows = indices.numbers.mul(rows, body.extent(axis))
        return indices.add(indices.mul(split, TileIndex(rows)), body.linear)

    def merge_splits(self, node: Node) -> None:
        """Defines the results of a reduction: those that an earlier launch merged, or combined from the splits that it stored."""
        carry = carry_of(self.b, self.kernel, node)
        self._define(carry, self._stored_result(carry) if node in self.merged else self._merged(carry))

    def merge_for_later(self, node: Node) -> None:
        """Merges the splits of a reduction, and stores the result for later launches."""
        body, carry = self.body, carry_of(self.b, self.kernel, node)
        for slot, value in enumerate(self._merged(carry)):
            body.store(body.address(body.arguments.scratch[self.merged[node] + slot], body.linear), value, None)

    def _stored_result(self, carry: Carry) -> Values:
        body, first = self.body, self.merged[carry.node]
        pointers = [body.address(body.arguments.scratch[first + slot], body.linear) for slot in range(len(carry.types))]
        return [body.load(pointer, type_, None) for pointer, type_ in zip(pointers, carry.types, strict=True)]

    def _merged(self, carry: Carry) -> Values:
        b, body = self.b, self.body
        number = len(body.schedule.tile) - 1
        splits = body.schedule.splits
        lanes = Num(b.ramp(number), 0, splits - 1)
        if splits < b.shape[number]:
            body.masks[number] = b.compare(SIGNED_LESS, b.ramp(number), b.number(splits, b.i32))
        offset = self._slot_offset(TileIndex(Num(0), lanes))
        values = []
        for slot, (type_, nothing) in enumerate(zip(carry.types, start(b, carry), strict=True)):
            pointer = body.address(body.arguments.scratch[self.scratch[carry.node] + slot], offset)
            value = body.load(pointer, type_, None)
            mask = body.masks.get(number)
            values.append(value if mask is None else b.select(mask, value, nothing))
        axes = frozenset({number}).union(*[v.axes for v in values])
        return b.reduce(values, number, axes, partial(merge, b, carry.kind))


def _outside(carried: list[Values]) -> list[Values]:
    """The carried values of a kept block, for the code after the block."""
    return [[Val(v.ssa, v.type, v.axes, 0) for v in values] for values in carried]


def _unflatten(values: list[Val], like: list[Values]) -> list[Values]:
    """`values` in lists of the same lengths as those of `like`."""
    rest = iter(values)
    return [[next(rest) for _ in group] for group in like]
