"""PyTorch's symbolic integers as the expressions of `dialects.aten`: sympy's own floor, Mod, Max, Min over integer symbols."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import sympy
import torch
from torch.utils._sympy.symbol import SymT, symbol_is_type

from ..dialects import aten
from ..dialects.aten import Size
from ..errors import UnsupportedGraph

# PyTorch's sympy functions by name. IntTrueDiv stands only inside a rounding to integers.
_FUNCTIONS: dict[str, Callable[..., sympy.Expr]] = {
    "FloorDiv": lambda a, b: sympy.floor(a / b),
    "CleanDiv": lambda a, b: sympy.floor(a / b),
    "CeilDiv": lambda a, b: sympy.ceiling(a / b),
    "IntTrueDiv": lambda a, b: a / b,
    "CeilToInt": sympy.ceiling,
    "FloorToInt": sympy.floor,
    "Mod": sympy.Mod,
    "PythonMod": sympy.Mod,
    "ModularIndexing": lambda a, b, c: sympy.Mod(sympy.floor(a / b), c),
    "Max": sympy.Max,
    "Min": sympy.Min,
    "PowByNatural": sympy.Pow,
    "Identity": lambda a: a,
    "Abs": sympy.Abs,
    "Add": sympy.Add,
    "Mul": sympy.Mul,
    "Pow": sympy.Pow,
    "floor": sympy.floor,
    "ceiling": sympy.ceiling,
}


def size_from_torch(size: int | torch.SymInt) -> Size:
    """The int or expression that stands for a size of PyTorch's."""
    if isinstance(size, int):
        return size
    expression = convert(size.node.expr)
    if not isinstance(expression, int) and expression.is_integer is False:
        raise UnsupportedGraph(f"the size {size.node.expr} is no integer expression")
    return expression


@functools.lru_cache(maxsize=4096)
def convert(expression: sympy.Expr) -> Size:
    """The expression of `dialects.aten` (an int where it is constant) for one of PyTorch's."""
    converted = _convert(expression)
    return int(converted) if converted.is_Integer else converted


def _convert(expression: sympy.Expr) -> sympy.Expr:
    if expression.is_Symbol:
        return _convert_symbol(expression)
    if expression.is_Rational:
        return sympy.Rational(expression.p, expression.q)
    function = _FUNCTIONS.get(type(expression).__name__)
    if function is None:
        raise UnsupportedGraph(f"the size expression {expression} has a {type(expression).__name__}")
    return function(*map(_convert, expression.args))


def _convert_symbol(symbol: sympy.Symbol) -> sympy.Symbol:
    if symbol_is_type(symbol, SymT.UNBACKED_INT):
        raise UnsupportedGraph(f"the size {symbol} depends on data")
    if not symbol_is_type(symbol, SymT.SIZE):
        raise UnsupportedGraph(f"the symbol {symbol} stands for no integer")
    return aten.symbol(symbol.name)


def symbol_facts(shape_env: Any, names: set[str]) -> dict[str, tuple[int, int, int]]:
    """For each symbol the lowest and highest value that the guards allow, and the value seen while tracing."""
    if not names:
        return {}
    hints = getattr(shape_env, "backed_var_to_val", None) or shape_env.var_to_val  # the second until torch 2.10
    known = {symbol.name: symbol for symbol in shape_env.var_to_range}
    facts = {}
    for name in sorted(names):
        bounds = shape_env.var_to_range[known[name]]
        facts[name] = (_bound(bounds.lower, -(2**63)), _bound(bounds.upper, 2**63 - 1), int(hints[known[name]]))
    return facts


def _bound(bound: Any, limit: int) -> int:
    return int(bound) if bound.is_Integer and abs(int(bound)) < 2**63 else limit
