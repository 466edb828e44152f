"""Values of PyTorch's kernels that its decompositions, its type promotion or a shorter formula would give otherwise."""

import math

import pytest
import torch
import torch.nn.functional as F
from programs import ON_GPU

INF, NAN = math.inf, math.nan
LANES = 40  # whole vectors and a tail


def rows(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A column of rows, each filled with one of the values."""
    return torch.tensor(values, dtype=torch.float64).to(dtype)[:, None].repeat(1, LANES)


def assert_rows(backend, fn, inputs, want: list[float], rtol: float = 0) -> None:
    """That every element of a row of `fn`'s result is the wanted number, the sign of zero too; `rtol`: as a fraction of it."""
    got = torch.compile(fn, backend=backend, dynamic=False)(*inputs)
    expected = torch.tensor(want, dtype=torch.float64).to(got.dtype)[:, None].expand_as(got)
    torch.testing.assert_close(got, expected, rtol=rtol, atol=0, equal_nan=True)
    zeros = expected == 0
    assert torch.equal(got.signbit() & zeros, expected.signbit() & zeros)


def test_ldexp_scales_once(backend):
    """The power of two itself over- or underflows."""
    x, exponents = rows(6e-14, -8e32), torch.tensor([[134], [-170]])
    assert_rows(backend, torch.ldexp, (x, exponents), [6e-14 * 2.0**134, -8e32 * 2.0**-170], rtol=1e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_ldexp_keeps_half_types(backend, dtype):
    got = torch.compile(torch.ldexp, backend=backend)(torch.tensor([1.0, 3.0], dtype=dtype), torch.tensor([3, -2]))
    assert got.dtype == dtype and got.tolist() == [8, 0.75]


# bfloat16's nearest to 0.3 is 0.30078125, float16's 0.300048828125: the number itself is compared and divided by.
_NEAR = {torch.bfloat16: 0.30078125, torch.float16: 0.300048828125}
_WITH_NUMBERS = {
    "floor_divide": (lambda x: x // -0.3, -2.0, -2.0),
    "div_floor": (lambda x: torch.div(x, -0.3, rounding_mode="floor"), -2.0, -2.0),
    "div_trunc": (lambda x: torch.div(x, 0.30005, rounding_mode="trunc"), 1.0, 0.0),
    "by_no_dimensions": (lambda x: x // torch.tensor(-0.3), -2.0, -2.0),
    "threshold": (lambda x: F.threshold(x, 0.3, 7.0), _NEAR[torch.bfloat16], _NEAR[torch.float16]),
    "softshrink": (lambda x: F.softshrink(x, 0.3), 0.00078125, 4.8828125e-05),
}


@pytest.mark.skipif(ON_GPU, reason="CUDA kernels have rules of their own")
@pytest.mark.parametrize("name", _WITH_NUMBERS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_numbers_with_half_types_are_not_rounded(backend, name, dtype):
    fn, want_bfloat16, want_float16 = _WITH_NUMBERS[name]
    want = want_bfloat16 if dtype == torch.bfloat16 else want_float16
    assert_rows(backend, fn, (rows(_NEAR[dtype], dtype=dtype),), [want])
    assert_rows(backend, fn, (torch.full((1, 3), _NEAR[dtype], dtype=dtype),), [want])


def test_hyperbolic_functions_are_finite_where_exp_is_not(backend):
    want = [math.sinh(88.85), -math.sinh(88.85), math.sinh(89.4), INF, -INF]
    assert_rows(backend, torch.sinh, (rows(88.85, -88.85, 89.4, 89.5, -89.5),), want, rtol=2e-5)
    assert_rows(backend, torch.cosh, (rows(88.85, -88.85, 89.4, 89.5, -89.5),), [abs(v) for v in want], rtol=2e-5)
    large = rows(709.9, -710.4, 710.5, dtype=torch.float64)
    assert_rows(backend, torch.sinh, (large,), [math.sinh(709.9), -math.sinh(710.4), INF], rtol=1e-12)
    assert_rows(backend, torch.cosh, (large,), [math.cosh(709.9), math.cosh(710.4), INF], rtol=1e-12)


def test_remainders_by_denormals(backend):
    """The quotient overflows; the remainder is exact."""
    for dtype, small in ((torch.float32, 2.9e-39), (torch.float64, 1e-310)):
        x, divisor = rows(1.0, -3e-39, 7.0, dtype=dtype), torch.tensor(small, dtype=dtype)
        numbers, by = x[:, 0].tolist(), divisor.item()
        want = [math.fmod(v, by) for v in numbers]
        assert_rows(backend, lambda t, d: torch.fmod(t, d), (x, divisor), want)
        assert_rows(backend, lambda t, d: torch.remainder(t, d), (x, divisor), [r + by if r < 0 else r for r in want])


def test_take_reads_an_index_without_dimensions(backend):
    x = torch.arange(12.0).view(3, 4)
    take = torch.compile(torch.take, backend=backend, dynamic=False)
    for index, want in ((torch.tensor(5), 5.0), (torch.tensor(-1), 11.0)):
        assert take(x, index).tolist() == want
        assert take(x.t(), index).tolist() == torch.take(x.t(), index).item()
    leaf = x.clone().requires_grad_()
    take(leaf, torch.tensor(7)).backward()
    assert leaf.grad.flatten().nonzero().tolist() == [[7]]
    with pytest.raises(IndexError):
        take(x, torch.tensor(12))


@pytest.mark.parametrize("beta", [1.0, 0.3, 0.0])
@pytest.mark.parametrize("reduction", ["none", "sum"])
def test_gradient_of_smooth_l1_loss(backend, beta, reduction):
    """It is NaN where the difference is; with nothing but lines it is that of `l1_loss`."""
    x = rows(NAN, 0.1, -0.1, 5.0, -5.0, INF, 0.0).requires_grad_()
    loss = torch.compile(lambda x, y: F.smooth_l1_loss(x, y, reduction=reduction, beta=beta), backend=backend, dynamic=False)
    loss(x, torch.zeros_like(x)).sum().backward()
    near = 0.1 / beta if beta else 1.0
    want = [NAN if beta else 0.0, near, -near, 1.0, -1.0, 1.0, 0.0]
    torch.testing.assert_close(x.grad, rows(*want), rtol=1e-6, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_addr_scales_the_column_first(backend, dtype):
    """(alpha * u) * v: u * v alone would overflow; where beta is 0, what is not read still lays out the result."""
    largest = torch.finfo(dtype).max
    column, row = torch.tensor([largest, -largest], dtype=dtype), torch.full((LANES,), 2.0, dtype=dtype)
    nothing = torch.full((LANES, 2), NAN, dtype=dtype).t()
    scaled = torch.compile(lambda m, u, v: torch.addr(m, u, v, beta=0, alpha=0.25), backend=backend, dynamic=False)
    got = scaled(nothing, column, row)
    assert got.stride() == (1, 2)
    torch.testing.assert_close(got, (column / 2)[:, None].expand(2, LANES))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_mvlgamma_rounds_its_steps(backend, dtype):
    """-63.75 - 1 is -65 in bfloat16, whose gamma function is infinite."""
    x = torch.tensor([-63.75, 3.5, 2.0, 1.0, 7.25] * 8, dtype=dtype)
    got = torch.compile(lambda x: torch.mvlgamma(x, 3), backend=backend, dynamic=False)(x)
    want = (x[:, None] + torch.tensor([-1.0, -0.5, 0.0], dtype=dtype)).lgamma().sum(-1) + 1.5 * math.log(math.pi)
    torch.testing.assert_close(got, want, rtol=1e-6 if dtype == torch.float32 else 0, atol=0)
    assert (got[0] == INF) == (dtype == torch.bfloat16)
    assert torch.compile(lambda x: torch.mvlgamma(x, 2), backend=backend)(torch.arange(3, 6)).dtype == torch.float32


LAYOUTS = {"all": lambda x: (x, None), "rows": lambda x: (x.repeat(5, 7), 1), "columns": lambda x: (x[:, None].repeat(7, 9), 0)}


@pytest.mark.skipif(ON_GPU, reason="CUDA kernels accumulate in float32")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("scale", [1e-25, 1e-5, 1.0, 2e4, 1e20, 1e38])
def test_moments_are_accumulated_in_float64(backend, scale, dtype, layout):
    """The squares over- or underflow in float32; the root has the dtype of the elements again."""
    x, dim = LAYOUTS[layout]((torch.tensor([1.0, -1.0, 3.0]) * min(scale, torch.finfo(dtype).max / 4)).to(dtype))

    def moments(x):
        return torch.std(x, dim), torch.var(x, dim), *torch.std_mean(x, dim), *torch.var_mean(x, dim)

    for ours, exact in zip(torch.compile(moments, backend=backend, dynamic=False)(x), moments(x.double()), strict=True):
        assert ours.dtype == dtype
        torch.testing.assert_close(ours, exact.to(dtype), rtol=1e-6 if dtype == torch.float32 else torch.finfo(dtype).eps, atol=0)


@pytest.mark.skipif(ON_GPU, reason="CUDA kernels accumulate in float32")
@pytest.mark.parametrize("scale", [1e-25, 1e20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradient_of_std_beyond_the_range_of_squares(backend, scale, dtype):
    x = (torch.tensor([1.0, -1.0, 3.0]) * scale).to(dtype).requires_grad_()
    torch.compile(torch.std, backend=backend, dynamic=False)(x).backward()
    torch.testing.assert_close(x.grad.float(), torch.tensor([0.0, -0.5, 0.5]), rtol=2 * torch.finfo(dtype).eps, atol=torch.finfo(dtype).eps)


def test_deterministic_algorithms_fill_uninitialized_memory(backend):
    """NaN, the largest integer, True."""
    torch.use_deterministic_algorithms(True)
    try:
        made = torch.compile(
            lambda x: (torch.empty_like(x), x.new_empty(2), torch.empty(2, dtype=torch.int32), torch.empty(2, dtype=torch.bool)),
            backend=backend,
        )(torch.ones(3))
    finally:
        torch.use_deterministic_algorithms(False)
    assert made[0].isnan().all() and made[1].isnan().all()
    assert made[2].tolist() == [2**31 - 1] * 2 and made[3].tolist() == [True] * 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_linspace_counts_in_its_dtype(backend, dtype):
    """Half types round the step, the products and the sums; others the sums alone, where eager's kernel has multiply-add instructions."""
    tolerance = 0.0 if torch.backends.cpu.get_cpu_capability() != "DEFAULT" or dtype.itemsize == 2 else 1e-6
    for count in (1, 2, 5, 7):  # no whole vector: eager's vector code counts otherwise
        got = torch.compile(lambda count=count: torch.linspace(-4.5, 9.3, count, dtype=dtype), backend=backend)()
        torch.testing.assert_close(got, torch.linspace(-4.5, 9.3, count, dtype=dtype), rtol=tolerance, atol=tolerance)
    if dtype == torch.bfloat16:
        assert got[1].item() == -2.203125 and got[5].item() == 7.0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_hann_window_rounds_its_steps(backend, dtype):
    """Half types: the last elements are less than the first ones, which they mirror."""
    got = torch.compile(lambda: torch.hann_window(5, dtype=dtype), backend=backend)()
    assert torch.equal(got, torch.hann_window(5, dtype=dtype))
    if dtype == torch.float16:
        assert got[1] > got[4]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_cross_rounds_each_product(backend, dtype):
    """17 * 17 = 289 and 16 * 18 = 288 are 288 in bfloat16."""
    x, y = torch.tensor([[1.0, 17, 16]], dtype=dtype), torch.tensor([[0.0, 18, 17]], dtype=dtype)
    got = torch.compile(lambda x, y: torch.linalg.cross(x, y), backend=backend)(x, y.expand(2, 3))
    assert got[:, 0].tolist() == [0.0 if dtype == torch.bfloat16 else 1.0] * 2


def test_indices_below_0_where_a_mask_is_true(backend):
    x, mask = torch.arange(5.0) + 10, torch.tensor([True, False, True, True])

    def read(x, mask, index):
        return torch.ops.aten._unsafe_masked_index(x, mask, [index], 9.0)

    compiled = torch.compile(read, backend=backend)
    assert compiled(x, mask, torch.tensor([-1, -1, -9, 7])).tolist() == [14, 9, 10, 14]
    assert compiled(torch.ones(0), mask, torch.zeros(4, dtype=torch.int64)).tolist() == [9, 9, 9, 9]


def test_the_gradient_of_a_dropout_is_rounded_once(backend):
    """1 / 0.9 is 1.109375 in bfloat16, and 7 times that is 7.75; 7 / 0.9 is 7.78125."""
    gradient, mask = torch.tensor([7.0, 9.0], dtype=torch.bfloat16), torch.tensor([True, False])
    call = torch.compile(lambda g, m: torch.ops.aten.native_dropout_backward(g, m, 1 / 0.9), backend=backend)
    assert call(gradient, mask).tolist() == [7.78125, 0.0]
    assert call(gradient, mask.double()).dtype == torch.float64


@pytest.mark.skipif(ON_GPU, reason="cuDNN stores statistics in float32")
@pytest.mark.parametrize("shape", [(8, 16, 9, 9), (11, 5, 93), (1023, 9)], ids=str)
def test_batch_norms_of_bfloat16_store_sums_and_statistics(backend, shape):
    """The sum of squares and the variance are rounded to bfloat16 before the square root, momentum and its products too."""
    generator = torch.Generator().manual_seed(0)
    x = (torch.randn(shape, generator=generator) * 3 + 1).bfloat16()
    weight, bias, mean, variance = (torch.rand(shape[1], generator=generator).bfloat16() + 0.5 for _ in range(4))

    def norm(x, weight, bias, mean, variance):
        return torch.ops.aten.native_batch_norm(x, weight, bias, mean, variance, True, 0.123, 1e-5)

    statistics = [mean.clone(), variance.clone()]
    got = (*torch.compile(norm, backend=backend)(x, weight, bias, *statistics), *statistics)
    want = (*norm(x, weight, bias, mean, variance), mean, variance)
    assert all(torch.equal(g, w) for g, w in zip(got, want, strict=True))


_SUMS = {
    "scatter_add": lambda x, i, y, dim: x.scatter_add(dim, i, y),
    "sums": lambda x, i, y, dim: x.scatter_reduce(dim, i, y, "sum"),
    "products": lambda x, i, y, dim: x.scatter_reduce(dim, i, y, "prod", include_self=False),
    "means": lambda x, i, y, dim: x.scatter_reduce(dim, i, y, "mean"),
    "index_add": lambda x, i, y, dim: x.index_add(dim, i.select(dim - 1, 0).select(dim - 1, 0), y),
    "index_add_scaled": lambda x, i, y, dim: x.index_add(dim, i.select(dim - 1, 0).select(dim - 1, 0), y, alpha=0.3),
}


@pytest.mark.skipif(ON_GPU, reason="atomic additions come in any order")
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("name", _SUMS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_scattered_sums_are_rounded_where_eager_rounds(backend, name, dim, dtype):
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randn(8, 8, 8, generator=generator).to(dtype) for _ in range(2))
    index = torch.randint(0, 3, (8, 8, 8), generator=generator)
    got = torch.compile(lambda x, i, y: _SUMS[name](x, i, y, dim), backend=backend)(x, index, y)
    assert torch.equal(got, _SUMS[name](x, index, y, dim))
