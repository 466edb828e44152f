"""Lowering of activation functions."""

import math

from ...dialects.aten import contiguous_strides
from ..emission.kernel_builder import KernelBuilder
from ..emission.scalar import Scalar
from .arithmetic import maximum_with_number, minimum_with_number
from .pointwise import pointwise
from .registry import LoweredCall

SQRT1_2 = math.sqrt(0.5)
TANH_SCALE = math.sqrt(2 / math.pi)
TANH_CUBIC = 0.044715
SIXTH = 0.1666666716337204  # 1 / 6 rounded to float32; eager uses it for float64 too


def logistic(x: Scalar) -> Scalar:
    """1 / (1 + exp(-x))"""
    return 1 / (1 + (-x).math("exp"))


def normal_cdf(x: Scalar) -> Scalar:
    """The standard normal distribution function."""
    return 0.5 * (1 + (x * SQRT1_2).math("erf"))


@pointwise("aten.relu.default")
def relu(self: Scalar) -> Scalar:
    """max(x, 0); NaN stays NaN, and -0.0 stays -0.0 except on GPUs"""
    if self.is_unsigned:
        return self
    return self.maximum(0) if self.builder.on_gpu else (self < 0).select(0, self)


@pointwise("aten.gelu.default")
def gelu(self: Scalar, *, approximate: str) -> Scalar:
    """x * Phi(x), or the tanh approximation"""
    if approximate == "none":
        return _gelu_of_erf(self)
    inner = TANH_SCALE * (self + TANH_CUBIC * (self * self * self))
    return 0.5 * self * (1 + inner.math("tanh"))


def _gelu_of_erf(x: Scalar) -> Scalar:
    """x * Phi(x). Results for infinities and signs of zeros are those of eager's kernel on this CPU (`bridge/eager_probes.py`)."""
    half, code = x * 0.5, "aten"
    if _is_contiguous_on_cpu(x.builder):
        from ...bridge.eager_probes import gelu_code

        code = gelu_code(x.builder.input_infos[0].dtype)
    if code == "doubles":
        return x.eq(math.inf).select(math.nan, x * (1 + (x * SQRT1_2).math("erf")) * 0.5)
    if code == "no negative zero":
        return half + half.abs() * (x.abs() * SQRT1_2).math("erf")
    return half * (1 + (x * SQRT1_2).math("erf"))


def _is_contiguous_on_cpu(builder: KernelBuilder) -> bool:
    info = builder.input_infos[0]
    positions = zip(info.sizes, info.strides, contiguous_strides(info.sizes), strict=True)
    several = [stride == wanted for size, stride, wanted in positions if size != 1]
    return not builder.on_gpu and bool(several) and all(several)


@pointwise("aten.silu.default")
def silu(self: Scalar) -> Scalar:
    """x / (1 + exp(-x))"""
    return self / (1 + (-self).math("exp"))


@pointwise("aten.mish.default")
def mish(self: Scalar) -> Scalar:
    """x * tanh(log(1 + exp(x)))"""
    return self * self.math("exp").math("log1p").math("tanh")


@pointwise("aten.leaky_relu.default")
def leaky_relu(self: Scalar, *, negative_slope: float) -> Scalar:
    """x if x > 0, else x * negative_slope"""
    return (self > 0).select(self, self * negative_slope)


@pointwise("aten._prelu_kernel.default")
def prelu(self: Scalar, weight: Scalar) -> Scalar:
    """x if x > 0, else x * weight"""
    return (self > 0).select(self, weight * self)


@pointwise("aten.elu.default")
def elu(self: Scalar, *, alpha: float, scale: float, input_scale: float) -> Scalar:
    """scale * x if x > 0, else scale * alpha * (exp(x * input_scale) - 1)"""
    return (self < 0).select((self * input_scale).math("expm1") * (alpha * scale), self * scale)


@pointwise("aten.hardtanh.default")
def hardtanh(self: Scalar, min_val: Scalar, max_val: Scalar) -> Scalar:
    """x clamped to [min_val, max_val]"""
    return minimum_with_number(maximum_with_number(self, min_val), max_val)


def _sixth(x: Scalar) -> Scalar:
    """x / 6; on GPUs eager multiplies by SIXTH"""
    return x * SIXTH if x.builder.on_gpu else x / 6


@pointwise("aten.hardsigmoid.default")
def hardsigmoid(self: Scalar) -> Scalar:
    """relu6(x + 3) / 6"""
    return _sixth((self + 3).maximum(0).minimum(6))


@pointwise("aten.hardswish.default")
def hardswish(self: Scalar) -> Scalar:
    """x * relu6(x + 3) / 6"""
    return _sixth(self * (self + 3).maximum(0).minimum(6))


@pointwise("aten.softplus.default")
def softplus(self: Scalar, *, beta: float, threshold: float) -> Scalar:
    """log(1 + exp(beta x)) / beta; x where beta x is above threshold"""
    scaled = self * beta
    return (scaled > threshold).select(self, scaled.math("exp").math("log1p") / beta)


@pointwise("aten.log_sigmoid_forward.default")
def log_sigmoid(self: Scalar, *, call: LoweredCall) -> tuple[Scalar, Scalar] | None:
    """log(sigmoid(x)), and exp(-|x|) for the backward"""
    if call.result(1).sizes != call.result(0).sizes:
        return call.decline("its buffer has no elements, as on GPUs")
    buffer = (-self.abs()).math("exp")
    return self.minimum(0) - buffer.math("log1p"), buffer


@pointwise("aten.threshold.default", exact=("threshold", "value"))
def threshold(self: Scalar, threshold: Scalar, value: Scalar) -> Scalar:
    """x if x > threshold, else value; NaN stays NaN"""
    return (self <= threshold).select(value, self)


@pointwise("aten.hardshrink.default")
def hardshrink(self: Scalar, lambd: Scalar) -> Scalar:
    """0 if -lambd <= x <= lambd, else x"""
    return ((self >= -lambd) & (self <= lambd)).select(0, self)


@pointwise("aten.softshrink.default", exact=("lambd",))
def softshrink(self: Scalar, lambd: Scalar) -> Scalar:
    """x moved towards 0 by lambd, at most to 0; NaN stays NaN"""
    return (self > lambd).select(self - lambd, (self < -lambd).select(self + lambd, self * 0))
