"""Makes the functions of a kernel, and the one that gives their addresses."""

from __future__ import annotations

from collections.abc import Sequence

from .body import Arguments, Body
from .builder import Builder, Int, Val
from .index import Index, IndexEmitter
from .kept import plan_kept
from .kernel import Expr, Kernel
from .nest import Nest
from .schedule import Schedule, choose_schedule, cost, may_be_large
from .target import Target
from .threads import emit_launch, emit_thread_count, emit_worker

TABLE = "mlirind_kernels"
KEPT_APART = ("noinline",)


def emit_kernel(b: Builder, target: Target, kernel: Kernel) -> None:
    """`@kernel(buffers..., symbols...) -> i32`"""
    schedule = choose_schedule(kernel, target)
    types = [b.ptr] * len(kernel.buffers) + [b.i64] * kernel.symbols
    shared = may_be_large(kernel, schedule)
    items = kernel.name + ".items"
    if shared:
        emit_thread_count(b, target.features)
        _emit_items(b, target, kernel, schedule, items)
        emit_worker(b, kernel.name + ".worker", items, [*types, b.ptr], target.features)
    with b.function(kernel.name, types, b.i32, KEPT_APART, target.features) as given:
        status = b.alloca(b.i32)
        b.effect("llvm.store", [b.integer(0, b.i32), status])
        nest = _nest(b, target, kernel, schedule, [*given, status])
        count = nest.count()
        if shared:
            emit_launch(b, kernel.name + ".worker", items, [*given, status], count, nest.work(cost(kernel)))
        else:
            nest.emit(0, count)
        b.return_([b.read("llvm.load", [status], b.i32, 0)])


def _emit_items(b: Builder, target: Target, kernel: Kernel, schedule: Schedule, name: str) -> None:
    """`@name(buffers..., symbols..., status, lower, upper)`"""
    types = [b.ptr] * len(kernel.buffers) + [b.i64] * kernel.symbols
    with b.function(name, [*types, b.ptr, b.i64, b.i64], None, KEPT_APART, target.features) as (*given, lower, upper):
        _nest(b, target, kernel, schedule, given).emit(lower, upper)
        b.return_()


def _nest(b: Builder, target: Target, kernel: Kernel, schedule: Schedule, given: Sequence[Val]) -> Nest:
    """The loops of the kernel, with what the function was given: buffers, symbols, the place of the status."""
    count = len(kernel.buffers)
    arguments = Arguments(list(given[:count]), list(given[count:-1]), given[-1])
    body = Body(b, target, kernel, arguments, schedule, kept=plan_kept(kernel, schedule))
    return Nest(body, schedule, _extents(b, kernel, arguments.symbols))


def _extents(b: Builder, kernel: Kernel, symbols: Sequence[Val]) -> list[Int]:
    """The extents of the domain."""

    def leaf(expr: Expr) -> Index:
        return Index(symbols[expr[1]])

    index = IndexEmitter(b, 0, leaf)
    return [e if isinstance(e, int) else index.emit(e).base for e in kernel.extents]


def emit_table(b: Builder, names: Sequence[str]) -> None:
    """`@mlirind_kernels(table)`: writes the kernels' addresses."""
    with b.function(TABLE, [b.ptr], None) as (table,):
        for position, name in enumerate(names):
            b.effect("llvm.store", [b.address_of(name), b.pointer(table, b.integer(position), b.i64)])
        b.return_()
