"""Properties of the nodes of a joint graph, and of the two graphs that it is partitioned into."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

from ...torch_internals.fake_tensors import fake_mode_or_no_grad


def is_backward(node: fx.Node) -> bool:
    """Whether AOTAutograd traced the node in the backward."""
    return node.meta.get("partitioner_tag") in ("is_backward", "must_be_in_backward")


def is_tangent(node: fx.Node) -> bool:
    """Whether the node is a gradient that the backward takes."""
    return node.op == "placeholder" and str(node.target).startswith("tangents")


def is_view_node(node: fx.Node) -> bool:
    """Whether the node is a call of an operator that returns a view or views, as `split` does, or one of these views."""
    if node.target is operator.getitem:
        return isinstance(node.args[0], fx.Node) and is_view_node(node.args[0])
    return isinstance(node.target, torch._ops.OpOverload) and node.target.is_view


def is_pointwise_node(node: fx.Node) -> bool:
    """Whether the node is a call of an operator that PyTorch tags as pointwise."""
    return isinstance(node.target, torch._ops.OpOverload) and torch.Tag.pointwise in node.target.tags


def viewed_value(node: fx.Node) -> fx.Node:
    """The value that this is a view of."""
    while node.op == "call_function" and is_view_node(node):
        node = node.all_input_nodes[0]
    return node


def new_value(node: fx.Node, beside: Any = None) -> Any:
    """What a call gives for the fake values of its arguments. `beside`: a fake value, for calls without tensors."""
    args, kwargs = fx.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
    with fake_mode_or_no_grad((args, kwargs, beside)):
        return node.target(*args, **kwargs)
