"""Emits expressions of `dialects.symbolic_floats` in the body of a kernel, as float64."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

from ...dialects.aten import Size
from ...dialects.lazy import sympy
from ...dialects.symbolic_floats import CONVERSION, FROM_BITS, UNARY, function_name, is_float_expression
from ...errors import UnsupportedGraph
from .scalar import Scalar

if TYPE_CHECKING:
    from .kernel_builder import KernelBuilder


def emit_float(builder: KernelBuilder, expression: Size) -> Scalar:
    """The value of an expression of sizes as float64."""
    if isinstance(expression, int) or expression.is_Rational:
        return builder.constant(float(expression), "float64")
    if not is_float_expression(expression):
        return builder.number(expression).to("float64")
    name = function_name(expression)
    if name == FROM_BITS:
        return builder.number(expression.args[0]).emit("arith.bitcast", dtype="float64")
    arguments = [emit_float(builder, a) for a in expression.args]
    if name in UNARY:
        return arguments[0].math(UNARY[name])
    if name == CONVERSION:
        return arguments[0]
    if name == "truediv":
        return arguments[0] / arguments[1]
    if name == "fpow":
        return arguments[0].math("powf", arguments[1])
    return _of_sympy(expression, arguments)


def _of_sympy(expression: sympy.Expr, arguments: list[Scalar]) -> Scalar:
    """A sum, product or other operation of sympy's own on `arguments`."""
    if expression.is_Add:
        return functools.reduce(operator.add, arguments)
    if expression.is_Mul:
        return functools.reduce(operator.mul, arguments)
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
        return functools.reduce(operator.mul, [arguments[0]] * int(expression.exp))
    if isinstance(expression, sympy.Abs):
        return arguments[0].abs()
    if isinstance(expression, (sympy.Max, sympy.Min)):
        return functools.reduce(Scalar.maximum if isinstance(expression, sympy.Max) else Scalar.minimum, arguments)
    raise UnsupportedGraph(f"no kernel code for the number {expression}")
