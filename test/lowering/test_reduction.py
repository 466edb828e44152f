"""Reductions and softmax against eager, over dtypes, dims, strides and edge values."""

import itertools
import math

import pytest
import torch
from one_call import check

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.int8, torch.bool]
FLOATS = DTYPES[:4]
DIMS = [[0], [1], [2], [0, 2], [-1, -2], [0, 1, 2]]


def values(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    low, high = {torch.bool: (0, 2), torch.uint8: (0, 200)}.get(dtype, (-100, 100))
    return torch.randint(low, high, shape, generator=generator).to(dtype)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dims", DIMS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dims(dtype: torch.dtype, dims: list[int], keepdim: bool) -> None:
    for x in (values(dtype, 3, 4, 5), values(dtype, 5, 4, 3).permute(2, 1, 0)[:, ::2]):
        check("aten.sum.dim_IntList", x, dims, keepdim)
        check("aten.amax.default", x, dims, keepdim)
        check("aten.amin.default", x, dims, keepdim)
        check("aten.any.dims", x, dims, keepdim)
        check("aten.all.dims", x, dims, keepdim)
        if dtype.is_floating_point:
            check("aten.mean.dim", x, dims, keepdim)
            check("aten.var.correction", x, dims, correction=1, keepdim=keepdim)
            check("aten.std.correction", x, dims, correction=0, keepdim=keepdim)
            check("aten.var_mean.correction", x, dims, correction=2, keepdim=keepdim)
            check("aten.logsumexp.default", x, dims, keepdim)
            for order in (0, 1, 2, 3.5, math.inf, -math.inf):
                check("aten.linalg_vector_norm.default", x, order, dims, keepdim)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_dim(dtype: torch.dtype) -> None:
    x = values(dtype, 3, 4, 5)
    for dim, keepdim in itertools.product((0, 1, -1), (False, True)):
        for name in ("max.dim", "min.dim", "argmax.default", "argmin.default", "any.dim", "all.dim", "prod.dim_int"):
            if dtype == torch.bool and name[:3] == "arg":
                continue
            check(f"aten.{name}", x, dim, keepdim)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (2, 0, 3)], ids=str)
def test_everything(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    x = values(dtype, *shape)
    for name in ("sum", "prod", "any", "all", "count_nonzero"):
        check(f"aten.{name}.default", x)
    if x.numel():
        for name in ("max", "min", "argmax", "argmin") if dtype != torch.bool else ("max", "min"):
            check(f"aten.{name}.default", x)
        check("aten.aminmax.default", x)
    if dtype.is_floating_point:
        check("aten.mean.default", x)
        check("aten.nansum.default", x)
        check("aten.var.correction", x)
        check("aten.linalg_vector_norm.default", x)


@pytest.mark.parametrize("order", [0, 0.5, 1, 2, 3, 100, -100, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_the_norm_of_one_element_does_not_overflow(order: float, dtype: torch.dtype) -> None:
    x = torch.tensor([[1e-30, -1e30, 8.5, 0.0, -0.0, math.nan, -math.inf]], dtype=dtype)
    for dims, keepdim in (([0], False), ([0], True)):
        check("aten.linalg_vector_norm.default", x, order, dims, keepdim)
    check("aten.linalg_vector_norm.default", x[0, 1], order)


@pytest.mark.parametrize("result", [torch.float64, torch.bfloat16, torch.int64, torch.int32], ids=str)
def test_result_dtype(result: torch.dtype) -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.int32, torch.bool):
        x = values(dtype, 3, 8)
        check("aten.sum.dim_IntList", x, [1], dtype=result)
        check("aten.prod.dim_int", x, 1, dtype=result)
        if result.is_floating_point:
            check("aten.mean.dim", x, [0], dtype=result)


def test_nan_and_ties() -> None:
    x = torch.tensor([[1.0, 3.0, 3.0, -1.0], [math.nan, 5.0, math.nan, 9.0], [-math.inf] * 4, [math.inf, -math.inf, 0.0, 1.0]])
    for name in ("max.dim", "min.dim", "argmax.default", "argmin.default"):
        check(f"aten.{name}", x, 1)
    check("aten.amax.default", x, [1])
    check("aten.amin.default", x, [0])
    check("aten.nansum.default", x, [1])
    check("aten.logsumexp.default", x, [1])
    check("aten.sum.dim_IntList", torch.tensor([2**31 - 1, 1], dtype=torch.int32), [0])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax(dtype: torch.dtype, dim: int) -> None:
    x, g = values(dtype, 3, 4, 5) * 5, values(dtype, 3, 4, 5)
    check("aten._softmax.default", x, dim, False)
    check("aten._log_softmax.default", x, dim, False)
    check("aten._softmax_backward_data.default", g, torch.softmax(x, dim), dim, dtype)
    check("aten._log_softmax_backward_data.default", g, torch.log_softmax(x, dim), dim, dtype)
    masked = x.masked_fill(torch.arange(5) > 2, -math.inf)
    check("aten._softmax.default", masked, dim, False)
    check("aten._safe_softmax.default", masked, dim)
    check("aten._softmax.default", values(dtype), 0, False)
