"""Kernels over more elements than 32 bits count: their last programs, evaluated on the ends of buffers that are not there."""

from __future__ import annotations

import pytest
import torch
from kernel_text import KernelText
from mlirind.dialects.context import compile_context
from mlirind.runtime.reference.evaluate import evaluate_affine
from reference.evaluate_tt import Pointers, _Program
from tile_kernels import lowered
from torch_mlir import ir

ROWS, COLUMNS = 70000, 70001
TOTAL = ROWS * COLUMNS
KEPT = 3 * COLUMNS  # elements at the end of each buffer that are there
SIZES = {"known": (str(ROWS), str(COLUMNS), ()), "unknown": ("s0", "s1", (ROWS, COLUMNS))}


def run_last(kernel: KernelText, symbols: tuple[int, ...], buffers: list[torch.Tensor], lengths: list[int]) -> None:
    """Runs the last program of a kernel of one launch; of a buffer of `lengths[n]` elements `buffers[n]` is the end."""
    with compile_context():
        module = lowered(kernel.text())
        (view,) = module.body.operations
        op = view.operation
        block = op.regions[0].blocks[0]
        grid = int(evaluate_affine(ir.AffineMapAttr(op.attributes["grid"]).value.results[0], [], symbols))
        values = [Pointers(b, torch.tensor(b.numel() - length)) for b, length in zip(buffers, lengths, strict=True)]
        values += [torch.tensor(s) for s in symbols]
        _Program(grid - 1, grid).block(block, dict(zip(block.arguments, values, strict=True)))


@pytest.mark.parametrize("sizes", SIZES)
def test_pointwise(sizes):
    rows, columns, symbols = SIZES[sizes]
    kernel = KernelText(["f32"], ["f32"], [rows, columns], symbols=len(symbols))
    x = kernel.load(0, f"d0 * {columns} + d1")
    kernel.store(1, kernel.op(f"arith.addf {x}, {x} : f32"), f"d0 * {columns} + d1")
    given, out = torch.randn(KEPT), torch.zeros(KEPT)
    run_last(kernel, symbols, [given, out], [TOTAL, TOTAL])
    assert out[-1] == 2 * given[-1]
    assert torch.equal(out[out != 0], 2 * given[out != 0])


@pytest.mark.parametrize("sizes", SIZES)
def test_transposed(sizes):
    rows, columns, symbols = SIZES[sizes]
    kernel = KernelText(["f32"], ["f32"], [columns, rows], symbols=len(symbols))
    kernel.store(1, kernel.load(0, f"d1 * {columns} + d0"), f"d0 * {rows} + d1")
    given, out = torch.randn(64 * COLUMNS), torch.zeros(64 * ROWS)
    run_last(kernel, symbols, [given, out], [TOTAL, TOTAL])
    n = int((out.view(64, ROWS)[-1] != 0).sum())  # rows of the source in this tile
    assert 0 < n <= 64
    assert torch.equal(out.view(64, ROWS)[-5:, -n:], given.view(64, COLUMNS)[-n:, -5:].t())


@pytest.mark.parametrize("sizes", SIZES)
def test_rows(sizes):
    rows, columns, symbols = SIZES[sizes]
    kernel = KernelText(["f32"], ["f32", "f32"], [rows, columns], symbols=len(symbols))
    x = kernel.load(0, f"d0 * {columns} + d1")
    (largest,) = kernel.reduce("max", [x], ["f32"], [1])
    kernel.store(1, kernel.op(f"arith.subf {x}, {largest} : f32"), f"d0 * {columns} + d1")
    kernel.store(2, largest, "d0")
    given, out, top = torch.randn(KEPT), torch.zeros(KEPT), torch.zeros(ROWS)
    run_last(kernel, symbols, [given, out, top], [TOTAL, TOTAL, ROWS])
    last = given[-COLUMNS:]
    assert top[-1] == last.max() and torch.equal(out[-COLUMNS:], last - last.max())


@pytest.mark.parametrize("sizes", SIZES)
def test_gathered_rows(sizes):
    """The place of a row is computed from what was loaded."""
    rows, columns, symbols = SIZES[sizes]
    kernel = KernelText(["f32", "i64"], ["f32"], ["4", columns], symbols=len(symbols))
    row = kernel.op(f"arith.index_cast {kernel.load(1, 'd0')} : i64 to index")
    kernel.store(2, kernel.load(0, f"d2 * {columns} + d1", None, (row,)), f"d0 * {columns} + d1")
    given, index, out = torch.randn(KEPT), torch.full((4,), ROWS - 1), torch.zeros(4 * COLUMNS)
    run_last(kernel, symbols, [given, index, out], [TOTAL, 4, 4 * COLUMNS])
    done = out != 0
    assert done[-1] and torch.equal(out[done], given[-COLUMNS:].repeat(4)[done])
