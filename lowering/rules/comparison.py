"""Lowering of comparisons, logic, bits and selection."""

import math

from ...dialects.dtypes import width
from ..emission.scalar import Scalar
from .pointwise import pointwise


def _comparison(kind: str) -> None:
    @pointwise(f"aten.{kind}.Tensor", f"aten.{kind}.Scalar", promotion="operands")
    def rule(self: Scalar, other: Scalar) -> Scalar:
        return self.compare(other, kind)


for _kind in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_kind)


@pointwise("aten.logical_and.default", raw=("self", "other"))
def logical_and(self: Scalar, other: Scalar) -> Scalar:
    """self != 0 and other != 0"""
    return self.to("bool") & other.to("bool")


@pointwise("aten.logical_or.default", raw=("self", "other"))
def logical_or(self: Scalar, other: Scalar) -> Scalar:
    """self != 0 or other != 0"""
    return self.to("bool") | other.to("bool")


@pointwise("aten.logical_xor.default", raw=("self", "other"))
def logical_xor(self: Scalar, other: Scalar) -> Scalar:
    """(self != 0) != (other != 0)"""
    return self.to("bool") ^ other.to("bool")


@pointwise("aten.logical_not.default", raw=("self",))
def logical_not(self: Scalar) -> Scalar:
    """self == 0"""
    return ~self.to("bool")


def _overloads(name: str) -> list[str]:
    return [f"aten.{name}.{overload}" for overload in ("Tensor", "Scalar", "Scalar_Tensor")]


@pointwise(*_overloads("bitwise_and"))
def bitwise_and(self: Scalar, other: Scalar) -> Scalar:
    """self & other"""
    return self & other


@pointwise(*_overloads("bitwise_or"))
def bitwise_or(self: Scalar, other: Scalar) -> Scalar:
    """self | other"""
    return self | other


@pointwise(*_overloads("bitwise_xor"))
def bitwise_xor(self: Scalar, other: Scalar) -> Scalar:
    """self ^ other"""
    return self ^ other


@pointwise("aten.bitwise_not.default")
def bitwise_not(self: Scalar) -> Scalar:
    """~self"""
    return ~self


def _shift_overloads(name: str, operator: str) -> list[str]:
    named = [f"aten.{name}.{overload}" for overload in ("Tensor", "Tensor_Scalar", "Scalar_Tensor")]
    return [*named, f"aten.{operator}.Tensor", f"aten.{operator}.Scalar"]


@pointwise(*_shift_overloads("bitwise_left_shift", "__lshift__"))
def left_shift(self: Scalar, other: Scalar) -> Scalar:
    """self << other; 0 if the amount is negative or at least the width in bits"""
    if self.is_float:
        return self * self.like(2).math("powf", other)
    valid, amount = _amount(self, other)
    return valid.select(self.emit("arith.shli", amount), 0)


@pointwise(*_shift_overloads("bitwise_right_shift", "__rshift__"))
def right_shift(self: Scalar, other: Scalar) -> Scalar:
    """self >> other; if the amount is negative or at least the width in bits, every bit is the sign bit"""
    if self.is_float:
        return self / self.like(2).math("powf", other)
    valid, amount = _amount(self, other)
    if self.is_unsigned:
        return valid.select(self.emit("arith.shrui", amount), 0)
    return self.emit("arith.shrsi", valid.select(amount, width(self.dtype) - 1))


def _amount(value: Scalar, amount: Scalar) -> tuple[Scalar, Scalar]:
    """Whether the shift amount is in range, and the amount, replaced by a valid one if it is not."""
    valid = amount < width(value.dtype)
    if not amount.is_unsigned:
        valid = valid & (amount >= 0)
    return valid, valid.select(amount, 0)


@pointwise("aten.isnan.default", promotion="operands")
def isnan(self: Scalar) -> Scalar:
    """Whether self is NaN"""
    return self.is_nan()


@pointwise("aten.isinf.default", promotion="operands")
def isinf(self: Scalar) -> Scalar:
    """Whether self is inf or -inf"""
    return self.abs().eq(math.inf) if self.is_float else self.builder.constant(False, "bool")


@pointwise("aten.isposinf.default", promotion="operands")
def isposinf(self: Scalar) -> Scalar:
    """self == inf"""
    return self.eq(math.inf) if self.is_float else self.builder.constant(False, "bool")


@pointwise("aten.isneginf.default", promotion="operands")
def isneginf(self: Scalar) -> Scalar:
    """self == -inf"""
    return self.eq(-math.inf) if self.is_float else self.builder.constant(False, "bool")


@pointwise("aten.signbit.default", promotion="operands")
def signbit(self: Scalar) -> Scalar:
    """Whether self's sign bit is set: true for -0.0 too"""
    if self.is_unsigned:
        return self.builder.constant(False, "bool")
    return (self.like(1).math("copysign", self) if self.is_float else self) < 0


@pointwise("aten.where.self", promotion="copy", raw=("condition",))
def where(condition: Scalar, self: Scalar, other: Scalar) -> Scalar:
    """condition ? self : other"""
    return condition.to("bool").select(self, other)


@pointwise("aten.masked_fill.Scalar", "aten.masked_fill.Tensor", promotion="copy", raw=("mask",))
def masked_fill(self: Scalar, mask: Scalar, value: Scalar) -> Scalar:
    """mask ? value : self"""
    return mask.to("bool").select(value, self)


@pointwise("aten.heaviside.default", promotion="copy")
def heaviside(self: Scalar, values: Scalar) -> Scalar:
    """0 if self < 0, 1 if self > 0, `values` if self == 0"""
    wide = self.to("float32") if self.is_float and width(self.dtype) == 16 else self
    step = (wide > 0).select(values.like(1), 0)
    return wide.eq(0).select(values, step)
