"""Lists of many tensors, each of another type: they must not keep a graph from being compiled."""

import pytest
import torch
from mlirind.frontend.counters import counters
from programs import Programs, check

programs = Programs()
PIECES = 40


def lists():
    return ([torch.arange(float(n + 1)) for n in range(PIECES)],)


@programs(lambda: (torch.arange(320.0).reshape(80, 4),))
def split_into_many(x):
    return [y + 1 for y in x.split(2)], x.chunk(20), [y.sum() for y in x.split_with_sizes([2] * 40)]


@programs(lambda: (torch.arange(1600.0).reshape(40, 40),))
def cat_of_many_views(x):
    return torch.cat([x[: i + 1] for i in range(30)]), torch.cat([x[: i + 1].t() for i in range(20)], 1)


@programs(lambda: (torch.arange(1600.0).reshape(40, 40),))
def stack_of_many_views(x):
    return torch.stack([x[i] for i in range(30)] + [x[:, i] for i in range(30)]), torch.stack([x[i] for i in range(20)], -1)


@programs(lists)
def cat_of_many_sizes(xs):
    return torch.cat(xs), torch.cat([x * 2 for x in xs]), sum(x.sum() for x in xs)


@programs(lambda: ([torch.full((n + 1,), 2049, dtype=torch.int64 if n < 20 else torch.float16) for n in range(PIECES)] + [torch.ones(3)],))
def cat_of_many_dtypes(xs):
    return torch.cat(xs)


@programs(lists)
def foreach_of_many(xs):
    norms = torch._foreach_norm(xs)
    torch._foreach_copy_(xs, [x + 1 for x in xs])
    added = torch._foreach_add(xs, 1)
    torch._foreach_zero_(xs[:3])
    return norms, added


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_long_lists(program, backend, backend_name):
    counters.reset()
    check(backend, program.fn, program.make_inputs)
    if backend_name == "mlirind":
        assert not counters.fallbacks


def test_gradient_of_many_pieces(backend):
    check(
        backend,
        lambda x: torch.stack([y * 2 for y in x.split(1)]),
        lambda: (torch.arange(40.0).reshape(20, 2).requires_grad_(),),
        grad=True,
    )
