"""Patterns that are recorded are those that tracing gives; where a recording could be another one there is none."""

import inspect
import itertools

import attention_forms
import pytest
import torch
from mlirind.frontend.patterns.pattern_outline import outline
from mlirind.frontend.patterns.pattern_parameters import distinct_examples
from mlirind.frontend.patterns.pattern_sizes import Sizes, Unusual
from mlirind.frontend.patterns.pattern_tracing import record_pattern, trace_pattern
from torch.nn import functional as F

X, Y, W = torch.randn(4, 8), torch.randn(4, 8), torch.randn(8)
CUBE = torch.randn(2, 3, 8)


def recorded(search, replace, examples, scalars=(), **kwargs):
    scalars = dict(scalars)
    names = [n for n in inspect.signature(search).parameters if n not in scalars]
    seen = outline((search, replace), names, examples, distinct_examples(scalars), kwargs.get("joint", False))
    return seen and record_pattern("p", search, replace, examples, seen=seen, scalars=scalars, **kwargs)


def same(search, replace, examples, **kwargs):
    found = recorded(search, replace, examples, **kwargs)
    assert found is not None
    assert found == trace_pattern("p", search, replace, examples, **kwargs)


def rms_norm(x, w):
    return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def attention(q, k, v):
    return (q @ k.mT / 3).softmax(-1) @ v


FUNCTIONS = [
    (lambda x, w: torch.relu(torch.exp(x * 1.3) * w), [X, W]),
    (rms_norm, [CUBE, W]),
    (lambda x, w, b: F.linear(x, w, b).relu(), [CUBE, torch.randn(5, 8), torch.randn(5)]),
    (attention, [torch.randn(2, 3, 4, 8) for _ in range(3)]),
    (lambda q, k: torch.bmm(q, k.mT) * 2, [CUBE, CUBE + 1]),
    (lambda x, y: (F.silu(x) * y + F.gelu(x), x.exp() * y), [X, Y]),
    (lambda x: x.reshape(x.shape[0] * x.shape[1], -1).exp().view(-1), [CUBE]),
    (lambda x, y: x * y + 1, [torch.randn(4, 1, 8), torch.randn(1, 5, 8)]),
    (lambda x: x.permute(0, 2, 1).exp().sum(-1), [CUBE]),
    (lambda x: x.bfloat16().exp().float(), [X.t()]),
    (lambda x: x.cumsum(-1).pow(2) + x.log_softmax(-1), [X]),
]
ONLY_INFERENCE = [
    (lambda x: x.clamp(0, 6).mul(2) + torch.ones_like(x) * 3, [X]),
    (lambda x, y: x.sum() + y.sum(), [W, W + 1]),
    (lambda x: (x * 2 + 1) // 3, [torch.ones(4, 8, dtype=torch.int64)]),
    (lambda x: (x > 0).float() * x, [X]),
    (lambda w, i: F.embedding(i, w) * 2, [X, torch.zeros(3, 4, dtype=torch.int64)]),
]


@pytest.mark.parametrize(("function", "examples"), FUNCTIONS + ONLY_INFERENCE)
def test_what_is_recorded_is_what_tracing_gives(function, examples):
    same(function, function, examples)


@pytest.mark.parametrize(("function", "examples"), FUNCTIONS[::2])
def test_with_gradients(function, examples):
    same(function, function, [e.detach().clone().requires_grad_() for e in examples], joint=True)


def test_an_input_that_is_used_elsewhere_too():
    examples = [CUBE.clone().requires_grad_(), W.clone().requires_grad_()]
    same(rms_norm, rms_norm, examples, joint=True, accumulated=["x"])
    same(rms_norm, rms_norm, examples, joint=True, accumulated=["x", "w"])


def test_the_replacement_may_demand_that_sizes_are_equal():
    same(lambda x, y: (x.exp(), y.exp()[0] * x[0, 0]), lambda x, y: (x.exp() + y * 0, y.exp()[0] * x[0, 0]), [X, Y])


def test_open_numbers_and_sizes_that_count():
    same(lambda x, eps: torch.rsqrt(x + eps) * 2, lambda x, eps: (x + eps).pow(-0.5) * (2 + eps), [X], scalars={"eps": 1.7e-5})
    same(lambda x: x.exp() + 1, lambda x: x.exp(), [X], bake_shapes=True)


def test_written_attention():
    """The search functions; of each twelfth, the text."""
    forms = [*attention_forms.inference(), *attention_forms.training()]
    count = itertools.count(1)

    def compare(_name, search, _replace, examples, scalars=(), **kwargs):
        found = recorded(search, search, examples, scalars=scalars, **kwargs)
        if found is not None and next(count) % 12 == 0:
            assert found == trace_pattern("p", search, search, examples, scalars=scalars, **kwargs)
        return str(found)

    assert all(form.text(compare) for form in forms)
    assert next(count) > 70


def halves(x):
    one, other = x.chunk(2, -1)
    return one * other.sigmoid()


@pytest.mark.parametrize(
    "function",
    [
        halves,
        lambda x: x.exp() if x.shape[0] < 100 else x.sin(),
        lambda x: x.exp() * x.shape[-1] ** -0.5,
        lambda x: F.layer_norm(x, (8,)),
        lambda x: F.dropout(x.exp(), 0.5),
        lambda x: x.exp().mul_(2),
        lambda x: x.exp()[x > 0],
        lambda x: x.exp() + torch.zeros(4, 8),
        lambda x: x.exp()[1:],
    ],
)
def test_what_needs_tracing_is_not_recorded(function):
    assert recorded(function, function, [X]) is None


def test_sizes_are_read_from_both_runs():
    sizes = Sizes([torch.empty(4, 6, 1), torch.empty(6)], baked=False)
    (a, b, one), (c,) = sizes.shapes(second=False)
    (second_a, second_b, _), (second_c,) = sizes.shapes(second=True)
    assert one == 1 and len({a, b, c, second_a, second_b, second_c}) == 6
    assert not sizes.join(a, b) and sizes.join(b, c)
    assert str(sizes.size(2 * a * b, 2 * second_a * second_b)) == "2*s0*s1" and sizes.example(a * b, second_a * second_b) == 24
    for first, second in ((a + b, second_a + second_b), (a // 2, second_a // 2), (a - 1, second_a - 1), (a, second_b)):
        with pytest.raises(Unusual):
            sizes.size(first, second)
