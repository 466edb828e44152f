"""Small matrix products as kernels against eager: the rule, and compiled programs that the products are fused in."""

import pytest
import torch
from eager_comparison import difference
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from one_call import check

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]


def values(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_products(dtype: torch.dtype) -> None:
    a, b = values(3, 4, dtype=dtype), values(4, 5, dtype=dtype)
    check("aten.mm.default", a, b)
    check("aten.mm.default", values(4, 3, dtype=dtype).t(), b)
    check("aten.mm.default", values(1, 4, dtype=dtype), values(5, 4, dtype=dtype).t())
    check("aten.bmm.default", values(2, 3, 4, dtype=dtype), values(2, 4, 5, dtype=dtype))
    check("aten.bmm.default", values(2, 1, 4, dtype=dtype), values(2, 5, 4, dtype=dtype).transpose(1, 2))
    for addend in (values(5, dtype=dtype), values(3, 1, dtype=dtype), values(3, 5, dtype=dtype), values(1, dtype=dtype)):
        check("aten.addmm.default", addend, a, b)


def test_factors() -> None:
    check("aten.addmm.default", values(5), values(3, 4), values(4, 5), beta=2, alpha=-0.5)
    check("aten.addmm.default", values(5).double(), values(3, 4).double(), values(4, 5).double(), beta=0.1)


def compiled_kernels(function, *arguments: torch.Tensor) -> list[tuple[str, ...]]:
    """What each kernel computes; the results are eager's."""
    torch._dynamo.reset()
    with collect_reports() as reports:
        got = torch.compile(function, backend=find_backend("mlirind"), options={"fallback": False}, dynamic=False)(*arguments)
    want = function(*arguments)
    assert difference(want, got, rtol=1e-4, atol=1e-4) is None
    assert not any(c.target in ("aten.mm.default", "aten.addmm.default") for r in reports for c in r.calls)
    return [kernel.computes for r in reports for kernel in r.kernels]


@pytest.mark.parametrize("shape", [(1, 64, 192), (1, 33, 7), (5, 64, 64), (8, 17, 31), (3, 1, 4), (7, 20, 1), (2, 5, 70)], ids=str)
@pytest.mark.parametrize("transposed", [False, True])
def test_what_is_done_with_the_result_is_in_the_kernel(shape: tuple[int, int, int], transposed: bool) -> None:
    rows, common, columns = shape
    weight = values(columns, common).t() if transposed else values(common, columns)

    def function(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(torch.addmm(b, x, w), approximate="tanh") + 1

    (computes,) = compiled_kernels(function, values(rows, common), weight, values(columns))
    assert "addmm" in computes and "gelu" in computes


def test_a_function_of_an_operand_is_not_computed_for_every_column() -> None:
    kernels = compiled_kernels(lambda x, w: x.tanh() @ w, values(1, 64), values(64, 256))
    assert sorted(kernels) == [("mm",), ("tanh",)]


def test_infinities_and_nan() -> None:
    a, b = values(3, 8), values(8, 4)
    a[0, 0], a[1, 1], b[2, 2] = torch.inf, torch.nan, -torch.inf
    compiled_kernels(torch.mm, a, b)


@pytest.mark.parametrize("features", ["", "-avx512f", "-avx512f,-avx2"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sums_of_neighbours(dtype: torch.dtype, features: str) -> None:
    """Products of rows with rows, at several register widths, with sizes that fill no whole strip or register: the error (from float64) is
    at most eager's largest."""

    def function(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(x, w, b)

    compiled = torch.compile(
        function, backend=find_backend("mlirind"), options={"fallback": False, "target_features": features}, dynamic=False
    )
    for rows, columns, common in [(8, 64, 64), (3, 37, 41), (2, 70, 5), (5, 3, 33)]:
        torch._dynamo.reset()
        arguments = values(rows, common, dtype=dtype), values(columns, common, dtype=dtype), values(columns, dtype=dtype)
        with collect_reports() as reports:
            got = compiled(*arguments)
        assert not any(report.calls for report in reports)
        exact, eager = function(*[a.double() for a in arguments]), function(*arguments)
        unit = torch.finfo(dtype).eps * exact.abs().max() * (16 if dtype == torch.float64 else 1)  # there `exact` is eager's
        assert (got - exact).abs().max() <= (eager - exact).abs().max() + unit
