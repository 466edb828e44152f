"""Emits the sweeps of a kernel over its reduced or scanned dimensions: at once, or block by block in a loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from ..cpu.kept import needed, sweep_roots
from ..cpu.kernel import Kernel, Node
from .body import SIGNED_LESS, Body
from .builder import Builder, Val
from .combine import STEPWISE, Carry, Values, carry_of, enter, leave, merge, start, step
from .grouped import Groups, groups_of
from .index import Index, Num
from .last_reads import last_reads
from .online import ONLINE
from .schedule import Axis


@dataclass(slots=True, eq=False)
class Sweeper:
    """The sweeps of the kernel of `body`. `scratch`: the first of the scratch buffers of each reduction that is done in parts."""

    body: Body
    scratch: dict[Node, int] = field(default_factory=dict)
    placed: bool = False
    sweeps: int = 0
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
        """The stores and checks of a phase that do not depend on the swept dimensions."""
        for node in self.kernel.sinks():
            if node.phase == phase and not node.deps & self.kernel.swept:
                self.body.emit_sink(node)

    def sweep(self, phase: int) -> None:
        """One walk over the swept dimensions: the results of this phase's reductions; stores that wait for it are made."""
        roots = sweep_roots(self.kernel, phase)
        if not roots:
            return
        wanted = needed(self.kernel, roots)
        scans = [carry_of(self.b, self.kernel, n) for n in self.kernel.of(("loop.scan",)) if wanted.intersection(n.results)]
        reductions = [carry_of(self.b, self.kernel, n) for n in roots if n.name == "loop.reduce"]
        sinks = [n for n in roots if n.name != "loop.reduce"]
        self.body.last_reads = last_reads(self.kernel, phase, self.body.schedule.looped)
        if self.body.schedule.looped:
            self._in_blocks(scans, reductions, sinks)
        else:
            self._at_once(scans, reductions, sinks)

    # At once.

    def _at_once(self, scans: list[Carry], reductions: list[Carry], sinks: list[Node]) -> None:
        if not self.placed:
            self.body.place(self._axis, Num(0))
            self.placed = True
        for carry in scans:
            if not self.body.knows(carry.node.results[0]):
                self._define(carry, self._scanned(carry, self._inputs(carry)))
        for carry in reductions:
            inputs = self._counted(carry, self._step(carry, self._start(carry))) if carry.kind in STEPWISE else self._inputs(carry)
            self._done(carry, self._across(carry, inputs))
        for node in sinks:
            self.body.emit_sink(node)

    @property
    def _axis(self) -> Axis:
        axis = self.body.schedule.swept
        assert axis is not None
        return axis

    @property
    def _number(self) -> int:
        return self.body.tile_axis(self._axis)

    @property
    def _axes(self) -> frozenset[int]:
        """The axes of rows and of what is swept; parts lie along another one."""
        return frozenset(n for n, a in enumerate(self.body.schedule.tile) if a.dims)

    def _inputs(self, carry: Carry) -> Values:
        """The elements of this block, of no effect where it reaches over the end."""
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

    def _groups(self, carry: Carry) -> Groups | None:
        """The groups of points for which `carry` is carried together."""
        return groups_of(self.b, self.kernel, self.body.schedule) if carry.kind == ONLINE else None

    def _done(self, carry: Carry, values: Values) -> None:
        """Says what the results are, or puts away those of a part."""
        if self.body.schedule.parts > 1:
            self._put_away(carry, values)
        else:
            self._define(carry, values)

    def _define(self, carry: Carry, values: Values) -> None:
        for result, value in zip(carry.node.results, leave(self.b, self.kernel, carry, values), strict=True):
            self.body.define(result, value)

    def _scanned(self, carry: Carry, inputs: Values) -> Values:
        return self.b.scan(inputs, self._number, self._axes, partial(merge, self.b, carry.kind))

    # In blocks.

    def _in_blocks(self, scans: list[Carry], reductions: list[Carry], sinks: list[Node]) -> None:
        carried = [self._start(c) for c in scans] + [self._start(c) for c in reductions]
        flat = [v for values in carried for v in values]
        lower, upper, size = self._range()
        backwards = self.sweeps % 2 == 1 and not scans and not any(c.kind == "welford" for c in reductions)
        self.sweeps += 1
        self.body.streaming = self.sweeps > 1 and not reductions
        with self.b.loop(lower, upper, size, flat, self.body.schedule.stages) as loop:
            self.body.place(self._axis, self._block_start(Num(loop.counter, 0, self._last()), backwards))
            inside = _unflatten(loop.carried, carried)
            new = [self._scan_block(c, old) for c, old in zip(scans, inside, strict=False)]
            for carry, old in zip(reductions, inside[len(scans) :], strict=True):
                new.append(self._step(carry, old))
            for node in sinks:
                self.body.emit_sink(node)
            loop.yield_([v for values in new for v in values])
        self.body.forget(self._axis)
        self.body.place(self._axis, self._last_start())
        results = [self._counted(c, values) for c, values in zip(reductions, _unflatten(loop.results, carried)[len(scans) :], strict=True)]
        self.body.forget(self._axis)
        for carry, values in zip(reductions, results, strict=True):
            self._done(carry, self._across(carry, values))

    def _start(self, carry: Carry) -> Values:
        groups = self._groups(carry)
        if groups is not None:
            return groups.start(carry)
        axes = self._axes if carry.node.name == "loop.reduce" else self._axes - {self._number}
        values = start(self.b, carry)
        spread = [self.b.spread(v, axes) for v in values]
        return [*spread[:2], values[2]] if carry.kind == "welford" else spread

    def _counted(self, carry: Carry, values: Values) -> Values:
        """Welford's with the count of each lane in place of the number of rounds: the last block may reach over the end."""
        b, mask = self.b, self.body.masks.get(self._number)
        if carry.kind != "welford" or mask is None:
            return values
        rounds = values[2]
        zero, one = (b.number(n, rounds.type) for n in (0.0, 1.0))
        return [*values[:2], b.select(mask, rounds, b.binary("maximumf", b.binary("subf", rounds, one), zero))]

    def _range(self) -> tuple[Val, Val, Val]:
        """From where to where this program goes, block by block."""
        body, numbers = self.body, self.body.indices.numbers
        extent = body.extent(self._axis)
        lower, upper = Num(0), extent
        if body.schedule.parts > 1:
            blocks = body.indices.divide("ceildiv", Index(body.blocks(self._axis)), Index(Num(body.schedule.parts))).base
            size = numbers.mul(blocks, Num(self._axis.block))
            lower = numbers.mul(body.part, size)
            upper = numbers.minimum(numbers.add(lower, size), extent)
        type_ = self.b.i32 if extent.narrow and upper.narrow and lower.narrow else self.b.i64
        self.bounds = lower, upper
        return numbers.emitted(lower, type_), numbers.emitted(upper, type_), self.b.number(self._axis.block, type_)

    def _block_start(self, counter: Num, backwards: bool) -> Num:
        """Where a block begins. Every other sweep goes backwards: what was read last is still in the cache."""
        if not backwards:
            return counter
        numbers = self.body.indices.numbers
        both = numbers.add(self.bounds[0], self._last_start())
        return Num(numbers.sub(both, counter).value, 0, self._last())

    def _last_start(self) -> Num:
        """Where the last block of this program begins."""
        numbers, block, (lower, upper) = self.body.indices.numbers, Num(self._axis.block), self.bounds
        count = self.body.indices.divide("ceildiv", Index(numbers.sub(upper, lower)), Index(block)).base
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
        """The running values of a block, behind those of the blocks before it; the last ones are carried on."""
        inputs = self._inputs(carry)
        self._define(carry, merge(self.b, carry.kind, old, self._scanned(carry, inputs)))
        return merge(self.b, carry.kind, old, self._across(carry, inputs))

    # In parts.

    def _put_away(self, carry: Carry, values: Values) -> None:
        """Stores the results of this part."""
        for slot, value in enumerate(values):
            offset = self._slot_offset(Index(self.body.part))
            pointer = self.body.address(self.body.arguments.scratch[self.scratch[carry.node] + slot], offset)
            self.body.store(pointer, value, None)

    def _slot_offset(self, part: Index) -> Index:
        """Where the results of a part lie: [part][row]."""
        body, indices = self.body, self.body.indices
        rows = Num(1)
        for axis in body.schedule.axes:
            if axis.dims and not axis.swept:
                rows = indices.numbers.mul(rows, body.extent(axis))
        return indices.add(indices.mul(part, Index(rows)), body.linear)

    def merge_parts(self, node: Node) -> None:
        """The results of a reduction from the parts that an earlier launch stored."""
        b, body = self.b, self.body
        carry = carry_of(b, self.kernel, node)
        number = len(body.schedule.tile) - 1
        parts = body.schedule.parts
        lanes = Num(b.ramp(number), 0, parts - 1)
        if parts < b.shape[number]:
            body.masks[number] = b.compare(SIGNED_LESS, b.ramp(number), b.number(parts, b.i32))
        offset = self._slot_offset(Index(Num(0), lanes))
        values = []
        for slot, (type_, nothing) in enumerate(zip(carry.types, start(b, carry), strict=True)):
            pointer = body.address(body.arguments.scratch[self.scratch[node] + slot], offset)
            value = body.load(pointer, type_, None)
            mask = body.masks.get(number)
            values.append(value if mask is None else b.select(mask, value, nothing))
        axes = frozenset({number}).union(*[v.axes for v in values])
        self._define(carry, b.reduce(values, number, axes, partial(merge, b, carry.kind)))


def _unflatten(values: list[Val], like: list[Values]) -> list[Values]:
    """`values` in lists of the lengths of those of `like`."""
    rest = iter(values)
    return [[next(rest) for _ in group] for group in like]
