"""Python source for sizes (exact integer arithmetic over the graph's symbols) and for floats computed from them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import sympy

from ...dialects.aten import Size
from ...dialects.symbolic_floats import CONVERSION, FROM_BITS, UNARY, function_name, is_float_expression
from ...errors import UnsupportedGraph


@functools.lru_cache(maxsize=4096)
def size_source(size: Size) -> str:
    """Source of an integer expression; a symbol is the variable of its name."""
    if isinstance(size, int) or size.is_Integer:
        return str(int(size))
    if size.is_Symbol:
        return str(size.name)
    if is_float_expression(size):
        return _float_source(size)
    if size.is_Add:
        return "(" + " + ".join(size_source(a) for a in size.args) + ")"
    if size.is_Mul:
        return "(" + "*".join(size_source(a) for a in size.args) + ")"
    if size.is_Pow and size.exp.is_Integer and size.exp > 0:
        return f"({size_source(size.base)}**{int(size.exp)})"
    for kind, source in _FUNCTIONS.items():
        if isinstance(size, kind):
            return source(size.args)
    raise UnsupportedGraph(f"no integer code for the size {size}")


def condition_source(condition: Any) -> str:
    """Source of a relation between integer expressions, or of several joined by `and`, `or` and `not`."""
    if isinstance(condition, sympy.core.relational.Relational):
        return f"({size_source(condition.lhs)} {condition.rel_op} {size_source(condition.rhs)})"
    signs = {sympy.And: " and ", sympy.Or: " or "}
    if type(condition) in signs:
        return "(" + signs[type(condition)].join(condition_source(part) for part in condition.args) + ")"
    if isinstance(condition, sympy.Not):
        return f"(not {condition_source(condition.args[0])})"
    raise UnsupportedGraph(f"no code for the condition {condition}")


def _float_source(number: sympy.Expr) -> str:
    """Source of a float expression; `math` is the module."""
    if number.is_Rational:
        return repr(float(number))
    arguments = [size_source(a) for a in number.args]
    name = function_name(number)
    if name == FROM_BITS:
        return from_bits_source(arguments[0])
    if name in UNARY:
        return f"math.{UNARY[name]}({arguments[0]})"
    if name is not None:
        return f"float({arguments[0]})" if name == CONVERSION else f"({arguments[0]} {'/' if name == 'truediv' else '**'} {arguments[1]})"
    if number.is_Add or number.is_Mul or number.is_Pow:
        return "(" + (" + " if number.is_Add else " * " if number.is_Mul else " ** ").join(arguments) + ")"
    return f"{type(number).__name__.lower()}({', '.join(arguments)})"


def from_bits_source(bits: str) -> str:
    """Source of the float64 whose bits an int64 has; `bits` is the source of that."""
    return f"memoryview({bits}.to_bytes(8, 'little', signed=True)).cast('d')[0]"


def _floor(args: Sequence[sympy.Expr]) -> str:
    numerator, denominator = sympy.fraction(sympy.together(args[0]))
    return f"({size_source(numerator)} // {size_source(denominator)})"


def _call(name: str) -> Callable[[Sequence[sympy.Expr]], str]:
    return lambda args: f"{name}({', '.join(size_source(a) for a in args)})"


_FUNCTIONS: dict[Any, Callable[[Sequence[sympy.Expr]], str]] = {
    sympy.floor: _floor,
    sympy.ceiling: lambda args: f"(-{_floor([-args[0]])})",
    sympy.Mod: lambda args: f"({size_source(args[0])} % {size_source(args[1])})",
    sympy.Max: _call("max"),
    sympy.Min: _call("min"),
    sympy.Abs: _call("abs"),
}


def tuple_source(sizes: Sequence[Size]) -> str:
    """Source of a tuple of sizes."""
    return f"({', '.join(map(size_source, sizes))}{',' if len(sizes) == 1 else ''})"
