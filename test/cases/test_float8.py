"""Floats of 8 bits: kernels convert them as eager does, bit for bit, and linear layers with such weights are one kernel and a product."""

import math

import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from torch import nn

pytestmark = pytest.mark.usefixtures("fresh_counters")
FORMATS = [torch.float8_e4m3fn, torch.float8_e5m2]
of_each_format = pytest.mark.parametrize("dtype", FORMATS, ids=["e4m3fn", "e5m2"])


def all_codes(dtype):
    return torch.arange(256).to(torch.uint8).view(dtype)


def all_halves(dtype):
    return torch.arange(-(2**15), 2**15).to(torch.int16).view(dtype)


def floats():
    """Numbers of both signs around each number of 8 bits and each middle between two, and numbers out of range."""
    near = torch.cat([all_codes(dtype).float() for dtype in FORMATS])
    near = near[near.isfinite()].unique()
    middles = (near[1:] + near[:-1]) / 2
    around = torch.cat([near, middles, torch.tensor([464.0, 480.0, 496.0, 61440.0, 65536.0, 1e10, 1e-10, 2.0**-17, -0.0])])
    special = torch.tensor([math.inf, -math.inf, math.nan, 3e38, -3e38, 1e-45])
    return torch.cat([around, around.nextafter(torch.tensor(math.inf)), around.nextafter(torch.tensor(-math.inf)), special])


def assert_equal(want, got):
    assert (got.dtype, got.stride()) == (want.dtype, want.stride())
    if want.dtype in FORMATS:
        assert torch.equal(want.view(torch.uint8), got.view(torch.uint8))
        return
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)
    if want.is_floating_point():
        assert torch.equal(torch.signbit(want) & (want == 0), torch.signbit(got) & (got == 0))


def check(function, *inputs):
    """Values of eager, and no call of ATen."""
    with collect_reports() as graphs:
        got = torch.compile(function, backend=backend)(*inputs)
    assert not counters.fallbacks and [len(graph.calls) for graph in graphs] == [0]
    for a, b in zip(function(*inputs), got, strict=True):
        assert_equal(a, b)


@of_each_format
def test_from_all_codes(dtype):
    others = [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.bool, *(f for f in FORMATS if f != dtype)]
    check(lambda x: tuple(x.to(other) for other in others), all_codes(dtype))


@of_each_format
def test_to_codes(dtype):
    integers = torch.arange(-600, 600)
    inputs = [floats(), floats().double(), all_halves(torch.bfloat16), all_halves(torch.float16), integers, integers > 0]
    check(lambda *inputs: tuple(x.to(dtype) for x in inputs), *inputs)


@of_each_format
def test_rounding_and_copies(dtype):
    """What is rounded to 8 bits inside of a kernel is rounded; copies change layouts."""
    check(lambda x, y: ((x * 2).to(dtype).float() + 1, y.t().contiguous(), y.clone()), floats(), all_codes(dtype).view(16, 16))


def linear(x, weight, scale):
    return nn.functional.linear(x, weight.to(x.dtype) * scale)


@of_each_format
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_linear_with_weights_of_8_bits(dtype, dynamic):
    x, weight, scale = torch.randn(40, 96, dtype=torch.bfloat16), torch.randn(80, 96).to(dtype), torch.rand(80, 1, dtype=torch.bfloat16)
    got = torch.compile(linear, backend=backend, dynamic=dynamic)(x, weight, scale)
    torch.testing.assert_close(got, linear(x, weight, scale), rtol=2e-2, atol=1e-2)
    assert not counters.fallbacks


def test_other_operators_stay_calls():
    """Eager has few; they are called."""
    x = all_codes(torch.float8_e5m2).view(16, 16)
    got = torch.compile(lambda x: (torch.cat([x, x[:2]]), x.flip(0)), backend=backend)(x)
    for a, b in zip((torch.cat([x, x[:2]]), x.flip(0)), got, strict=True):
        assert_equal(a, b)
