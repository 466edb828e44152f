"""Every way in which a kernel may be cut into tiles gives its results: `mode="max-autotune"` takes any of them."""

from __future__ import annotations

import pytest
import torch
from kernel_text import KernelText
from mlirind.dialects.context import compile_context
from mlirind.lowering.kernel.analysis import read_kernel
from mlirind.lowering.tt.alternatives import alternatives
from mlirind.tuning.gpu import TUNING
from tile_kernels import EvaluatedTiles
from torch_mlir import ir


def store_softmax(kernel, load, store):
    """The softmax along dimension 1 of what is loaded at one index, stored at another."""
    x = kernel.load(0, load)
    (most,) = kernel.reduce("max", [x], ["f32"], [1])
    shifted = kernel.op(f"math.exp {kernel.op(f'arith.subf {x}, {most} : f32')} : f32")
    (total,) = kernel.reduce("add", [shifted], ["f32"], [1])
    kernel.store(1, kernel.op(f"arith.divf {shifted}, {total} : f32"), store)


def softmax(rows, columns):
    kernel = KernelText(["f32"], ["f32"], [str(rows), str(columns)])
    store_softmax(kernel, f"d0*{columns}+d1", f"d0*{columns}+d1")
    return kernel, lambda x: torch.softmax(x, -1)


def row_sums(rows, columns):
    kernel = KernelText(["f32"], ["f32"], [str(rows), str(columns)])
    (total,) = kernel.reduce("add", [kernel.load(0, f"d0*{columns}+d1")], ["f32"], [1])
    kernel.store(1, total, "d0")
    return kernel, lambda x: x.sum(1)


def heads(rows, columns, count=16, dtype="bf16"):
    """Rows of `count` heads of `columns` elements, copied so that the rows of a head follow each other."""
    kernel = KernelText([dtype], [dtype], [str(count), str(rows), str(columns)])
    kernel.store(1, kernel.load(0, f"d1*{count * columns}+d0*{columns}+d2"), f"d0*{rows * columns}+d1*{columns}+d2")
    return kernel, lambda x: x.view(rows, count, columns).transpose(0, 1).contiguous()


def column_sums(rows, columns):
    kernel = KernelText(["f32"], ["f32"], [str(columns), str(rows)])
    (total,) = kernel.reduce("add", [kernel.load(0, f"d1*{columns}+d0")], ["f32"], [1])
    kernel.store(1, total, "d0")
    return kernel, lambda x: x.sum(0)


def column_softmax(rows, columns):
    """Two reductions over columns, whose results every element needs: with many splits, launches of their own merge them."""
    kernel, at = KernelText(["f32"], ["f32"], [str(columns), str(rows)]), f"d1*{columns}+d0"
    store_softmax(kernel, at, at)
    return kernel, lambda x: torch.softmax(x, 0)


def transposed_softmax(rows, columns):
    """The softmax over the columns' elements of a matrix, stored as rows: loads lie across the rows that stores lie along."""
    kernel = KernelText(["f32"], ["f32"], [str(columns), str(rows)])
    store_softmax(kernel, f"d1*{columns}+d0", f"d0*{rows}+d1")
    return kernel, lambda x: torch.softmax(x, 0).t().contiguous()


def centered_both_ways(rows, columns):
    """The columns of a bf16 matrix without their means, stored as rows."""
    kernel = KernelText(["bf16"], ["bf16"], [str(columns), str(rows)])
    x = kernel.op(f"arith.extf {kernel.load(0, f'd1*{columns}+d0')} : bf16 to f32")
    (total,) = kernel.reduce("add", [x], ["f32"], [1])
    mean = kernel.op(f"arith.divf {total}, {kernel.op(f'arith.constant {rows}.0 : f32')} : f32")
    kernel.store(1, kernel.op(f"arith.truncf {kernel.op(f'arith.subf {x}, {mean} : f32')} : f32 to bf16"), f"d0*{rows}+d1")
    return kernel, lambda x: (x.float() - x.float().mean(0)).bfloat16().t().contiguous()


def pointwise(rows, columns):
    kernel = KernelText(["f32"], ["f32"], [str(rows * columns)])
    x = kernel.load(0, "d0")
    kernel.store(1, kernel.op(f"arith.mulf {x}, {x} : f32"), "d0")
    return kernel, torch.square


def transposed(rows, columns):
    kernel = KernelText(["f32"], ["f32"], [str(columns), str(rows)])
    kernel.store(1, kernel.load(0, f"d1*{columns}+d0"), f"d0*{rows}+d1")
    return kernel, lambda x: x.t().contiguous()


@pytest.mark.parametrize("columns", [3000, 70000])
def test_a_row_is_updated_once(columns):
    """What is written of a row beside its elements lies where it was read, and several programs may work on parts of the row."""
    kernel = KernelText(["f32", "f32"], ["f32", "f32"], ["2", str(columns)])
    x, old = kernel.load(0, f"d0*{columns}+d1"), kernel.load(1, "d0")
    (total,) = kernel.reduce("add", [x], ["f32"], [1])
    kernel.store(2, kernel.op(f"arith.mulf {x}, {total} : f32"), f"d0*{columns}+d1")
    kernel.store(3, kernel.op(f"arith.addf {old}, {total} : f32"), "d0")
    x, row = torch.randn(2, columns), torch.tensor([1.0, 2.0])
    want = x * x.sum(1, keepdim=True), row + x.sum(1)
    out = torch.empty_like(x)
    assert EvaluatedTiles(kernel.text())(x, row, out, row) == 0
    torch.testing.assert_close((out, row), want, rtol=1e-4, atol=1e-3)


CASES = [
    (softmax, 30, 40), (softmax, 3, 40000), (row_sums, 1, 70000), (column_sums, 700, 60), (column_sums, 20000, 20), (column_sums, 5, 90),
    (column_softmax, 20000, 20), (column_softmax, 4000, 40), (transposed_softmax, 300, 60), (pointwise, 70, 50), (transposed, 70, 50),
]  # fmt: skip


@pytest.mark.parametrize(("make", "rows", "columns"), CASES, ids=lambda v: getattr(v, "__name__", v))
def test_values(make, rows, columns):
    kernel, want = make(rows, columns)
    x = torch.randn(rows, columns)
    with compile_context():
        module = ir.Module.parse(kernel.text())
        found = alternatives(read_kernel(module.body.operations[0].operation))
    assert 3 <= len(found) <= TUNING.alternatives
    for number in range(len(found)):
        text = kernel.text().replace("sym_name", f"alternative = {number} : i64, sym_name")
        out = torch.full_like(want(x), torch.nan)
        assert EvaluatedTiles(text)(x, out) == 0
        torch.testing.assert_close(out, want(x), rtol=1e-4, atol=1e-4)


def test_they_differ_and_the_first_is_the_usual_choice():
    kernel, _ = column_sums(20000, 20)
    with compile_context():
        module = ir.Module.parse(kernel.text())
        found = alternatives(read_kernel(module.body.operations[0].operation))
    kinds = [(tuple(a.block for a in s.axes), s.warps, s.splits, s.stages) for s in found]
    assert len(set(kinds)) == len(kinds) and {k[2] for k in kinds} == {kinds[0][2], kinds[0][2] * 2, kinds[0][2] // 2}
