"""Typed scalar values in the body of a kernel: PyTorch's arithmetic on `arith` and `math` operations.

Every operation is defined for all inputs (no poison, no trap) and gives eager's value on x86. This includes casts of out-of-range
floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from torch_mlir import ir

from ...dialects.dtypes import FLOAT8, HALVES, width
from .promotion import is_float

if TYPE_CHECKING:
    from .kernel_builder import KernelBuilder

Operand = Union["Scalar", int, float, bool]

_INTEGER_PREDICATES = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
_FLOAT_PREDICATES = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}


class Scalar:
    """A value in a kernel's body. `dtype`: PyTorch's name, or "index". Arithmetic needs equal dtypes; Python numbers take the dtype of
    the other operand. Half types and floats of 8 bits can only be stored and converted: compute on `.to("float32")`. `number`: the value
    of a constant, else None."""

    __slots__ = ("builder", "dtype", "number", "value")

    def __init__(self, builder: KernelBuilder, value: ir.Value, dtype: str, number: int | float | None = None):
        self.builder, self.value, self.dtype, self.number = builder, value, dtype, number

    @property
    def is_float(self) -> bool:
        """Whether the dtype is a float."""
        return is_float(self.dtype)

    @property
    def is_unsigned(self) -> bool:
        """Whether the dtype is an unsigned integer or bool."""
        return self.dtype in ("bool", "uint8")

    def like(self, number: Operand) -> Scalar:
        """`number` as a constant of this dtype; a Scalar, which must have this dtype, is returned unchanged."""
        if not isinstance(number, Scalar):
            return self.builder.constant(number, self.dtype)
        assert number.dtype == self.dtype, f"operands of {self.dtype} and {number.dtype}"
        return number

    def emit(self, name: str, *others: Scalar, dtype: str | None = None) -> Scalar:
        """Emits the operation `name` on this value and `others`. `dtype` of the result: this one's by default."""
        dtype = dtype or self.dtype
        value = self.builder.emit(name, self.builder.types[dtype], [self.value, *[o.value for o in others]])
        return Scalar(self.builder, value, dtype)

    def _binary(self, other: Operand, float_name: str, integer_name: str, bool_name: str) -> Scalar:
        assert self.dtype not in HALVES, f"{float_name} on {self.dtype}"
        name = float_name if self.is_float else bool_name if self.dtype == "bool" else integer_name
        return self.emit(name, self.like(other))

    # Arithmetic; on bool, + is or and * is and.
    def __add__(self, other: Operand) -> Scalar:
        return self._binary(other, "arith.addf", "arith.addi", "arith.ori")

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Scalar:
        return self._binary(other, "arith.subf", "arith.subi", "arith.xori")

    def __rsub__(self, other: Operand) -> Scalar:
        return self.like(other) - self

    def __mul__(self, other: Operand) -> Scalar:
        return self._binary(other, "arith.mulf", "arith.muli", "arith.andi")

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Scalar:
        """Division of floats."""
        assert self.is_float, f"true division of {self.dtype}"
        return self.emit("arith.divf", self.like(other))

    def __rtruediv__(self, other: Operand) -> Scalar:
        return self.like(other) / self

    def __neg__(self) -> Scalar:
        return self.emit("arith.negf") if self.is_float else self.like(0) - self

    # Bits and logic.
    def __and__(self, other: Operand) -> Scalar:
        return self.emit("arith.andi", self.like(other))

    def __or__(self, other: Operand) -> Scalar:
        return self.emit("arith.ori", self.like(other))

    def __xor__(self, other: Operand) -> Scalar:
        return self.emit("arith.xori", self.like(other))

    def __invert__(self) -> Scalar:
        return self ^ (True if self.dtype == "bool" else -1)

    # Comparisons with NaN are false, except `ne`.
    def compare(self, other: Operand, kind: str) -> Scalar:
        """The comparison `kind` (eq, ne, lt, le, gt or ge) as a bool."""
        other = self.like(other)
        if self.is_float:
            return self.builder.compare("arith.cmpf", _FLOAT_PREDICATES[kind], self, other)
        unsigned = 4 if self.is_unsigned and kind not in ("eq", "ne") else 0
        return self.builder.compare("arith.cmpi", _INTEGER_PREDICATES[kind] + unsigned, self, other)

    def __lt__(self, other: Operand) -> Scalar:
        return self.compare(other, "lt")

    def __le__(self, other: Operand) -> Scalar:
        return self.compare(other, "le")

    def __gt__(self, other: Operand) -> Scalar:
        return self.compare(other, "gt")

    def __ge__(self, other: Operand) -> Scalar:
        return self.compare(other, "ge")

    def eq(self, other: Operand) -> Scalar:
        """self == other"""
        return self.compare(other, "eq")

    def ne(self, other: Operand) -> Scalar:
        """self != other, true on NaN"""
        return self.compare(other, "ne")

    def is_nan(self) -> Scalar:
        """Whether the value is NaN; false for integers."""
        return self.ne(self) if self.is_float else self.builder.constant(False, "bool")

    def select(self, a: Operand, b: Operand) -> Scalar:
        """self ? a : b, for a bool. At least one of a and b is a Scalar, which gives the dtype."""
        scalar = a if isinstance(a, Scalar) else b
        assert isinstance(scalar, Scalar) and self.dtype == "bool"
        return self.emit("arith.select", scalar.like(a), scalar.like(b), dtype=scalar.dtype)

    # Functions.
    def math(self, name: str, *others: Operand) -> Scalar:
        """The operation `math.<name>` on floats."""
        assert self.dtype not in HALVES, f"math.{name} on {self.dtype}"
        return self.emit(f"math.{name}", *[self.like(o) for o in others])

    def abs(self) -> Scalar:
        """|self|; the lowest integer wraps to itself."""
        if self.is_float:
            return self.math("absf")
        return self if self.is_unsigned else (self < 0).select(-self, self)

    def maximum(self, other: Operand) -> Scalar:
        """The larger operand; NaN if either is NaN."""
        signed = "arith.maxui" if self.is_unsigned else "arith.maxsi"
        return self.emit("arith.maximumf" if self.is_float else signed, self.like(other))

    def minimum(self, other: Operand) -> Scalar:
        """The smaller operand; NaN if either is NaN."""
        signed = "arith.minui" if self.is_unsigned else "arith.minsi"
        return self.emit("arith.minimumf" if self.is_float else signed, self.like(other))

    def fma(self, factor: Operand, addend: Operand) -> Scalar:
        """self * factor + addend. Floats are rounded once, as in eager's fmadd; integers wrap."""
        return self.math("fma", factor, addend) if self.is_float else self * factor + addend

    # Casts.
    def to(self, dtype: str) -> Scalar:
        """The value converted to `dtype` as eager does."""
        if dtype == self.dtype:
            return self
        if self.dtype in FLOAT8 or dtype in FLOAT8:
            return self._small_float(dtype)
        if dtype == "bool":
            return self.ne(0)
        if self.dtype == "index" or dtype == "index":
            return self._index_cast(dtype)
        if self.is_float:
            return self._float_to_float(dtype) if is_float(dtype) else self._float_to_integer(dtype)
        if is_float(dtype):
            wide = "float64" if dtype == "float64" else "float32"
            return self.emit("arith.uitofp" if self.is_unsigned else "arith.sitofp", dtype=wide).to(dtype)
        return self._resize(dtype)

    def _small_float(self, dtype: str) -> Scalar:
        """From or to a float of 8 bits, through float32."""
        from .float8 import decoded, encoded

        if self.dtype in FLOAT8:
            return decoded(Scalar(self.builder, self.value, "int8"), self.dtype).to(dtype)
        return Scalar(self.builder, encoded(self.to("float32"), dtype).value, dtype)

    def _index_cast(self, dtype: str) -> Scalar:
        if self.dtype == "index":
            return self.emit("arith.index_cast", dtype="int64").to(dtype)
        return self.to("int64").emit("arith.index_cast", dtype="index")

    def _resize(self, dtype: str) -> Scalar:
        """Converts between integer types: narrowing wraps; widening extends the sign of signed sources, and zeros of unsigned ones."""
        old, new = width(self.dtype), width(dtype)
        if old == new:
            return Scalar(self.builder, self.value, dtype)
        if new < old:
            return self.emit("arith.trunci", dtype=dtype)
        return self.emit("arith.extui" if self.is_unsigned else "arith.extsi", dtype=dtype)

    def _float_to_float(self, dtype: str) -> Scalar:
        """Half types convert through float32, as in PyTorch."""
        if self.dtype in HALVES and dtype != "float32" or dtype in HALVES and self.dtype != "float32":
            return self.to("float32").to(dtype)
        return self.emit("arith.extf" if width(dtype) > width(self.dtype) else "arith.truncf", dtype=dtype)

    def _float_to_integer(self, dtype: str) -> Scalar:
        """As x86 converts: to int64 for int64 and uint8, else to int32; out of range and for NaN the lowest integer; then narrows. On GPUs
        the GPU's own conversion, as in eager."""
        if self.dtype in HALVES:
            return self.to("float32").to(dtype)
        wide = "int64" if dtype in ("int64", "uint8") else "int32"
        if self.builder.on_gpu:
            return self.emit("arith.fptosi", dtype=wide).to(dtype)
        limit = 2.0 ** (width(wide) - 1)
        fits = self.abs() < limit if self.dtype == "float32" else (self < limit) & (self > -limit - 1)
        converted = fits.select(self.emit("arith.fptosi", dtype=wide), -int(limit))
        return converted.to(dtype)
