"""Saves tensors of half types in place of their copies in wider types, which the backward makes again.

Under autocast a norm reads its operand in float32, forward and backward. Min-cut saves the copy, because recomputing it for an operator
that functorch does not fuse writes one more tensor. Here the copy is part of the kernel that reads it, so that the kernel reads half as
much, and half as much is saved.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import fx

from .joint_nodes import is_pointwise_node, is_view_node, viewed_value
from .partition_report import node_bytes
from .saved_values import ASKED_FOR, CASTS, LEAST_BYTES, SavedValues

_HALVES = {torch.bfloat16, torch.float16}
# Operators of the backward that are kernels and read each element where they use it, beside the pointwise ones.
_READERS = {
    torch.ops.aten.native_layer_norm_backward.default,
    torch.ops.aten.native_group_norm_backward.default,
    torch.ops.aten.native_batch_norm_backward.default,
    torch.ops.aten.sum.dim_IntList,
    torch.ops.aten.mean.dim,
}


def save_halves(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
    """Saves the tensor of a half type in the place of each such copy. Changes both graphs in place."""
    values = SavedValues(forward, backward, num_fwd_outputs)
    for node, argument in list(values.arguments.items()):
        if _shows_copy(node) and not values.is_held(node) and _is_read_by_kernels(argument):
            values.compute(node, list(_between(viewed_value(node), node))[::-1])
    values.write()


def _is_read_by_kernels(argument: fx.Node) -> bool:
    """Whether something reads an argument of the backward, and only operators whose kernels convert what they read."""
    return bool(argument.users) and all(_converts(user) for user in argument.users)


def _converts(user: fx.Node) -> bool:
    if is_view_node(user):
        return _is_read_by_kernels(user)
    return user.target in _READERS or is_pointwise_node(user)


def _between(copy: fx.Node, node: fx.Node) -> Iterator[fx.Node]:
    """A node and what it is a view of, up to the value that all these show."""
    while node is not copy:
        yield node
        node = node.all_input_nodes[0]
    yield copy


def _shows_copy(node: fx.Node) -> bool:
    """Whether a node copies a large tensor of a half type to a wider type, or views such a copy."""
    if node.meta.get("saved_tensor_with_no_vc_check"):  # such tensors stand behind all others
        return False
    copy, value = viewed_value(node), node.meta.get("val")
    if any(len(n.all_input_nodes) != 1 for n in _between(copy, node)):  # symbolic sizes
        return False
    if copy.target not in CASTS or not isinstance(value, torch.Tensor) or node_bytes(node) < LEAST_BYTES:
        return False
    source = copy.args[0]
    if not isinstance(source, fx.Node) or any(n.meta.get("recompute") in ASKED_FOR for n in (node, copy)):
        return False
    made, given = copy.meta.get("val"), source.meta.get("val")
    if not isinstance(made, torch.Tensor) or not isinstance(given, torch.Tensor) or made.numel() != value.numel():
        return False
    return given.dtype in _HALVES and made.dtype not in _HALVES and given.device == made.device
