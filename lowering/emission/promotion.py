"""PyTorch's type promotion and number rounding, on dtype names and without torch."""

import math
import struct
from typing import Any

from ...dialects import symbolic_floats
from ...dialects.dtypes import FLOATS, HALVES, INTEGERS, KERNEL_DTYPES, TABLE, width

_INTEGER_LIMITS = {"uint8": (0, 255), **{f"int{w}": (-(1 << (w - 1)), (1 << (w - 1)) - 1) for w in (8, 16, 32, 64)}}


def is_float(dtype: str) -> bool:
    """float16, bfloat16, float32, float64."""
    return dtype in FLOATS


def is_integer(dtype: str) -> bool:
    """The integer dtypes, bool not among them."""
    return dtype in INTEGERS


def opmath(dtype: str) -> str:
    """The dtype in which operators compute: float32 for half types, the dtype itself for the rest."""
    return "float32" if dtype in HALVES else dtype


def accumulator(dtype: str) -> str:
    """The dtype in which reductions accumulate: float32 for half types, int64 for integers and bool."""
    return opmath(dtype) if is_float(dtype) else "int64"


def lowest(dtype: str) -> int | float | bool:
    """The identity of max: -inf, the lowest integer, False."""
    if is_float(dtype):
        return -math.inf
    return False if dtype == "bool" else _INTEGER_LIMITS[dtype][0]


def highest(dtype: str) -> int | float | bool:
    """The identity of min: +inf, the highest integer, True."""
    if is_float(dtype):
        return math.inf
    return True if dtype == "bool" else _INTEGER_LIMITS[dtype][1]


def largest_finite(dtype: str) -> float:
    """The largest finite value of a float dtype."""
    return TABLE[dtype].largest


def is_representable(number: object, dtype: str) -> bool:
    """Whether eager converts a Python number to `dtype`; for a number out of range most operators raise."""
    if not isinstance(number, (int, float)) or dtype == "bool" or dtype not in KERNEL_DTYPES:
        return True
    if is_float(dtype):
        return abs(number) <= TABLE[dtype].largest or not math.isfinite(number)
    low, high = _INTEGER_LIMITS[dtype]
    return low <= number <= high


def _category(dtype: str) -> int:
    if dtype == "bool":
        return 0
    return 1 if is_integer(dtype) else 2


def promote(a: str | None, b: str | None) -> str | None:
    """torch.promote_types; None is the identity."""
    if a is None or b is None or a == b:
        return a or b
    low, high = sorted((a, b), key=_category)
    if _category(low) < _category(high):
        return high
    if set((a, b)) == set(HALVES):
        return "float32"
    if "uint8" in (a, b):
        other = b if a == "uint8" else a
        return "int16" if other == "int8" else other
    return max(a, b, key=width)


def _combine(higher: str | None, lower: str | None) -> str | None:
    """A tensor with dimensions wins over a 0-dim one, and that over a number, unless it is bool or the other is a float."""
    if higher is None or lower is None:
        return higher or lower
    if is_float(higher):
        return higher
    return promote(higher, lower) if higher == "bool" or is_float(lower) else higher


def number_dtype(value: Any) -> str:
    """The dtype that a Python number (or an expression of sizes) stands for."""
    if isinstance(value, bool):
        return "bool"
    return "float32" if isinstance(value, float) or symbolic_floats.is_float_expression(value) else "int64"


def result_dtype(dimensioned: list[str], zero_dim: list[str], numbers: list[str]) -> str:
    """torch.result_type of tensors with dimensions, 0-dim tensors and Python numbers, by their dtypes."""
    folded: list[str | None] = []
    for group in (dimensioned, zero_dim, numbers):
        dtype: str | None = None
        for d in group:
            dtype = promote(dtype, d)
        folded.append(dtype)
    result = _combine(folded[0], _combine(folded[1], folded[2]))
    assert result is not None, "no operand to promote"
    return result


def round_float(value: float, dtype: str) -> float:
    """`value` rounded to the float dtype as PyTorch converts a double: half types go through float32."""
    if dtype == "float64" or value != value or math.isinf(value):
        return value
    single = _pack_or_inf("f", value)
    if dtype == "float32" or math.isinf(single):
        return single
    return _pack_or_inf("e", single) if dtype == "float16" else _round_bfloat16(single)


def _pack_or_inf(code: str, value: float) -> float:
    try:
        return float(struct.unpack(code, struct.pack(code, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _round_bfloat16(value: float) -> float:
    bits = struct.unpack("I", struct.pack("f", value))[0]
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return float(struct.unpack("f", struct.pack("I", bits))[0])


def wrap_integer(value: int, dtype: str) -> int:
    """`value` modulo 2^width, as the signed integer that an MLIR constant of that width holds."""
    bits = width(dtype)
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
