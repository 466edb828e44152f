"""Index expressions of a kernel under construction: affine in the domain's coordinates, in integers computed in the body and in the
kernel's symbols."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

from torch_mlir import ir

from ...dialects.aten import Size
from ...dialects.lazy import sympy

Coordinate = Union["AffineIndex", int]


@dataclass(frozen=True, slots=True)
class AffineIndex:
    """An affine expression over the kernel's symbols and its *index values*: the coordinates of the domain, then the integers of the body
    that serve as indices, numbered in this order as dimensions of `expr`. `used`: the numbers of the index values that it reads, sorted."""

    expr: ir.AffineExpr
    used: tuple[int, ...]

    def __add__(self, other: Coordinate) -> "AffineIndex":
        return self._combine(ir.AffineExpr.get_add, other)

    __radd__ = __add__

    def __sub__(self, other: Coordinate) -> "AffineIndex":
        return self + other * -1

    def __rsub__(self, other: Coordinate) -> "AffineIndex":
        return self * -1 + other

    def __mul__(self, other: Coordinate) -> "AffineIndex":
        """At most one factor may read index values: a product of two is not affine."""
        return self._combine(ir.AffineExpr.get_mul, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Coordinate) -> "AffineIndex":
        return self._combine(ir.AffineExpr.get_floor_div, other)

    def __mod__(self, other: Coordinate) -> "AffineIndex":
        return self._combine(ir.AffineExpr.get_mod, other)

    def _combine(self, operation: Callable[[ir.AffineExpr, ir.AffineExpr], ir.AffineExpr], other: Coordinate) -> "AffineIndex":
        if isinstance(other, int):
            return AffineIndex(operation(self.expr, ir.AffineExpr.get_constant(other)), self.used)
        used = tuple(sorted({*self.used, *other.used}))
        return AffineIndex(operation(self.expr, other.expr), used)


class MapSymbols:
    """The symbols of a kernel's maps: one for every sympy symbol and one for every subexpression that is not affine."""

    def __init__(self) -> None:
        self.expressions: list[sympy.Expr] = []

    def index(self, size: Size) -> AffineIndex:
        """A size as an index expression."""
        return AffineIndex(self.affine(size), ())

    def affine(self, size: Size) -> ir.AffineExpr:
        """An integer or sympy expression as an affine expression over this list of symbols."""
        if isinstance(size, int):
            return ir.AffineExpr.get_constant(size)
        if size.is_Integer:
            return ir.AffineExpr.get_constant(int(size))
        if size.is_Add:
            first, *rest = (self.affine(a) for a in size.args)
            for term in rest:
                first = ir.AffineExpr.get_add(first, term)
            return first
        coefficient, factor = size.as_coeff_Mul()
        if coefficient != 1 and coefficient.is_Integer:
            return ir.AffineExpr.get_mul(self.affine(factor), ir.AffineExpr.get_constant(int(coefficient)))
        if size not in self.expressions:
            self.expressions.append(size)
        return ir.AffineExpr.get_symbol(self.expressions.index(size))
