"""The symbols whose values a call of a graph can know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import sympy
from torch_mlir import ir

from ...bridge.symbols import given_to, rounded_floats
from ...dialects.aten import TensorInfo, linear_form, symbol, symbols_of
from ...dialects.symbolic_floats import FROM_BITS, function_name
from ...errors import UnsupportedGraph


def given_symbols(inputs: Iterable[Any]) -> Iterator[sympy.Symbol]:
    """The symbols that the values or sizes of a graph's inputs give; `inputs`: their IR values, or expressions of numbers."""
    for value in inputs:
        if isinstance(value, ir.Value):
            info = TensorInfo.of(value.type)
            yield from (s for s in info.strides if not isinstance(s, int) and s.is_Symbol)
            yield from (s for size in info.sizes if linear_form(size)[1] for s in symbols_of([size]))
        elif isinstance(value, sympy.Symbol):
            yield value
        elif function_name(value) == FROM_BITS:
            yield value.args[0]


def computed_sizes(seen: Collection[sympy.Symbol], primals: Iterable[Any]) -> set[sympy.Symbol]:
    """The sizes in a joint graph that are rounded floats: the exporter makes nodes that compute them. Other graphs have them as inputs.
    `primals`: the inputs that are no gradients."""
    rounded = rounded_floats(seen)
    if not given_to(rounded) <= set(given_symbols(primals)):
        raise UnsupportedGraph("a size that is a rounded float of what a forward can't know")
    if any(r.is_condition for r in rounded.values()):
        raise UnsupportedGraph("a condition on floats as a number")
    return {symbol(name) for name in rounded}
