"""Custom operators on inputs that begin behind the start of their storage, and end before its end."""

import pytest
import torch
from programs import Programs, check, counting

_library = torch.library.Library("mlirind_test_inside", "DEF")


def _define(schema, run, fake):
    name = schema.split("(")[0]
    _library.define(schema)
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"mlirind_test_inside::{name}", fake, lib=_library)


def _swap(x, y):
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)


def _add_into_all(xs, y):
    for x in xs:
        x.add_(y)


def _neg(x):
    x.neg_()


def _fill(x, value):
    x.fill_(value)


def _doubled(x):
    x.add_(1)
    return x * 2


_define("neg_(Tensor(a!) x) -> ()", _neg, lambda x: None)
_define("fill(Tensor(a!) x, float value) -> ()", _fill, lambda x, value: None)
_define("doubled(Tensor(a!) x) -> Tensor", _doubled, lambda x: x * 2)
_define("swap(Tensor(a!) x, Tensor(b!) y) -> ()", _swap, lambda x, y: None)
_define("add_into_all(Tensor(a!)[] xs, Tensor y) -> ()", _add_into_all, lambda xs, y: None)

ops = torch.ops.mlirind_test_inside
programs = Programs()


def block() -> tuple[torch.Tensor]:
    """Rows 0 to 2 and columns 2 to 5 of a 5x8 tensor."""
    return (counting(5, 8)[0:3, 2:6],)


def later_block() -> tuple[torch.Tensor]:
    return (counting(5, 8)[1:4, 2:6],)


def piece() -> tuple[torch.Tensor]:
    return (counting(12)[2:10],)


def two_blocks() -> tuple[torch.Tensor, torch.Tensor]:
    return counting(5, 8)[1:5, 2:6], -counting(6, 7)[2:6, 1:5]


def dense_blocks() -> tuple[torch.Tensor, torch.Tensor]:
    return counting(20)[3:19].view(4, 4), -counting(20)[1:17].view(4, 4)


@programs(block)
@programs(later_block)
def negated_then_a_row_filled(x):
    ops.neg_(x)
    ops.fill(x[1], 9.0)


@programs(later_block)
def negated_then_parts_filled(x):
    ops.neg_(x)
    ops.fill(x[1:, 1], 9.0)
    ops.fill(x.t()[0], 7.0)
    ops.fill(x[::2, 1:3], 5.0)
    return x * 2


@programs(later_block)
def a_row_filled_then_negated(x):
    ops.fill(x[1], 9.0)
    ops.neg_(x)
    return x.t()


@programs(piece)
def written_then_a_part_of_a_view(x):
    y = ops.doubled(x)
    ops.fill(x[None][:, 2:4], 9.0)
    return y


@programs(piece)
def written_then_a_view_with_a_row_more(x):
    y = ops.doubled(x)
    ops.neg_(x[None])
    return y + 1, x[None]


@programs(two_blocks)
@programs(dense_blocks)
def swapped_then_written_through_a_transpose(x, y):
    ops.swap(x, y)
    ops.neg_(y.t())
    return x + y


@programs(two_blocks)
def swapped_then_a_row_of_a_transpose(x, y):
    ops.swap(x, y)
    ops.fill(y.t()[1], 9.0)
    ops.neg_(x.t()[2])


@programs(lambda: (counting(7)[3:4].view(1, 1),))
@programs(lambda: (counting(4, 6)[1:2, 2:5],))
def squeezed_then_an_element_of_an_intermediate(x):
    x.squeeze_()
    y = x * 2
    z = y.view(-1)
    ops.fill(z[0], 9.0)
    return y, z, x


@programs(piece)
def an_intermediate_with_the_strides_of_the_input(x):
    y = x[1:] + 1
    ops.neg_(y[2:5])
    ops.neg_(y[0])
    ops.fill(x[1], 8.0)
    return y, x[2:]


@programs(two_blocks)
def lists_of_parts(x, y):
    ops.add_into_all([x[0], y[1], x[2, 1:]], counting(4)[:1])
    ops.add_into_all([x, y.t()], counting(4))
    return x[1:]


@programs(lambda: (counting(9)[4],))
def one_element(x):
    ops.neg_(x)
    ops.fill(x[None], 3.0)
    return ops.doubled(x)


@programs(lambda: (counting(8)[1:7], *(lambda y: (y, y[1:]))(counting(6) - 3)))
def swapped_by_copies_with_an_input_that_shares(x, y, z):
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)
    return y, x


@programs(lambda: (counting(10)[2:8],))
def stored_then_written_whole_and_in_part(x):
    x[2] = 7
    ops.neg_(x)
    ops.fill(x[3], 5.0)


@programs(lambda: (counting(8)[1:7], counting(6) - 3, 1))
def swapped_by_copies_and_a_view_returned(x, y, place):
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)
    return x[place], x


@programs(lambda: (counting(8)[1:7],))
@programs(lambda: (counting(40).as_strided((3, 4), (1, 3), 3),))
def negated_then_a_narrow_part_filled(x):
    """PyTorch counts the part from the storage's start, and takes it from the written tensor."""
    ops.neg_(x)
    ops.fill(x.narrow(0, 1, 1), -1.0)
    return x * 2


@programs(piece)
def views_made_before_and_after_a_store(x):
    y, z = x[1], x[1:3]
    x[2] = 7
    ops.neg_(x)
    ops.fill(x[3], 5.0)
    ops.fill(y, 6.0)
    ops.fill(x[3:5], 4.0)
    ops.neg_(z)
    return x * 2


@programs(piece)
def a_view_written_and_returned(x):
    y = x.select(0, 1)
    ops.add_into_all([y.detach()], y.detach() * 2)
    ops.fill(y, 5.0)
    return y


@programs(lambda: (counting(5).as_strided((4,), (1,), 1),))
def a_scatter_taken_apart_by_strides(x):
    """It begins in its storage where the input does."""
    y = torch.slice_scatter(x, x.narrow(0, 0, 1) * 3, 0, 1, 2)
    return torch.as_strided_scatter(y, x.clone(), (4,), (1,), 0), y.as_strided((2,), (1,), 2)


@programs(lambda: (counting(10),))
def a_scatter_of_an_intermediate_taken_apart(x):
    y = (x * 2)[2:]
    z = torch.slice_scatter(y, y[:1] * 3, 0, 1, 2)
    return z.as_strided((3,), (1,), 2), y.as_strided((3,), (1,), 3) * 2


@programs(lambda: (counting(10),))
@programs(piece)
def a_scatter_and_a_part_of_it(x):
    y = (x * 2)[2:]
    z = torch.slice_scatter(y, y[:1] * 3, 0, 1, 2)
    return z, z[1:]


def shared_and_inside():
    x = counting(3, 4)
    return x, x.view(-1), counting(40).as_strided((3, 4), (4, 1), 3)


@programs(shared_and_inside)
def copied_over_beside_inputs_that_share(x, y, z):
    """AOTAutograd makes the returned input anew."""
    ops.neg_(z)
    z.copy_(ops.doubled(x))
    return z


@programs(lambda: (counting(1, 8)[0:1, 2:6], counting(2, 8)[1:2, 3:7]))
def exchanged_then_scattered_before_it(x, y):
    """The storage begins 11 elements before y."""
    ops.swap(x, y)
    return torch.as_strided_scatter(y, x.clone(), (1, 4), (8, 1), 0)


@programs(lambda: (counting(10)[3:7],))
def negated_then_scattered_before_it(x):
    part = x[2:-1]
    ops.neg_(part)
    return torch.as_strided_scatter(part, part.clone(), (1,), (1,), 0), x.as_strided((2,), (1,), 1)


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
@pytest.mark.parametrize("dynamic", [None, True], ids=["sizes", "symbols"])
def test_program(program, dynamic, backend):
    """Eager's results and inputs, and nothing next to the inputs is written: `make_inputs` keeps the storages that they are parts of."""
    check(backend, program.fn, program.make_inputs, dynamic=dynamic)


def test_memory_around_an_input(backend):
    """What lies around the input is as it was."""
    base = counting(5, 8)
    torch.compile(negated_then_a_row_filled, backend=backend)(base[0:3, 2:6])
    expected = counting(5, 8)
    expected[0:3, 2:6] *= -1
    expected[1, 2:6] = 9
    assert torch.equal(base, expected)


@pytest.mark.parametrize("first", [-1, 0, 2])
def test_a_view_of_an_input_that_a_number_places(backend, first):
    """AOTAutograd makes the caller's view anew, where the graph's result says that it begins."""

    def fn(x, n):
        part = x.narrow(0, n + 1, 1)
        part.narrow(0, 0, 1).copy_(part * 2)
        return part, x[n + 1 :]

    def scattered(x, n):
        part = x[n:-1]
        ops.neg_(part)
        return torch.as_strided_scatter(part, part.clone(), (1,), (1,), 0)

    check(backend, scattered, lambda: (counting(10)[3:7], 2), dynamic=True)
    make = lambda n: (counting(8).as_strided((4,), (1,), 1), n)  # noqa: E731
    check(backend, fn, lambda: make(first), dynamic=True)
    check(backend, fn, lambda: make(1), dynamic=True)
