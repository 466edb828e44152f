"""Users' Triton kernels in compiled programs: their grids, their autotuning, what they write."""

from __future__ import annotations

import pytest
import torch
from mlirind.frontend.backend import mlirind
from mlirind.runtime.report import collect_reports

triton = pytest.importorskip("triton")
tl = triton.language


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):  # noqa: N803
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + 2 * tl.load(y + offsets, mask=mask), mask=mask)


tuned_kernel = triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 256})], key=["n"])(add_kernel)


@triton.jit
def scale_kernel(x, factor, n, BLOCK: tl.constexpr):  # noqa: N803
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, mask=offsets < n) * factor, mask=offsets < n)


def plain(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 128),)](x.sin(), y, out, x.numel(), BLOCK=128)
    return out + 1


def tuned(x, y):
    out = torch.empty_like(x)
    tuned_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x.sin(), y, out, x.numel())
    return out + 1


def in_place(x, y):
    z = x + y
    before = z * 1
    scale_kernel[(triton.cdiv(z.numel(), 128),)](z, 3.0, z.numel(), BLOCK=128)
    return z - before


PROGRAMS = {"plain": (plain, lambda x, y: x.sin() + 2 * y + 1), "tuned": (tuned, lambda x, y: x.sin() + 2 * y + 1)}
PROGRAMS["in place"] = (in_place, lambda x, y: 2 * (x + y))


@pytest.mark.parametrize("mode", [None, "reduce-overhead"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, mode):
    function, want = PROGRAMS[name]
    with collect_reports() as reports:
        call = torch.compile(function, backend=mlirind, mode=mode)
        for _ in range(4):
            x, y = torch.randn(1000, device="cuda"), torch.randn(1000, device="cuda")
            torch.testing.assert_close(call(x, y), want(x, y))
    assert all(report.fallback is None for report in reports), reports[0].fallback


def test_sizes_that_change():
    call = torch.compile(plain, backend=mlirind, dynamic=True)
    for n in (1000, 777, 50):
        x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        torch.testing.assert_close(call(x, y), x.sin() + 2 * y + 1)
