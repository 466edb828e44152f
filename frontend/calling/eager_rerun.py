"""Runs a graph again with ATen, for the text of its exception: kernels only know that an index or an element is out of range, ATen's
message names it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import fx

from ...torch_internals.direct_call import NAMESPACES
from ...torch_internals.fx_graphs import force_recompile
from ...torch_internals.operators import schema_of

# Texts in ATen's errors for an index or an element out of range.
_OUT_OF_RANGE = ("out of bounds", "out of range", "should be between")


def rerun_in_eager(graph_module: fx.GraphModule) -> Callable[[list[Any]], str | None] | None:
    """A function that runs the graph on a list of inputs (which may have further entries) and returns the text of its exception. None for
    a graph that must not run twice: it writes, draws random numbers, or calls operators that may have effects."""
    attributes = [str(node.target) for node in graph_module.graph.find_nodes(op="get_attr")]
    if not all(_may_be_repeated(node) for node in graph_module.graph.nodes) or any("." in name for name in attributes):
        return None
    if not force_recompile(graph_module):
        return None
    count = len(graph_module.graph.find_nodes(op="placeholder"))
    # Keeps the code and the constants: the graph with all its nodes' metadata need not stay alive.
    forward: Any = type(graph_module).forward
    constants = SimpleNamespace(**{name: getattr(graph_module, name) for name in attributes})

    def run(inputs: list[Any]) -> str | None:
        given = inputs[:count]
        if any(value is None for value in given):  # it was freed while the graph ran
            return None
        try:
            with torch.no_grad():
                forward(constants, *given)
        except (IndexError, RuntimeError) as error:
            return str(error) if any(words in str(error) for words in _OUT_OF_RANGE) else None
        return None

    return run


def _may_be_repeated(node: fx.Node) -> bool:
    if node.op != "call_function":
        return True
    if not isinstance(node.target, torch._ops.OpOverload):
        return getattr(node.target, "__module__", "") in (operator.add.__module__, "math", "torch")
    called = node.target
    if called.namespace not in NAMESPACES or schema_of(called).is_mutable or torch.Tag.nondeterministic_seeded in called.tags:
        return False
    return bool(schema_of(called).returns)
