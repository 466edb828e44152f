"""Which of two zeros is the larger, and what becomes of infinities."""

import itertools
import math

import pytest
import torch
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


@programs(lambda: (torch.tensor([LARGE]), torch.tensor(LARGE)[:, None].repeat(1, 2), torch.tensor([INF])))
def gelu_of_infinity(x, y, z):
    """oneDNN's, which eager takes for some layouts, is NaN."""
    f = torch.nn.functional.gelu
    return f(x), f(y[:, 0]), f(y), f(y.t()), f(y[:1, :1]), f(z), f(x.double()), f(x.bfloat16()), f(x.half()), f(y[:, 0].bfloat16())


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(program, backend):
    check(backend, program.fn, program.make_inputs)
