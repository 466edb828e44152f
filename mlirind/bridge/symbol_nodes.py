"""Expressions of sizes as nodes of an FX graph."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import sympy
import torch
from torch import fx

from ..dialects.aten import Size
from ..dialects.symbolic_floats import FROM_BITS, UNARY, function, function_name, is_float_expression
from ..errors import UnsupportedGraph
from ..torch_internals.operators import sym_function
from .symbols import RoundedFloat, float_from_bits, given_to, rounded_floats

_FLOAT_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tofloat": torch.sym_float, "truediv": operator.truediv, "fpow": operator.pow, "frombits": float_from_bits,
}  # fmt: skip
_FOLDED = {sympy.Add: operator.add, sympy.Mul: operator.mul, sympy.Max: torch.sym_max, sympy.Min: torch.sym_min}
_ROUNDINGS: dict[str, Callable[..., Any]] = {f"math.{f.__name__}": f for f in (math.ceil, math.floor, math.trunc)} | {"round": round}


class SymbolNodes:
    """Makes the nodes that compute expressions, each once, from the graph's inputs. Without a graph it uses PyTorch's symbolic integers."""

    def __init__(self, graph: fx.Graph | None) -> None:
        self._graph = graph
        self._known: dict[sympy.Expr, Any] = {}
        self._sources: dict[sympy.Expr, tuple[fx.Node, Callable[..., Any], int]] = {}

    def bind(self, expression: Size, node: Any) -> None:
        """Records that `node` has the value of `expression`."""
        if not isinstance(expression, int):
            self._known.setdefault(expression, node)

    def bind_tensor(self, node: fx.Node, sizes: Iterable[Size], strides: Iterable[Size]) -> None:
        """Records the sizes and strides of an input, from which symbols can be read."""
        for target, values in ((torch.ops.aten.sym_size.int, sizes), (torch.ops.aten.sym_stride.int, strides)):
            for dim, value in enumerate(values):
                if not isinstance(value, int) and value.is_Symbol:
                    self._sources.setdefault(value, (node, target, dim))

    def node(self, expression: Size) -> Any:
        """The node (or int) that has the expression's value."""
        if isinstance(expression, int) or expression.is_Integer:
            return int(expression)
        if expression not in self._known:
            self._known[expression] = self._make(expression)
        return self._known[expression]

    def _make(self, expression: sympy.Expr) -> Any:
        rounded = rounded_floats([expression]) if expression.is_Symbol else {}
        if rounded and all(map(self._is_given, given_to(rounded))):
            return self._make_rounded(rounded[expression.name])  # not the size of a gradient, which the forward does not have
        if expression.is_Symbol:
            node, target, dim = self._sources[expression]
            return self._call(target, node, dim)
        if is_float_expression(expression):
            return self._make_float(expression)
        if expression.is_Add or expression.is_Mul:
            return self._fold(operator.add if expression.is_Add else operator.mul, expression.args)
        if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
            return self._fold(operator.mul, [expression.base] * int(expression.exp))
        if isinstance(expression, sympy.floor):
            return self._quotient(expression.args[0])
        if isinstance(expression, sympy.ceiling):
            return self._call(operator.neg, self._quotient(-expression.args[0]))
        if isinstance(expression, sympy.Mod):
            return self._call(operator.mod, *map(self.node, expression.args))
        if isinstance(expression, (sympy.Max, sympy.Min)):
            return self._fold(torch.sym_max if isinstance(expression, sympy.Max) else torch.sym_min, expression.args)
        if isinstance(expression, sympy.Abs):
            return self._call(operator.abs, self.node(expression.args[0]))
        raise AssertionError(f"no nodes for the expression {expression}")

    def _is_given(self, symbol: sympy.Symbol) -> bool:
        return symbol in self._sources or not self._known.keys().isdisjoint([symbol, function(FROM_BITS)(symbol)])

    def _make_rounded(self, rounded: RoundedFloat) -> Any:
        """The node has the expression of PyTorch's graph: sizes are compared by their expressions."""
        node = self._call(_ROUNDINGS[rounded.operation], self.node(rounded.number))
        if isinstance(node, fx.Node):
            node.meta["val"] = node.meta["val"].node.shape_env.create_symintnode(rounded.traced, hint=None)
        return node

    def _make_float(self, expression: sympy.Expr) -> Any:
        if expression.is_Rational:
            return float(expression)
        name = function_name(expression)
        unary = sym_function(UNARY[name]) if name in UNARY else None
        if unary is not None:
            return self._call(unary, self.node(expression.args[0]))
        if name in _FLOAT_FUNCTIONS:
            return self._call(_FLOAT_FUNCTIONS[name], *map(self.node, expression.args))
        folded = next((f for kind, f in _FOLDED.items() if isinstance(expression, kind)), None)
        if folded is not None:
            return self._fold(folded, expression.args)
        if expression.is_Pow and expression.exp.is_Integer and expression.exp > 0:
            return self._fold(operator.mul, [expression.base] * int(expression.exp))
        if isinstance(expression, sympy.Abs):
            return self._call(operator.abs, self.node(expression.args[0]))
        raise UnsupportedGraph(f"no nodes for the number {expression}")

    def _quotient(self, fraction: sympy.Expr) -> Any:
        numerator, denominator = sympy.fraction(sympy.together(fraction))
        return self._call(operator.floordiv, self.node(numerator), self.node(denominator))

    def _fold(self, function: Callable[..., Any], arguments: Iterable[sympy.Expr]) -> Any:
        first, *rest = map(self.node, arguments)
        for other in rest:
            first = self._call(function, first, other)
        return first

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if not any(isinstance(a, fx.Node) for a in arguments):
            return function(*arguments)
        assert self._graph is not None
        node = self._graph.call_function(function, arguments)
        values = [a.meta["val"] if isinstance(a, fx.Node) else a for a in arguments]
        node.meta["val"] = function(*values)
        return node
