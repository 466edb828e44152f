"""Gradients that come into a joint graph have the sizes of the outputs that they belong to.

AOTAutograd traces a graph twice, first for its outputs, whose gradients are then inputs of the second trace. Each trace makes symbols of
its own for sizes from data, so a gradient has other symbols than its output. Here the output's replace them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy
import torch
from torch import fx

from ...bridge.symbols import is_unbacked
from ...torch_internals.aot import outputs_of_tangents
from ...torch_internals.fx_graphs import replace_symbol


def unify_sizes(joint_module: fx.GraphModule) -> None:
    """Replaces the symbols of data in the sizes of gradients by those of their outputs, in all values of the graph."""
    if replace_symbol is None:
        return
    pairs = [
        (a, b)
        for tangent, output in outputs_of_tangents(joint_module.graph)
        for a, b in zip(*map(_shape, (tangent, output)), strict=False)
        if isinstance(a, torch.SymInt) and isinstance(b, torch.SymInt)
    ]
    for given, made in sorted(pairs, key=lambda pair: not pair[0].node.expr.is_Symbol):  # a symbol alone says most
        _unify(given, made)


def _shape(node: fx.Node) -> tuple[Any, ...]:
    value = node.meta.get("val")
    return tuple(value.shape) if isinstance(value, torch.Tensor) else ()


def _unify(given: torch.SymInt, made: torch.SymInt) -> None:
    """Replaces the symbols of data in `given` by those in `made`, if that makes them equal. Both traces make them in the same order."""
    before, after = given.node.expr, made.node.expr
    olds, news = _in_order(before.free_symbols - after.free_symbols), _in_order(after.free_symbols - before.free_symbols)
    renamed = dict(zip(olds, news, strict=False))
    if before != after and before.xreplace(renamed) == after:
        for old, new in renamed.items():
            replace_symbol(made.node.shape_env, old, new, "sizes of a gradient")


def _in_order(symbols: Iterable[sympy.Symbol]) -> list[sympy.Symbol]:
    """The symbols of data, the oldest first."""
    return sorted(filter(is_unbacked, symbols), key=lambda s: (len(s.name), s.name))
