"""Saves the graph's input where the partition saves a view of it.

A caller may write to an input before the backward runs. Then the backward has to raise, as in eager mode. Autograd's version check sees
such a write to a saved input; a view that a compiled graph returns has a version of its own.
"""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import fx

from .cheap_values import unwritten_inputs
from .joint_nodes import is_view_node
from .saved_values import SavedValues


def save_inputs(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
    """Replaces each saved view of an input, and computes the view in the backward. Views with sizes that do not follow from saved ones
    stay."""
    values, inputs = SavedValues(forward, backward, num_fwd_outputs), unwritten_inputs(forward.graph)
    for node, argument in list(values.arguments.items()):
        views = _views(node, inputs, values.arguments)
        if views and argument.users:
            values.compute(node, views)
    values.write()


def _views(node: fx.Node, inputs: Collection[fx.Node], saved: Collection[fx.Node]) -> list[fx.Node]:
    """The operators, in order, that make a value from an input by views alone, with those that compute the views' sizes from saved ones;
    empty if it is something else."""
    views: dict[fx.Node, None] = {}
    sizes: list[fx.Node] = []
    if node.meta.get("saved_tensor_with_no_vc_check"):
        return []
    while node.op == "call_function" and is_view_node(node):
        views[node] = None
        node, *numbers = node.all_input_nodes
        sizes += numbers
    if node not in inputs:
        return []
    while sizes:
        size = sizes.pop()
        if size in saved or size in views:
            continue
        if size.op != "call_function" or isinstance(size.meta.get("val"), torch.Tensor):
            return []
        views[size] = None
        sizes += size.all_input_nodes
    return [n for n in node.graph.nodes if n in views]
