"""Random numbers of kernels (`fallback_random=False`) on a GPU: the operators' own, distinct in every replay of a capture."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.backend import mlirind
from mlirind.frontend.calls.random_in_kernels import normal, uniform

OWN = {"fallback_random": False, "fallback": False}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_kernels_give_what_the_operators_do(dtype):
    seed = torch.tensor(-(1 << 60) + 12345, device="cuda")
    got = torch.compile(lambda s: (uniform(s, [33, 700], dtype), normal(s, [5000], dtype)), backend=mlirind, options=OWN)(seed)
    assert torch.equal(got[0], uniform(seed, [33, 700], dtype))
    torch.testing.assert_close(got[1], normal(seed, [5000], dtype), rtol=2e-2 if dtype != torch.float32 else 1e-4, atol=1e-4)
    cpu = uniform(seed.cpu(), [33, 700], dtype)
    assert torch.equal(got[0].cpu(), cpu)


@pytest.mark.parametrize("recorded", [False, True])
def test_draws_differ_from_call_to_call_and_are_reproducible(recorded):
    call = torch.compile(lambda x: (F.dropout(x, 0.5), torch.rand_like(x)), backend=mlirind, options={**OWN, "cuda_graphs": recorded})
    x = torch.ones(1000, device="cuda")
    for _ in range(3):
        call(x)
    torch.manual_seed(5)
    first = [[t.clone() for t in call(x)] for _ in range(4)]
    torch.manual_seed(5)
    again = [[t.clone() for t in call(x)] for _ in range(4)]
    assert all(torch.equal(a, b) for f, g in zip(first, again, strict=True) for a, b in zip(f, g, strict=True))
    assert len({tuple(t.tolist()) for f in first for t in f}) == 8
    assert all(set(f[0].unique().tolist()) == {0.0, 2.0} and 0.4 < float(f[1].mean()) < 0.6 for f in first)


def test_training_with_dropout():
    """The gradient is that of the mask which the forward had."""
    w = torch.randn(64, 64, device="cuda", requires_grad=True)
    x = torch.randn(32, 64, device="cuda")
    call = torch.compile(lambda x, w: F.dropout(torch.tanh(x @ w), 0.5), backend=mlirind, options={**OWN, "cuda_graphs": True})
    for _ in range(4):
        w.grad = None
        y = call(x, w)
        y.sum().backward()
        slope = torch.where(y != 0, 2.0, 0.0) * (1 - torch.tanh(x @ w) ** 2)
        torch.testing.assert_close(w.grad, x.t() @ slope.detach(), rtol=1e-4, atol=1e-4)
