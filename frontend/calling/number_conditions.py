"""Conditions on integers under which a graph's numbers are computed without an error (no divisor is 0, no root is taken of a negative
number), and under which its operators take them.

The code for sizes and numbers never raises. If a condition is false, FX runs the graph, and raises.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator
from typing import Any

import sympy
import torch
from torch import fx
from torch_mlir import ir

from ...bridge.symbols import size_from_torch
from ...dialects.aten import Size, TensorInfo, symbols_of
from ...dialects.requirements import Condition, at_least
from ...dialects.symbolic_floats import CONVERSION, function_name, is_float_expression
from ...errors import UnsupportedGraph
from ...lowering.rules.padding import elements_kept

_DIVISIONS = (operator.floordiv, operator.mod, operator.truediv)

_DOMAINS: dict[str, Callable[[Size], list[Condition]]] = {
    "fsqrt": lambda a: [at_least(a, 0)],
    "flog": lambda a: [a > 0],
    "flog2": lambda a: [a > 0],
    "fasin": lambda a: [at_least(a, -1), at_least(1, a)],
    "facos": lambda a: [at_least(a, -1), at_least(1, a)],
    "facosh": lambda a: [at_least(a, 1)],
}


def division_conditions(node: fx.Node) -> list[Condition]:
    """The condition that the divisor of an integer division is not 0."""
    if node.target not in _DIVISIONS:
        return []
    divisor = node.args[1].meta["val"] if isinstance(node.args[1], fx.Node) else node.args[1]
    if not isinstance(divisor, torch.SymInt):
        return []
    size = size_from_torch(divisor)
    return [] if isinstance(size, int) else [sympy.Ne(size, 0)]


def argument_conditions(name: str, arguments: dict[str, Any]) -> list[Condition]:
    """The conditions under which eager's kernel takes the integers among an operator's arguments, where PyTorch's meta function does not
    ask. They hold even for a call whose result nobody reads."""
    if name == "aten.pow.Tensor_Scalar":
        exponent = arguments["exponent"]
        of_integers = _is_integer(exponent) and _is_integral(arguments["self"])
        return [at_least(exponent, 0)] if of_integers else []
    if name == "aten.select.int":
        # A view is never computed, so no kernel asks; nor does PyTorch 2.11's meta function.
        sizes, dim, index = TensorInfo.of(arguments["self"].type).sizes, arguments["dim"], arguments["index"]
        if not -len(sizes) <= dim < len(sizes):
            return [sympy.false]
        return [at_least(index, -sizes[dim]), at_least(sizes[dim] - 1, index)]
    if name == "aten.split_with_sizes.default":
        parts, dim = arguments["split_sizes"], TensorInfo.of(arguments["self"].type).sizes[arguments.get("dim", 0)]
        return [sympy.Eq(sum(parts), dim), *(at_least(part, 0) for part in parts)]
    if name == "aten.constant_pad_nd.default":
        padded, pad = TensorInfo.of(arguments["self"].type).sizes[::-1], arguments["pad"]
        pads = zip(padded, pad[::2], pad[1::2], strict=False)  # the last dimension first, and only those that are padded
        return [at_least(elements_kept(size, before, after), 0) for size, before, after in pads]
    return []


def _is_integer(number: Any) -> bool:
    return isinstance(number, int) or (isinstance(number, sympy.Expr) and not is_float_expression(number))


def _is_integral(tensor: ir.Value) -> bool:
    return not TensorInfo.of(tensor.type).dtype.startswith(("float", "bfloat", "complex"))


def float_conditions(number: Any) -> Iterator[Condition]:
    """The conditions under which the functions in a float expression (`dialects.symbolic_floats`) are defined for their arguments."""
    for part in sympy.preorder_traversal(number):
        name = function_name(part)
        if name in _DOMAINS:
            yield from _DOMAINS[name](_integer(part.args[0]))
        elif name == "truediv":
            yield sympy.Ne(_integer(part.args[1]), 0)
        elif name == "fpow":
            yield from _power_conditions(*map(_integer, part.args))


def _power_conditions(base: Any, exponent: Any) -> list[Condition]:
    """The conditions of a power of floats: 0 has no negative powers, and powers of a negative number may be complex."""
    if exponent.is_Rational and exponent >= 0:
        return [] if exponent.is_Integer else [at_least(base, 0)]
    return [base > 0]


def size_conditions(measured: Collection[Size], facts: dict[str, tuple[int, int, int]], joint: bool) -> Iterator[Condition]:
    """The conditions that the symbols in sizes and strides (`measured`) are 0 or more, if they were while tracing. `facts`: the lowest and
    highest value of each symbol, and the traced one.

    A symbol that is an integer argument may be negative in a call; then the graph runs through FX. A symbol that was negative
    (`x[:number]`) may be any number: PyTorch guards that sizes are not negative. But code for quotients assumes that dividends are not:
    they are sizes, or were not negative while tracing; else `UnsupportedGraph` is raised. A joint graph is not compiled itself."""
    dividends = [d for size in measured for d in _dividends(size) if d not in measured]
    hints = {symbol: facts[symbol.name][2] for symbol in symbols_of(measured)}
    for symbol in sorted(symbols_of(measured), key=str):
        lowest, _, traced = facts[symbol.name]
        if lowest < 0 and traced >= 0:
            yield at_least(symbol, 0)
        elif lowest < 0 and not joint:
            divided = [d for d in dividends if symbol in d.free_symbols]
            if any(d.xreplace(hints) < 0 for d in divided):
                raise UnsupportedGraph(f"a tensor's size is a quotient of the integer argument {symbol}, which is negative")
            yield from (at_least(d, 0) for d in divided)


def _dividends(size: Size) -> Iterator[Any]:
    """What must be 0 or more in a size: the dividends of quotients and remainders; maxima, minima and quotients by symbols as a whole,
    since code gets each of them as one number; the symbols of other functions."""
    if isinstance(size, int):
        return
    for part in sympy.preorder_traversal(size):
        if isinstance(part, (sympy.floor, sympy.ceiling)):
            dividend, divisor = part.args[0].as_numer_denom()
            yield dividend if divisor.is_Integer else part
        elif isinstance(part, sympy.Mod):
            yield part.args[0]
        elif isinstance(part, sympy.Max | sympy.Min):
            yield part
        elif isinstance(part, sympy.Function) and not isinstance(part, sympy.Abs):
            yield from part.free_symbols


def _integer(number: Any) -> Any:
    """The integer that a float converts, if it is such a conversion: the integer's range then decides."""
    return number.args[0] if function_name(number) == CONVERSION else number
