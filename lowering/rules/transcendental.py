"""Lowering of the elementary functions."""

import math

from ..emission.scalar import Scalar
from .pointwise import pointwise, rounded


def _function(name: str) -> None:
    @pointwise(f"aten.{name}.default")
    def rule(self: Scalar) -> Scalar:
        return self.math(name)


for _name in (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "erf", "erfc", "sqrt", "rsqrt",
):  # fmt: skip
    _function(_name)


@pointwise("aten.atan2.default")
def atan2(self: Scalar, other: Scalar) -> Scalar:
    """The angle of the point (other, self)"""
    return self.math("atan2", other)


@pointwise("aten.hypot.default")
def hypot(self: Scalar, other: Scalar) -> Scalar:
    """sqrt(self^2 + other^2) without overflow on the way; infinite if either is"""
    a, b = self.abs(), other.abs()
    large = a.maximum(b)
    ratio = a.minimum(b) / large
    length = large.eq(0).select(large, large * (1 + ratio * ratio).math("sqrt"))
    return (a.eq(math.inf) | b.eq(math.inf)).select(math.inf, length)


@pointwise("aten.angle.default")
def angle(self: Scalar) -> Scalar:
    """pi if self < 0, else 0; NaN stays NaN"""
    return self.is_nan().select(self, (self < 0).select(self.like(math.pi), 0))


@pointwise("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(self: Scalar, other: Scalar) -> Scalar:
    """|self| with the sign of other"""
    return self.math("copysign", other)


@pointwise("aten.sigmoid.default")
def sigmoid(self: Scalar) -> Scalar:
    """1 / (1 + exp(-self))"""
    return 1 / (1 + (-self).math("exp"))


@pointwise("aten.logit.default")
def logit(self: Scalar, *, eps: float | None) -> Scalar:
    """log(x / (1 - x)) of self, clamped to [eps, 1 - eps]"""
    if eps is not None:
        low = rounded(self.like(eps))
        high = rounded(1 - low)
        self = (self < low).select(low, (self > high).select(high, self))
    return rounded(self / rounded(1 - self)).math("log")


@pointwise("aten.logaddexp.default")
def logaddexp(self: Scalar, other: Scalar) -> Scalar:
    """log(exp(self) + exp(other)); that infinity if both are the same one"""
    total = self.maximum(other) + (-(self - other).abs()).math("exp").math("log1p")
    return (self.abs().eq(math.inf) & self.eq(other)).select(self, total)


@pointwise("aten.logaddexp2.default")
def logaddexp2(self: Scalar, other: Scalar) -> Scalar:
    """log2(2 ** self + 2 ** other); that infinity if both are the same one"""
    total = self.maximum(other) + (-(self - other).abs()).math("exp2").math("log1p") * (1 / math.log(2))
    return (self.abs().eq(math.inf) & self.eq(other)).select(self, total)


def _product_with_log(self: Scalar, other: Scalar, function: str) -> Scalar:
    return other.is_nan().select(other, self.eq(0).select(self.like(0), self * rounded(other.math(function))))


@pointwise("aten.xlogy.Tensor", "aten.xlogy.Scalar_Self", "aten.xlogy.Scalar_Other")
def xlogy(self: Scalar, other: Scalar) -> Scalar:
    """self * log(other); 0 where self is 0, unless other is NaN"""
    return _product_with_log(self, other, "log")


@pointwise("aten.special_xlog1py.default", "aten.special_xlog1py.self_scalar", "aten.special_xlog1py.other_scalar")
def xlog1py(self: Scalar, other: Scalar) -> Scalar:
    """self * log1p(other); 0 where self is 0, unless other is NaN"""
    return _product_with_log(self, other, "log1p")


@pointwise("aten.special_entr.default")
def entr(self: Scalar) -> Scalar:
    """-x log x; 0 at 0, -inf below 0, NaN stays NaN"""
    positive = (self > 0).select(-self * rounded(self.math("log")), self.eq(0).select(self.like(0), -math.inf))
    return self.is_nan().select(self, positive)


@pointwise("aten.sinc.default")
def sinc(self: Scalar) -> Scalar:
    """sin(pi x) / (pi x), 1 at 0"""
    product = self * math.pi
    return self.eq(0).select(1, product.math("sin") / product)


@pointwise("aten.deg2rad.default")
def deg2rad(self: Scalar) -> Scalar:
    """Degrees to radians"""
    return self * (math.pi / 180)


@pointwise("aten.rad2deg.default")
def rad2deg(self: Scalar) -> Scalar:
    """Radians to degrees"""
    return self * (180 / math.pi)
