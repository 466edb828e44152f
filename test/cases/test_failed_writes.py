"""Indices and elements out of range: the exception is of eager's type, and before it nothing is written that eager has not written. Eager's
kernels may write a part first; compiled, either that or nothing is written."""

import pytest
import torch
from torch.nn import functional as F

ONES = torch.ones(16)
ROWS = torch.ones(16, 4)


def index(bad):
    """Sixteen indices into nine rows; the ninth is `bad`."""
    found = torch.arange(16) % 9
    found[8] = bad
    return found


def table(bad):
    return index(bad)[:, None].repeat(1, 4)


def put(x, i, v):
    x[i] = v


def put_columns(x, i, v):
    x[:, i] = v


# What writes to the tensor x; x, and further arguments by the bad index.
WRITES = {
    "scatter": (lambda x, i, v: x.scatter_(0, i, v), (9, 4), lambda n: (table(n), ROWS)),
    "scatter of a line": (lambda x, i, v: x.scatter_(1, i, v), (16, 9), lambda n: (index(n)[:, None], ONES[:, None])),
    "scatter a number": (lambda x, i: x.scatter_(0, i, 3), (9, 4), lambda n: (table(n),)),
    "scatter and add": (lambda x, i, v: x.scatter_(0, i, v, reduce="add"), (9, 4), lambda n: (table(n), ROWS)),
    "scatter and multiply": (lambda x, i: x.scatter_(0, i, 3, reduce="multiply"), (9, 4), lambda n: (table(n),)),
    "scatter_add": (lambda x, i, v: x.scatter_add_(0, i, v), (9,), lambda n: (index(n), ONES)),
    "scatter_reduce": (lambda x, i, v: x.scatter_reduce_(0, i, v, "sum"), (9, 4), lambda n: (table(n), ROWS)),
    "scatter_reduce alone": (
        lambda x, i, v: x.scatter_reduce_(0, i, v, "amax", include_self=False),
        (9, 4),
        lambda n: (table(n), ROWS),
    ),
    "index_put": (put, (9, 4), lambda n: (index(n), ROWS)),
    "index_put a number": (put, (9, 4), lambda n: (index(n), 5)),
    "index_put and add": (lambda x, i, v: x.index_put_((i,), v, accumulate=True), (9, 4), lambda n: (index(n), ROWS)),
    "index_put columns": (put_columns, (4, 9), lambda n: (index(n), ROWS.t())),
    "index_put pairs": (lambda x, i, j, v: x.index_put_((j, i), v), (4, 9), lambda n: (index(n), torch.arange(16) % 4, ONES)),
    "index_put into a view": (lambda x, i, v: x.t()[2:].index_put_((i - 2,), v), (4, 9), lambda n: (index(n).clamp(min=2), ROWS)),
    "index_add": (lambda x, i, v: x.index_add_(0, i, v), (9, 4), lambda n: (index(n), ROWS)),
    "index_add columns": (lambda x, i, v: x.index_add_(1, i, v, alpha=2), (4, 9), lambda n: (index(n), ROWS.t())),
    "index_copy": (lambda x, i, v: x.index_copy_(0, i, v), (9,), lambda n: (index(n), ONES)),
    "index_fill": (lambda x, i: x.index_fill_(0, i, 3), (9, 4), lambda n: (index(n),)),
    "index_fill with a tensor": (lambda x, i, v: x.index_fill_(0, i, v), (9, 4), lambda n: (index(n), ONES[0])),
    "index_reduce": (lambda x, i, v: x.index_reduce_(0, i, v, "prod"), (9, 4), lambda n: (index(n), ROWS)),
    "put": (lambda x, i, v: x.put_(i, v), (9,), lambda n: (index(n), ONES)),
    "masked_scatter": (lambda x, i, v: x.masked_scatter_(i < 99, v), (16,), lambda n: (index(n), ONES[:4])),
    "copy of an indexed": (lambda x, i, v: x.copy_(v[i]), (16, 4), lambda n: (index(n), ROWS[:9])),
    "sum with a gathered": (lambda x, i, v: x.add_(v.gather(0, i)), (16,), lambda n: (index(n), ONES[:9])),
    "sum with an embedding": (lambda x, i, v: x.add_(F.embedding(i, v)), (16, 4), lambda n: (index(n), ROWS[:9])),
    "quotient": (lambda x, i, v: x.floor_divide_(v + (i == 99) - 1), (16,), lambda n: (index(n), torch.zeros(16, dtype=torch.int64))),
}
# A call that fails, then a write to x; a kernel before both reads x.
ORDERED = {
    "index": (lambda x, i, v: (x * 2, v[i], x.add_(1))[:2], lambda: (index(99), ONES[:9])),
    "embedding and a part": (lambda x, i, v: (x * 2, F.embedding(i, v), x[2:4].mul_(3))[:2], lambda: (index(99), ROWS[:9])),
    "quotient": (lambda x, a, b: (x * 2, a // b, x.add_(1))[:2], lambda: (torch.arange(16), torch.arange(16) - 8)),
    "binary_cross_entropy": (lambda x, a, b: (x * 2, F.binary_cross_entropy(a, b), x.add_(1))[:2], lambda: (ONES + 1, ONES)),
    "cross_entropy": (lambda x, a, b: (x * 2, F.cross_entropy(a, b), x.add_(1))[:2], lambda: (ROWS, index(99))),
    "write and write": (lambda x, i, v: (x * 2, v.index_put_((i,), v[0]), x.add_(1))[0], lambda: (index(99), torch.ones(9))),
    "write and read": (lambda x, i, v: (x.add_(1), v[i])[1], lambda: (index(99), ONES[:9])),
    "many": (lambda x, i, v: (x * 2, *(v.roll(n)[i + n] for n in range(11)), x.add_(1))[:-1], lambda: (index(8) - 3, ONES[:9])),
}


def outcome(call, arguments):
    """What a call raises, and its tensors afterwards."""
    try:
        call(*arguments)
    except Exception as error:
        return error, [a for a in arguments if isinstance(a, torch.Tensor)]
    pytest.fail("does not raise")


def check(backend, program, arguments, dynamic, right=None):
    def fresh(values):
        return [a.clone() if isinstance(a, torch.Tensor) else a for a in values]

    torch._dynamo.reset()
    compiled = torch.compile(program, backend=backend, dynamic=dynamic)
    if right is not None:
        want, got = fresh(right), fresh(right)
        program(*want)
        compiled(*got)
        torch.testing.assert_close(got, want)
    error, written = outcome(program, fresh(arguments))
    got_error, got = outcome(compiled, fresh(arguments))
    assert isinstance(got_error, type(error))
    before = [a for a in arguments if isinstance(a, torch.Tensor)]
    assert any(all(map(torch.equal, got, wanted)) for wanted in (written, before))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", WRITES)
def test_index_out_of_range(backend, name, dynamic):
    program, shape, arguments = WRITES[name]
    x = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    x = x.long() if name == "quotient" else x
    right = None if name in ("masked_scatter", "quotient") else (x, *arguments(4))
    check(backend, program, (x, *arguments(99)), dynamic, right)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", ORDERED)
def test_write_after_what_fails(backend, name, dynamic):
    program, arguments = ORDERED[name]
    check(backend, program, (torch.arange(16.0), *arguments()), dynamic)
