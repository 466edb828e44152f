"""Mathematical functions against a float64 reference: a few ulp, and the special values exactly."""

import math

import pytest
import torch
from kernel_text import TYPES, KernelText
from mlirind.options import Options

EXPONENTIAL = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "erf", "erfc", "sqrt", "rsqrt"]
TRIGONOMETRIC = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"]
ONE = {
    **{name: getattr(torch, name) for name in [*EXPONENTIAL, *TRIGONOMETRIC, "floor", "ceil", "trunc"]},
    "absf": torch.abs,
    "roundeven": torch.round,
}
TWO = {"atan2": torch.atan2, "powf": torch.pow, "copysign": torch.copysign}
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 0.5, -0.5, 1e-30, 2.5, 88.0, -104.0, 700.0, 1e30, -1e30]


def values(dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    spread = [torch.randn(1003, generator=generator, dtype=torch.float64) * scale for scale in (1e-3, 0.3, 1, 10, 90)]
    return torch.cat([torch.tensor(SPECIAL, dtype=torch.float64), *spread]).to(dtype)


def ulps(actual: torch.Tensor, exact: torch.Tensor, eager: torch.Tensor) -> float:
    """The largest distance in units of the last place; special values must agree (eager's sinh overflows a little early)."""
    rounded = exact.to(actual.dtype)
    early = actual.isinf() & eager.isinf() & rounded.isfinite()
    special = ~rounded.isfinite() | early
    torch.testing.assert_close(actual[special], torch.where(early, eager, rounded)[special], equal_nan=True, rtol=0, atol=0)
    got, want = actual[~special].double(), exact[~special]
    assert got.isfinite().all()
    info = torch.finfo(actual.dtype)
    unit = 2.0 ** torch.floor(torch.log2(want.abs().clamp(min=info.smallest_normal))) * info.eps
    return ((got - want).abs() / unit).max().item()


@pytest.mark.parametrize("features", [None, "-avx512f", "-avx512f,-avx2,-avx"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_functions(dtype: torch.dtype, features: str | None) -> None:
    element = TYPES[dtype]
    names = [*ONE, *TWO]
    kernel = KernelText([element] * 2, [element] * len(names), ["s0"], symbols=1)
    a, b = kernel.load(0, "d0"), kernel.load(1, "d0")
    for position, name in enumerate(names):
        operands = a if name in ONE else f"{a}, {b}"
        kernel.store(2 + position, kernel.op(f"math.{name} {operands} : {element}"), "d0")
    x = values(dtype)
    y = x.flip(0).contiguous()
    outs = [torch.empty_like(x) for _ in names]
    assert kernel(x, y, *outs, symbols=(len(x),), options=Options(target_features=features)) == 0
    for name, out in zip(names, outs, strict=True):
        eager = ONE[name](x) if name in ONE else TWO[name](x, y)
        exact = eager if dtype == torch.float64 else (ONE[name](x.double()) if name in ONE else TWO[name](x.double(), y.double()))
        assert ulps(out, exact, eager) <= 2.1, name


@pytest.mark.parametrize("features", [None, "-avx512f", "-avx512f,-avx2,-avx"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_remainders_of_floats_are_exact(dtype: torch.dtype, features: str | None) -> None:
    element = TYPES[dtype]
    kernel = KernelText([element] * 2, [element], ["s0"], symbols=1)
    kernel.store(2, kernel.op(f"arith.remf {kernel.load(0, 'd0')}, {kernel.load(1, 'd0')} : {element}"), "d0")
    x = values(dtype)
    y = x.flip(0).contiguous()
    out = torch.empty_like(x)
    assert kernel(x, y, out, symbols=(len(x),), options=Options(target_features=features)) == 0
    torch.testing.assert_close(out, torch.fmod(x, y), rtol=0, atol=0, equal_nan=True)
    finite = out.isfinite()
    assert torch.equal(out.signbit()[finite], torch.fmod(x, y).signbit()[finite])
