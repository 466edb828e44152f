"""Pooling and its gradients against eager: padding, dilation, ceil mode, ties and NaN, layouts."""

import math
from typing import Any

import pytest
import torch
from one_call import OneCall, check

SHAPES = {
    "plain": ([2, 2], [2, 2], [0, 0], [1, 1], False),
    "overlapping": ([3, 3], [2, 2], [1, 1], [1, 1], False),
    "uneven": ([3, 2], [1, 3], [1, 0], [1, 1], True),
    "dilated": ([2, 3], [2, 1], [1, 1], [2, 3], True),
    "large": ([5, 4], [3, 2], [2, 1], [1, 1], True),
    "beyond the end": ([1, 30], [1, 30], [0, 0], [1, 1], True),
    "stride_above_kernel": ([2, 1], [3, 2], [1, 0], [1, 1], True),
}


def values(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return (torch.randn(sizes, generator=generator) * 4).to(dtype)


@pytest.mark.parametrize("shape", SHAPES)
def test_max_pool(shape: str) -> None:
    arguments: Any = SHAPES[shape]
    rounded = values(2, 3, 9, 11).round()
    for x in (rounded, rounded[0], rounded.to(memory_format=torch.channels_last), rounded.bfloat16(), torch.full((1, 1, 9, 11), -math.inf)):
        check("aten.max_pool2d_with_indices.default", x, *arguments, exact=True)
    spoilt = torch.where(rounded.abs() < 1, math.nan, rounded)
    check("aten.max_pool2d_with_indices.default", spoilt, *arguments, exact=True)
    check("aten.max_pool2d_with_indices.default", rounded.long(), *arguments, exact=True)


@pytest.mark.parametrize("shape", [s for s in SHAPES if s != "dilated"])
def test_max_pool_backward(shape: str) -> None:
    arguments: Any = SHAPES[shape]
    for x in (values(2, 3, 9, 11), values(3, 9, 11), values(2, 3, 9, 11).to(memory_format=torch.channels_last)):
        result, indices = OneCall("aten.max_pool2d_with_indices.default", x, *arguments).eager()
        check("aten.max_pool2d_with_indices_backward.default", torch.randn_like(result), x, *arguments, indices)


@pytest.mark.parametrize("override", [None, 3])
@pytest.mark.parametrize("with_padding", [True, False])
@pytest.mark.parametrize("shape", [s for s in SHAPES if s != "dilated"])
def test_average_pool(shape: str, with_padding: bool, override: int | None) -> None:
    kernel, stride, padding, _, ceil = SHAPES[shape]
    arguments: Any = (kernel, stride, padding, ceil, with_padding, override)
    for x in (values(2, 3, 9, 11), values(3, 9, 11).double(), values(2, 3, 9, 11).to(memory_format=torch.channels_last).bfloat16()):
        check("aten.avg_pool2d.default", x, *arguments)
        (result,) = OneCall("aten.avg_pool2d.default", x, *arguments).eager()
        check("aten.avg_pool2d_backward.default", torch.randn_like(result), x, *arguments)


@pytest.mark.parametrize("with_padding", [True, False])
def test_windows_beyond_both_ends(with_padding: bool) -> None:
    x = values(2, 3, 9, 11)
    check("aten.avg_pool2d.default", x, [40, 40], [3, 5], [20, 20], False, with_padding, None)
    check("aten.max_pool2d_with_indices.default", x.round(), [40, 40], [3, 5], [20, 20], [1, 1], False, exact=True)
    check("aten.max_pool2d_with_indices.default", x.round(), [5, 4], [1, 2], [2, 2], [3, 5], True, exact=True)


def test_three_dimensions() -> None:
    x = values(1, 2, 5, 6, 7)
    check("aten.max_pool3d_with_indices.default", x, [2], [2], [1], exact=True)
    check("aten.avg_pool3d.default", x, [2, 3, 1], [], [1, 1, 0], True)


@pytest.mark.parametrize("size", [[1, 1], [3, 5], [4, 4], [12, 1]], ids=str)
def test_adaptive(size: list[int]) -> None:
    x = values(2, 3, 12, 10)
    check("aten._adaptive_avg_pool2d.default", x, size)
    check("aten.adaptive_max_pool2d.default", x.round(), size, exact=True)
    if 12 % size[0] == 0 and 10 % size[1] == 0:
        check("aten._adaptive_avg_pool2d_backward.default", values(2, 3, *size), x)
