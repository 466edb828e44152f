"""Makes the functions of a kernel, and the one that gives their addresses."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from .body import Arguments, Body
from .builder import Builder, Int, Val
from .index import Index, IndexEmitter
from .kept import plan_kept
from .kernel import Expr, Kernel
from .nest import Nest
from .schedule import choose_schedule
from .target import Target

TABLE = "mlirind_kernels"


def emit_kernel(b: Builder, target: Target, kernel: Kernel) -> None:
    """`@kernel(buffers..., symbols...) -> i32`"""
    types = [b.ptr] * len(kernel.buffers) + [b.i64] * kernel.symbols
    with b.function(kernel.name, types, b.i32, ("noinline",), target.features) as given:
        count = len(kernel.buffers)
        status = _alloca(b, b.i32)
        b.effect("llvm.store", [b.integer(0, b.i32), status])
        arguments = Arguments(given[:count], given[count:], status)
        _emit_items(b, target, kernel, arguments)
        b.return_([b.read("llvm.load", [status], b.i32, 0)])


def _emit_items(b: Builder, target: Target, kernel: Kernel, arguments: Arguments) -> None:
    schedule = choose_schedule(kernel, target)
    extents = emit_extents(b, kernel, arguments.symbols)
    kept = plan_kept(kernel, schedule)
    rows = {k.value: _alloca(b, k.type, k.size) for k in kept.values() if k.store is None}
    body = Body(b, target, kernel, arguments, schedule, kept=kept, rows=rows)
    nest = Nest(body, schedule, extents)
    nest.emit(0, nest.count())


def emit_extents(b: Builder, kernel: Kernel, symbols: Sequence[Val]) -> list[Int]:
    """The extents of the domain."""

    def leaf(expr: Expr) -> Index:
        return Index(symbols[expr[1]])

    index = IndexEmitter(b, 0, leaf)
    return [e if isinstance(e, int) else index.emit(e).base for e in kernel.extents]


def _alloca(b: Builder, element: ir.Type, count: int = 1) -> Val:
    attributes = {"elem_type": ir.TypeAttr.get(element), "alignment": ir.IntegerAttr.get(b.i64, 64)}
    return b.read("llvm.alloca", [b.integer(count)], b.ptr, 0, attributes)


def emit_table(b: Builder, names: Sequence[str]) -> None:
    """`@mlirind_kernels(table)`: writes the kernels' addresses."""
    with b.function(TABLE, [b.ptr], None) as (table,):
        for position, name in enumerate(names):
            address = b.read("llvm.mlir.addressof", [], b.ptr, 0, {"global_name": ir.FlatSymbolRefAttr.get(name)})
            b.effect("llvm.store", [address, b.pointer(table, b.integer(position), b.i64)])
        b.return_()
