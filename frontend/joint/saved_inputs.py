"""Saves the graph's input where the partition saves a view of it.

A caller may write to an input before the backward runs. Then the backward has to raise, as in eager mode. Autograd's version check sees
such a write to a saved input; a view that a compiled graph returns has a version of its own.
"""

from __future__ import annotations

from collections.abc import Collection

from torch import fx

from .cheap_values import argument_of_backward, compute_in_backward, unwritten_inputs
from .joint_nodes import is_view_node


def save_inputs(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
    """Replaces each saved view of an input, and computes the view in the backward. Views with sizes that are not saved stay."""
    output = forward.graph.output_node()
    results, saved = list(output.args[0][:num_fwd_outputs]), list(output.args[0][num_fwd_outputs:])
    placeholders = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    known = {n: placeholders[n.name] for n in saved if isinstance(n, fx.Node) and n.name in placeholders}
    inputs, changed = unwritten_inputs(forward.graph), False
    for node in list(known):
        placeholder = known[node]
        views = _views(node, inputs, known)
        if not views or not placeholder.users:
            continue
        viewed, place = views[0].all_input_nodes[0], saved.index(node)
        saved[place : place + 1] = [] if viewed in known else [viewed]
        del known[node]
        if viewed not in known:
            with backward.graph.inserting_before(placeholder):
                known[viewed] = argument_of_backward(backward.graph, viewed)
        compute_in_backward(backward.graph, placeholder, views, known)
        changed = True
    if changed:
        output.args = (type(output.args[0])([*results, *saved]),)
        for graph_module in (forward, backward):
            graph_module.recompile()


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
