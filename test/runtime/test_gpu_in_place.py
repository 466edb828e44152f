"""Outputs of GPU kernels in the memory of inputs: where a kernel overwrites what it read, and that results are eager's. Kernels run in the
evaluator on CPU memory."""

from __future__ import annotations

import pytest
import torch
from eager_comparison import difference
from fake_gpu import backend_on, fake_gpu

ROWS, COLUMNS = 128, 160  # floats of more than 64 KiB


def transposed_beside(x, w):
    y = x @ w
    return y.sin(), y.t().contiguous()


def two_outputs(x, w):
    y = x @ w
    return y.exp(), y.relu() * 2


def other_width(x, w):
    return (x @ w).double() + 1


def returned(x, w):
    y = x @ w
    return y, y.sin()


def view_of_it(x, w):
    y = x @ w
    return y.sin(), y[1:].cos()


# The program, and how many launches overwrite an input.
PROGRAMS = {
    "pointwise": (lambda x, w: torch.sigmoid(x @ w) * 2 + 1, 1),
    "chain of calls": (lambda x, w: torch.sigmoid((x @ w).relu() @ w).sigmoid(), 2),
    "bias and residual": (lambda x, w: (x @ w + w[0]).relu() + (x @ w.t()), 1),
    "two outputs": (two_outputs, 1),
    "transposed output": (lambda x, w: (x @ w).sin().t().contiguous(), 0),
    "transposed beside": (transposed_beside, 1),
    "flip": (lambda x, w: (x @ w).flip(0) + 1, 0),
    "rows": (lambda x, w: (x @ w).softmax(-1), 1),
    "columns": (lambda x, w: (x @ w).softmax(0), 1),
    "rows beside others": (lambda x, w: (lambda y: (y - y.amax(-1, keepdim=True), y.flip(0)))(x @ w), 0),
    "maxima of columns": (lambda x, w: (lambda y: y + y.amax(0, keepdim=True))(x @ w), 1),
    "read by other rows": (lambda x, w: (lambda y: y - y.t().amax(-1, keepdim=True))((x @ w)[:, :ROWS]), 0),
    "neighbours": (lambda x, w: (lambda y: y + y.roll(1, 0))(x @ w), 0),
    "other width": (other_width, 0),
    "an input": (lambda x, w: x.sin() + 1, 0),
    "returned": (returned, 0),
    "view of it": (view_of_it, 0),
}


def overwritten(gpu):
    """How many launches take one address twice."""
    return sum(len(set(pointers)) < len(pointers) for pointers in ([a for a in r.arguments if a > 1 << 20] for r in gpu.launches))


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_and_launches_that_overwrite_an_input(name):
    torch._dynamo.reset()
    program, count = PROGRAMS[name]
    torch.manual_seed(0)
    x, w = torch.randn(ROWS, COLUMNS), torch.randn(COLUMNS, COLUMNS)
    kept = x.clone(), w.clone()
    with fake_gpu() as gpu:
        got = torch.compile(program, backend=backend_on())(x, w)
    assert difference(program(x, w), got) is None
    assert torch.equal(x, kept[0]) and torch.equal(w, kept[1])
    assert overwritten(gpu) == count


def test_symbolic_sizes():
    torch._dynamo.reset()
    w = torch.randn(COLUMNS, COLUMNS)
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x, w: torch.sigmoid(x @ w) * 2, backend=backend_on(), dynamic=True)
        for rows in (ROWS, 3, 70):  # the choice is made for the first
            x = torch.randn(rows, COLUMNS)
            assert difference(torch.sigmoid(x @ w) * 2, compiled(x, w)) is None
    assert overwritten(gpu) == 3


def test_gradients():
    torch._dynamo.reset()
    x, w = torch.randn(ROWS, COLUMNS, requires_grad=True), torch.randn(COLUMNS, COLUMNS, requires_grad=True)

    def loss(x, w):
        return torch.sigmoid((x @ w).relu() @ w).square().mean()

    want = torch.autograd.grad(loss(x, w), (x, w))
    with fake_gpu() as gpu:
        got = torch.autograd.grad(torch.compile(loss, backend=backend_on())(x, w), (x, w))
    assert difference(want, got) is None and overwritten(gpu) > 0
