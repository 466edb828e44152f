"""Numbers from data that are positions, lengths of slices, or operands: of either sign, and unchecked."""

from collections.abc import Callable
from typing import Any

import torch

from .program import GraphPrograms

programs = GraphPrograms()


def rows_and(*numbers: Callable[[int], Any]) -> Callable[[int], tuple[torch.Tensor, ...]]:
    """A maker of a matrix of n rows, and of tensors of one number each, which is a function of n."""
    return lambda n: (torch.randn(n, 4), *(torch.tensor(number(n)) for number in numbers))


def some(n: int) -> int:
    return n - 4  # of 6 or 9 rows 2 or 5


@programs(rows_and(some))
def last_rows(x, number):
    return x[-number.item() :].sin() + 1


@programs(rows_and(some))
def first_rows_of_either_sign(x, number):
    return x[: number.item()].sin() + 1


@programs(rows_and(lambda n: 4 - n))
def first_rows_by_a_negative_number(x, number):
    return x[: number.item()].cos() * 2


@programs(rows_and(lambda n: -2), in_suite="forward, dynamic")
def row_with_a_negative_position(x, at):
    number = at.item()
    torch._check(number < 0)
    torch._check(number >= -x.shape[0])
    return x[number].sin() + 1


@programs(rows_and(lambda n: -2), in_suite="training, dynamic")
def row_of_either_sign(x, at):
    return x[at.item()].sin() + torch.select(x, 0, -at.item())


@programs(lambda n: (torch.randn(n, 4), torch.tensor([0, 2, -1])), in_suite="training")
def rows_by_a_list(x, at):
    first, second, last = at.tolist()
    return x[first] + x[second] * x[last]


@programs(rows_and(lambda n: -2), in_suite="training")
def row_is_assigned(x, at):
    y = x * 2
    y[at.item()] = 1
    return y.sin()


@programs(rows_and(lambda n: -2), grad=False)
def row_of_an_input_is_assigned(x, at):
    x[at.item()] = 1.0
    return x * 2


@programs(rows_and(some), grad=False)
def rows_of_an_input_are_written(x, number):
    last = x[-number.item() :]
    last.mul_(2)
    return x + 1, last + 1


@programs(rows_and(some), grad=False, in_suite="forward")
def input_is_written_after_rows_are_read(x, number):
    last = x[-number.item() :] * 2
    x.add_(1)
    return last, x.sum()


@programs(rows_and(some))
def rows_are_returned_as_a_view(x, number):
    return x[-number.item() :], x * 2


@programs(rows_and(some), in_suite="forward, dynamic")
def rows_of_a_result_are_a_view_of_it(x, number):
    y = (x * 2).sin()
    return y[-number.item() :], y + 1


@programs(rows_and(some), in_suite="forward")
def columns_are_cut_off(x, number):
    return (x.t()[..., -number.item() :].exp() @ x[-number.item() :]).sum(0)


@programs(rows_and(lambda n: 1), in_suite="forward, dynamic")
def narrow_by_a_position(x, at):
    number = at.item()
    torch._check(number >= 0)
    torch._check(number + 2 <= x.shape[0])
    return torch.narrow(x, 0, number, 2).exp()


@programs(rows_and(lambda n: 2, lambda n: n - 2))
def split_without_checks(x, first, second):
    return sum(part.sum(0) for part in torch.split(x.sin(), [first.item(), second.item()]))


@programs(rows_and(lambda n: 1, lambda n: n - 2), in_suite="training, dynamic")
def rows_between_two_positions(x, start, end):
    a, b = start.item(), end.item()
    torch._check(a >= 0)
    torch._check(b >= a)
    torch._check(b <= x.shape[0])
    return x[a:b].cos() * 3


@programs(rows_and(some), in_suite="training")
def all_but_the_last_rows(x, number):
    found = number.item()
    torch._check(found >= 1)
    torch._check(found <= x.shape[0])
    return x[:-found].sin() + 1


@programs(rows_and(lambda n: 1), in_suite="training, dynamic")
def differences_of_rows(x, number):
    distance = number.item()
    torch._check(distance > 0)
    torch._check(distance < x.shape[0])
    return x[distance:] - x[:-distance]


@programs(rows_and(some), in_suite="training")
def padded_by_a_number(x, number):
    found = number.item()
    torch._check(found >= 0)
    return torch.nn.functional.pad(x, (0, found)) * 2
