"""Complex numbers and floats of 8 bits on a GPU: eager's bits, and how many kernels."""

import itertools
import math

import mlirind
import pytest
import torch

SPECIAL = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 1e30]
FORMATS = [torch.float8_e4m3fn, torch.float8_e5m2]


def assert_equal(got, want):
    """Equal bits, but for those of NaN."""
    assert (got.dtype, got.shape, got.stride()) == (want.dtype, want.shape, want.stride())
    if want.dtype in FORMATS:
        assert torch.equal(want.view(torch.uint8), got.view(torch.uint8))
        return
    want, got = (torch.view_as_real(t) if t.is_complex() else t for t in (want, got))
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)
    if want.is_floating_point():
        assert torch.equal(torch.signbit(want) & (want == 0), torch.signbit(got) & (got == 0))


def check(function, *inputs):
    with torch.no_grad():
        report = mlirind.explain(function, *inputs)
        assert all(graph.fallback is None and all("view" in call.target for call in graph.calls) for graph in report.graphs)
        for got, want in zip(torch.compile(function, backend="mlirind")(*inputs), function(*inputs), strict=True):
            assert_equal(got, want)


ARITHMETIC = {
    "mul": lambda z, w, r: (z * w, torch.conj_physical(z) * w),
    "mul_real": lambda z, w, r: (z * r, r * z),
    "mul_number": lambda z, w, r: (z * 2.5, z.clone() * 1),
    "mul_complex_number": lambda z, w, r: (z * (0.3 - 1.7j),),
    "add": lambda z, w, r: (z + w, torch.add(z, w, alpha=2.5)),
    "sub": lambda z, w, r: (z - w, torch.sub(z, w, alpha=2)),
    "rsub": lambda z, w, r: (2.5 - z,),
    "signs": lambda z, w, r: (-z, torch.conj_physical(z)),
}


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=["c64", "c128"])
@pytest.mark.parametrize("name", ARITHMETIC)
def test_complex_arithmetic(name, dtype):
    """Products are added without being rounded, as in eager's code."""
    numbers = torch.tensor([complex(a, b) for a, b in itertools.product(SPECIAL, SPECIAL)], dtype=dtype, device="cuda")
    random = torch.randn(2, 5000, dtype=dtype, device="cuda")
    z = torch.cat([numbers.repeat_interleave(64), random[0]])
    w = torch.cat([numbers.repeat(64), random[1]])
    check(ARITHMETIC[name], z, w, z.real.contiguous())


def test_rotary_embedding():
    def turn(x, turns):
        turned = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) * turns[:, None]
        return torch.view_as_real(turned).flatten(3).type_as(x)

    x = torch.randn(2, 130, 6, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    turns = torch.polar(torch.ones(130, 32, device="cuda"), torch.randn(130, 32, device="cuda"))
    graphs = mlirind.explain(turn, x, turns).graphs
    assert [len(graph.kernels) for graph in graphs] == [1, 1]
    got, want = torch.compile(turn, backend="mlirind")(x, turns), turn(x, turns)
    assert_equal(got.detach(), want.detach())
    assert_equal(torch.autograd.grad(got, x, want)[0], torch.autograd.grad(want, x, want)[0])


@pytest.mark.parametrize("dtype", FORMATS, ids=["e4m3fn", "e5m2"])
def test_floats_of_8_bits(dtype):
    codes = torch.arange(256, device="cuda").to(torch.uint8).view(dtype)
    halves = torch.arange(-(2**15), 2**15, device="cuda").to(torch.int16)
    floats = (torch.arange(0, 2**32, 99991, device="cuda") - 2**31).to(torch.int32).view(torch.float32)
    check(lambda x: tuple(x.to(d) for d in (torch.float32, torch.bfloat16, torch.float16, torch.float64)), codes)
    check(lambda *inputs: tuple(x.to(dtype) for x in inputs), floats, halves.view(torch.bfloat16), halves.view(torch.float16))


@pytest.mark.parametrize("dtype", FORMATS, ids=["e4m3fn", "e5m2"])
def test_linear_with_weights_of_8_bits(dtype):
    x, scale = torch.randn(40, 96, device="cuda").bfloat16(), torch.rand(80, 1, device="cuda").bfloat16()
    weight = torch.randn(80, 96, device="cuda").to(dtype)

    def linear(x, weight, scale):
        return torch.nn.functional.linear(x, weight.to(x.dtype) * scale)

    (graph,) = mlirind.explain(linear, x, weight, scale).graphs
    assert graph.fallback is None and len(graph.kernels) == len(graph.calls) == 1
    got = torch.compile(linear, backend="mlirind")(x, weight, scale)
    torch.testing.assert_close(got, linear(x, weight, scale))
