"""Conversions of 8-bit floats by operations on their bits: the same on all targets, whatever conversions the hardware has.

Each does what PyTorch's conversion does (c10/util/Float8_e4m3fn.h, Float8_e5m2.h). It rounds to nearest even. Beyond the largest value
e5m2 becomes infinite; e4m3fn, which has no infinity, becomes NaN, or from PyTorch 2.13 on the largest value. All other dtypes convert
through float32.
"""

from __future__ import annotations

from dataclasses import dataclass

from .scalar import Scalar

SIGN, MAGNITUDE = 0x80, 0x7F


@dataclass(frozen=True)
class Format:
    """`mantissa`: its bits; `bias` of the exponent; `infinity`: the bits of infinity, or of NaN if there is none; `overflow`: the float32,
    as bits, from which on a number is too large."""

    mantissa: int
    bias: int
    infinity: int
    overflow: int

    @property
    def is_finite(self) -> bool:
        """Whether there is no infinity."""
        return self.infinity == MAGNITUDE


FORMATS = {
    "float8_e4m3fn": Format(mantissa=3, bias=7, infinity=0x7F, overflow=(127 + 8 << 23) + (7 << 20)),
    "float8_e5m2": Format(mantissa=2, bias=15, infinity=0x7C, overflow=127 + 16 << 23),
}


def decoded(bits: Scalar, dtype: str) -> Scalar:
    """The float32 that the `bits`, an int8, stand for. The exponent is moved to its place and scaled by a product, which is exact for
    denormal numbers too."""
    found = FORMATS[dtype]
    shift = 23 - found.mantissa
    wide = bits.to("int32")
    placed = wide.emit("arith.shli", wide.like(shift)) & wide.like(-(1 << 31) | MAGNITUDE << shift)
    value = placed.emit("arith.bitcast", dtype="float32") * 2.0 ** (127 - found.bias)
    special = (placed | placed.like(0xFF << 23)).emit("arith.bitcast", dtype="float32")  # infinite, or NaN if mantissa bits are set
    return (value.abs() >= _number(found, found.infinity)).select(special, value)


def _number(found: Format, bits: int) -> float:
    """What `bits` would stand for if the largest exponent had no meaning of its own."""
    mantissa = bits & (1 << found.mantissa) - 1
    return float((1 + mantissa / 2**found.mantissa) * 2 ** ((bits >> found.mantissa) - found.bias))


def encoded(value: Scalar, dtype: str) -> Scalar:
    """The bits, an int8, of the number nearest to a float32."""
    from ...bridge.eager_probes import float8_saturates

    found = FORMATS[dtype]
    shift = 23 - found.mantissa
    bits = value.emit("arith.bitcast", dtype="int32")
    magnitude = bits & bits.like(0x7FFFFFFF)
    # Normal numbers: half of the last place is added, less one bit if the last place is even; then the rest is cut off.
    odd = magnitude.emit("arith.shrui", bits.like(shift)) & 1
    normal = magnitude + ((found.bias - 127 << 23) + (1 << shift - 1) - 1) + odd
    normal = normal.emit("arith.shrui", bits.like(shift))
    # Smaller ones: a sum with a number whose last place is that of the denormal numbers rounds them.
    last_place = (127 - found.bias) + shift + 1 << 23
    absolute, added = magnitude.emit("arith.bitcast", dtype="float32"), bits.like(last_place).emit("arith.bitcast", dtype="float32")
    denormal = (absolute + added).emit("arith.bitcast", dtype="int32") - last_place
    result = (magnitude < (128 - found.bias) << 23).select(denormal, normal)
    saturates = found.is_finite and float8_saturates()
    largest = found.infinity - 1 if saturates else found.infinity
    result = (magnitude >= found.overflow).select(largest, result)
    if saturates:
        result = result.minimum(largest)  # rounding may reach the bits of NaN
    result = (magnitude > 255 << 23).select(MAGNITUDE, result)
    sign = bits.emit("arith.shrui", bits.like(24)) & SIGN
    return (result | sign).to("int8")
