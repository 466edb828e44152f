"""Indexing, structure and windows through torch.compile: forward and gradients, static and symbolic sizes, all in kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from mlirind.frontend.backend import mlirind
from mlirind.runtime.report import collect_reports


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> Iterator[None]:
    yield
    torch._dynamo.reset()


def assigned(x: torch.Tensor, where: Any, value: Any) -> torch.Tensor:
    y = x.clone()
    y[where] = value
    return y * 2


NUMBERS, MATRIX = torch.tensor([0, 2, 1, 2]), torch.tensor([[0, 2, 1], [3, 0, 0], [1, 1, 3], [2, 3, 0]])
PERMUTED = MATRIX.argsort(0)
TABLE, PLANES = (7, 5), (2, 3, 8, 9)

# What is compiled: a function of x, the sizes of x.
CASES: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], tuple[int, ...]]] = {
    "embedding": (lambda x: F.embedding(MATRIX, x, padding_idx=1), TABLE),
    "index": (lambda x: x[NUMBERS] + x[:, NUMBERS, None].sum(), TABLE),
    "index_apart": (lambda x: x[NUMBERS, :, -NUMBERS - 1], PLANES[1:]),
    "index_put": (lambda x: x.clone().index_put((NUMBERS,), x[:4] * 2, accumulate=True), TABLE),
    "assign_rows": (lambda x: assigned(x, NUMBERS[:3], x[3:6]), TABLE),
    "assign_where": (lambda x: assigned(x, x > 0, 0.5), TABLE),
    "assign_slice": (lambda x: assigned(x, (slice(None), slice(1, -1)), x[:, :3]), TABLE),
    "assign_column": (lambda x: assigned(x, (slice(None), -2), x[:, 0]), TABLE),
    "gather": (lambda x: x.gather(0, MATRIX) * 2, TABLE),
    "scatter": (lambda x: x.scatter(0, PERMUTED, x[:4, :3] * 2), TABLE),
    "scatter_add": (lambda x: x.scatter_add(0, MATRIX, x[:4, :3] * 2), TABLE),
    "index_add": (lambda x: x.index_add(0, NUMBERS, x[1:5] * 2, alpha=3), TABLE),
    "index_copy": (lambda x: x.index_copy(0, NUMBERS[:3], x[1:4] * 2), TABLE),
    "index_fill": (lambda x: x.index_fill(1, NUMBERS, 3.0), TABLE),
    "index_select": (lambda x: x.index_select(1, NUMBERS), TABLE),
    "cat": (lambda x: torch.cat([x * 2, x[:, :2], x.exp()], 1), TABLE),
    "cat_many": (lambda x: torch.cat([x * n for n in range(11)]), TABLE),
    "stack": (lambda x: torch.stack([x, x + 1, x * 2], -1), TABLE),
    "rotate_half": (lambda x: torch.cat([-x[..., 2:], x[..., :2]], -1) * x, (3, 4)),
    "diagonal_scatter": (lambda x: x.diagonal_scatter(x[0, 1:], 1), TABLE),
    "pad": (lambda x: F.pad(x, (1, 2, 0, -1), value=1.5), TABLE),
    "reflection_pad": (lambda x: F.pad(x, (1, 2, 2, 1), mode="reflect"), PLANES),
    "flip_and_roll": (lambda x: x.flip(0) + x.roll((1, -2), (0, 1)), TABLE),
    "repeat": (lambda x: x.repeat(2, 3) * 2, TABLE),
    "triangles": (lambda x: x.tril(1) + x.triu(-1) * 2, TABLE),
    "max_pool": (lambda x: F.max_pool2d(x, 3, 2, 1) * 2, PLANES),
    "average_pool": (lambda x: F.avg_pool2d(x, 3, 2, 1) * 2, PLANES),
    "nearest": (lambda x: F.interpolate(x, scale_factor=2.0) * 2, PLANES),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear") * 2, PLANES),
    "cumsum": (lambda x: x.cumsum(1) * 2, TABLE),
    "cumprod": (lambda x: x.cumprod(0) * 2, TABLE),
    "cummax": (lambda x: x.cummax(1)[0] * 2, TABLE),
    "unfold": (lambda x: F.unfold(x, 3, padding=1) * 2, PLANES),
    "cross_entropy": (lambda x: F.cross_entropy(x, torch.tensor([1, 4, -100, 0, 0, 2, 3])), TABLE),
}

# The graphs, forward and backward, that have a call of ATen: as kernels they would be slower.
CALLS = {"reflection_pad": [0, 1], "nearest": [1, 1], "bilinear": [1, 1]}


def run(function: Any, sizes: tuple[int, ...]) -> tuple[torch.Tensor, torch.Tensor]:
    """The result for the same random input each time, and the gradient of the input."""
    x = torch.randn(sizes, generator=torch.Generator().manual_seed(0), requires_grad=True)
    result = function(x)
    result.backward(torch.randn(result.shape, generator=torch.Generator().manual_seed(1)))
    assert x.grad is not None
    return result.detach(), x.grad


@pytest.mark.parametrize("name", CASES)
def test_equals_eager(name: str) -> None:
    function, sizes = CASES[name]
    with collect_reports() as reports:
        found = run(torch.compile(function, backend=mlirind, options={"fallback": False}), sizes)
    assert difference(run(function, sizes), found) is None
    assert [r.called for r in reports] == CALLS.get(name, [0, 0]), "\n".join(str(r) for r in reports)


@pytest.mark.parametrize("name", "embedding index assign_slice cat rotate_half pad flip_and_roll repeat triangles cumsum max_pool".split())
def test_equals_eager_with_symbolic_sizes(name: str) -> None:
    function, sizes = CASES[name]
    compiled = torch.compile(function, backend=mlirind, dynamic=True, options={"fallback": False})
    with collect_reports() as reports:
        for longer in (0, 2, 5):
            grown = (sizes[0] + longer, *sizes[1:])
            assert difference(run(function, grown), run(compiled, grown)) is None
    assert len(reports) == 2


def test_large_and_parallel() -> None:
    """Above the sizes at which kernels use several threads."""
    index = torch.randint(0, 50, (3000,), generator=torch.Generator().manual_seed(2))
    for function in (
        lambda x: x[index] * 2,
        lambda x: x.index_add(0, index, x[:3000]),
        lambda x: x.scatter_add(1, (index[:, None] + torch.arange(60)) % 60, x[:3000]),
        lambda x: torch.cat([x, x[:, :7]], 1) * 2,
        lambda x: x.cumsum(0),
        lambda x: F.max_pool2d(x.reshape(4, 750, 60), 3, 2, 1),
    ):
        compiled = torch.compile(function, backend=mlirind, options={"fallback": False})
        assert difference(run(function, (3000, 60)), run(compiled, (3000, 60)), rtol=1e-4, atol=1e-5) is None


def test_batch_of_none() -> None:
    for function in (CASES["unfold"][0], CASES["max_pool"][0], lambda x: x.reshape(3, -1).sum(1) + x.sum()):
        compiled = torch.compile(function, backend=mlirind, options={"fallback": False})
        assert difference(run(function, (0, *PLANES[1:])), run(compiled, (0, *PLANES[1:]))) is None


def test_more_masks_than_dimensions() -> None:
    def put(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x.clone().index_put((mask,), torch.tensor(9.0))

    compiled = torch.compile(put, backend=mlirind, options={"fallback": False})
    for function in (put, compiled):
        with pytest.raises(IndexError, match="too many indices for tensor of dimension 0"):
            function(torch.tensor(2.5), torch.tensor(True))


def test_a_scatter_into_a_parameter_that_is_not_contiguous() -> None:
    """The operator itself refuses tensors that autograd tracks; eager does not call it."""

    def fn(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y.as_strided((2, 2), (1, 2), 0).index_put_((torch.tensor([1, 1, 0]),), torch.tensor(2.0), accumulate=True)
        return y

    x = torch.randn(6, 4).t().requires_grad_()
    compiled = torch.compile(fn, backend=mlirind, options={"fallback": False})
    (expected,) = torch.autograd.grad(fn(x).sin().sum(), x)
    assert torch.equal(compiled(x), fn(x))
    torch.testing.assert_close(torch.autograd.grad(compiled(x).sin().sum(), x), (expected,))


@pytest.mark.parametrize("number", [7, -8])
def test_out_of_range(number: int) -> None:
    compiled = torch.compile(lambda x, i: x[i] * 2, backend=mlirind, options={"fallback": False})
    x = torch.randn(TABLE)
    with pytest.raises(IndexError):
        compiled(x, torch.tensor([1, number]))
    assert torch.equal(compiled(x, torch.tensor([1, -7])), x[[1, 0]] * 2)
