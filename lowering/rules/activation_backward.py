"""Lowering of the gradients of activation functions."""

import math

from ..emission.promotion import round_float
from ..emission.scalar import Scalar
from .activation import SIXTH, TANH_CUBIC, TANH_SCALE, logistic, normal_cdf
from .pointwise import pointwise, rounded


@pointwise("aten.sigmoid_backward.default")
def sigmoid_backward(grad_output: Scalar, output: Scalar) -> Scalar:
    """g * (1 - y) * y; float16 is rounded at each step on the CPU"""
    if output.builder.output_infos[0].dtype == "float16":
        return rounded(grad_output * rounded(1 - output)) * output
    return grad_output * (1 - output) * output


@pointwise("aten.tanh_backward.default")
def tanh_backward(grad_output: Scalar, output: Scalar) -> Scalar:
    """g * (1 - y * y)"""
    return grad_output * (1 - output * output)


@pointwise("aten.threshold_backward.default")
def threshold_backward(grad_output: Scalar, self: Scalar, threshold: Scalar) -> Scalar:
    """g where x is above threshold (or NaN), else 0"""
    return (self <= threshold).select(0, grad_output)


@pointwise("aten.gelu_backward.default")
def gelu_backward(grad_output: Scalar, self: Scalar, *, approximate: str) -> Scalar:
    """g * (Phi(x) + x * phi(x)), or the derivative of the tanh approximation"""
    if approximate == "none":
        density = (self * self * -0.5).math("exp") * (1 / math.sqrt(2 * math.pi))
        return grad_output * (normal_cdf(self) + self * density)
    square = self * self
    tanh = (TANH_SCALE * (self + TANH_CUBIC * (square * self))).math("tanh")
    right = 0.5 * self * (1 - tanh * tanh) * (TANH_SCALE * (1 + (3 * TANH_CUBIC) * square))
    return grad_output * (0.5 * (1 + tanh) + right)


@pointwise("aten.silu_backward.default")
def silu_backward(grad_output: Scalar, self: Scalar) -> Scalar:
    """g * s * (1 + x * (1 - s)), s = sigmoid(x)"""
    sigmoid = logistic(self)
    return grad_output * sigmoid * (1 + self * (1 - sigmoid))


@pointwise("aten.mish_backward.default")
def mish_backward(grad_output: Scalar, self: Scalar) -> Scalar:
    """g * (t + x * sigmoid(x) * (1 - t * t)), t = tanh(softplus(x))"""
    tanh = self.math("exp").math("log1p").math("tanh")
    return grad_output * (tanh + self * logistic(self) * (1 - tanh * tanh))


@pointwise("aten.leaky_relu_backward.default")
def leaky_relu_backward(grad_output: Scalar, self: Scalar, *, negative_slope: float) -> Scalar:
    """g if x > 0, else g * negative_slope"""
    return (self > 0).select(grad_output, grad_output * negative_slope)


@pointwise("aten._prelu_kernel_backward.default")
def prelu_backward(grad_output: Scalar, self: Scalar, weight: Scalar) -> tuple[Scalar, Scalar]:
    """The gradients of x, and of the weight per element (summed by a later operator)"""
    positive = self > 0
    return positive.select(grad_output, weight * grad_output), positive.select(0, self * grad_output)


@pointwise("aten.elu_backward.default")
def elu_backward(grad_output: Scalar, self_or_result: Scalar, *, alpha: float, scale: float, input_scale: float, is_result: bool) -> Scalar:
    """g * scale if x > 0, else g times the slope of the exponential, computed from x or from the result"""
    negative = alpha * scale
    if is_result:
        slope = grad_output * input_scale * (self_or_result + negative)
    else:
        slope = grad_output * input_scale * negative * (self_or_result * input_scale).math("exp")
    return (self_or_result > 0).select(grad_output * scale, slope)


@pointwise("aten.hardtanh_backward.default")
def hardtanh_backward(grad_output: Scalar, self: Scalar, min_val: Scalar, max_val: Scalar) -> Scalar:
    """g inside (min_val, max_val), else 0"""
    return ((self > min_val) & (self < max_val)).select(grad_output, 0)


@pointwise("aten.hardsigmoid_backward.default")
def hardsigmoid_backward(grad_output: Scalar, self: Scalar) -> Scalar:
    """g / 6 inside (-3, 3), else 0; eager's 1 / 6 is rounded to float32 for every dtype"""
    return ((self > -3) & (self < 3)).select(grad_output * SIXTH, 0)


@pointwise("aten.hardswish_backward.default")
def hardswish_backward(grad_output: Scalar, self: Scalar) -> Scalar:
    """0 below -3, g * (x / 3 + 1/2) between -3 and 3, g above 3"""
    inner = (self >= 3).select(grad_output, grad_output * (self / 3 + 0.5))
    return (self <= -3).select(0, inner)


@pointwise("aten.softplus_backward.default")
def softplus_backward(grad_output: Scalar, self: Scalar, *, beta: float, threshold: float) -> Scalar:
    """g * sigmoid(beta x); g where beta x is above threshold"""
    exponential = (self * beta).math("exp")
    return (self * beta > threshold).select(grad_output, grad_output * exponential / (exponential + 1))


@pointwise("aten.log_sigmoid_backward.default")
def log_sigmoid_backward(grad_output: Scalar, self: Scalar) -> Scalar:
    """g * (1 - sigmoid(x)), from exp(-|x|), which is rounded first for half types: eager's forward on the CPU saves it in x's dtype"""
    buffer = rounded((-self.abs()).math("exp"))
    negative = self < 0
    derivative, sign = negative.select(self.like(1), 0), negative.select(self.like(1), -1)
    return grad_output * (derivative - sign * (buffer / (1 + buffer)))


@pointwise("aten.hardshrink_backward.default")
def hardshrink_backward(grad_out: Scalar, self: Scalar, lambd: Scalar) -> Scalar:
    """g; 0 where -lambd <= x <= lambd, and for NaN, as in vector code of eager on the CPU"""
    return ((self < -lambd) | (self > lambd)).select(grad_out, 0)


@pointwise("aten.softshrink_backward.default")
def softshrink_backward(grad_output: Scalar, self: Scalar, lambd: Scalar) -> Scalar:
    """g; 0 where -lambd <= x <= lambd, and for NaN, as in vector code of eager on the CPU"""
    return ((self < -lambd) | (self > lambd)).select(grad_output, 0)


@pointwise("aten.logit_backward.default")
def logit_backward(grad_output: Scalar, self: Scalar, *, eps: float | None) -> Scalar:
    """g / (x * (1 - x)); outside [eps, 1 - eps] 0 (NaN outside [0, 1] without eps). Half types are rounded at each step on the CPU."""
    dtype = self.builder.output_infos[0].dtype
    low = 0.0 if eps is None else round_float(eps, dtype)
    outside = math.nan if eps is None else 0.0
    slope = grad_output / rounded(self * rounded(1 - self))
    return ((self < low) | (self > round_float(1.0 - low, dtype))).select(outside, slope)
