"""Numbers that are arguments or are computed from sizes."""

import math

import torch
import torch.nn.functional as F

from .program import DYNAMIC, GraphPrograms, rows

programs = GraphPrograms()


@programs(rows)
def part_of_the_rows(x):
    return x[: int(0.7 * x.shape[0])].sin() + 1


@programs(rows)
def part_of_a_part_of_the_rows(x):
    part = int(0.7 * x.shape[0])
    return x[: int(0.5 * part)] * 2, (x[:part].sin() + 0).t().t() * 1


@programs(rows)
def rounded_half(x):
    return x[: round(x.shape[0] / 2)] * 2


@programs(rows)
def square_root_of_a_size(x):
    return x[: int(math.sqrt(x.shape[0]))] + 1


@programs(rows)
def ceiling_of_a_third(x):
    return x[: math.ceil(x.shape[0] / 3)].exp()


@programs(rows)
def arange_of_halves(x):
    return torch.arange(0, x.shape[0], 0.5) * 2 + x.sum()


@programs(rows, recompiled=DYNAMIC)
def linspace_by_size(x):
    return torch.linspace(0, 1, x.shape[0])[:, None] * x


@programs(rows)
def condition_as_a_factor(x):
    return x * (x.shape[0] > 8) + (x.shape[0] == 6)


@programs(rows, recompiled=DYNAMIC)
def branch_by_size(x):
    return x.sin() if x.shape[0] > 8 else x.cos()


@programs(rows, recompiled=DYNAMIC)
def viewed_in_two_rows(x):
    return x.view(2, -1).sin()


@programs(rows, recompiled=DYNAMIC)
def scaled_by_a_power_of_the_size(x):
    return x * x.shape[0] ** -0.5 + math.log(x.shape[0])


@programs(rows)
def least_and_largest(x):
    return x[: min(x.shape[0], 5)] * max(x.shape[0], 7)


@programs(rows)
def remainder_and_quotient(x):
    n = x.shape[0]
    return x * (n % 4) + n // 4, x[n % 4 :]


@programs(rows)
def expanded_to_its_size(x):
    return x[:1].expand(x.shape[0], 4) + x[:, :1].expand(-1, x.shape[0]).sum(1, keepdim=True)


@programs(rows)
def filled_with_its_size(x):
    return x.new_full((x.shape[0],), x.shape[0]) + x.sum(1)


@programs(rows)
def padded_by_its_size(x):
    return F.pad(x, (1, x.shape[0]), value=2.0)


@programs(rows)
def triangle(x):
    return torch.tril(x @ x.t(), diagonal=-1) + torch.triu(torch.ones(x.shape[0], x.shape[0]), 2)


@programs(rows)
def every_other_row(x):
    return x[::2].sin(), x[1::2, 1:]


@programs(rows)
def chunks(x):
    return [part * 2 for part in x.chunk(3)]


@programs(rows)
def windows(x):
    return x.unfold(0, 3, 1).sum(-1), x.unfold(0, 2, 2) * 2


@programs(rows)
def rolled_by_half(x):
    return torch.roll(x, x.shape[0] // 2, 0) * 2


@programs(lambda n: (torch.randn(1, 2, n, 4),))
def resized_by_a_factor(x):
    return F.interpolate(x, scale_factor=1.5, mode="nearest") * 2


@programs(lambda n: (torch.randn(1, 2, n, 4),))
def resized_linearly(x):
    return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


@programs(lambda n: (torch.randn(1, 2, n, 9),))
def pooled_to_a_size(x):
    return F.adaptive_avg_pool2d(x, (3, 3)), F.max_pool2d(x, 2)


@programs(lambda n: (torch.randn(1, 3, n, 5), torch.randn(2, 3, 3, 3)))
def convolution(x, w):
    return F.conv2d(x, w, padding=1, stride=2).relu()


@programs(lambda n: (torch.randn(n, 4), torch.randn(2, 4)), in_suite="training, dynamic")
def viewed_in_rows_of_two(x, w):
    return x.view(-1, 2) @ w


@programs(lambda n: (torch.randn(n, 4), -n))
def negative_argument(x, number):
    return x * number + (number // 4)


@programs(lambda n: (torch.randn(n, 4), n - 6))
def argument_that_may_be_zero(x, number):
    return x * number + 1


@programs(lambda n: (torch.randn(n, 4), n - 10))
def rolled_by_an_argument(x, number):
    return torch.roll(x, number, 0) + 1


@programs(lambda n: (torch.randn(n, 4), n - 10))
def end_of_a_slice_from_behind(x, number):
    return x[:number].sin()


@programs(lambda n: (torch.randn(2 * n, 4), n - 10), recompiled=DYNAMIC)
def two_slices_from_behind(x, number):
    return x[number:] + 1, x[number - 1 : -1].sin() * x[:1], x.narrow(0, -number, 2) * 2


@programs(lambda n: (torch.randn(2 * n, 4), n - 10))
def half_of_a_slice_from_behind(x, number):
    y = x[:number]
    return y[: y.shape[0] // 2] + 1


@programs(lambda n: (torch.randn(n, 4), -0.5 * n))
def negative_float_argument(x, number):
    return x * number + number / 3


@programs(lambda n: (torch.randn(n, 4), n - 6))
def diagonal_by_an_argument(x, number):
    return torch.tril(x, number) * 2


@programs(lambda n: (torch.randn(n, 4), n))
def size_from_an_argument(x, number):
    return x.new_zeros(number, 2) + x[:, :2].sum(0)


@programs(lambda n: (torch.randn(n, 4), n // 3))
def repeated_by_an_argument(x, number):
    return x.repeat(number, 2) + 1


@programs(lambda n: (torch.randn(2 * n, 4), n))
def viewed_by_an_argument(x, number):
    return x.view(2, number, 4).transpose(0, 1).sin()


@programs(rows)
def positions_by_size(x):
    at = torch.arange(x.shape[0], dtype=torch.float32)[:, None] / 10000 ** (torch.arange(0, 4, 2) / 4)
    return x + torch.cat([at.sin(), at.cos()], 1)


@programs(rows)
def number_from_sizes_returned(x):
    return x.shape[0] * 2, x.shape[0] / 4, x.numel() + x.stride(0), x.sin()


@programs(lambda n: (torch.randn(n, 4), torch.randn(n, 4)), rtol=1e-4)
def sum_by_einsum(x, y):
    return torch.einsum("nd,md->nm", x, y).softmax(-1) @ y


@programs(lambda n: (torch.randn(n, 4), n - 20), in_suite="training, dynamic")
def sizes_are_quotients_of_a_negated_argument(x, k):
    return x.new_ones(-k // 2, 3).cumsum(0) * x[0, 0], x.new_ones(k // -2, 2).flip(0) + x[0, 1]
