"""Tiles that end where the domain does, and tiles that don't: around multiples of the blocks that `schedule.py` chooses, with
strided and broadcast operands, in the evaluator of Triton's IR."""

from __future__ import annotations

import pytest
import torch
from kernel_text import KernelText
from test_alternatives import heads
from tile_kernels import EvaluatedTiles

SIZES = [0, 1, 127, 128, 1023, 1024, 1025, 4096]
MATRICES = [(1, 1), (0, 64), (64, 0), (1, 4096), (2, 8192), (3, 4097), (9, 128), (12, 127), (64, 64)]


@pytest.fixture(autouse=True)
def tiles(monkeypatch):
    monkeypatch.setattr(KernelText, "compiler", EvaluatedTiles)


def domain(sizes: tuple[int, ...], known: bool) -> tuple[list[str], tuple[int, ...]]:
    """The extents of a domain as text, and the symbols."""
    return ([str(s) for s in sizes], ()) if known else ([f"s{n}" for n in range(len(sizes))], sizes)


@pytest.mark.parametrize("known", [True, False])
def test_pointwise(known):
    """A strided operand, a contiguous one and a scalar."""
    for size in SIZES:
        extents, symbols = domain((size,), known)
        kernel = KernelText(["f32", "f32", "f32"], ["f32"], extents, symbols=len(symbols))
        total = kernel.op(f"arith.addf {kernel.load(0, 'd0 * 3')}, {kernel.load(1, 'd0')} : f32")
        kernel.store(3, kernel.op(f"arith.mulf {total}, {kernel.load(2, '0')} : f32"), "d0")
        x, y, c, out = torch.randn(3 * size), torch.randn(size), torch.randn(1), torch.full((size + 5,), 7.0)
        assert kernel(x, y, c, out, symbols=symbols) == 0
        assert torch.equal(out[:size], (x[::3] + y) * c) and out[size:].eq(7).all()


@pytest.mark.parametrize(("rows", "columns", "count"), [(5, 128, 3), (16, 128, 16), (17, 192, 1), (3, 131, 7), (1, 2048, 2), (0, 128, 4)])
def test_copies_of_heads(rows, columns, count):
    """Tiles of several rows, which the last dimension does not fill; the number of rows is no multiple of theirs."""
    kernel, expected = heads(rows, columns, count, "f32")
    x, out = torch.randn(rows, count * columns), torch.full((count, rows, columns), 7.0)
    assert kernel(x, out) == 0
    assert torch.equal(out, expected(x))


@pytest.mark.parametrize("known", [True, False])
def test_broadcast_rows_and_columns(known):
    for sizes in MATRICES:
        (rows, columns), symbols = domain(sizes, known)
        kernel = KernelText(["f32", "f32", "f32"], ["f32"], [rows, columns], symbols=len(symbols))
        total = kernel.op(f"arith.addf {kernel.load(0, f'd0 * {columns} + d1')}, {kernel.load(1, 'd1')} : f32")
        kernel.store(3, kernel.op(f"arith.mulf {total}, {kernel.load(2, 'd0')} : f32"), f"d0 * {columns} + d1")
        x, row, column, out = torch.randn(sizes), torch.randn(sizes[1]), torch.randn(sizes[0]), torch.empty(sizes)
        assert kernel(x, row, column, out, symbols=symbols) == 0
        assert torch.equal(out, (x + row) * column[:, None])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("layout", ["inner", "outer"])
def test_sums_and_maxima(layout, known):
    """Along rows and along columns; what is stored for every element waits for both."""
    for sizes in MATRICES:
        (rows, columns), symbols = domain(sizes, known)
        expr = f"d0 * {columns} + d1" if layout == "inner" else f"d1 * {rows} + d0"
        kernel = KernelText(["f32"], ["f32", "f32"], [rows, columns], symbols=len(symbols))
        x = kernel.load(0, expr)
        (total,) = kernel.reduce("add", [x], ["f32"], [1])
        (largest,) = kernel.reduce("max", [x], ["f32"], [1])
        kernel.store(1, kernel.op(f"arith.addf {total}, {largest} : f32"), "d0")
        kernel.store(2, kernel.op(f"arith.subf {x}, {largest} : f32"), expr)
        given = torch.randn(sizes)
        flat = given if layout == "inner" else given.t().contiguous()
        sums, rest = torch.empty(sizes[0]), torch.empty_like(flat)
        assert kernel(flat, sums, rest, symbols=symbols) == 0
        if sizes[1]:
            top = given.amax(1)
            torch.testing.assert_close(sums, given.sum(1) + top)
            assert torch.equal(rest if layout == "inner" else rest.t(), given - top[:, None])


@pytest.mark.parametrize("known", [True, False])
def test_scans_across_tiles(known):
    for sizes in MATRICES:
        (rows, columns), symbols = domain(sizes, known)
        kernel = KernelText(["i64"], ["i64"], [rows, columns], symbols=len(symbols))
        (total,) = kernel.scan("add", [kernel.load(0, f"d0 * {columns} + d1")], ["i64"], 1)
        kernel.store(1, total, f"d0 * {columns} + d1")
        x, out = torch.randint(-9, 9, sizes), torch.empty(sizes, dtype=torch.int64)
        assert kernel(x, out, symbols=symbols) == 0
        assert torch.equal(out, x.cumsum(1))


WELFORD = [((2, 70001), True), ((1, 1), False), ((3, 4096), False), ((3, 9001), False), ((5, 200), False)]


@pytest.mark.parametrize("layout", ["inner", "outer"])
def test_welford_over_several_blocks(layout):
    """Also in parts, of which the last may be empty: at least as near to float64 as eager."""
    for sizes, known in WELFORD:
        (rows, columns), symbols = domain(sizes, known)
        expr = f"d0 * {columns} + d1" if layout == "inner" else f"d1 * {rows} + d0"
        kernel = KernelText(["f32"], ["f32", "f32"], [rows, columns], symbols=len(symbols))
        mean, squares = kernel.reduce("welford", [kernel.load(0, expr)], ["f32"], [1], ["f32", "f32"])
        kernel.store(1, mean, "d0")
        kernel.store(2, squares, "d0")
        x = torch.randn(sizes) + 100
        means, found = torch.full((2, sizes[0]), torch.nan)
        assert kernel((x if layout == "inner" else x.t()).contiguous(), means, found, symbols=symbols) == 0
        exact = x.double()
        torch.testing.assert_close(means.double(), exact.mean(1), rtol=2e-7, atol=0)
        torch.testing.assert_close(found.double(), exact.var(1, correction=0) * sizes[1], rtol=2e-6, atol=1e-9)
