"""Takes inputs that are neither tensors nor numbers out of a graph that only returns them.

A graph whose tensors lie on a device mesh has the mesh as an input: the forward saves it for the backward, and both return it as a part of
their distributed tensors. No operator reads it, so the compiled graph gets None in its place, and the call returns the object itself. The
ragged size of a jagged tensor is such an input, too: it stands for the tensor's offsets, and is equal to itself alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...runner import Runner
from ...torch_internals.aot import mark_boxed
from ...torch_internals.fx_graphs import make_graph_module

_VALUES = (torch.Tensor, int, float, complex, str, torch.SymInt, torch.SymFloat, torch.SymBool, type(None))


@dataclass
class GraphWithoutObjects:
    """`graph_module`: the graph with None for objects. `inputs`: the traced objects, by the positions of the inputs; `outputs`: for each
    position of an output that is an object, the position of the input."""

    graph_module: fx.GraphModule
    inputs: dict[int, Any]
    outputs: dict[int, int]

    def runner(self, run: Runner) -> Runner:
        """The runner of the original graph. `run`: that of the graph without objects."""

        def call(inputs: list[Any]) -> Sequence[Any]:
            objects = {n: inputs[n] for n in self.inputs}
            for n in objects:
                inputs[n] = None
            results = list(run(inputs))
            for position, n in self.outputs.items():
                results[position] = objects[n]
            return results

        return mark_boxed(call)

    def put_back(self, graph: fx.Graph) -> None:
        """Makes the objects inputs and outputs again, in a graph with the inputs and outputs of the one without objects."""
        placeholders = graph.find_nodes(op="placeholder")
        for n, value in self.inputs.items():
            placeholders[n].meta["val"] = value
        end = graph.output_node()
        (outputs,) = end.args
        results = list(outputs)
        for position, n in self.outputs.items():
            results[position] = placeholders[n]
        end.args = (type(outputs)(results),)


def _is_object(value: Any) -> bool:
    if isinstance(value, torch.SymInt):
        return value.node.expr.is_Symbol and value.node.expr not in value.node.shape_env.var_to_range
    return not isinstance(value, _VALUES)


def without_objects(graph_module: fx.GraphModule) -> GraphWithoutObjects | None:
    """The graph without its object inputs, in new nodes; None if it has none, or if another node than the output reads one."""
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    inputs = {n: node for n, node in enumerate(placeholders) if _is_object(node.meta.get("val"))}
    end = graph_module.graph.output_node()
    (outputs,) = end.args
    if not inputs or any(user is not end for node in inputs.values() for user in node.users):
        return None
    positions = {node: n for n, node in inputs.items()}
    returned = {n: positions[value] for n, value in enumerate(outputs) if isinstance(value, fx.Node) and value in positions}
    graph = fx.Graph()
    made: dict[fx.Node, fx.Node] = {}
    for node in graph_module.graph.nodes:
        made[node] = graph.node_copy(node, made.__getitem__)
        if node in positions:
            made[node].meta["val"] = None
    (results,) = made[end].args
    made[end].args = (type(results)(None if n in returned else value for n, value in enumerate(results)),)
    return GraphWithoutObjects(make_graph_module(graph_module, graph), {n: node.meta["val"] for n, node in inputs.items()}, returned)
