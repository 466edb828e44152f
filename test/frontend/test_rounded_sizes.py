"""Sizes that are rounded floats, and conditions on sizes as operands: eager's answers from one compilation."""

import math

import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters

pytestmark = pytest.mark.usefixtures("fresh_counters")

ROWS = (6, 9, 10, 25)

PROGRAMS = {
    "share": lambda x, w: x[: int(0.7 * x.shape[0])].sin() @ w,
    "share_left": lambda x, w: x[int(0.7 * x.shape[0]) :] * 2,
    "half": lambda x, w: x[: round(x.shape[0] / 2)] * 2,
    "root": lambda x, w: x[: int(math.sqrt(x.shape[0]))] @ w,
    "last_steps": lambda x, w: x[-math.ceil(0.3 * x.shape[0]) :].cumsum(0),
    "two": lambda x, w: (x[: int(0.7 * x.shape[0])].sum(0) + x[: round(x.shape[0] / 3)].sum(0), w * round(x.shape[0] * 0.4)),
    "padded": lambda x, w: torch.nn.functional.pad(x, (0, 0, 0, int(0.7 * x.shape[0]))),
    "conditions": lambda x, w: (x * (x.shape[0] > 8), x + (x.shape[0] == 6), w + (x.shape[0] <= 9)),
}
NUMBERS = {
    "steps": lambda x, w: torch.arange(0, x.shape[0], 0.5) * 2,
    "count": lambda x, w: torch.ones(int(0.7 * x.shape[0]), 2) + round(x.shape[0] / 2),
}


def results(function, rows, train):
    generator = torch.Generator().manual_seed(rows)
    x, w = (torch.randn(n, 4, generator=generator).requires_grad_(train) for n in (rows, 4))
    outputs = function(x, w)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    if not train:
        return outputs
    return [*outputs, *torch.autograd.grad(sum(o.square().sum() for o in outputs), (x, w), allow_unused=True)]


def check(function, train):
    compiled = torch.compile(function, backend=backend, dynamic=True, fullgraph=True)
    for rows in ROWS:
        torch.testing.assert_close(results(compiled, rows, train), results(function, rows, train))
    assert not counters.fallbacks
    assert counters.compiled == 1 + train


@pytest.mark.parametrize("name", [*PROGRAMS, *NUMBERS])
def test_forward(name):
    check((PROGRAMS | NUMBERS)[name], False)


@pytest.mark.parametrize("name", ["share", "half", "two", "conditions"])
def test_training(name):
    check(PROGRAMS[name], True)


def test_every_size_is_as_python_rounds_it():
    """Floats round before `int` does: 0.7 * 30 is 21.0, and 0.29 * 100 is 28.999999999999996."""

    def function(x):
        return x[: int(0.29 * x.shape[0])] + 1, x[: round(x.shape[0] * 0.5)] * 2

    compiled = torch.compile(function, backend=backend, dynamic=True, fullgraph=True)
    for rows in range(8, 104):
        assert [o.shape for o in compiled(torch.ones(rows))] == [o.shape for o in function(torch.ones(rows))]
    assert not counters.fallbacks
