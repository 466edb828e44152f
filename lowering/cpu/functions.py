"""Makes the functions of a kernel, and the one that returns their addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...torch_internals.layout import KERNEL_TABLE
from ..kernel.analysis import ExprTree, Kernel
from .body import Arguments, LaneBody
from .builder import Builder, Int, Val
from .dots import DotsNest
from .index import IndexEmitter, LaneIndex
from .kept import plan_kept
from .nest import Nest
from .piecewise_affine import plan_pieces
from .schedule import Schedule, choose_schedule, cost, may_be_large
from .split import PartsNest, RestNest, Split, parts_schedule, plan_split
from .target import Target
from .threads import emit_run, emit_runner, unpack

KEPT_APART = ("noinline",)


@dataclass(slots=True, eq=False)
class Emission:
    """Data that all functions of one kernel share."""

    b: Builder
    target: Target
    kernel: Kernel
    schedule: Schedule
    split: Split | None

    @property
    def types(self) -> list[ir.Type]:
        """The kernel's arguments: buffers, symbols."""
        return [self.b.ptr] * len(self.kernel.buffers) + [self.b.i64] * self.kernel.symbols

    @property
    def shared_types(self) -> list[ir.Type]:
        """The arguments of the functions that threads run: the kernel's, the status, the results of parts."""
        return self.types + [self.b.ptr] * (1 + (self.split.slots if self.split else 0))

    def body(self, given: Sequence[Val], schedule: Schedule) -> tuple[LaneBody, list[Int]]:
        """The body for a function with arguments `given` (of `shared_types`), and the extents of the domain."""
        buffers, symbols = len(self.kernel.buffers), self.kernel.symbols
        arguments = Arguments(list(given[:buffers]), list(given[buffers : buffers + symbols]), given[buffers + symbols])
        kept = plan_kept(self.kernel, schedule)
        return LaneBody(self.b, self.target, self.kernel, arguments, schedule, kept=kept), _extents(self.b, self.kernel, arguments.symbols)

    def nest(self, given: Sequence[Val]) -> Nest:
        """The loops over the chunks."""
        body, extents = self.body(given, self.schedule)
        if self.schedule.many_sums:
            return DotsNest(body, self.schedule, extents)
        if self.split is None:
            return Nest(body, self.schedule, extents, pieces=plan_pieces(self.kernel, self.schedule))
        schedule = parts_schedule(Nest(body, self.schedule, extents), self.split)
        body.schedule = schedule
        return PartsNest(body, schedule, extents, split=self.split, results=tuple(given[len(self.types) + 1 :]))

    def rest(self, given: Sequence[Val], parts: Nest) -> RestNest:
        """The loops that continue with the results of the parts."""
        assert self.split is not None
        body, extents = self.body(given, self.schedule)
        count = parts.chunk_counts()[-1]
        return RestNest(body, self.schedule, extents, split=self.split, results=tuple(given[len(self.types) + 1 :]), parts=count)


def emit_kernel(b: Builder, target: Target, kernel: Kernel) -> None:
    """`@kernel(buffers..., symbols...) -> i32`"""
    schedule = choose_schedule(kernel, target)
    if 0 in kernel.extents and not kernel.reduction_dims:
        _emit_nothing(b, target, kernel)
        return
    emission = Emission(b, target, kernel, schedule, plan_split(b, kernel, schedule))
    shared = emission.split is not None or may_be_large(kernel, schedule)
    chunks = kernel.name + ".chunks"
    if shared:
        emit_runner(b, target.features)
        with b.function(chunks, [b.ptr, b.i64, b.i64], None, KEPT_APART, target.features) as (memory, lower, upper):
            emission.nest(unpack(b, memory, emission.shared_types)).emit(lower, upper)
            b.return_()
    with b.function(kernel.name, emission.types, b.i32, KEPT_APART, target.features) as given:
        status = b.alloca(b.i32)
        b.effect("llvm.store", [b.integer(0, b.i32), status])
        split = emission.split
        results = [b.alloca(b.i64, split.points * split.parts) for _ in range(split.slots)] if split else []
        given = [*given, status, *results]
        nest = emission.nest(given)
        if shared:
            emit_run(b, chunks, given, nest.count(), nest.work(cost(kernel)))
        else:
            nest.emit(0, nest.count())
        if split:
            rest = emission.rest(given, nest)
            rest.emit(0, rest.count())
        b.return_([b.read("llvm.load", [status], b.i32, 0)])


def _emit_nothing(b: Builder, target: Target, kernel: Kernel) -> None:
    """The kernel of an empty domain without reductions: its buffers may have no memory."""
    types = [b.ptr] * len(kernel.buffers) + [b.i64] * kernel.symbols
    with b.function(kernel.name, types, b.i32, KEPT_APART, target.features):
        b.return_([b.integer(0, b.i32)])


def _extents(b: Builder, kernel: Kernel, symbols: Sequence[Val]) -> list[Int]:
    """The extents of the domain."""

    def leaf(expr: ExprTree) -> LaneIndex:
        return LaneIndex(symbols[expr[1]])

    index = IndexEmitter(b, 0, leaf)
    return [e if isinstance(e, int) else index.emit(e).base for e in kernel.extents]


def emit_table(b: Builder, names: Sequence[str]) -> None:
    """`@mlirind_kernels(table)`: writes the kernels' addresses."""
    with b.function(KERNEL_TABLE, [b.ptr], None) as (table,):
        for position, name in enumerate(names):
            b.effect("llvm.store", [b.address_of(name), b.pointer(table, b.integer(position), b.i64)])
        b.return_()
