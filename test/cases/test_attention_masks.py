"""Attention with masks and scales as models write them, trained: fused where the graph says that results and gradients are eager's."""

import pytest
import torch
from mlirind.runtime.report import collect_reports
from programs import ON_GPU
from test_attention import INF, D, S, T, allowed, check, check_training, qkv, split

pytestmark = pytest.mark.skipif(ON_GPU, reason="attention is fused in training on the CPU only")
LOWEST = torch.finfo(torch.float32).min


def masked(scores):
    """Attention whose scores `scores(q @ k.mT, ...)` makes of the products."""

    def attention(q, k, v, *more):
        q, k, v = split(q, k, v)
        return torch.softmax(scores(q @ k.mT, *more), -1) @ v

    return attention


def lower():
    return torch.ones(S, T).tril()


def expanded(mask, dtype):
    """As BART and OPT make a mask of one of integers."""
    inverted = 1.0 - mask.to(dtype)
    return inverted.masked_fill(inverted.to(torch.bool), torch.finfo(dtype).min)


def causal_from_positions():
    """As OPT makes its mask."""
    mask, positions = torch.full((T, T), LOWEST), torch.arange(T)
    return mask.masked_fill_(positions < (positions + 1).view(T, 1), 0)[:S]


ADDED = {
    "(1 - m) * lowest": lambda s, m: s / 4 + (1.0 - m.to(s.dtype)) * LOWEST,
    "lowest * (1 - m)": lambda s, m: s * 0.25 + LOWEST * (1 - m.long()),
    "(1 - (m != 0)) * lowest": lambda s, m: s + (1.0 - (m.int() != 0).to(s.dtype)) * LOWEST,
    "~m * lowest": lambda s, m: s / 4 + ~m * LOWEST,
    "filled where it is not zero": lambda s, m: s / 4 + expanded(m.long(), s.dtype),
    "of two dims": lambda s, m: s / 4 + (1.0 - m[0, 0].to(s.dtype)) * LOWEST,
    "of one row": lambda s, m: s / 4 + (1.0 - m[:, :, :1].to(s.dtype)) * LOWEST,
}
CAUSAL = {
    "tril == 0": lambda s: (s / 4).masked_fill(lower() == 0, -INF),
    "tril of booleans": lambda s: (s * 0.25).masked_fill(~torch.ones(S, T, dtype=torch.bool).tril()[None, None], LOWEST),
    "triu": lambda s: s.masked_fill(torch.ones(S, T).triu(1).bool(), -INF),
    "triu, added": lambda s: s / 4 + torch.full((S, T), -INF).triu(1),
    "(1 - tril) * lowest": lambda s: s * 0.25 + (1.0 - lower()) * LOWEST,
    "where tril": lambda s: torch.where(lower().bool(), s / 4, LOWEST),
    "where tril == 0": lambda s: torch.where(lower() == 0, -INF, s / 4),
    "positions": lambda s: torch.where(torch.arange(T) <= torch.arange(S)[:, None], s * 0.25, -INF),
    "positions, added": lambda s: s + causal_from_positions(),
}
SCALED = {
    "divided": lambda s, t: s / t,
    "multiplied": lambda s, t: s * t,
    "multiplied first": lambda s, t: t * s,
    "divided by a constant": lambda s, t: s / torch.full([], D**0.5),
    "divided by a root": lambda s, t: s / torch.sqrt(torch.tensor(float(D))),
    "with an added mask": lambda s, t: s * t + torch.full((S, T), LOWEST).triu(1),
    "as GPT-2": lambda s, t: torch.where(lower().bool()[None, None], s / torch.full([], 4.0), torch.full([], LOWEST)),
    "filled": lambda s, t: (s / t).masked_fill(lower() == 0, -INF),
}


@pytest.mark.parametrize("name", ADDED)
def test_an_added_mask_of_booleans(name, backend, backend_name):
    """Some rows are masked wholly: eager gives these equal weights, and gradients by them."""
    check_training(masked(ADDED[name]), [*qkv(), allowed()], backend, backend_name, True)


@pytest.mark.parametrize("name", CAUSAL)
def test_a_causal_mask_built_in_the_graph(name, backend, backend_name):
    check_training(masked(CAUSAL[name]), qkv(), backend, backend_name, True)


@pytest.mark.parametrize("name", SCALED)
def test_a_scale_of_no_dims(name, backend, backend_name):
    attention, scale = masked(SCALED[name]), torch.tensor(0.7)
    check_training(lambda q, k, v: attention(q, k, v, scale), qkv(), backend, backend_name, True)


NOT_FUSED = {
    "integers that need not be 0 or 1": lambda s, m: s / 4 + (1.0 - m.long().cumsum(-1)) * LOWEST,
    "a number that is not low": lambda s, m: s / 4 + (1.0 - m.to(s.dtype)) * -1e4,
    "infinite, perhaps whole rows": lambda s, m: s / 4 + torch.zeros(S, T).masked_fill(~m, -INF),
    "two masks, whose sum may be infinite": lambda s, m: s / 4 + (1.0 - m.to(s.dtype)) * LOWEST + (1.0 - lower()) * LOWEST,
    "two low numbers": lambda s, m: s / 4 + torch.where(m, 0.0, torch.where(lower().bool(), LOWEST, LOWEST / 2)),
    "filled, perhaps whole rows": lambda s, m: (s / 4).masked_fill(~m, LOWEST),
    "filled, whole rows": lambda s, m: (s / 4).masked_fill(torch.ones(S, T).tril(-1) == 0, LOWEST),
    "kept, whole rows": lambda s, m: torch.where(torch.ones(S, T).tril(-1).bool(), s / 4, LOWEST),
    "filled with a number that is not low": lambda s, m: s.masked_fill(lower() == 0, -1e9),
    "a mask of one dim": lambda s, m: s / 4 + (1.0 - m[0, 0, 0].to(s.dtype)) * LOWEST,
    "a mask of three dims": lambda s, m: s / 4 + (1.0 - m[0].to(s.dtype)) * LOWEST,
}


@pytest.mark.parametrize("name", NOT_FUSED)
def test_what_stays_as_it_is_written(name, backend, backend_name):
    check_training(masked(NOT_FUSED[name]), [*qkv(), allowed()], backend, backend_name, False)


def test_a_scale_that_is_trained(backend, backend_name):
    """Its gradient needs the scores."""
    check_training(masked(lambda s, t: s / t), [*qkv(), torch.tensor(3.0)], backend, backend_name, False)


def test_a_finite_mask_needs_no_guard(backend, backend_name):
    """In inference: nothing looks for rows of -inf."""
    args = [*qkv(), allowed()]
    check(masked(ADDED["(1 - m) * lowest"]), args, backend, backend_name, True)
    torch._dynamo.reset()
    with collect_reports(stages=True) as reports, torch.no_grad():
        torch.compile(masked(ADDED["(1 - m) * lowest"]), backend=backend)(*args)
    if backend_name == "mlirind":
        assert "aten.amax" not in reports[0].stages["aten"] and "aten.scaled_dot_product_attention" in reports[0].stages["aten"]
