"""Values of PyTorch's kernels that its decompositions, its type promotion or a shorter formula would give otherwise."""

import math

import pytest
import torch
import torch.nn.functional as F
from programs import ON_GPU

INF, NAN = math.inf, math.nan
LANES = 40  # whole vectors and a tail


def rows(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A column of rows, each filled with one of the values."""
    return torch.tensor(values, dtype=torch.float64).to(dtype)[:, None].repeat(1, LANES)


def assert_rows(backend, fn, inputs, want: list[float], rtol: float = 0) -> None:
    """That every element of a row of `fn`'s result is the wanted number, the sign of zero too; `rtol`: as a fraction of it."""
    got = torch.compile(fn, backend=backend, dynamic=False)(*inputs)
    expected = torch.tensor(want, dtype=torch.float64).to(got.dtype)[:, None].expand_as(got)
    torch.testing.assert_close(got, expected, rtol=rtol, atol=0, equal_nan=True)
    zeros = expected == 0
    assert torch.equal(got.signbit() & zeros, expected.signbit() & zeros)


def test_ldexp_scales_once(backend):
    """The power of two itself over- or underflows."""
    x, exponents = rows(6e-14, -8e32), torch.tensor([[134], [-170]])
    assert_rows(backend, torch.ldexp, (x, exponents), [6e-14 * 2.0**134, -8e32 * 2.0**-170], rtol=1e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_ldexp_keeps_half_types(backend, dtype):
    got = torch.compile(torch.ldexp, backend=backend)(torch.tensor([1.0, 3.0], dtype=dtype), torch.tensor([3, -2]))
    assert got.dtype == dtype and got.tolist() == [8, 0.75]


# bfloat16's nearest to 0.3 is 0.30078125, float16's 0.300048828125: the number itself is compared and divided by.
_NEAR = {torch.bfloat16: 0.30078125, torch.float16: 0.300048828125}
_WITH_NUMBERS = {
    "floor_divide": (lambda x: x // -0.3, -2.0, -2.0),
    "div_floor": (lambda x: torch.div(x, -0.3, rounding_mode="floor"), -2.0, -2.0),
    "div_trunc": (lambda x: torch.div(x, 0.30005, rounding_mode="trunc"), 1.0, 0.0),
    "by_no_dimensions": (lambda x: x // torch.tensor(-0.3), -2.0, -2.0),
    "threshold": (lambda x: F.threshold(x, 0.3, 7.0), _NEAR[torch.bfloat16], _NEAR[torch.float16]),
}


@pytest.mark.skipif(ON_GPU, reason="CUDA kernels have rules of their own")
@pytest.mark.parametrize("name", _WITH_NUMBERS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_numbers_with_half_types_are_not_rounded(backend, name, dtype):
    fn, want_bfloat16, want_float16 = _WITH_NUMBERS[name]
    want = want_bfloat16 if dtype == torch.bfloat16 else want_float16
    assert_rows(backend, fn, (rows(_NEAR[dtype], dtype=dtype),), [want])
    assert_rows(backend, fn, (torch.full((1, 3), _NEAR[dtype], dtype=dtype),), [want])
