"""Runs the chunks of a kernel on ATen's threads, or on this thread if there is little work.

The kernel writes to memory what its chunks need: the address of `@k.chunks`, the number of chunks, then its arguments. `@mlirind_run` calls
that function for all chunks, or lets `@mlirind_worker` call it on each thread for some of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...tuning.cpu import TUNING
from .builder import Builder, Int, Val

RUN, WORKER = "mlirind_run", "mlirind_worker"
FUNCTION, COUNT, ARGUMENTS = 0, 1, 2  # words of the memory
LESS_EQUAL, LESS, EQUAL = 7, 6, 0  # unsigned


def emit_runner(b: Builder, features: str) -> None:
    """`@mlirind_run(memory, work)`, once a module. Little work, or work inside a parallel region, stays on this thread; the former without
    a call of OpenMP."""
    if not b.first_time(RUN):
        return
    _emit_worker(b, features)
    b.declare("omp_in_parallel", [], b.i32)
    b.declare("omp_get_max_threads", [], b.i32)
    b.declare("GOMP_parallel", [b.ptr, b.ptr, b.i32, b.i32], None)
    with b.function(RUN, [b.ptr, b.i64], None, ("noinline",), features) as (memory, work):
        slot = b.alloca(b.i64)
        b.effect("llvm.store", [b.integer(1), slot])
        shares = b.binary("minui", b.binary("divui", work, b.integer(TUNING.thread_work)), _load(b, memory, COUNT, b.i64))
        with b.when(b.compare(LESS_EQUAL, b.integer(2), shares)):
            nested = _result(b.call("omp_in_parallel", [], b.i32))
            with b.when(b.compare(EQUAL, nested, b.integer(0, b.i32))):
                most = b.cast("extsi", _result(b.call("omp_get_max_threads", [], b.i32)), b.i64)
                b.effect("llvm.store", [b.binary("minui", shares, most), slot])
        threads = b.read("llvm.load", [slot], b.i64, 0)
        alone = b.compare(LESS, threads, b.integer(2))
        with b.when(alone):
            b.call_address(_load(b, memory, FUNCTION, b.ptr), [memory, b.integer(0), _load(b, memory, COUNT, b.i64)])
        with b.when(b.binary("xori", alone, b.integer(1, b.i1))):
            b.call("GOMP_parallel", [b.address_of(WORKER), memory, b.cast("trunci", threads, b.i32), b.integer(0, b.i32)], None)
        b.return_()


def _emit_worker(b: Builder, features: str) -> None:
    """`@mlirind_worker(memory)`: this thread's share of the chunks."""
    b.declare("omp_get_thread_num", [], b.i32)
    b.declare("omp_get_num_threads", [], b.i32)
    with b.function(WORKER, [b.ptr], None, ("noinline",), features) as (memory,):
        count = _load(b, memory, COUNT, b.i64)
        thread = b.cast("extui", _result(b.call("omp_get_thread_num", [], b.i32)), b.i64)
        threads = b.cast("extui", _result(b.call("omp_get_num_threads", [], b.i32)), b.i64)
        lower = b.binary("divui", b.binary("muli", count, thread), threads)
        upper = b.binary("divui", b.binary("muli", count, b.binary("addi", thread, b.integer(1))), threads)
        b.call_address(_load(b, memory, FUNCTION, b.ptr), [memory, lower, upper])
        b.return_()


def emit_run(b: Builder, chunks: str, arguments: Sequence[Val], count: Int, work: Int) -> None:
    """Runs `count` chunks of `work` operations in total by `@chunks(memory, lower, upper)`."""
    memory = b.alloca(b.i64, ARGUMENTS + len(arguments))
    for number, value in enumerate([b.address_of(chunks), b.int_value(count), *arguments]):
        b.effect("llvm.store", [value, _word(b, memory, number)])
    b.call(RUN, [memory, b.int_value(work)], None)


def unpack(b: Builder, memory: Val, types: Sequence[ir.Type]) -> list[Val]:
    """The arguments of the kernel, in the function that runs its chunks."""
    return [_load(b, memory, ARGUMENTS + number, type_) for number, type_ in enumerate(types)]


def _load(b: Builder, memory: Val, number: int, type_: ir.Type) -> Val:
    return b.pure("llvm.load", [_word(b, memory, number)], type_, 0)


def _word(b: Builder, memory: Val, number: int) -> Val:
    return b.pointer(memory, b.integer(number), b.i64)


def _result(value: Val | None) -> Val:
    assert value is not None
    return value
