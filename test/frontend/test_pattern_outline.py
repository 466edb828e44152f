"""What is known of a pattern before it is traced: no more than is true of the traced one, and not changed by what happens in between."""

import inspect

import mlirind.patterns
import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.patterns import pattern_requests
from mlirind.frontend.patterns.pattern_outline import outline
from mlirind.frontend.patterns.pattern_tracing import trace_pattern
from mlirind.passes.patterns.engine import pattern_set
from mlirind.patterns import register_replacement
from test_patterns import X, forgotten, operators
from torch.nn import functional as F

__all__ = ["forgotten"]  # the fixture, which runs around every test
H = torch.randn(6, 7, requires_grad=True)


def seen(function, examples, joint=False):
    return outline((function, function), list(inspect.signature(function).parameters), examples, {}, joint)


def many(x):
    """Operators of all kinds, some of which are decomposed, or vanish, or are constant."""
    y = x.sin() + x.exp() * 1 + torch.zeros_like(x).cos() + torch.ones(7).sqrt() + (x * x - x / (x.abs() + 1))
    y = y + F.gelu(x) + F.silu(x) + F.relu(x) + x.clamp(0, 1) + x.softmax(-1) + F.layer_norm(x, (7,)) + x.sum(-1, keepdim=True)
    y = y + torch.where(x > 0, x, x.tanh()) + x.cumsum(1) + x.t().contiguous().t() + x.bfloat16().float() + x.floor() + x.pow(2)
    return torch.cat([y, y.flip(0)], 1) @ torch.stack([x.t(), x.rsqrt().t()], 1).flatten(0, 1) + F.hardtanh(x) @ x.t()


FUNCTIONS = [
    (many, [H.detach()], False),
    (lambda x, w: F.linear(x.sigmoid(), w).relu() + x @ w.t(), [torch.randn(2, 3, 5), torch.randn(4, 5)], False),
    (lambda q, k, v: (q @ k.mT / 3).softmax(-1) @ v, [torch.randn(2, 3, 4, 8) for _ in range(3)], False),
    (lambda x, w: F.conv2d(x, w).mean((2, 3)), [torch.randn(2, 3, 8, 8), torch.randn(4, 3, 3, 3)], False),
    (lambda x: torch.relu((x * 1.3).tanh() / 2.5 - 0.7) + 0.25, [H.detach()], False),
    (lambda x: ((x * 1.3).tanh() / 2.5 - 0.7) * x, [H], True),
    (lambda x: (x * x.shape[-1] ** -0.5).tanh() * 0.7, [H.detach()], False),
    (lambda x: x.sin().add_(1).exp() * x.cos().fill_(2).tanh(), [H.detach()], False),
    (lambda x: (x / 9).atanh().sin(), [H], True),
    (lambda x: (x.exp() * x).sum(-1), [H], True),
    (lambda x: x.sin().view(-1, 6).view(-1, 7).cos(), [H.detach()], False),
    (lambda x: x.sin().t().reshape(7, 6).t().cos() + x.sin().tanh(), [H], True),
    (lambda x, w: F.linear(F.gelu(x), w).tanh(), [H, torch.randn(4, 7, requires_grad=True)], True),
    # The product of these is computed in another order of dims, so the sine does not use it.
    (lambda x, y: (x * y).sin() + x, [torch.ones(6, 1).bfloat16().expand(6, 7), torch.ones(7, 6).bfloat16().t()], False),
]


@pytest.mark.parametrize(("function", "examples", "joint"), FUNCTIONS)
def test_what_is_seen_is_in_the_traced_pattern(function, examples, joint):
    found = seen(function, examples, joint).needs
    traced = pattern_set.from_text(trace_pattern("p", function, function, examples, joint=joint), "user-patterns").needs
    assert found.operators and found.operators <= traced.operators and found.links <= traced.links


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.dropout(x, 0.5),
        lambda x: x.sin().relu_(),
        lambda x: (lambda y: y.add_(y[0]))(x.sin()),
        lambda x: x if x.sum() > 0 else x.sin(),
        lambda x: x.view_as(x),
        lambda x: x * X.sum(),
        lambda x: (x.sin(), torch.ones(3).sin()),
    ],
)
def test_what_is_unusual_is_traced_at_once(function):
    state = torch.get_rng_state()
    assert seen(function, [H.detach()]) is None
    assert torch.equal(state, torch.get_rng_state())


@pytest.fixture
def traced(monkeypatch, tmp_path):
    """The names of the patterns that are traced; the cache is empty."""
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    names = []

    def record(name, **kwargs):
        names.append(name)
        return trace_pattern(name, **kwargs)

    monkeypatch.setattr(pattern_requests, "trace_pattern", record)
    return names


def test_a_pattern_is_traced_when_a_graph_could_have_it(traced):
    register_replacement(lambda x: x.sin().exp(), lambda x: x.cos(), [X], name="p")
    operators(lambda x: x.exp().sin(), X)
    assert not traced
    with pytest.raises(AssertionError, match="not close"):
        operators(lambda x: x.sin().exp(), X)
    with pytest.raises(AssertionError, match="not close"):
        operators(lambda x: x.sin().exp() + 1, X)
    assert traced == ["p"]


def test_numbers_and_what_takes_them_are_looked_for_first(traced):
    register_replacement(lambda x: (x * 1.5).sin(), lambda x: x.cos(), [X], name="p")
    operators(lambda x: (x * 2.5).sin() + x * 1.5, X)
    assert not traced
    with pytest.raises(AssertionError, match="not close"):
        operators(lambda x: (x * 1.5).sin(), X)
    assert traced == ["p"]


def test_the_variables_of_a_loop_are_those_of_its_pass():
    for k in (2.0, 3.0):
        register_replacement(lambda x: x.sin() * k, lambda x: (k * 1.0) * x.sin().relu(), [X], name=f"times{int(k)}")  # noqa: B023
    positive = X.abs() / X.abs().max()
    assert operators(lambda x, y: x.sin() * 2.0 + y.sin() * 3.0, positive, positive + 1).count("relu.default") == 2
    assert "relu.default" not in operators(lambda x: x.sin() * 4.0, positive)


class Settings:
    factor = 2.0


def test_what_has_changed_since_is_told():
    register_replacement(lambda x: x.sin() * Settings.factor, lambda x: x.sin().relu() * 2, [X], name="p")
    Settings.factor = 3.0
    with pytest.raises(Exception, match="pattern 'p': its functions compute something else than when it was registered"):
        operators(lambda x: x.sin() * 3.0, X)


def test_what_is_wrong_is_told_when_it_is_traced(monkeypatch):
    def fail(*_args, **_kwargs):
        raise mlirind.errors.MlirindError("pattern 'p': no")

    register_replacement(lambda x: x.sin(), lambda x: x.cos(), [X], name="p")
    monkeypatch.setattr(pattern_requests, "cached_texts", lambda _key, _seen, trace: trace())
    monkeypatch.setattr(pattern_requests, "trace_pattern", fail)
    with pytest.raises(Exception, match="pattern 'p': no"):
        operators(lambda x: x.sin(), X)


def test_modes_of_the_program_are_not_those_of_its_patterns():
    register_replacement(lambda x, y: (x @ y).sin(), lambda x, y: torch.sin(x @ y).relu(), [torch.randn(3, 4), torch.randn(4, 5)], name="p")
    x, y = torch.rand(3, 4), torch.rand(4, 5) / 4
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, y: (x @ y).sin(), backend=backend, options={"fallback": False})
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        made = compiled(x, y)
    torch.testing.assert_close(made, (x.bfloat16() @ y.bfloat16()).sin())
    (pattern,) = pattern_set.patterns("user-patterns")
    assert "bf16" not in pattern.traced[0].text
