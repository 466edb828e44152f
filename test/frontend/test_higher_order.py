"""Programs with nested regions, conjugate and negative views: eager's answers, compiled or with the reason why not."""

import pytest
import torch
from mlirind.frontend.backend import mlirind
from mlirind.frontend.counters import counters


@torch.compiler.nested_compile_region
def region(x, w):
    return (x @ w).sin()


@torch.compiler.nested_compile_region
def outer_region(x, w):
    return region(x, w) * 2, x + torch.ones(4)


def conj_inside(x, w):
    z = torch.complex(x, w)
    return torch.view_as_real(z * z.conj()).sum(-1), z.imag * 2


INLINED = {
    "region": lambda x, w: region(region(x, w), w) + 1,
    "regions in regions": lambda x, w: outer_region(*outer_region(x, w)),
}
REASONS = {
    "conjugate": (lambda x, w: (torch.complex(x, w).conj() @ torch.complex(w, x)).abs(), "conjugate"),
    "parts of conjugates": (conj_inside, "conjugate"),
    "negative view": (lambda x, w: torch._neg_view(x) * w, "negative"),
}
INFERENCE = {
    "conjugate result": (lambda x, w: torch.complex(x, w).conj(), "conjugate"),
}


pytestmark = pytest.mark.usefixtures("fresh_counters")


def results(function, train, dtype=torch.float32):
    """Outputs, and gradients of them."""
    torch.manual_seed(0)
    x, w = (torch.randn(4, 4).to(dtype).requires_grad_(train) for _ in range(2))
    outputs = function(x, w)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    if not train:
        return outputs
    return (*outputs, *torch.autograd.grad(sum(o.square().sum() for o in outputs), (x, w)))


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", INLINED)
def test_nested_regions_are_compiled(name, train):
    exact, eager = results(INLINED[name], train, torch.float64), results(INLINED[name], train)
    made = results(torch.compile(INLINED[name], backend=mlirind), train)
    # Products of products: eager itself is up to 6e-5 from float64.
    for value, other, wanted in zip(made, eager, exact, strict=True):
        assert (value - wanted).abs().max() <= 2 * (other - wanted).abs().max() + 1e-5
    assert counters.compiled == 1 + train and not counters.fallbacks and not counters.joint_unchanged


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", REASONS)
def test_what_is_not_compiled_is_right_and_says_why(name, train):
    function, reason = REASONS[name]
    torch.testing.assert_close(results(torch.compile(function, backend=mlirind), train), results(function, train))
    assert counters.fallbacks and all(reason in r for r in [*counters.fallbacks, *counters.joint_unchanged])
    assert bool(counters.joint_unchanged) == train


@pytest.mark.parametrize("name", INFERENCE)
def test_inference(name):
    """Eager, or PyTorch, has no gradients for these."""
    function, reason = INFERENCE[name]
    torch.testing.assert_close(results(torch.compile(function, backend=mlirind), False), results(function, False))
    assert all(reason in r for r in counters.fallbacks) and counters.fallbacks
