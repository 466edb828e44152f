"""Floats computed from sizes: expressions of functions that algebra does not rewrite.

`truediv(tofloat(s0), 2)` is Python's `float(s0) / 2`: each function is one operation on float64, computed as written. A constant in them
is a rational number, which stands for the nearest float64; sums and products are sympy's, as in PyTorch.

A float from data (`item()`) is `frombits(bits_zuf0)`: the float64 whose bits are the integer `bits_zuf0`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from .lazy import sympy

if TYPE_CHECKING:
    from .aten import Size

# Functions of one float and the `math` operation that each is.
UNARY = {
    "fsqrt": "sqrt", "fexp": "exp", "flog": "log", "flog2": "log2", "fsin": "sin", "fcos": "cos", "ftan": "tan", "fasin": "asin",
    "facos": "acos", "fatan": "atan", "fsinh": "sinh", "fcosh": "cosh", "ftanh": "tanh", "fasinh": "asinh",
}  # fmt: skip
BINARY = ("truediv", "fpow")
CONVERSION = "tofloat"
FROM_BITS = "frombits"


@functools.cache
def function(name: str) -> Any:
    """The function `name` of expressions."""
    return sympy.Function(name)


@functools.cache
def float_functions() -> dict[str, Any]:
    """All these functions, by name."""
    return {name: function(name) for name in (*UNARY, *BINARY, CONVERSION, FROM_BITS)}


def function_name(expression: Size) -> str | None:
    """The name of the function that the expression calls; None if it is no call."""
    name = type(expression).__name__
    return name if name in float_functions() else None


@functools.lru_cache(maxsize=4096)
def is_float_expression(expression: Size) -> bool:
    """Whether the number is a float, not an integer."""
    if isinstance(expression, int) or expression.is_Integer or expression.is_Symbol:
        return False
    if expression.is_Rational or function_name(expression) is not None:
        return True
    made_of = expression.is_Add or expression.is_Mul or expression.is_Pow or isinstance(expression, (sympy.Max, sympy.Min, sympy.Abs))
    return bool(made_of) and any(is_float_expression(a) for a in expression.args if not a.is_Rational)
