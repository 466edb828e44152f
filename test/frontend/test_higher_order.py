"""Programs with nested regions: eager's answers, compiled."""

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


@torch.compiler.nested_compile_region
def region_with_conjugates(x, w):
    z = torch.complex(x, w)
    return torch.view_as_real(z * z.conj()).sum(-1), z.conj().imag * 2


INLINED = {
    "region": lambda x, w: region(region(x, w), w) + 1,
    "conjugates in regions": lambda x, w: region_with_conjugates(*region_with_conjugates(x, w)),
    "regions in regions": lambda x, w: outer_region(*outer_region(x, w)),
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
