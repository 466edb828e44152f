"""Rows that are walked in pieces, because their indices bend: padding, rotation, and what is computed with them."""

from __future__ import annotations

import itertools
import random

import pytest
import torch
import torch.nn.functional as F
from kernel_text import KernelText
from mlirind.options import Options
from mlirind.tools.backends import find_backend

WIDTHS = (2, 5, 16, 33, 64, 100)


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_padded_rows(mode: str) -> None:
    pads = [(1, 1), (0, 1), (1, 0), (-1, 1), (1, -1)]

    def padded(*tensors: torch.Tensor) -> list[torch.Tensor]:
        return [F.pad(t, (left, right, 1, 0), mode) + 1 for t, (left, right) in itertools.product(tensors, pads)]

    tensors = [torch.randn(2, 3, 4, width) for width in WIDTHS]
    got = torch.compile(padded, backend=find_backend("mlirind"))(*tensors)
    torch.testing.assert_close(got, padded(*tensors), rtol=0, atol=0)


def test_wide_borders_and_rotations() -> None:
    def moved(x: torch.Tensor) -> list[torch.Tensor]:
        padded = [F.pad(x, (n, m), mode) for n, m in ((7, 30), (20, 3)) for mode in ("reflect", "replicate", "circular")]
        return [*padded, *(x.roll(n, -1) * 2 for n in (1, 17, -3, 40)), x.roll((1, 2), (0, 1))]

    x = torch.randn(3, 5, 41)
    torch.testing.assert_close(torch.compile(moved, backend=find_backend("mlirind"))(x), moved(x), rtol=0, atol=0)


@pytest.mark.parametrize("features", [None, "-avx512f", "-avx512f,-avx2,-avx"])
def test_any_index_of_minima_maxima_and_choices(features: str | None) -> None:
    """Against the same arithmetic in Python; some have so many pieces that the row is not cut."""
    generator = random.Random(0)
    for _ in range(12):
        width, count = generator.choice(WIDTHS), 40
        kernel = KernelText(["f32"], ["f32"], ["3", str(width)])
        place, function = kernel.op("arith.index_cast %d1 : index to i64"), lambda j: j
        for _ in range(generator.randint(1, 4)):
            place, function = _step(kernel, place, function, generator)
        size = kernel.op(f"arith.constant {count - 1} : i64")
        low = kernel.op(f"arith.maxsi {place}, {kernel.op('arith.constant 0 : i64')} : i64")
        at = kernel.op(f"arith.index_cast {kernel.op(f'arith.minsi {low}, {size} : i64')} : i64 to index")
        kernel.store(1, kernel.load(0, f"d0 * {count} + d2", extra=(at,)), f"d0 * {width} + d1")
        x, out = torch.randn(3, count), torch.empty(3, width)
        assert kernel(x, out, options=Options(target_features=features)) == 0
        want = x[:, [min(max(function(j), 0), count - 1) for j in range(width)]]
        assert torch.equal(out, want)


def _step(kernel: KernelText, place: str, function, generator: random.Random):
    """One more operation on a place."""
    number = generator.randint(-5, 30)
    constant = kernel.op(f"arith.constant {number} : i64")
    kind = generator.choice(["addi", "subi", "maxsi", "minsi", "absi", "select", "muli"])
    if kind == "absi":
        return kernel.op(f"math.absi {place} : i64"), lambda j: abs(function(j))
    if kind == "select":
        chosen = kernel.op(f"arith.cmpi slt, {place}, {constant} : i64")
        other = kernel.op(f"arith.subi {constant}, {place} : i64")
        return kernel.op(
            f"arith.select {chosen}, {place}, {other} : i64"
        ), lambda j: function(j) if function(j) < number else number - function(j)
    simple = {"addi": lambda a: a + number, "subi": lambda a: a - number, "muli": lambda a: a * number,
              "maxsi": lambda a: max(a, number), "minsi": lambda a: min(a, number)}  # fmt: skip
    return kernel.op(f"arith.{kind} {place}, {constant} : i64"), lambda j: simple[kind](function(j))
