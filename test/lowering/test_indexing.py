"""Reads and writes through index tensors against eager: repeated, negative and out-of-range indices, dtypes, strides."""

from collections.abc import Callable

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.lowering.aten_to_loop import convert_aten_to_loop
from one_call import OneCall, check, evaluate

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool]


def values(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return (torch.randn(sizes, generator=generator) * 3).to(dtype)


def indices(*sizes: int, high: int, low: int = 0, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(sizes))
    return torch.randint(low, high, sizes, generator=generator, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reads(dtype: torch.dtype) -> None:
    table = values(7, 5, dtype=dtype)
    check("aten.embedding.default", table, indices(2, 3, high=7), exact=True)
    check("aten.index_select.default", table, 1, indices(4, high=5), exact=True)
    check("aten.gather.default", table, 0, indices(3, 4, high=7), exact=True)
    check("aten.index.Tensor", table, [indices(4, high=7, low=-7)], exact=True)


def test_reads_of_other_layouts() -> None:
    table = values(5, 7).t()[:, 1:]
    check("aten.embedding.default", table, indices(2, 3, high=7, dtype=torch.int32), exact=True)
    check("aten.index_select.default", table, 0, torch.tensor(3), exact=True)
    check("aten.gather.default", table, 1, indices(3, 2, high=4), exact=True)
    check("aten.gather.default", values(0, 3), 0, torch.zeros(0, 3, dtype=torch.int64), exact=True)


SUBSCRIPTS = {
    "first": lambda i, j: [i],
    "second": lambda i, j: [None, i],
    "neighbours": lambda i, j: [None, i, j],
    "apart": lambda i, j: [i, None, j],
    "broadcast": lambda i, j: [None, i[:, None], j],
    "matrix": lambda i, j: [torch.stack([i, j])],
    "number": lambda i, j: [i[0], None, j[1]],
    "narrow": lambda i, j: [i.int()],
    "none": lambda i, j: [i[:0]],
}


@pytest.mark.parametrize("subscript", SUBSCRIPTS)
def test_subscripts(subscript: str) -> None:
    i, j = indices(3, high=4, low=-4), torch.tensor([0, -1, 2])
    x = values(4, 5, 4, 3)
    chosen = SUBSCRIPTS[subscript](i, j)
    check("aten.index.Tensor", x, chosen, exact=True)
    check("aten.index.Tensor", x.permute(3, 2, 1, 0), chosen, exact=True)
    picked = torch.ops.aten.index.Tensor(x, chosen)
    for accumulate in (False, True):
        check("aten.index_put.default", x, chosen, values(*picked.shape), accumulate, exact=True)
        check("aten.index_put.default", x, chosen, values(1), accumulate, exact=True)
        check("aten.index_put.default", x, chosen, torch.tensor(3.5), accumulate, exact=True)


@pytest.mark.parametrize("accumulate", [False, True])
def test_number_where_a_mask_is_true(accumulate: bool) -> None:
    x = values(4, 5, 3)
    check("aten.index_put.default", x, [x[..., 0] > 0], torch.tensor(1.5), accumulate, exact=True)
    check("aten.index_put.default", x.bfloat16(), [x > 0], torch.tensor([2.5]).bfloat16(), accumulate, exact=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_writes(dtype: torch.dtype) -> None:
    x, index = values(4, 5, dtype=dtype), indices(6, 3, high=4)
    source = values(6, 4, dtype=dtype)
    check("aten.scatter.src", x, 0, index, source, exact=True)
    check("aten.scatter.value", x, 1, index[:3].clone(), 2, exact=True)
    check("aten.index_copy.default", x, 0, torch.tensor([3, 0]), source[:2, :1].expand(2, 5), exact=True)
    check("aten.index_fill.int_Scalar", x, 1, torch.tensor([-1, 0]), 1, exact=True)
    check("aten.index_fill.int_Tensor", x, 1, torch.tensor(2), source[0, 0].clone(), exact=True)
    check("aten.index_put.default", x, [index], source[0, 0].clone(), exact=True)
    if dtype == torch.bool:
        return
    check("aten.scatter_add.default", x, 0, index, source)
    check("aten.index_add.default", x, 1, indices(7, high=5), values(4, 7, dtype=dtype))
    if dtype.itemsize != 2:  # with half types a call
        check("aten.index_add.default", x, 1, indices(7, high=5), values(4, 7, dtype=dtype), alpha=2)
    check("aten.index_put.default", x, [indices(6, high=4)], values(6, 5, dtype=dtype), True)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
def test_scatter_reduce(reduce: str, include_self: bool) -> None:
    for dtype in (torch.float32, torch.int64, torch.bfloat16):
        x, source = values(4, 5, dtype=dtype), values(6, 4, dtype=dtype)
        check("aten.scatter_reduce.two", x, 0, indices(6, 3, high=4), source, reduce, include_self=include_self)
    for reduction in ("add", "multiply"):
        check("aten.scatter.reduce", values(4, 5), 0, indices(6, 3, high=4), values(6, 3), reduce=reduction)
        check("aten.scatter.value_reduce", values(4, 5), 0, indices(6, 3, high=4), 3, reduce=reduction)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_one_write_a_line(dim: int) -> None:
    x = values(3, 4, 5)
    sizes = list(x.shape)
    sizes[dim] = 1
    index, source = indices(*sizes, high=3), values(*sizes)
    check("aten.scatter.src", x, dim, index, source, exact=True)
    check("aten.scatter.value", x, dim, index, -1.0, exact=True)
    check("aten.scatter_add.default", x, dim, index, source, exact=True)
    check("aten.scatter_reduce.two", x, dim, index, source, "amax", exact=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_embedding_backward(dtype: torch.dtype) -> None:
    gradient = values(2, 6, 5, dtype=dtype)
    for padding in (-1, 2):
        check("aten.embedding_dense_backward.default", gradient, indices(2, 6, high=4), 4, padding, False)


OUT_OF_RANGE = [
    ("aten.embedding.default", (4, 3), lambda i: [i]),
    ("aten.index_select.default", (4, 3), lambda i: [0, i]),
    ("aten.gather.default", (4, 3), lambda i: [0, i[:, None]]),
    ("aten.index.Tensor", (4, 3), lambda i: [[i]]),
    ("aten.index_put.default", (4, 3), lambda i: [[i], torch.tensor(1.0)]),
    ("aten.scatter.value", (4, 3), lambda i: [0, i[:, None], 1.0]),
    ("aten.scatter.value", (4, 1), lambda i: [1, i[:, None].expand(4, 1), 1.0]),
    ("aten.index_add.default", (4, 3), lambda i: [0, i, torch.ones(i.numel(), 3)]),
]


@pytest.mark.parametrize(("name", "sizes", "arguments"), OUT_OF_RANGE, ids=[f"{c[0]}-{c[1][1]}" for c in OUT_OF_RANGE])
def test_out_of_range(name: str, sizes: tuple[int, int], arguments: Callable[[torch.Tensor], list]) -> None:
    wraps = name.startswith(("aten.index.", "aten.index_put"))
    right = OneCall(name, values(*sizes), *arguments(torch.tensor([0])))
    for wrong in (4, -5 if wraps else -1):
        call = OneCall(name, values(*sizes), *arguments(torch.tensor([wrong])))
        with pytest.raises((IndexError, RuntimeError)):
            call.eager()
        with compile_context():
            module, _ = right.build(right.eager())
            convert_aten_to_loop(module)
            with pytest.raises(IndexError):
                evaluate(module, call.tensors())
