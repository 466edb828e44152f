"""Lowering of arithmetic: sums, products, quotients, powers, extremes, rounding."""

import math
from collections.abc import Callable

from torch_mlir import ir

from ..emission.promotion import is_integer, largest_finite, round_float
from ..emission.scalar import Scalar
from .pointwise import pointwise, rounded
from .registry import LoweredCall


@pointwise("aten.add.Tensor", "aten.add.Scalar")
def add(self: Scalar, other: Scalar, alpha: Scalar) -> Scalar:
    """self + alpha * other, the product not rounded before the sum."""
    return self + other if alpha.number == 1 else other.fma(alpha, self) if alpha.dtype != "bool" else self + other * alpha


@pointwise("aten.sub.Tensor", "aten.sub.Scalar")
def sub(self: Scalar, other: Scalar, alpha: Scalar) -> Scalar:
    """self - alpha * other"""
    return self - other if alpha.number == 1 else other.fma(-alpha, self)


@pointwise("aten.rsub.Tensor", "aten.rsub.Scalar")
def rsub(self: Scalar, other: Scalar, alpha: Scalar) -> Scalar:
    """other - alpha * self"""
    return other - self if alpha.number == 1 else self.fma(-alpha, other)


@pointwise("aten.mul.Tensor", "aten.mul.Scalar", exact=("other",))
def mul(self: Scalar, other: Scalar) -> Scalar:
    """self * other"""
    return self * other


@pointwise("aten.div.Tensor", "aten.div.Scalar", "aten.true_divide.Tensor", "aten.true_divide.Scalar", exact=("other",))
def div(self: Scalar, other: Scalar) -> Scalar:
    """self / other, integers as floats"""
    return quotient(self, other)


def quotient(a: Scalar, b: Scalar) -> Scalar:
    """a / b of floats; on GPUs eager multiplies by the reciprocal of a number"""
    if not b.number or not a.builder.on_gpu:
        return a / b
    return a * round_float(1 / b.number, b.dtype)


@pointwise("aten.div.Tensor_mode", "aten.div.Scalar_mode", exact=("other",))
def div_mode(self: Scalar, other: Scalar, *, rounding_mode: str | None, call: LoweredCall) -> Scalar:
    """self / other, rounded towards zero ("trunc") or down ("floor")"""
    if rounding_mode == "floor":
        return floor_divide(self, other, call=call)
    if rounding_mode is None:
        return quotient(self, other)
    if not self.is_float:
        return divide_integers(self, other)[0]
    return _step(call)(quotient(self, other)).math("trunc")


def _step(call: LoweredCall) -> Callable[[Scalar], Scalar]:
    """What eager does after each step of a division: it rounds to the half type, unless the divisor is a number or has one element."""
    divisor = call["other"]
    is_one = not isinstance(divisor, ir.Value) or all(size == 1 for size in call.info(divisor).sizes)
    return (lambda value: value) if is_one else rounded


def divide_integers(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    """Quotient towards zero and remainder; a zero divisor fails the kernel. The lowest integer by -1 wraps."""
    a.builder.check(b.ne(0), "zero_division")
    if a.is_unsigned:
        divisor = b.maximum(1)
        return a.emit("arith.divui", divisor), a.emit("arith.remui", divisor)
    if b.number is not None and b.number not in (0, -1):
        return a.emit("arith.divsi", b), a.emit("arith.remsi", b)
    negates = b.eq(-1)
    divisor = (negates | b.eq(0)).select(1, b)
    return negates.select(-a, a.emit("arith.divsi", divisor)), a.emit("arith.remsi", divisor)


@pointwise("aten.floor_divide.default", "aten.floor_divide.Scalar", exact=("other",))
def floor_divide(self: Scalar, other: Scalar, *, call: LoweredCall) -> Scalar:
    """The quotient rounded down. Floats are computed in eager's steps: floor(self / other) would round some quotients up."""
    if not self.is_float:
        whole, rest = divide_integers(self, other)
        return whole if self.is_unsigned else (rest.ne(0) & ((rest < 0) ^ (other < 0))).select(whole - 1, whole)
    step = _step(call)
    plain, rest = quotient(self, other), self.emit("arith.remf", other)
    # The vector function of the remainder gives nan where the quotient overflows.
    overflows = plain.abs().eq(math.inf) & self.abs().ne(math.inf)
    whole = step(quotient(overflows.select(self, step(self - rest)), other))
    whole = (rest.ne(0) & ((rest < 0) ^ (other < 0))).select(step(whole - 1), whole)
    floor = whole.math("floor")
    below = (whole - floor > 0.5).select(floor + 1, floor)
    result = whole.ne(0).select(below, self.like(0).math("copysign", plain))
    return other.eq(0).select(plain, result)


@pointwise("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def remainder(self: Scalar, other: Scalar) -> Scalar:
    """The remainder that has the divisor's sign."""
    rest = self.emit("arith.remf", other) if self.is_float else divide_integers(self, other)[1]
    if self.is_unsigned:
        return rest
    return (rest.ne(0) & ((rest < 0) ^ (other < 0))).select(rest + other, rest)


@pointwise("aten.fmod.Tensor", "aten.fmod.Scalar")
def fmod(self: Scalar, other: Scalar) -> Scalar:
    """The remainder that has the dividend's sign."""
    return self.emit("arith.remf", other) if self.is_float else divide_integers(self, other)[1]


@pointwise("aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar", "aten.pow.Scalar")
def power(self: Scalar, exponent: Scalar) -> Scalar | None:
    """self ** exponent; integers by a constant exponent are multiplied out. Eager computes float16's exponents 0.5 and -0.5 with powf on
    the CPU, so the root of -0.0 is 0.0. On GPUs, and for bfloat16, it rounds the square before it multiplies or divides on."""
    if not self.is_float:
        if exponent.number is None or exponent.number < 0 or not is_integer(self.dtype):
            return None
        return _integer_power(self, int(exponent.number))
    stored, on_gpu = self.builder.output_infos[0].dtype, self.builder.on_gpu
    if exponent.number is None or (abs(exponent.number) == 0.5 and stored == "float16" and not on_gpu):
        return self.math("powf", exponent)
    square = self * self
    if on_gpu or stored == "bfloat16":
        square = square.to(stored).to(self.dtype)
    simple = {0: lambda: self.like(1), 1: lambda: self, 2: lambda: square, 3: lambda: square * self,
              0.5: lambda: self.math("sqrt"), -0.5: lambda: self.math("rsqrt"), -1: lambda: 1 / self,
              -2: lambda: 1 / square}  # fmt: skip
    return simple[exponent.number]() if exponent.number in simple else self.math("powf", exponent)


def _integer_power(base: Scalar, exponent: int) -> Scalar:
    result = base.like(1)
    while exponent:
        result = result * base if exponent & 1 else result
        base, exponent = base * base if exponent > 1 else base, exponent >> 1
    return result


@pointwise("aten.maximum.default")
def maximum(self: Scalar, other: Scalar) -> Scalar:
    """The larger; NaN if either is."""
    return larger(self, other)


@pointwise("aten.minimum.default")
def minimum(self: Scalar, other: Scalar) -> Scalar:
    """The smaller; NaN if either is."""
    return smaller(self, other)


@pointwise("aten.fmax.default")
def fmax(self: Scalar, other: Scalar) -> Scalar:
    """The larger; a number wins over NaN."""
    return _number("arith.maxnumf", self, other) if self.is_float else self.maximum(other)


@pointwise("aten.fmin.default")
def fmin(self: Scalar, other: Scalar) -> Scalar:
    """The smaller; a number wins over NaN."""
    return _number("arith.minnumf", self, other) if self.is_float else self.minimum(other)


def _number(extreme: str, x: Scalar, y: Scalar) -> Scalar:
    """The extreme of both; a number if only one is NaN. Between 0.0 and -0.0: the one that eager returns on this machine; on GPUs x."""
    if x.builder.on_gpu:
        return x.emit(extreme, y)
    from ...bridge.eager_probes import fmax_takes_second_zero

    return y.emit(extreme, x) if fmax_takes_second_zero(x.builder.output_infos[0].dtype) else x.emit(extreme, y)


def larger(x: Scalar, y: Scalar) -> Scalar:
    """The larger; NaN if either is. Between 0.0 and -0.0 it returns y, as eager's vector code does; on GPUs 0.0"""
    if not x.is_float or x.builder.on_gpu:
        return x.maximum(y)
    return ((x > y) | x.is_nan()).select(x, y)


def smaller(x: Scalar, y: Scalar) -> Scalar:
    """The smaller; NaN if either is. Between 0.0 and -0.0 it returns y, as eager's vector code does; on GPUs -0.0"""
    if not x.is_float or x.builder.on_gpu:
        return x.minimum(y)
    return ((x < y) | x.is_nan()).select(x, y)


@pointwise("aten.neg.default")
def neg(self: Scalar) -> Scalar:
    """-self"""
    return -self


@pointwise("aten.abs.default")
def absolute(self: Scalar) -> Scalar:
    """|self|"""
    return self.abs()


@pointwise("aten.sign.default", "aten.sgn.default")
def sign(self: Scalar) -> Scalar:
    """-1, 0 or 1; 0 for NaN"""
    if self.dtype == "bool":
        return self
    positive = (self > 0).select(self.like(1), 0)
    return positive if self.is_unsigned else (self < 0).select(-1, positive)


def _rounding(name: str, operation: str) -> None:
    @pointwise(name)
    def rule(self: Scalar) -> Scalar:
        return self.math(operation) if self.is_float else self


for _name, _operation in {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "roundeven"}.items():
    _rounding(f"aten.{_name}.default", _operation)


@pointwise("aten.round.decimals")
def round_decimals(self: Scalar, *, decimals: int) -> Scalar:
    """self rounded half to even at a decimal place"""
    if not self.is_float or decimals == 0:
        return self.math("roundeven") if self.is_float else self
    scale = 10.0 ** abs(decimals)
    return (self * scale).math("roundeven") / scale if decimals > 0 else (self / scale).math("roundeven") * scale


@pointwise("aten.frac.default")
def frac(self: Scalar) -> Scalar:
    """x - trunc(x)"""
    return self - self.math("trunc")


@pointwise("aten.reciprocal.default")
def reciprocal(self: Scalar) -> Scalar:
    """1 / self"""
    return 1 / self


@pointwise("aten.lerp.Scalar", "aten.lerp.Tensor", exact=("weight",))
def lerp(self: Scalar, end: Scalar, weight: Scalar) -> Scalar:
    """self + weight * (end - self), from the nearer end"""
    span = end - self
    from_start, from_end = weight.fma(span, self), (-span).fma(1 - weight, end)
    return (weight.abs() < 0.5).select(from_start, from_end)


@pointwise("aten.addcmul.default", exact=("value",))
def addcmul(self: Scalar, tensor1: Scalar, tensor2: Scalar, value: Scalar) -> Scalar:
    """self + value * tensor1 * tensor2"""
    return (tensor1 if value.number == 1 else value * tensor1).fma(tensor2, self)


@pointwise("prims.fma.default")
def fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """a * b + c with one rounding: what Dynamo makes of an in-place `addcmul_` and the like in an optimizer"""
    return a.fma(b, c)


@pointwise("aten.addcdiv.default", exact=("value",))
def addcdiv(self: Scalar, tensor1: Scalar, tensor2: Scalar, value: Scalar) -> Scalar:
    """self + value * tensor1 / tensor2; on GPUs the quotient comes first, and value times it is not rounded before the sum"""
    if self.builder.on_gpu:
        return (tensor1 / tensor2).fma(value, self)
    return self + (tensor1 if value.number == 1 else value * tensor1) / tensor2


@pointwise("aten.clamp.default")
def clamp(self: Scalar, min: Scalar | None, max: Scalar | None) -> Scalar:
    """min(max(self, min), max) for numbers; NaN stays"""
    bounds = [bound for bound in (min, max) if bound is not None]
    if len(bounds) == 1 and _is_nan(bounds[0]) and self.is_float and not self.builder.on_gpu:
        from ...bridge.eager_probes import clamp_ignores_nan

        return self if clamp_ignores_nan(self.builder.output_infos[0].dtype) else self.like(math.nan)
    return _clamped(self, min, max, maximum_with_number, minimum_with_number)


@pointwise("aten.clamp.Tensor")
def clamp_tensor(self: Scalar, min: Scalar | None, max: Scalar | None) -> Scalar:
    """min(max(self, min), max) for tensors; NaN stays"""
    return _clamped(self, min, max, _at_least_tensor, _at_most_tensor)


def _clamped(x: Scalar, low: Scalar | None, high: Scalar | None, raised: Callable[..., Scalar], lowered: Callable[..., Scalar]) -> Scalar:
    if low is not None and high is not None and (_is_nan(low) or _is_nan(high)):
        return x.like(math.nan)
    result = x if low is None else raised(x, low)
    return result if high is None else lowered(result, high)


@pointwise("aten.clamp_min.default")
def clamp_min(self: Scalar, min: Scalar) -> Scalar:
    """max(self, min) for a number"""
    return maximum_with_number(self, min)


@pointwise("aten.clamp_min.Tensor")
def clamp_min_tensor(self: Scalar, min: Scalar) -> Scalar:
    """max(self, min) for a tensor"""
    return _at_least_tensor(self, min)


@pointwise("aten.clamp_max.default")
def clamp_max(self: Scalar, max: Scalar) -> Scalar:
    """min(self, max) for a number"""
    return minimum_with_number(self, max)


@pointwise("aten.clamp_max.Tensor")
def clamp_max_tensor(self: Scalar, max: Scalar) -> Scalar:
    """min(self, max) for a tensor"""
    return _at_most_tensor(self, max)


def maximum_with_number(x: Scalar, bound: Scalar) -> Scalar:
    """max(x, bound) for a number, symbolic ones too; of 0.0 and -0.0 it is x, as in eager, but on GPUs 0.0"""
    if not x.is_float or x.builder.on_gpu:
        return x if _is_nan(bound) else x.maximum(bound)
    return (x >= bound).select(x, x.maximum(bound))


def minimum_with_number(x: Scalar, bound: Scalar) -> Scalar:
    """min(x, bound) for a number, symbolic ones too; of 0.0 and -0.0 it is x, but on GPUs -0.0"""
    if not x.is_float or x.builder.on_gpu:
        return x if _is_nan(bound) else x.minimum(bound)
    return (x <= bound).select(x, x.minimum(bound))


def _at_least_tensor(x: Scalar, bound: Scalar) -> Scalar:
    return larger(x, bound) if bound.number is None else maximum_with_number(x, bound)


def _at_most_tensor(x: Scalar, bound: Scalar) -> Scalar:
    return smaller(x, bound) if bound.number is None else minimum_with_number(x, bound)


def _is_nan(bound: Scalar) -> bool:
    """Whether a bound is NaN. Eager on GPUs ignores a single NaN bound; with two bounds the result is NaN."""
    return bound.number is not None and math.isnan(bound.number)


@pointwise("aten.nan_to_num.default")
def nan_to_num(self: Scalar, *, nan: float | None, posinf: float | None, neginf: float | None) -> Scalar:
    """NaN and the infinities replaced; by 0 and the extreme finite values unless told"""
    if not self.is_float:
        return self
    limit = largest_finite(self.builder.output_infos[0].dtype)
    result = self.eq(float("inf")).select(limit if posinf is None else posinf, self)
    result = self.eq(float("-inf")).select(-limit if neginf is None else neginf, result)
    return self.is_nan().select(0.0 if nan is None else nan, result)
