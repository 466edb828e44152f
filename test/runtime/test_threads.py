"""Kernels on several threads: the same bits as on one; callers of their own threads; compilation beside other Python code."""

import threading

import pytest
import torch
from kernel_text import CompiledText, KernelText


def softmax(rows: str, columns: str, symbols: int = 0) -> KernelText:
    kernel = KernelText(["f32"], ["f32"], [rows, columns], symbols)
    x = kernel.load(0, f"d0 * {columns} + d1")
    (largest,) = kernel.reduce("max", [x], ["f32"], [1])
    e = kernel.op(f"math.exp {kernel.op(f'arith.subf {x}, {largest} : f32')} : f32")
    (total,) = kernel.reduce("add", [e], ["f32"], [1])
    kernel.store(1, kernel.op(f"arith.divf {e}, {total} : f32"), f"d0 * {columns} + d1")
    return kernel


def column_sums(rows: str, columns: str, symbols: int = 0) -> KernelText:
    kernel = KernelText(["f32"], ["f32"], [columns, rows], symbols)
    (total,) = kernel.reduce("add", [kernel.load(0, f"d1 * {columns} + d0")], ["f32"], [1])
    kernel.store(1, total, "d0")
    return kernel


def copy(rows: str, columns: str, symbols: int = 0) -> KernelText:
    kernel = KernelText(["f32"], ["f32"], [f"{rows} * {columns}"], symbols)
    kernel.store(1, kernel.load(0, "d0"), "d0")
    return kernel


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.mark.parametrize("make", [softmax, column_sums, copy])
@pytest.mark.parametrize("symbolic", [False, True])
def test_the_number_of_threads_changes_no_bit(make, symbolic: bool, threads) -> None:
    shape = (1237, 601)
    compiled = make("s0", "s1", 2).compile() if symbolic else make(*map(str, shape)).compile()
    symbols = shape if symbolic else ()
    x = torch.randn(shape)
    outs = []
    for count in (1, 2, 3):
        threads(count)
        out = torch.full(shape, torch.nan)
        assert compiled(x, out, symbols=symbols) == 0
        outs.append(out)
    assert not outs[0].view(-1)[:601].isnan().any()
    assert all(torch.equal(outs[0].nan_to_num(), out.nan_to_num()) for out in outs[1:])


def test_a_failed_check_on_another_thread_is_seen(threads) -> None:
    threads(2)
    kernel = KernelText(["i64"], ["i64"], ["1000000"])
    x = kernel.load(0, "d0")
    limit = kernel.op("arith.constant 10 : i64")
    kernel.check(kernel.op(f"arith.cmpi slt, {x}, {limit} : i64"), "index")
    kernel.store(1, x, "d0")
    compiled = kernel.compile()
    x_in, out = torch.zeros(1000000, dtype=torch.int64), torch.empty(1000000, dtype=torch.int64)
    assert compiled(x_in, out) == 0
    for place in (0, 499999, 999999):
        x_in[place] = 10
        assert compiled(x_in, out) == 1
        x_in[place] = 0


def test_callers_on_many_threads(threads) -> None:
    """Each Python thread compiles and runs kernels of its own at once."""
    threads(2)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            rows = 200 + number % 3
            compiled: CompiledText = softmax(str(rows), "700").compile()
            for _ in range(5):
                x = torch.randn(rows, 700)
                out = torch.empty_like(x)
                assert compiled(x, out) == 0
                torch.testing.assert_close(out, torch.softmax(x, 1))
        except BaseException as error:
            failures.append(error)

    callers = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not failures, failures
