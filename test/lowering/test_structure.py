"""Concatenation, padding, rearrangement and writes into regions against eager."""

import math

import pytest
import torch
from one_call import check

DTYPES = [torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool]


def values(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return (torch.randn(sizes, generator=generator) * 3).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype: torch.dtype) -> None:
    x, y = values(4, 5, dtype=dtype), values(4, 2, dtype=dtype)
    check("aten.cat.default", [x, y], 1, exact=True)
    check("aten.stack.default", [x, x.flip(0)], 2, exact=True)
    check("aten.constant_pad_nd.default", x, [1, 2, 0, 3], 1, exact=True)
    check("aten.flip.default", x, [0, 1], exact=True)
    check("aten.roll.default", x, [3, -1], [0, 1], exact=True)
    check("aten.repeat.default", x, [3, 1, 2], exact=True)
    check("aten.select_scatter.default", x, y[:, 0], 1, -2, exact=True)
    check("aten.slice_scatter.default", x, y, 1, 1, 3, exact=True)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_cat(dim: int) -> None:
    sizes = [[2, 3, 4] for _ in range(20)]
    for number, size in enumerate(sizes):
        size[dim] = number // 2 % 4
    tensors = [values(*s) for s in sizes]
    for count in (1, 2, 3, 8, 9, 20):
        check("aten.cat.default", tensors[:count], dim, exact=True)
        check("aten.stack.default", [values(2, 3, 4)] * count, dim, exact=True)
    check("aten.cat.default", [torch.empty(0), tensors[1], tensors[2]], dim, exact=True)
    check("aten.cat.default", [t.permute(2, 1, 0) for t in tensors[:3]], 2 - dim, exact=True)


def test_cat_of_other_kinds() -> None:
    check("aten.cat.default", [torch.empty(0), torch.empty(0)], exact=True)
    check("aten.cat.default", [values(3), values(2, dtype=torch.int64), values(2, dtype=torch.float16)], exact=True)
    check("aten.cat.default", [values(2, dtype=torch.bool), values(2, dtype=torch.uint8)], exact=True)
    channels_last = values(2, 3, 4, 4).to(memory_format=torch.channels_last)
    check("aten.cat.default", [channels_last, channels_last], 1, exact=True)
    check("aten.stack.default", [torch.tensor(1.0), torch.tensor(2.0)], exact=True)


@pytest.mark.parametrize("pad", [[1, 2], [-1, 2], [2, -1], [0, 0, 1, 1], [-1, -1, 0, 2, 3, 0], [0, 0]], ids=str)
def test_constant_pad(pad: list[int]) -> None:
    for value in (0, 0.0, -0.0, 2.5, math.inf, math.nan):
        check("aten.constant_pad_nd.default", values(3, 4, 5), pad, value, exact=True)
    check("aten.constant_pad_nd.default", values(3, 4, 5).permute(1, 2, 0), pad, True, exact=True)


@pytest.mark.parametrize("kind", ["reflection", "replication"])
def test_nearby_pad(kind: str) -> None:
    for rank, padding in ((1, [2, 1]), (2, [1, 3, 2, 0]), (3, [1, 1, 2, 0, 0, 1])):
        for sizes in ((2, 3), (3,)):
            check(f"aten.{kind}_pad{rank}d.default", values(*sizes[1:], 2, *[4] * rank), padding, exact=True)
            check(f"aten.{kind}_pad{rank}d.default", values(*sizes, *[4] * rank), padding, exact=True)


def test_rearrangement() -> None:
    x = values(4, 5, 3).permute(1, 0, 2)
    check("aten.flip.default", x, [2], exact=True)
    check("aten.flip.default", x, [], exact=True)
    for dim in (0, -1):
        check("aten.flip.default", torch.tensor(2.0), [dim], exact=True)
    for shift in (0, 1, -1, 7, -9):
        check("aten.roll.default", x, [shift], [1], exact=True)
    check("aten.roll.default", values(0, 3), [1, 2], [0, 1], exact=True)
    check("aten.repeat.default", torch.tensor(2.0), [2, 3], exact=True)
    check("aten.repeat.default", values(1, 3), [2, 0, 2], exact=True)
    check("aten.repeat.default", values(0, 3), [2, 2], exact=True)


@pytest.mark.parametrize(("start", "end", "step"), [(0, 6, 1), (2, 5, 1), (-3, -1, 1), (1, 6, 2), (-9, 99, 3), (4, 2, 1), (None, None, 1)])
def test_slice_scatter(start: int | None, end: int | None, step: int) -> None:
    x = values(3, 6, 2)
    shown = torch.ops.aten.slice.Tensor(x, 1, start, end, step)
    check("aten.slice_scatter.default", x, values(*shown.shape), 1, start, end, step, exact=True)
    check("aten.slice_scatter.default", x.permute(2, 1, 0), values(*shown.shape).permute(2, 1, 0), 1, start, end, step, exact=True)


@pytest.mark.parametrize("offset", [0, 1, -2])
def test_diagonal_scatter(offset: int) -> None:
    x = values(4, 3, 5)
    for first, second in ((0, 1), (2, 0)):
        shown = torch.diagonal(x, offset, first, second)
        check("aten.diagonal_scatter.default", x, values(*shown.shape), offset, first, second, exact=True)
