"""Saves the graph's input where the partition saves a view of it.

A caller may write to an input before the backward runs. Then the backward has to raise, as in eager mode. Autograd's version check sees
such a write to a saved input; a view that a compiled graph returns has a version of its own.
"""

from __future__ import annotations

from collections.abc import Collection

from torch import fx

from .cheap_values import unwritten_inputs
from .joint_nodes import is_view_node
from .saved_values import SavedValues


def save_inputs(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
    """Replaces each saved view of an input, and computes the view in the backward. Views with sizes that are not saved stay."""
    values, inputs = SavedValues(forward, backward, num_fwd_outputs), unwritten_inputs(forward.graph)
    for node, argument in list(values.arguments.items()):
        views = _views(node, inputs, values.arguments)
        if views and argument.users:
            values.compute(node, views)
    values.write()


def _views(node: fx.Node, inputs: Collection[fx.Node], known: Collection[fx.Node]) -> list[fx.Node]:
    """The views, in order, that make a value from an input and from saved sizes; empty if it is something else."""
    views: list[fx.Node] = []
    if node.meta.get("saved_tensor_with_no_vc_check"):
        return views
    while node.op == "call_function" and is_view_node(node):
        base, *sizes = node.all_input_nodes
        if not all(size in known for size in sizes):
            return []
        views.insert(0, node)
        node = base
    return views if node in inputs else []
