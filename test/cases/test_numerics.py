"""Values where compilers go wrong: rounding of every operator, special floats, wrap-around, casts, promotion."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from mlirind.runtime.report import collect_reports
from programs import HERE, ON_GPU, Programs, check

programs = Programs()

INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 1e-8, 1e-40, -1e-40, 88.0, 100.0, -104.0, 1e20, 3.4e38, INF, -INF, NAN]
HALF_TYPES = [torch.bfloat16, torch.float16]


def special(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor(SPECIAL * 2, dtype=torch.float64).to(dtype)  # long enough for whole vectors and a tail


def pairs(values: list[float] = SPECIAL) -> tuple[torch.Tensor, torch.Tensor]:
    left, right = zip(*itertools.product(values, values), strict=True)
    return torch.tensor(left), torch.tensor(right)


def pairs_without_quirks() -> tuple[torch.Tensor, torch.Tensor]:
    """Without -0.0 and without numbers so large or small that a quotient overflows, of which eager's remainders are NaN."""
    return pairs([v for v in SPECIAL if 1e-30 < abs(v) < 1e30 or math.isinf(v) or math.isnan(v) or str(v) == "0.0"])


@programs(lambda: (torch.full((300,), 0.1, dtype=torch.bfloat16),))
def bfloat16_rounds_every_operator(x):
    return (x + 1) - 1, (x * 3) / 3, ((x + 100) - 100).sum(), x * x * x * x


@programs(lambda: (torch.linspace(-5, 5, 133).half(), torch.linspace(3, 700, 133).half()))
def float16_rounds_and_overflows(x, y):
    return (x * 1000 * 100) / 100, x.exp() * y * y, (y * y).sum(), torch.nn.functional.relu(x) * y


def _sums(x):
    """Of half types eager rounds every partial sum on GPUs: test/gpu/test_programs.py."""
    return (x.float() if ON_GPU else x).cumsum(1)


@programs(lambda: (torch.randn(7, 250, dtype=torch.bfloat16),))
def bfloat16_reductions_round_once(x):
    return x.sum(-1), x.mean(0), torch.softmax(x, -1), x.var(1), torch.nn.functional.layer_norm(x, (250,)), _sums(x)


@programs(lambda: (special(), special(torch.float64)))
def rounding_functions(x, y):
    return tuple(
        f(t) for t in (x, y) for f in (torch.round, torch.floor, torch.ceil, torch.trunc, torch.frac, torch.sign, torch.abs, torch.neg)
    )


@programs(lambda: (special(),))
def powers(x):
    return x**2, x**3, x**0.5, x**-1, x**0, 2**x, x**x, torch.square(x), torch.sqrt(x), torch.rsqrt(x), torch.reciprocal(x)


@programs(lambda: (special(),))
def exponentials(x):
    return torch.exp(x), torch.exp2(x), torch.expm1(x), torch.log(x), torch.log2(x), torch.log10(x), torch.log1p(x)


@programs(lambda: (special(),))
def hyperbolic_functions(x):
    return torch.tanh(x), torch.sinh(x), torch.cosh(x), torch.asinh(x), torch.acosh(x), torch.atanh(x), torch.sigmoid(x)


@programs(lambda: (special().clamp(-1000, 1000),))
def trigonometric_functions(x):
    return torch.sin(x), torch.cos(x), torch.tan(x), torch.asin(x), torch.acos(x), torch.atan(x)


@programs(lambda: (special(),))
def error_functions(x):
    return torch.erf(x), torch.erfc(x), torch.erfinv(x), torch.lgamma(x), torch.digamma(x), torch.special.i0(x)


@programs(lambda: (special(),))
def activations(x):
    f = torch.nn.functional
    return (
        f.relu(x),
        f.gelu(x),
        f.gelu(x, approximate="tanh"),
        f.silu(x),
        f.softplus(x),
        f.elu(x),
        f.hardswish(x),
        f.mish(x),
        f.leaky_relu(x),
    )


@programs(pairs)
def two_operands(x, y):
    return torch.copysign(x, y), torch.atan2(x, y), x / y, x // y, torch.div(x, y, rounding_mode="trunc"), torch.hypot(x, y)


@programs(pairs_without_quirks)
def remainders(x, y):
    return x % y, torch.fmod(x, y)


@programs(pairs)
def comparisons(x, y):
    return x < y, x <= y, x > y, x >= y, x == y, x != y, torch.isnan(x), torch.isinf(y), torch.isclose(x, y), torch.logical_xor(x, y)


@programs(lambda: (special().where(special() != 0, torch.tensor(0.25)),))  # of two zeros, eager takes either
def clamps(x):
    return (
        x.clamp(0, 1),
        x.clamp(min=0.5),
        x.clamp(max=-0.0),
        x.clamp(2, 1),
        x.nan_to_num(),
        x.nan_to_num(nan=7.0, posinf=1.0),
        x.clamp(min=NAN),
    )


@programs(lambda: (torch.tensor([0.0, -0.0, 5.0]), torch.tensor([-0.5, -0.1])))
def signs_of_zero(x, y):
    return (
        -x,
        0 - x,
        x + 0,
        x * -1,
        x - 0.0,
        torch.ceil(y) + torch.zeros(2),
        y.round(),
        torch.relu(-x),
        x.sum(),
        x[1:2].sum(),
        x[1:2].prod(),
    )


@programs(lambda: (torch.tensor([-128, 127, 100, -100, 0, 1] * 12, dtype=torch.int8),))
def int8_wraps_around(x):
    return x + x, x * 3, -x, x.abs(), x - 1, x << 1, x >> 1, ~x, x.sum(), x**2, x.prod()


@programs(lambda: (torch.tensor([0, 1, 127, 128, 200, 255] * 12, dtype=torch.uint8),))
def uint8_is_unsigned(x):
    return x + 100, x - 200, x // 3, x % 7, x >> 1, x > 128, x.float(), x.to(torch.int8), x.max(), x.sum(), -x, x * x, x.min()


@programs(lambda: (torch.tensor([-(2**31), 2**31 - 1, 7, -7, 0] * 7, dtype=torch.int32),))
def int32_arithmetic(x):
    return x + 1, x.abs(), -x, x * x, x // 2, x // -2, x % 3, x % -3, torch.fmod(x, 3), x / 2, x.long() * x, x.bitwise_xor(x >> 3)


@programs(lambda: (torch.arange(-40, 40, dtype=torch.int32), torch.arange(-40, 40) * 2**40))
def shifts(x, y):
    return x << 31, x >> 31, y >> 40, y << 3, 1 << x.clamp(0, 30), x & 12, x | 3, x ^ -1


@programs(lambda: (torch.tensor([16777217, -16777217, 2**53 + 1, 2**62 + 1, 3]),))
def large_integers(x):
    return x.float(), x.double(), x * 1.0, x == 16777216.0, x / 1, x.float().long(), x.sum(), x // 3, x.max(), x % 10


@programs(lambda: (torch.tensor([1.9, -1.9, 0.5, -0.5, 100.7, 200.2, 255.9, -3.0] * 5),))
def float_to_integer_casts(x):
    return x.to(torch.int8), x.to(torch.int16), x.int(), x.long(), x.abs().to(torch.uint8), x.bool(), x.half(), x.bfloat16(), x.double()


@programs(lambda: (torch.tensor([True, False, True] * 11), torch.tensor([2, 0, -3] * 11)))
def booleans(x, y):
    return (
        x + x,
        x.sum(),
        x * y,
        x & (y > 0),
        x | x,
        ~x,
        x ^ x,
        x.any(),
        x.all(),
        x.float().mean(),
        x < y,
        torch.where(x, y, 5),
        x.int(),
        x.cumsum(0),
    )


@programs(
    lambda: (torch.randn(3, 77), torch.randint(-100, 100, (5, 41)), torch.tensor([[1.0, INF, 2.0, -INF, 1.0], [1.0, NAN, 0.0, INF, 2.0]]))
)
def scans_along_rows(x, y, z):
    halves, bytes_ = _sums(x.bfloat16()), y.to(torch.int8)
    sums = (
        x.cumsum(1),
        x[:, 1:].cumsum(-1) * 2,
        y.cumsum(1),
        bytes_.cumsum(1),
        bytes_.cumsum(1, dtype=torch.int8),
        (y > 0).cumsum(1),
        z.cumsum(1),
    )
    return *sums, halves, y.cumprod(1), z.cumprod(1), *x.cummax(1), *y.cummin(1), *z.cummax(1), x.logcumsumexp(1), x[0].cumsum(0)


@programs(lambda: (torch.randn(3, 150), torch.arange(200), torch.randn(2, 1, 5, 90, dtype=torch.float64)))
def lines_with_bends(x, y, z):
    """What is loaded lies in a line from lane to lane but for a few places."""
    pads = F.pad(x, (3, 5), "reflect"), F.pad(z, (4, 1, 1, 1), "replicate"), F.pad(x.bfloat16()[None], (1, 1), "reflect")
    rolls = x.roll(7, 1), y.roll(-3), (y > 50).roll(100, 0), x.roll((1, 149), (0, 1)), z.roll(33, -1) * 2, y.to(torch.int8).roll(1)
    repeated = F.interpolate(z.float(), scale_factor=2.0), x.repeat(1, 3), x.reshape(10, 45).roll(1, 0).view(-1)
    return *pads, *rolls, *repeated, x.roll(5, 1).softmax(1)


@programs(lambda: (torch.randn(4, 50), torch.arange(70), torch.randn(2, 3, 33, dtype=torch.float64)))
def backwards(x, y, z):
    return (
        x.flip(1),
        x.flip(0, 1) + x,
        y.flip(0)[1:],
        z.flip(2).sum(1),
        x.flip(1).softmax(1),
        (y.flip(0) > 3),
        x[:, ::3].flip(1),
        x.t().flip(0, 1),
    )


@programs(lambda: (torch.tensor([3.0, NAN, 5.0, NAN, 5.0]), torch.tensor([2, 2, 1, 1]), torch.tensor([[1.0, 1.0], [0.0, 7.0]])))
def extremes_with_nan_and_ties(x, y, z):
    return x.argmax(), x.argmin(), y.argmax(), y.argmin(), x.max(), x.amin(), z.max(1), z.min(0), y.max(0), torch.topk(z, 1), x.sort()


@programs(lambda: (torch.full((2, 4), -INF), torch.tensor([[INF, 1.0], [NAN, 0.0]])))
def softmax_of_infinities(x, y):
    return (
        x.softmax(-1),
        x.log_softmax(-1),
        x.logsumexp(-1),
        y.softmax(-1),
        y.softmax(0),
        y.logsumexp(1),
        (torch.rand(2, 4, device=HERE) * 1e14).softmax(1),
    )


@programs(lambda: (torch.randn(3, 1), torch.randn(0, 3)))
def variance_of_few(x, y):
    return x.var(1), x.std(0), x.var(1, correction=0), y.var(0), y.sum(), y.prod(), y.mean(0), torch.std_mean(x, 0)


@programs(lambda: (torch.randn(1 << 20), torch.rand(1000, 1000) + 1e4))
def long_sums_stay_accurate(x, y):
    return x.square().mean(), y.sum(), y.var(), y.mean(0), x.norm(), y.cumsum(0)[-1]


@programs(lambda: (torch.full((2,), NAN), torch.rand(2, 3), torch.rand(3, 2)))
def beta_of_zero_ignores_nan(x, a, b):
    return torch.addmm(x, a, b, beta=0), torch.baddbmm(x, a[None], b[None], beta=0)


@programs(lambda: (torch.zeros(3, dtype=torch.int8), torch.zeros(3, dtype=torch.float16)))
def constants_overflow_as_at_run_time(x, y):
    a = torch.full((3,), 100, dtype=torch.int8)
    b = torch.full((3,), 60000.0, dtype=torch.float16)
    return x + (a + a), y + b * 2, torch.full((2,), 2**30, dtype=torch.int32) * 4, torch.full((3,), 1 / 3, dtype=torch.float16).float()


@programs(lambda: (torch.tensor([0.1], dtype=torch.float64), torch.tensor(0.1), torch.tensor([2], dtype=torch.int16)))
def python_scalars_and_scalar_tensors(x, y, n):
    return (
        x + 0.1,
        y + 0.1,
        n + 1.5,
        n * True,
        x * y,
        n / 2,
        n + 2**14 * 3,
        y + x[0],
        n.float() + y,
        torch.tensor(1, device=HERE) / 3,
        n * y,
    )


@programs(lambda: (torch.tensor([0.0, -0.0, 1.0, -0.0, 1.0, NAN, 0.0, -INF] * 3), special(torch.float16)))
def signs_of_zero_that_come_last(x, half):
    scans = [f(y, 0) for f in (torch.cummax, torch.cummin) for y in (x, x.abs() - 1, x.view(4, 6), x[:5])]
    return *scans, torch.nn.functional.relu6(x), torch.nn.functional.hardtanh(x, -0.0, 2.0), half**0.5, half**-0.5


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(program, backend):
    one_ulp = ON_GPU and program.name == "bfloat16_reductions_round_once"
    check(backend, program.fn, program.make_inputs, rtol=2**-7 if one_ulp else 1e-5)


DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]


def _values(dtype: torch.dtype) -> torch.Tensor:
    values = torch.tensor([0, 1, 2, 3, 7, 100, 125, 50] * 3)
    return (values % 2).bool() if dtype == torch.bool else values.to(dtype)


@pytest.mark.parametrize("left", DTYPES, ids=str)
def test_promotion(backend, left):
    """Every pair of dtypes, as tensors of one and of no dimension, and Python numbers."""

    def fn(x, others):
        results = []
        for y in others:
            results += [x + y, x * y, x / (y + 1), torch.maximum(x, y), x < y, torch.where(x > 1, x, y)]
            results += [x + y[3], y[2] * x, x[1] * y[3]]
        return results, x * 2, x + 1.5, 3 / (x + 1)

    check(backend, fn, lambda: (_values(left), [_values(right) for right in DTYPES]))


@pytest.mark.parametrize("dtype", HALF_TYPES, ids=str)
def test_half_types_elementwise(backend, dtype):
    """All values of a half type, through a cast and through arithmetic: exact, denormals and NaN included."""
    every = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)

    def fn(bits):
        x = bits.view(dtype)
        return x.float(), x.float().to(dtype), x * 1.5, x + x, x.double().to(dtype), x.abs(), torch.sqrt(x), x > 0.1

    check(backend, fn, lambda: (every.clone(),))


def test_rounding_to_half_types(backend):
    """Ties go to even; what is too large becomes infinite; denormals are kept."""
    x = torch.tensor([1 + 2**-9, 1 + 3 * 2**-9, 65519.0, 65520.0, 3.39e38, 3.4e38, 1e-8, 6e-8, 1e-40, 9.2e-41, -0.0, NAN, INF] * 3)
    check(backend, lambda x: (x.half(), x.bfloat16(), x.double().half(), x.double().bfloat16()), lambda: (x.clone(),))


def test_gradient_of_hardsigmoid_in_double(backend):
    """Eager multiplies by a sixth in float32."""

    def make_inputs():
        return (torch.linspace(-4, 4, 33, dtype=torch.float64, requires_grad=True),)

    check(backend, lambda x: torch.nn.functional.hardsigmoid(x) * 1e6, make_inputs, grad=True, rtol=1e-13)


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.Adagrad, torch.optim.ASGD], ids=lambda k: k.__name__)
@pytest.mark.parametrize("foreach", [True, False])
def test_optimizer_step_is_kernels(backend, backend_name, kind, foreach):
    """Steps of a compiled optimizer give eager's parameters, and no operator of it goes to ATen."""

    def run(step_of):
        torch.manual_seed(0)
        parameters = [torch.nn.Parameter(torch.randn(n, 3)) for n in range(1, 4)]
        optimizer = kind(parameters, lr=0.01, foreach=foreach)
        step = step_of(optimizer.step)
        for _ in range(3):
            for p in parameters:
                p.grad = torch.randn_like(p)
            step()
        return [p.detach() for p in parameters]

    want = run(lambda step: step)
    with collect_reports() as reports:
        got = run(lambda step: torch.compile(lambda: step(), backend=backend))
    assert difference(want, got, rtol=1e-5, atol=1e-7) is None
    assert not [call for report in reports for call in report.calls]
    assert bool(reports) == (backend_name == "mlirind")


def test_gradient_that_is_zero_everywhere(backend):
    """sgn's is a tensor without storage in eager: as a result, and read by other operators."""
    for fn in (torch.sgn, lambda x: (x.sgn() * x).sin()):
        check(backend, fn, lambda: (torch.linspace(-1, 1, 5, requires_grad=True),), grad=True)
