"""exp, tanh and erf of f32 vectors as inline polynomials: a call saves and restores every vector register around it.

Each is within 2 ulp, and exact for infinities and NaN. The coefficients are minimax fits of the relative error. They were rounded to f32
one by one, and the others fitted again each time.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from .builder import Builder, Val

GREATER, LESS = 2, 4  # ordered
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4  # the first has 9 bits: its product with an exponent is exact
# exp(r) = 1 + r + r^2 P(r) for |r| <= ln(2) / 2: error 3.2e-9
_EXP = (0.4999999403953552, 0.16666516661643982, 0.041668105870485306, 0.008369140326976776, 0.0013836714206263423)
# tanh(x) = x + x^3 P(x^2) for |x| <= 0.65: error 6.8e-9
_TANH = (-0.3333325982093811, 0.1333082914352417, -0.05368790403008461, 0.020469000563025475, -0.005514679942280054)
# erf(x) = x + x P(x^2) for |x| <= 1: error 1.4e-9
_ERF_SMALL = (
    0.12837916612625122, -0.3761262595653534, 0.11283578723669052, -0.026853347197175026, 0.005187162198126316,
    -0.0007997853099368513, 7.806903886375949e-05,
)  # fmt: skip
# erf(x) = 1 - exp(P(x) - x) for 0.9 <= x <= 4: error 1.7e-9
_ERF_LARGE = (
    -0.00016644834249746054, -0.12779724597930908, -0.6369760632514954, -0.10411371290683746, 0.022315239533782005,
    -0.0030654992442578077, 0.0001982204703381285,
)  # fmt: skip


def emit_inline(b: Builder, name: str, x: Val) -> Val:
    """The value of `math.exp`, `math.tanh` or `math.erf` of an f32 vector that fills a register."""
    return INLINE[name](b, x)


def _exp(b: Builder, x: Val) -> Val:
    # As "a < b ? a : b" each is one instruction that returns NaN for NaN.
    high, zero = _splat(b, 88.8, x), _splat(b, 0.0, x)
    x = b.select(b.compare(LESS, high, x), high, x)
    # exp(-104) is 0. Computing it would round a denormal, for which processors need a hundred cycles: masks make many of them.
    vanishes = b.compare(GREATER, _splat(b, -104.0, x), x)
    return b.select(vanishes, zero, _exp_in_range(b, b.select(vanishes, zero, x)))


def _exp_in_range(b: Builder, x: Val) -> Val:
    """exp(x) for -104 <= x <= 88.8"""
    n = b.elementwise("math.roundeven", [b.binary("mulf", x, _splat(b, _LOG2_E, x))], b.f32)
    r = _fma(b, n, _splat(b, -_LN2_HIGH, x), x)
    r = _fma(b, n, _splat(b, -_LN2_LOW, x), r)
    tail = _fma(b, _polynomial(b, _EXP, r), b.binary("mulf", r, r), r)
    return _scale(b, b.binary("addf", tail, _splat(b, 1.0, x)), n)


def _scale(b: Builder, value: Val, n: Val) -> Val:
    """value * 2^n, in two steps, because 2^n itself may be out of range."""
    whole = b.cast("fptosi", n, b.i32)
    half = b.binary("shrsi", whole, b.integer(1, b.i32))
    for part in (half, b.binary("subi", whole, half)):
        bits = b.binary("shli", b.binary("addi", part, b.integer(127, b.i32)), b.integer(23, b.i32))
        value = b.binary("mulf", value, b.cast("bitcast", bits, b.f32))
    return value


def _tanh(b: Builder, x: Val) -> Val:
    """|x| + |x|^3 P(x^2) near 0; else 1 - 2 / (exp(2 |x|) + 1); with the sign of x, of -0.0 too."""
    square = b.binary("mulf", x, x)
    size = b.elementwise("math.absf", [x], b.f32)
    near = _fma(b, _polynomial(b, _TANH, square), b.binary("mulf", square, size), size)
    most = _splat(b, 10.0, x)
    limited = b.select(b.compare(LESS, most, size), most, size)
    one = _splat(b, 1.0, x)
    power = _exp_in_range(b, b.binary("addf", limited, limited))
    far = b.binary("subf", one, b.binary("divf", _splat(b, 2.0, x), b.binary("addf", power, one)))
    value = b.select(b.compare(LESS, size, _splat(b, 0.65, x)), near, far)
    return b.elementwise("math.copysign", [value, x], b.f32)


def _erf(b: Builder, x: Val) -> Val:
    """x + x P(x^2) near 0; else 1 - exp(Q(|x|) - |x|) with the sign of x."""
    near = _fma(b, _polynomial(b, _ERF_SMALL, b.binary("mulf", x, x)), x, x)
    size = b.elementwise("math.absf", [x], b.f32)
    most = _splat(b, 4.0, x)
    limited = b.select(b.compare(LESS, most, size), most, size)
    exponent = b.binary("subf", _polynomial(b, _ERF_LARGE, limited), limited)
    far = b.binary("subf", _splat(b, 1.0, x), _exp_in_range(b, exponent))
    far = b.elementwise("math.copysign", [far, x], b.f32)
    return b.select(b.compare(LESS, size, _splat(b, 0.95, x)), near, far)


def _polynomial(b: Builder, coefficients: Sequence[float], x: Val) -> Val:
    """c0 + c1 x + c2 x^2 + ..."""
    value = _splat(b, coefficients[-1], x)
    for coefficient in reversed(coefficients[:-1]):
        value = _fma(b, value, x, _splat(b, coefficient, x))
    return value


def _fma(b: Builder, x: Val, y: Val, z: Val) -> Val:
    return b.elementwise("math.fma", [x, y, z], b.f32)


def _splat(b: Builder, value: float, like: Val) -> Val:
    return b.constant(ir.FloatAttr.get(b.f32, value), b.f32, like.lanes)


INLINE = {"math.exp": _exp, "math.tanh": _tanh, "math.erf": _erf}
