"""Emits sizes as 64-bit arithmetic on the graph's symbols, with Python's meaning of `//` and `%`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.aten import Size
from ...dialects.lazy import sympy
from ...dialects.symbolic_floats import is_float_expression
from ...errors import UnsupportedGraph
from .emitter import Emitter

SIGNED_LESS, EQUAL, NOT_EQUAL = 2, 0, 1


class SizeValues:
    """The values of sizes; the caller fills `symbols` with values."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.symbols: dict[str, ir.Value] = {}
        self._known: dict[Any, ir.Value] = {}

    def value(self, size: Size) -> ir.Value:
        """The i64 value of a size. It is cached, so call it only on the main path, not in a side branch."""
        if isinstance(size, int) or size.is_Integer:
            return self.emitter.integer(int(size))
        if is_float_expression(size):
            raise UnsupportedGraph(f"no integer code for {size}")
        found = self._known.get(size)
        if found is None:
            found = self._known[size] = self._compute(size)
        return found

    def _compute(self, size: Any) -> ir.Value:
        if size.is_Symbol:
            if size.name not in self.symbols:
                raise UnsupportedGraph(f"no input gives the value of {size.name}")
            return self.symbols[size.name]
        if size.is_Add:
            return self._fold("add", size.args)
        if size.is_Mul:
            return self._fold("mul", size.args)
        if size.is_Pow and size.exp.is_Integer and size.exp > 0:
            return self._fold("mul", [size.base] * int(size.exp))
        for kind, method in self._functions().items():
            if isinstance(size, kind):
                return method(size.args)
        raise UnsupportedGraph(f"no integer code for the size {size}")

    def affine(self, expr: ir.AffineExpr, symbols: Sequence[ir.Value]) -> ir.Value:
        """The value of an affine expression without dimensions."""
        if isinstance(expr, ir.AffineConstantExpr):
            return self.emitter.integer(expr.value)
        if isinstance(expr, ir.AffineSymbolExpr):
            return symbols[expr.position]
        assert isinstance(expr, ir.AffineBinaryExpr), expr
        a, b = self.affine(expr.lhs, symbols), self.affine(expr.rhs, symbols)
        if isinstance(expr, ir.AffineCeilDivExpr):
            zero = self.emitter.integer(0)
            return self._binary("sub", zero, self._quotient(self._binary("sub", zero, a), b))
        if isinstance(expr, ir.AffineFloorDivExpr):
            return self._quotient(a, b)
        if isinstance(expr, ir.AffineModExpr):
            return self._modulo(a, b)
        return self._binary("add" if isinstance(expr, ir.AffineAddExpr) else "mul", a, b)

    def _functions(self) -> dict[Any, Callable[[Sequence[Any]], ir.Value]]:
        return {
            sympy.floor: self._floor,
            sympy.ceiling: lambda args: self._binary("sub", self.emitter.integer(0), self._floor([-args[0]])),
            sympy.Mod: lambda args: self._modulo(self.value(args[0]), self.value(args[1])),
            sympy.Max: lambda args: self._fold("intr.smax", args),
            sympy.Min: lambda args: self._fold("intr.smin", args),
            sympy.Abs: self._absolute,
        }

    def _binary(self, name: str, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.emitter.op(name, [a, b], self.emitter.i64)

    def _fold(self, name: str, args: Sequence[Any]) -> ir.Value:
        value = self.value(args[0])
        for other in args[1:]:
            value = self._binary(name, value, self.value(other))
        return value

    def _absolute(self, args: Sequence[Any]) -> ir.Value:
        value = self.value(args[0])
        return self._binary("intr.smax", value, self._binary("sub", self.emitter.integer(0), value))

    def _floor(self, args: Sequence[Any]) -> ir.Value:
        numerator, denominator = (self.value(part) for part in sympy.fraction(sympy.together(args[0])))
        return self._quotient(numerator, denominator)

    def _quotient(self, numerator: ir.Value, denominator: ir.Value) -> ir.Value:
        """The quotient, rounded down."""
        divisor = self._divisor(denominator)
        rest = self._binary("srem", numerator, divisor)
        quotient = self._binary("sdiv", numerator, divisor)
        down = self.emitter.op("zext", [self._crosses(rest, divisor)], self.emitter.i64)
        return self._binary("sub", quotient, down)

    def _modulo(self, a: ir.Value, b: ir.Value) -> ir.Value:
        divisor = self._divisor(b)
        rest = self._binary("srem", a, divisor)
        crosses = self._crosses(rest, divisor)
        return self.emitter.op("select", [crosses, self._binary("add", rest, divisor), rest], self.emitter.i64)

    def _crosses(self, rest: ir.Value, divisor: ir.Value) -> ir.Value:
        """Whether the remainder is not 0 and its sign differs from the divisor's: then `sdiv`, which rounds toward zero, rounded up."""
        zero = self.emitter.integer(0)
        signs = self._compare(SIGNED_LESS, self._binary("xor", rest, divisor), zero)
        return self.emitter.op("and", [signs, self._compare(NOT_EQUAL, rest, zero)], self.emitter.i1)

    def _divisor(self, value: ir.Value) -> ir.Value:
        """`value`, or 1 if it is 0: a division by 0 would end the process. A call with a divisor of 0 runs through FX
        (`frontend/calling/number_conditions.py`)."""
        zero, one = self.emitter.integer(0), self.emitter.integer(1)
        return self.emitter.op("select", [self._compare(EQUAL, value, zero), one, value], self.emitter.i64)

    def _compare(self, predicate: int, a: ir.Value, b: ir.Value) -> ir.Value:
        attributes: dict[str, ir.Attribute] = {"predicate": ir.IntegerAttr.get(self.emitter.i64, predicate)}
        return self.emitter.op("icmp", [a, b], self.emitter.i1, attributes)
