"""Floats and booleans from data, as operands, sizes, results and conditions."""

from collections.abc import Callable
from typing import Any

import torch

from .program import GraphPrograms, rows

programs = GraphPrograms()


def rows_and(*numbers: Callable[[int], Any]) -> Callable[[int], tuple[torch.Tensor, ...]]:
    """A maker of a matrix of n rows, and of tensors of one number each, which is a function of n."""
    return lambda n: (torch.randn(n, 4), *(torch.tensor(number(n)) for number in numbers))


def half(n: int) -> float:
    return n / 2 - 4  # of 6 or 9 rows -1 or 0.5


def is_six(n: int) -> bool:
    return n == 6


@programs(rows_and(half))
def float_as_a_bound(x, number):
    f = number.item()
    return x.clamp(min=f), x.masked_fill(x > 0, f) * 2, torch.where(x > f, f, 0.0) + x


@programs(rows_and(lambda n: float("nan") if n == 6 else -0.0))
def special_floats(x, number):
    f = number.item()
    return torch.full((2,), f), x.clamp(max=f), torch.full_like(x, f) + x.sum()


@programs(rows_and(half))
def floats_computed_and_returned(x, number):
    f = number.item()
    return x * 2, f, abs(f) * 2 + max(f, 0.25) - f * f


@programs(rows_and(lambda n: n / 3))
def float_that_is_rounded_to_a_size(x, number):
    end = int(number.item() * 2)
    torch._check(end >= 1)
    torch._check(end <= x.shape[0])
    return x[:end].sin() + 1


@programs(rows_and(half), in_suite="forward, dynamic")
def condition_on_a_float(x, number):
    f = number.item()
    return x * (f > 0), x.clamp(max=1 / f)


@programs(rows_and(lambda n: n - 6.0))
def quotient_by_a_float_that_may_be_zero(x, number):
    return x.clamp(max=1 / number.item())


@programs(rows_and(lambda n: 0.05 if n == 6 else 0.5))
def assertion_on_a_float(x, number):
    f = number.item()
    torch._check(f > 0.1, lambda: "too small")
    torch._check(f < 1.0)
    return x.clamp(-f, f)


@programs(rows_and(half, is_six))
def floats_booleans_and_a_mask(x, number, flag):
    f, b = number.item(), flag.item()
    y = x[x[:, 0] > -9].clamp(max=f)
    return y * 2, torch.full((3,), b), x * b + torch.full((4,), f)


@programs(rows)
def boolean_as_a_factor(x):
    return x * torch.isfinite(x).all().item()


@programs(rows_and(is_six), grad=False)
def booleans_in_tensors_of_other_types(x, flag):
    b = flag.item()
    return torch.where(x > 0, b, x.long()), torch.where(x > 0, b, x > 1), x.new_full((2,), b), torch.full((2,), b) | (x[0, :2] > 0)


@programs(rows_and(is_six))
def boolean_returned(x, flag):
    return x * 2, flag.item(), flag.logical_not().item()
