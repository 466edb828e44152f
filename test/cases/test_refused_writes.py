"""Writes that eager refuses: sources of another size, indices, offsets and views out of range. Compiled they raise the same type, with
static and symbolic sizes. What lies around the tensor stays as it is; where sizes do not fit, the tensor too."""

import pytest
import torch

ones = torch.ones


def positions(*values):
    return torch.tensor(values)


def put(x, i, v):
    x[i] = v


def put_slice(x, v):
    x[1:3] = v


ROWS, PLACES = positions(0, 2), positions([0, 2, 1], [0, 2, 1])
ROW, TWO, FILL = ones(4), ones(2, 4), ones(2, 3)
# What writes to x, which has 3 rows of 4; further arguments that fit, and some that do not.
WRITES = {
    "index_put": (put, (ROWS, TWO), [(ROWS, ones(2, 5)), (ROWS, ones(3, 4)), (positions(0, 1, 2), TWO)]),
    "index_put_accumulate": (lambda x, i, v: x.index_put_((i,), v, True), (ROWS, TWO), [(ROWS, FILL), (ROWS, ones(4, 4))]),
    "index_add": (lambda x, i, v: x.index_add_(0, i, v), (ROWS, TWO), [(ROWS, ones(2, 5)), (ROWS, ones(2, 3000)), (ROWS, ones(3, 4))]),
    "index_copy": (lambda x, i, v: x.index_copy_(0, i, v), (ROWS, TWO), [(ROWS, ones(2, 5)), (ROWS, ones(3, 4))]),
    "index_reduce": (lambda x, i, v: x.index_reduce_(0, i, v, "amax"), (ROWS, TWO), [(ROWS, ones(2, 5))]),
    "scatter": (lambda x, i, v: x.scatter_(0, i, v), (PLACES, FILL), [(PLACES, ones(1, 3)), (PLACES, ones(2, 2))]),
    "scatter_add": (lambda x, i, v: x.scatter_add_(0, i, v), (PLACES, FILL), [(PLACES, ones(1, 3))]),
    "select": (lambda x, v: x[1].copy_(v), (ROW,), [(ones(5),), (ones(3),), (TWO,)]),
    "slice": (put_slice, (TWO,), [(ones(3, 4),), (ones(2, 5),)]),
    "diagonal": (lambda x, v: x.diagonal(1).copy_(v), (ones(3),), [(ROW,), (ones(2),)]),
    "as_strided": (lambda x, v: x.as_strided((2, 3), (4, 1)).copy_(v), (FILL,), [(ones(3, 3),), (ROW,)]),
    "select_scatter": (lambda x, v: x.copy_(x.select_scatter(v, 0, 2)), (ROW,), [(ones(5),), (ones(3),), (ones(1),)]),
    "slice_scatter": (
        lambda x, v: x.copy_(x.slice_scatter(v, 0, 1, 3)),
        (TWO,),
        [(ones(3, 4),), (ones(1, 4),), (ones(2, 5),)],
    ),
    "diagonal_scatter": (lambda x, v: x.copy_(x.diagonal_scatter(v, 1)), (ones(3),), [(ones(5),), (ones(1),)]),
    "as_strided_scatter": (lambda x, v: x.copy_(x.as_strided_scatter(v, (2, 2), (4, 1))), (ones(2, 2),), [(ones(4, 2),), (ones(1, 2),)]),
    "addmm": (lambda x, a, b: x.addmm_(a, b), (ones(3, 1), ones(1, 4)), [(ones(500, 1), ones(1, 4)), (ones(3, 2), ones(1, 4))]),
    "add": (lambda x, v: x.add_(v), (ones(3, 4),), [(ones(4, 4),), (ones(5, 3, 4),)]),
}
OUT_OF_RANGE = {
    "index_put": (put, (ROWS, TWO), [(positions(0, 3), TWO), (positions(-4, 0), TWO), (positions(10**12, 0), TWO)]),
    "index_add": (lambda x, i, v: x.index_add_(0, i, v), (ROWS, TWO), [(positions(0, 3), TWO), (positions(-1, 0), TWO)]),
    "index_copy": (lambda x, i, v: x.index_copy_(0, i, v), (ROWS, TWO), [(positions(0, 3), TWO), (positions(-1, 0), TWO)]),
    "index_fill": (lambda x, i: x.index_fill_(0, i, 2.0), (ROWS,), [(positions(0, 3),), (positions(-4, 0),)]),
    "scatter": (lambda x, i, v: x.scatter_(0, i, v), (PLACES, FILL), [(PLACES + 1, FILL), (PLACES - 1, FILL)]),
    "select": (lambda x, n: x.select(0, n).fill_(2), (2,), [(3,), (-4,)]),
    "narrow": (lambda x, n: x.narrow(0, n, 2).fill_(2), (1,), [(2,), (4,)]),
    "as_strided": (lambda x, n: x.as_strided((n,), (7,)).fill_(2), (2,), [(5,), (100,)]),
    "unfold": (lambda x, n: x.unfold(0, n, 1).sum(), (2,), [(4,)]),
    "select_scatter": (lambda x, n: x.copy_(x.select_scatter(ones(4), 0, n)), (2,), [(3,), (-4,)]),
}


def called(call, arguments):
    """Rows 1 to 3 of five are written. What is raised, the rows afterwards, and the two around them."""
    base = torch.arange(20.0).reshape(5, 4)
    try:
        call(base[1:4], *arguments)
    except Exception as error:
        return error, base[1:4], base[::4]
    return None, base[1:4], base[::4]


def check(backend, program, right, wrong, dynamic, after):
    """`after`: a call that fits comes first, else the function is compiled for what does not."""
    torch._dynamo.reset()
    compiled = torch.compile(program, backend=backend, dynamic=dynamic)
    for arguments in [right, wrong, right] if after else [wrong, wrong]:
        error, want, around = called(program, arguments)
        got_error, got, got_around = called(compiled, arguments)
        assert (error is None) == (arguments is right)
        if not isinstance(got_error, type(error)):  # PyTorch's tracer raises errors of its own
            assert type(got_error) is type(called(torch.compile(program, backend="aot_eager"), arguments)[0])
        assert torch.equal(around, got_around)
        yield want, got


WAYS = [(False, False), (True, False), (True, True)]


@pytest.mark.parametrize(("dynamic", "after"), WAYS)
@pytest.mark.parametrize("name", WRITES)
def test_sizes_that_do_not_fit(backend, name, dynamic, after):
    program, right, wrong = WRITES[name]
    for arguments in wrong:
        for want, got in check(backend, program, right, arguments, dynamic, after):
            assert torch.equal(want, got)


@pytest.mark.parametrize(("dynamic", "after"), WAYS)
@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_positions_out_of_range(backend, name, dynamic, after):
    program, right, wrong = OUT_OF_RANGE[name]
    for arguments in wrong:
        assert len(list(check(backend, program, right, arguments, dynamic, after))) >= 2
