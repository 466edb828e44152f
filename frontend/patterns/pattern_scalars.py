"""Numbers that a pattern leaves open: they are traced as example values, recognized by these, and become expressions."""

from __future__ import annotations

from typing import Any

import sympy
from torch_mlir import ir

from ...dialects import aten, aten_values


class OpenNumber(float):
    """The example of an open number. Results of + - * / ** and unary minus on it are recognized by value too."""

    expression: sympy.Expr
    known: dict[float, str]

    def __new__(cls, value: float, expression: str | sympy.Expr, known: dict[float, str]) -> OpenNumber:
        scalar = super().__new__(cls, value)
        scalar.expression = sympy.Symbol(expression, integer=True) if isinstance(expression, str) else expression
        scalar.known = known
        known[float(value)] = str(scalar.expression)
        return scalar

    def _derived(self, value: float, expression: Any) -> OpenNumber:
        return OpenNumber(value, expression, self.known)

    def __neg__(self) -> OpenNumber:
        return self._derived(-float(self), -self.expression)

    def __add__(self, other: float) -> OpenNumber:
        return self._derived(float(self) + float(other), self.expression + _expression(other))

    __radd__ = __add__

    def __sub__(self, other: float) -> OpenNumber:
        return self._derived(float(self) - float(other), self.expression - _expression(other))

    def __rsub__(self, other: float) -> OpenNumber:
        return self._derived(float(other) - float(self), _expression(other) - self.expression)

    def __mul__(self, other: float) -> OpenNumber:
        return self._derived(float(self) * float(other), self.expression * _expression(other))

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> OpenNumber:
        return self._derived(float(self) / float(other), self.expression / _expression(other))

    def __rtruediv__(self, other: float) -> OpenNumber:
        return self._derived(float(other) / float(self), _expression(other) / self.expression)

    def __pow__(self, other: float, _modulo: Any = None) -> OpenNumber:
        return self._derived(float(self) ** float(other), self.expression ** _expression(other))


def open_number(value: int | float, name: str, known: dict[float, str]) -> int | float:
    """The example for the open number `name`. Only an unchanged integer is recognized: nothing may be computed from it."""
    if isinstance(value, float):
        return OpenNumber(value, name, known)
    known[float(value)] = name
    return value


def _expression(value: Any) -> Any:
    return value.expression if isinstance(value, OpenNumber) else sympy.sympify(value)


def as_expressions(function: ir.OpView, known: dict[float, str]) -> None:
    """Replaces every number of the function's calls that stands for an open one by its expression."""
    for op in function.regions[0].blocks[0].operations:
        for name in list(op.attributes):
            attribute = op.attributes[name]
            if not isinstance(attribute, (ir.FloatAttr, ir.IntegerAttr)):
                continue
            expression = known.get(float(aten_values.decode(attribute)))
            if expression is not None:
                op.attributes[name] = aten.Expr.get(ir.StringAttr.get(expression))
