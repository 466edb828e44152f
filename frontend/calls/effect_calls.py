"""Replaces calls that PyTorch orders by tokens (`with_effects`) by calls of ordered forms: operators that take and return the token."""

from __future__ import annotations

import operator

import torch
from torch import fx

from ...bridge.ordered_forms import ordered_form
from ...errors import UnsupportedGraph
from ...torch_internals.operators import schema_of


def expand_effect_calls(graph_module: fx.GraphModule) -> None:
    """Rewrites the calls of a graph, in place. Raises UnsupportedGraph for a call of something other than an operator with a schema."""
    for node in list(graph_module.graph.find_nodes(op="call_function", target=torch.ops.higher_order.with_effects)):
        token, called, *arguments = node.args
        if not isinstance(called, torch._ops.OpOverload):
            raise UnsupportedGraph(f"a call of with_effects of {getattr(called, '__name__', called)}")
        node.target, node.args = ordered_form(called), (token, *arguments)
        if not schema_of(called).returns:
            _unwrap(graph_module.graph, node)


def _unwrap(graph: fx.Graph, node: fx.Node) -> None:
    """Adapts users of a form that returns only the token: a tensor instead of a tuple."""
    node.meta["val"] = node.meta["val"][0]
    for user in list(node.users):
        if user.target is not operator.getitem or user.args[1] != 0:
            raise UnsupportedGraph(f"the results of {node.target} are used as a tuple")
        user.replace_all_uses_with(node)
        graph.erase_node(user)
