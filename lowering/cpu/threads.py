"""Runs the items of a kernel on the threads that ATen uses, or on this one where there is little to do.

`@k.items(values..., lower, upper)` does a range of items. Its caller asks `@mlirind_threads` how many threads the work is
worth; for more than one it passes the values in memory to `@k.worker`, which every thread runs on its part of the items.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from .builder import Builder, Int, Val

# What a thread must have to do, in operations on elements.
GRAIN = 1 << 17
COUNT = "mlirind_threads"
UNSIGNED_LESS_EQUAL, EQUAL = 7, 0
WORD = 8


def emit_thread_count(b: Builder, features: str) -> None:
    """`@mlirind_threads(work, items) -> i64`: one thread for little work, and within a parallel region; no OpenMP call for the former."""
    if not b.first_time(COUNT):
        return
    b.declare("omp_in_parallel", [], b.i32)
    b.declare("omp_get_max_threads", [], b.i32)
    with b.function(COUNT, [b.i64, b.i64], b.i64, ("noinline",), features) as (work, items):
        slot = b.alloca(b.i64)
        b.effect("llvm.store", [b.integer(1), slot])
        shares = b.binary("divui", work, b.integer(GRAIN))
        with b.when(b.compare(UNSIGNED_LESS_EQUAL, b.integer(2), shares)):
            nested = _result(b.call("omp_in_parallel", [], b.i32))
            with b.when(b.compare(EQUAL, nested, b.integer(0, b.i32))):
                most = b.cast("extsi", _result(b.call("omp_get_max_threads", [], b.i32)), b.i64)
                b.effect("llvm.store", [b.binary("minui", b.binary("minui", shares, items), most), slot])
        b.return_([b.read("llvm.load", [slot], b.i64, 0)])


def emit_worker(b: Builder, name: str, items: str, types: Sequence[ir.Type], features: str) -> None:
    """`@name(memory)`: this thread's part of the items; `memory` holds the values of `types`, then the number of items."""
    b.declare("omp_get_thread_num", [], b.i32)
    b.declare("omp_get_num_threads", [], b.i32)
    with b.function(name, [b.ptr], None, ("noinline",), features) as (memory,):
        values = [b.read("llvm.load", [_word(b, memory, n)], t, 0) for n, t in enumerate([*types, b.i64])]
        count = values.pop()
        thread = b.cast("extui", _result(b.call("omp_get_thread_num", [], b.i32)), b.i64)
        threads = b.cast("extui", _result(b.call("omp_get_num_threads", [], b.i32)), b.i64)
        lower = b.binary("divui", b.binary("muli", count, thread), threads)
        upper = b.binary("divui", b.binary("muli", count, b.binary("addi", thread, b.integer(1))), threads)
        b.call(items, [*values, lower, upper], None)
        b.return_()


def emit_launch(b: Builder, worker: str, items: str, values: Sequence[Val], count: Int, work: Int) -> None:
    """Runs `count` items of `work` operations altogether, `values` passed to each."""
    b.declare("GOMP_parallel", [b.ptr, b.ptr, b.i32, b.i32], None)
    number = b.int_value(count)
    threads = _result(b.call(COUNT, [b.int_value(work), number], b.i64))
    memory = b.alloca(b.i64, len(values) + 1)
    alone = b.compare(UNSIGNED_LESS_EQUAL, threads, b.integer(1))
    with b.when(alone):
        b.call(items, [*values, b.integer(0), number], None)
    with b.when(b.binary("xori", alone, b.integer(1, b.i1))):
        for n, value in enumerate([*values, number]):
            b.effect("llvm.store", [value, _word(b, memory, n)])
        function = b.address_of(worker)
        b.call("GOMP_parallel", [function, memory, b.cast("trunci", threads, b.i32), b.integer(0, b.i32)], None)


def _word(b: Builder, memory: Val, number: int) -> Val:
    return b.pointer(memory, b.integer(number), b.i64)


def _result(value: Val | None) -> Val:
    assert value is not None
    return value
