"""Which of two zeros is the larger, and what becomes of infinities."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from programs import Programs, check

programs = Programs()

INF, NAN = math.inf, math.nan
LARGE = [INF, -INF, NAN, 3e38, 1.6e38, 1.0, 0.0, -0.0]
FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
EXTREMES = [torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.clamp_min, torch.clamp_max, lambda x, y: x.clamp(y, y + 1)]


def pairs() -> tuple[torch.Tensor, ...]:
    """Of all values, whole vectors: of two zeros eager takes the other in the last elements."""
    left, right = zip(*itertools.product(LARGE, LARGE), strict=True)
    return torch.tensor(left), torch.tensor(right)


@programs(pairs)
def extremes(x, y):
    return [f(x.to(dtype), y.to(dtype)) for f in EXTREMES for dtype in FLOATS]


def both_zeros() -> tuple[torch.Tensor, ...]:
    """Rows of 4 and 15 elements that begin with either zero, some with NaN; and a tensor of three dimensions."""
    rows = torch.tensor([[-0.0, 0.0, -0.0, -1.0], [0.0, -0.0, -0.0, 0.0], [-1.0, -2.0, -0.0, 0.0], [-0.0, NAN, 0.0, 0.0]])
    return rows, rows.repeat(1, 4)[:, :15], rows.view(2, 2, 4), rows.repeat(8, 1)[:, :3]


@programs(both_zeros)
def first_zero_of_short_rows_and_columns(x, rows, block, columns):
    """Eager's vector code, which takes other zeros, begins at rows of 16 doubles and at 16 columns."""
    found = []
    for dtype in FLOATS:
        for t, dims in (x, 1), (x, 0), (rows, 1), (rows.t(), 0), (block, (0, 2)), (block, 1), (block.mT, (1, 2)), (columns, 0):
            found += [t.to(dtype).amax(dims), (-t).to(dtype).amin(dims, keepdim=True)]
    return found


def constant_rows() -> tuple[torch.Tensor, ...]:
    """Rows of one number, whose normalized elements are zeros; weights of both signs, and biases that are zeros of both signs."""
    rows = torch.tensor([2.0, -4.0, 0.0, -0.0])[:, None].repeat(1, 8)
    return rows, torch.tensor([-1.0, 1.0, -0.5, 0.25]).repeat(2), torch.tensor([0.0, -0.0]).repeat(4)


@programs(constant_rows)
def zeros_of_norms(x, weight, bias):
    """Eager's CPU kernels add a bias of 0.0 if there is none, so that a negative weight makes no -0.0."""
    found = []
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        rows, w, b = x.to(dtype), weight.to(dtype), bias.to(dtype)
        image = rows[:, :, None, None].expand(4, 8, 3, 1)
        found += [F.layer_norm(rows, (8,), *parameters) for parameters in ((w,), (w, b), (None, b), ())]
        found += [F.instance_norm(image, weight=w), F.instance_norm(image)]
        for groups in 1, 2:
            for given in image.contiguous(), image.contiguous(memory_format=torch.channels_last):
                found += [F.group_norm(given, groups, *parameters) for parameters in ((w,), (w, b), (None, b), ())]
    return found


@programs(lambda: (torch.tensor([LARGE]), torch.tensor(LARGE)[:, None].repeat(1, 2), torch.tensor([INF])))
def gelu_of_infinity(x, y, z):
    """Of oneDNN's code, which eager runs for some layouts, it is NaN on processors with AVX-512."""
    f = F.gelu
    return f(x), f(y[:, 0]), f(y), f(y.t()), f(y[:1, :1]), f(z), f(x.double()), f(x.bfloat16()), f(x.half()), f(y[:, 0].bfloat16())


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(program, backend):
    check(backend, program.fn, program.make_inputs)


def test_gelu_without_onednn(backend):
    """PyTorch's own code for `gelu` has a negative zero, and infinity stays infinity."""
    gelu_of_infinity = next(p for p in programs.all if p.name == "gelu_of_infinity")
    with torch.backends.mkldnn.flags(enabled=False):
        check(backend, gelu_of_infinity.fn, gelu_of_infinity.make_inputs)


@pytest.mark.parametrize(("code", "of_infinity", "of_zero"), [("doubles", NAN, -0.0), ("no negative zero", INF, 0.0), ("aten", INF, -0.0)])
def test_gelu_of_each_code_of_eager(code, of_infinity, of_zero, fresh_counters, monkeypatch):
    """The values of every code that eager may run, whichever this processor has."""
    monkeypatch.setattr("mlirind.bridge.eager_probes.gelu_code", lambda dtype: code)
    got = torch.compile(torch.nn.functional.gelu, backend="mlirind")(torch.tensor([INF, -0.0, 1.0]))
    torch.testing.assert_close(got[0].item(), of_infinity, equal_nan=True)
    assert math.copysign(1, got[1].item()) == math.copysign(1, of_zero) and abs(got[2].item() - 0.8413447) < 1e-6


@pytest.mark.parametrize("ignores", [True, False])
def test_a_bound_that_is_nan(ignores, fresh_counters, monkeypatch):
    """No bound at all, or NaN for every element, whichever this version of eager takes it for."""
    monkeypatch.setattr("mlirind.bridge.eager_probes.clamp_ignores_nan", lambda dtype: ignores)
    x = torch.tensor([0.5, -2.0, INF] * 9)
    for result in torch.compile(lambda x: (x.clamp(min=NAN), x.clamp(max=NAN)), backend="mlirind")(x):
        assert torch.equal(result, x) if ignores else result.isnan().all()


@pytest.mark.parametrize("takes_second", [True, False])
def test_zeros_of_fmax(takes_second, fresh_counters, monkeypatch):
    """Of two zeros the first or the second, whichever this processor's eager takes."""
    monkeypatch.setattr("mlirind.bridge.eager_probes.fmax_takes_second_zero", lambda dtype: takes_second)
    x = torch.tensor([0.0, -0.0] * 9)
    got = torch.compile(lambda x, y: (torch.fmax(x, y), torch.fmin(x, y)), backend="mlirind")(x, -x)
    for result in got:
        assert torch.equal(torch.signbit(result), torch.signbit(-x if takes_second else x))
