"""Losses of half types on the CPU: PyTorch's kernels round some at each step, and some once."""

import math

import pytest
import torch
import torch.nn.functional as F
from programs import ON_GPU

pytestmark = pytest.mark.skipif(ON_GPU, reason="CUDA kernels compute in float32")

HALVES = (torch.bfloat16, torch.float16)
STEPS = {
    "mse_loss": F.mse_loss,
    "smooth_l1_loss": lambda x, y, reduction: F.smooth_l1_loss(x, y, reduction=reduction, beta=0.3),
    "huber_loss": lambda x, y, reduction: F.huber_loss(x, y, reduction=reduction, delta=0.3),
}
# Their exponentials and logarithms are float32 functions, rounded to the half type, which may be a unit off on another processor.
WITH_FUNCTIONS = {
    "soft_margin_loss": F.soft_margin_loss,
    "binary_cross_entropy": lambda x, y, reduction: F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), reduction=reduction),
    "weighted": lambda x, y, reduction: F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=y, reduction=reduction),
    "logsigmoid": lambda x, y, reduction: F.logsigmoid(x) if reduction == "none" else (F.logsigmoid(x) * y).sum(),
    "sigmoid": lambda x, y, reduction: x.sigmoid() if reduction == "none" else (x.sigmoid() * y).sum(),
    "glu": lambda x, y, reduction: F.glu(x, 0) if reduction == "none" else (F.glu(x, 0) * y[:8]).sum(),
}


def results(function, dtype: torch.dtype) -> list[torch.Tensor]:
    """The losses, their mean, and the gradient of the first operand, for operands of several sizes. All elements are in whole vectors:
    the scalar code for the last ones rounds differently."""
    torch.manual_seed(0)
    x, y, grad = (torch.randn(16, 64) * torch.tensor([0.3, 1, 8, 300]).repeat(4)[:, None] for _ in range(3))
    leaf = x.to(dtype).requires_grad_()
    losses, mean = function(leaf, y.to(dtype))
    torch.autograd.backward([losses, mean], [grad[: len(losses)].to(dtype), torch.ones_like(mean)])
    return [losses.detach(), mean.detach(), leaf.grad]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", [*STEPS, *WITH_FUNCTIONS])
def test_rounded_as_the_kernels_round(backend, name, dtype):
    loss = (STEPS | WITH_FUNCTIONS)[name]

    def both(x, y):
        return loss(x, y, reduction="none"), loss(x, y, reduction="mean")

    got = results(torch.compile(both, backend=backend, dynamic=False), dtype)
    units = 0 if name in STEPS else 4 * torch.finfo(dtype).eps
    for ours, eager in zip(got, results(both, dtype), strict=True):
        torch.testing.assert_close(ours, eager, rtol=units, atol=units * 1e-2, equal_nan=True)


def compiled(backend, function, dtype: torch.dtype, *numbers: float) -> torch.Tensor:
    """What the compiled function gives for tensors of 40 elements, each filled with one of the numbers."""
    return torch.compile(function, backend=backend, dynamic=False)(*(torch.full((40,), number, dtype=dtype) for number in numbers))


def assert_all(got: torch.Tensor, want: float) -> None:
    torch.testing.assert_close(got, torch.full_like(got, want), rtol=0, atol=0, equal_nan=True)


def test_steps_that_overflow_or_vanish(backend):
    """exp(11.6) is infinite in float16; 1e-12, the least divisor of a gradient, is 0 there."""
    none = {"reduction": "none"}
    assert_all(compiled(backend, lambda x, y: F.soft_margin_loss(x, y, **none), torch.float16, -4.0, 2.9), math.inf)
    backward = torch.ops.aten.binary_cross_entropy_backward
    assert_all(compiled(backend, lambda g, x, y: backward(g, x, y, None, 0), torch.float16, 1.0, 0.0, 0.0), math.nan)
    assert_all(compiled(backend, lambda g, x, y: backward(g, x, y, None, 0), torch.bfloat16, 1.0, 0.0, 0.0), 0.0)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("loss", [F.mse_loss, F.huber_loss, F.soft_margin_loss])
def test_mean_of_symbolic_sizes_compiles_once(backend, loss, dtype):
    """The gradient's factor, 1 / n, stays symbolic, and is rounded: 1 / 50048 is a denormal number in float16."""
    compilations = torch._dynamo.utils.counters["stats"]
    compiled_once = torch.compile(loss, backend=backend, dynamic=True)
    before = compilations["unique_graphs"]
    for count in (64, 3008, 50048):
        x, y = torch.linspace(-2, 2, count).to(dtype), torch.ones(count, dtype=dtype)
        ours, eager = x.clone().requires_grad_(), x.clone().requires_grad_()
        compiled_once(ours, y).backward()
        loss(eager, y).backward()
        units = 4 * torch.finfo(dtype).eps if loss is F.soft_margin_loss else 0
        torch.testing.assert_close(ours.grad, eager.grad, rtol=units, atol=units * torch.finfo(dtype).tiny)
    assert compilations["unique_graphs"] == before + 1


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("sizes", [(300, 10), (64, 7, 5, 5)])
@pytest.mark.parametrize("dtype", HALVES)
def test_negative_likelihoods_are_added_as_the_kernel_adds(backend, dtype, sizes, reduction):
    """It adds in the half type, in levels of partial sums: the result is not the rounded sum in float32."""
    torch.manual_seed(0)
    x, target = torch.randn(sizes).to(dtype), torch.randint(sizes[1], (sizes[0], *sizes[2:]))
    target[::7] = -100
    got = torch.compile(lambda x, target: F.nll_loss(x, target, reduction=reduction), backend=backend, dynamic=False)(x, target)
    assert torch.equal(got, F.nll_loss(x, target, reduction=reduction))


@pytest.mark.parametrize("image", [(), (2, 3)])
@pytest.mark.parametrize("gradient", [-2.0, math.inf])
@pytest.mark.parametrize("weight", [None, [0.5, 1.0, 0.25, 2.0]])
def test_gradients_of_negative_likelihoods_are_zero_elsewhere(backend, image, gradient, weight):
    """They are 0.0 beside the targets and for ignored ones, also of infinite and negative gradients."""
    target = torch.tensor([2, 0, -100, 3]).view(4, *[1] * len(image)).expand(4, *image).contiguous()
    weights = None if weight is None else torch.tensor(weight)
    x = torch.randn(4, 4, *image, requires_grad=True)
    loss = torch.compile(lambda x, target: F.nll_loss(x, target, weights, reduction="sum"), backend=backend, dynamic=False)
    loss(x, target).backward(torch.tensor(gradient))
    want = torch.zeros(4, 4)
    for row, column in ((0, 2), (1, 0), (3, 3)):
        want[row, column] = -gradient * (weight[column] if weight else 1)
    want = want.view(4, 4, *[1] * len(image)).expand_as(x)
    assert torch.equal(x.grad, want) and torch.equal(x.grad.signbit(), want.signbit())


@pytest.mark.parametrize("eps", [None, 0.1])
@pytest.mark.parametrize("dtype", HALVES)
def test_gradient_of_logit(backend, dtype, eps):
    """Its steps, and the limits of the range, are rounded."""
    x = torch.arange(0, 1, 1 / 4096, dtype=torch.float64).to(dtype)
    backward = torch.compile(lambda g, x: torch.ops.aten.logit_backward(g, x, eps), backend=backend, dynamic=False)
    low = torch.tensor(eps or 0.0, dtype=dtype)
    want = torch.where((x < low) | (x > 1 - low), 0.0, 1 / (x * (1 - x)))
    assert torch.equal(backward(torch.ones_like(x), x), want)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", HALVES)
def test_log_softmax_keeps_halves_along_the_last_dimension(backend, dtype, dim):
    """A row's sum is the number of its zeros: what is added to it vanishes in float32."""
    x = torch.where(torch.arange(64) < torch.arange(2, 34)[:, None], 0.0, -20 - 0.25 * torch.arange(64)).to(dtype)
    logarithm = (x == 0).sum(1, keepdim=True).float().log()
    kept = logarithm.to(dtype).float() if dim == 1 else logarithm
    x, want = (t if dim == 1 else t.t().contiguous() for t in (x, (x.float() - kept).to(dtype)))
    got = torch.compile(lambda x: x.log_softmax(dim), backend=backend, dynamic=False)(x)
    assert torch.equal(got, want)


def test_differences_are_rounded(backend):
    """1 + 2**-9 is 1 in bfloat16, 2 + 2**-10 is 2 in float16."""
    for dtype, x, y in ((torch.bfloat16, 1.0, -(2.0**-9)), (torch.float16, 2.0, -(2.0**-10))):
        assert_all(compiled(backend, lambda x, y: F.mse_loss(x, y, reduction="none"), dtype, x, y), x * x)
