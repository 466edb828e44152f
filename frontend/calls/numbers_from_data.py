"""Passes floats from data (`item()` of a tensor of floats) to a graph as integers, their bits, and takes booleans that a graph returns from
it as 0 and 1: numbers in the dialect's expressions are made of integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...bridge.symbols import TRACED_BITS, bits_from_float, bits_symbol, float_from_bits
from ...runner import Runner
from ...torch_internals.aot import mark_boxed
from ...torch_internals.fx_graphs import make_graph_module


@dataclass
class GraphWithBits:
    """The graph with integers in place of the inputs at `positions`."""

    graph_module: fx.GraphModule
    positions: Sequence[int]

    def runner(self, run: Runner) -> Runner:
        """The runner of the original graph. `run`: that of the graph with integers."""

        def call(inputs: list[Any]) -> Sequence[Any]:
            for n in self.positions:
                inputs[n] = bits_from_float(inputs[n])
            return run(inputs)

        return mark_boxed(call)


def with_float_bits(graph_module: fx.GraphModule) -> GraphWithBits | None:
    """The graph with the bits of floats from data as inputs, in new nodes; None if no input is such a float."""
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    floats = {node: n for n, node in enumerate(placeholders) if bits_symbol(node.meta.get("val")) is not None}
    if not floats:
        return None
    graph = fx.Graph()
    made: dict[fx.Node, fx.Node] = {}
    for node in graph_module.graph.nodes:
        made[node] = graph.node_copy(node, made.__getitem__)
        if node in floats:
            number = node.meta["val"]
            made[node].meta["val"] = number.node.shape_env.create_symintnode(bits_symbol(number), hint=TRACED_BITS)
        if node is placeholders[-1]:
            for given in floats:
                made[given] = graph.call_function(float_from_bits, (made[given],))
                made[given].meta["val"] = given.meta["val"]
    return GraphWithBits(make_graph_module(graph_module, graph), list(floats.values()))


def returned_truths(graph_module: fx.GraphModule) -> list[int]:
    """The positions of the outputs that are conditions: booleans from data, or on sizes."""
    (outputs,) = graph_module.graph.output_node().args
    return [n for n, o in enumerate(outputs) if isinstance(o, fx.Node) and isinstance(o.meta.get("val"), torch.SymBool)]


def with_truths(run: Runner, positions: Sequence[int]) -> Runner:
    """The runner with booleans at the positions of the results. `run` may give 0 and 1."""

    def call(inputs: list[Any]) -> Sequence[Any]:
        results = list(run(inputs))
        for n in positions:
            results[n] = bool(results[n])
        return results

    return mark_boxed(call)
