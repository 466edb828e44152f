"""Loads with a short step from lane to lane: every nth element."""

from __future__ import annotations

import pytest
import torch
from kernel_text import TYPES, KernelText
from mlirind.options import Options
from mlirind.tools.backends import find_backend


@pytest.mark.parametrize("features", [None, "-avx512f", "-avx512f,-avx2,-avx"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int8], ids=str)
def test_every_nth_element(dtype: torch.dtype, features: str | None) -> None:
    """With all lanes on, with some behind the end, and with a mask of its own that leaves the first and last elements out."""
    for step, width in ((2, 64), (2, 100), (3, 41), (4, 3), (5, 17), (8, 70)):
        kernel = KernelText([TYPES[dtype]], [TYPES[dtype]] * 2, ["3", str(width)])
        kernel.store(1, kernel.load(0, f"d0 * 600 + d1 * {step}"), f"d0 * {width} + d1")
        place = kernel.op("arith.index_cast %d1 : index to i64")
        first, last = (kernel.op(f"arith.constant {n} : i64") for n in (1, width - 2))
        inside = [kernel.op(f"arith.cmpi {text} : i64") for text in (f"sge, {place}, {first}", f"sle, {place}, {last}")]
        mask = kernel.op(f"arith.andi {inside[0]}, {inside[1]} : i1")
        kernel.store(2, kernel.load(0, f"d0 * 600 + d1 * {step} - 1", mask=mask), f"d0 * {width} + d1")
        x = torch.randint(-100, 100, (3, 600)).to(dtype)
        every, some = torch.empty(3, width, dtype=dtype), torch.empty(3, width, dtype=dtype)
        assert kernel(x, every, some, options=Options(target_features=features)) == 0
        assert torch.equal(every, x[:, : step * width : step])
        want = torch.zeros_like(some)
        want[:, 1 : width - 1] = x[:, step - 1 : step * (width - 1) - 1 : step]
        assert torch.equal(some, want)


def test_slices_and_small_rows() -> None:
    def fn(x: torch.Tensor) -> list[torch.Tensor]:
        rows = x.reshape(-1, 3)
        return [
            x[:, ::2] * 2,
            x[1::2, 2::3] + x[:-1:2, :-2:3],
            rows.sum(-1),
            rows.amax(-1),
            rows.argmin(-1),
            x.view(-1, 4).mul(2).t().contiguous(),
        ]

    x = torch.randint(-50, 50, (8, 243)).float()
    torch.testing.assert_close(torch.compile(fn, backend=find_backend("mlirind"))(x), fn(x), rtol=0, atol=0)
