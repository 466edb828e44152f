"""Tensors without elements, and reductions over nothing: eager's values and gradients, and never a read of memory that is not there."""

import pytest
import torch
import torch.nn.functional as F
from programs import Programs, check

programs = Programs()


def rows() -> tuple[torch.Tensor, ...]:
    return (torch.randn(3, 0, requires_grad=True),)


def columns() -> tuple[torch.Tensor, ...]:
    return (torch.randn(0, 4, requires_grad=True),)


def images() -> tuple[torch.Tensor, ...]:
    return (torch.randn(0, 1, 5, 5, requires_grad=True),)


@programs(rows)
def sums_over_nothing(x):
    return x.sum(1), x.sum(0), (x * 2).sum(), x.permute(1, 0).reshape(-1).sum(), x.expand(4, 3, 0).sum(-1), (x.sum(1) + 1).exp()


@programs(rows)
def other_reductions_over_nothing(x):
    return x.prod(1), x.mean(1), x.var(1), x.logsumexp(1), x.norm(dim=1), (x > 0).any(1), (x > 0).all(1)


@programs(rows)
def rows_of_no_elements(x):
    return x.softmax(0), x.softmax(1), x.cumsum(0), x.cumsum(1), F.pad(x, (1, 1)), F.pad(x, (1, 1)).sum(1), torch.stack([x, x]).sum((0, 2))


@programs(columns)
def no_rows(x):
    return F.layer_norm(x, (4,)), F.gelu(x).flip(0).roll(1, 0), x.sum(0), x.prod(0), x.unsqueeze(1) * torch.ones(5, 1)


@programs(columns)
def loss_of_nothing(x):
    return F.cross_entropy(x, torch.zeros(0, dtype=torch.long))


@programs(images)
def no_images(x):
    return F.unfold(x, (2, 2), (1, 2), 0, (1, 2)), F.interpolate(x, scale_factor=2.0), F.avg_pool2d(x, 2)


@programs(lambda: (torch.randn(2, 3, requires_grad=True), torch.zeros(0, dtype=torch.long)))
def no_indices(x, i):
    return x[i] * 2, F.embedding(i, x).sum(0), torch.zeros(2, 2).index_add(1, i, x[:, :0]), torch.cat([x, x[:, :0]], 1)[:0]


def attention(q, k, v):
    return (q @ k.mT * 0.3).softmax(-1) @ v


@programs(lambda: [torch.randn(2, 4, n, 8, requires_grad=True) for n in (0, 6, 6)])
def no_queries(q, k, v):
    return attention(q, k, v)


@programs(lambda: [torch.randn(2, 4, n, 8, requires_grad=True) for n in (5, 0, 0)])
def no_keys(q, k, v):
    return attention(q, k, v)


@programs(lambda: [torch.randn(2, 0, n, 8, requires_grad=True) for n in (5, 6, 6)])
def no_heads(q, k, v):
    return attention(q, k, v), attention(q[0], k[0], v[0])


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_empty(backend, program):
    check(backend, program.fn, program.make_inputs, grad=True)


def test_sizes_that_become_nothing(backend):
    """The operators of fused attention with gradients must not be called for what may have no rows."""
    compiled = torch.compile(lambda q, k, v: attention(q[:, :, 2:], k, v), backend=backend, dynamic=True)
    for n in (5, 4, 2):
        inputs = [torch.randn(2, 4, m, 8, requires_grad=True) for m in (n, 6, 6)]
        got = torch.autograd.grad(compiled(*inputs).sum(), inputs)
        torch.testing.assert_close(got, torch.autograd.grad(attention(inputs[0][:, :, 2:], *inputs[1:]).sum(), inputs))
