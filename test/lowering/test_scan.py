"""Cumulative operators against eager, with ties, NaN and every dtype."""

import math

import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from one_call import check

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool]


def values(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return (torch.randn(sizes, generator=generator) * 2).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype: torch.dtype) -> None:
    x = values(3, 20, dtype=dtype)
    check("aten.cumsum.default", x, 1)
    check("aten.cumprod.default", x, 0)
    check("aten.cummax.default", x, 1, exact=True)
    check("aten.cummin.default", x, 0, exact=True)


def test_layouts_and_results() -> None:
    x = values(4, 5, 6).permute(2, 0, 1)
    for dim in range(3):
        check("aten.cumsum.default", x, dim)
        check("aten.cummax.default", x, dim, exact=True)
    check("aten.cumsum.default", x.int(), 1, dtype=torch.float32, exact=True)
    check("aten.cumsum.default", x, 1, dtype=torch.int32, exact=True)
    check("aten.cumsum.default", torch.tensor(3.0), 0, exact=True)
    check("aten.cumprod.default", torch.empty(0, 3), 0, exact=True)


def test_nan_and_ties() -> None:
    x = torch.tensor([1.0, 2.0, 2.0, math.nan, 5.0, math.nan, -math.inf, math.inf])
    for name in ("cummax", "cummin"):
        check(f"aten.{name}.default", x, 0, exact=True)
        check(f"aten.{name}.default", x.flip(0), 0, exact=True)
        check(f"aten.{name}.default", torch.tensor([0.0, -0.0, 1.0, 1.0, 0.0, 0.0]), 0, exact=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.cumsum(-1, dtype=torch.bool),
        lambda x: (x > 0).cumprod(0, dtype=torch.bool),
        lambda x: torch.full((3, 4), 2.0).cumsum(-1, dtype=torch.bool),
        lambda x: x[0, 0].cumsum(0, dtype=torch.bool),
    ],
)
def test_booleans_are_not_summed(function) -> None:
    """Eager raises, except for a tensor without dimensions; the compiled program does the same."""
    x = values(3, 4)
    compiled = torch.compile(function, backend=backend)
    try:
        want = function(x)
    except NotImplementedError:
        with pytest.raises((NotImplementedError, RuntimeError), match="not implemented for 'Bool'"):
            compiled(x)
    else:
        assert torch.equal(compiled(x), want)
