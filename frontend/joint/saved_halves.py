"""Saves tensors of half types in place of their copies in wider types, which the backward makes again.

Under autocast a norm reads its operand in float32, forward and backward. Min-cut saves the copy, because recomputing it for an operator
that functorch does not fuse writes one more tensor. Here the copy is part of the kernel that reads it, so that the kernel reads half as
much, and half as much is saved.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import fx

from .cheap_values import KEPT, argument_of_backward
from .joint_nodes import is_view_node, viewed_value
from .partition_report import node_bytes

# Smaller tensors are saved as they are: a launch may cost more.
LEAST_BYTES = 1 << 16
_CASTS = {torch.ops.aten._to_copy.default, torch.ops.prims.convert_element_type.default}
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
    """Replaces such copies among what the forward saves by what they are copies of. Changes both graphs in place."""
    output = forward.graph.output_node()
    results, saved = list(output.args[0][:num_fwd_outputs]), list(output.args[0][num_fwd_outputs:])
    held = {viewed_value(n) for n in results if isinstance(n, fx.Node)}
    arguments = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    known = {n: arguments[n.name] for n in saved if isinstance(n, fx.Node) and n.name in arguments}
    changed = False
    for node in list(saved):
        source = _source(node)
        if source is None or node not in known or viewed_value(node) in held or not _is_read_by_kernels(known[node]):
            continue
        argument, place = known.pop(node), saved.index(node)
        if source in known:
            del saved[place]
        else:
            saved[place] = source
            with backward.graph.inserting_before(argument):
                known[source] = argument_of_backward(backward.graph, source)
        with backward.graph.inserting_before(next(n for n in backward.graph.nodes if n in argument.users)):
            argument.replace_all_uses_with(_copied(backward.graph, node, known))
        backward.graph.erase_node(argument)
        changed = True
    if changed:
        output.args = (type(output.args[0])([*results, *saved]),)
        for graph_module in (forward, backward):
            graph_module.recompile()


def _is_read_by_kernels(argument: fx.Node) -> bool:
    """Whether something reads an argument of the backward, and only operators whose kernels convert what they read."""
    return bool(argument.users) and all(_converts(user) for user in argument.users)


def _converts(user: fx.Node) -> bool:
    if is_view_node(user):
        return _is_read_by_kernels(user)
    return user.target in _READERS or (isinstance(user.target, torch._ops.OpOverload) and torch.Tag.pointwise in user.target.tags)


def _copied(graph: fx.Graph, node: fx.Node, known: dict[fx.Node, fx.Node]) -> fx.Node:
    """The copy, or a view of it, in the backward."""
    return graph.node_copy(node, lambda n: known[n] if n in known else _copied(graph, n, known))


def _between(copy: fx.Node, node: fx.Node) -> Iterator[fx.Node]:
    """A node and what it is a view of, up to the value that all these show."""
    while node is not copy:
        yield node
        node = node.all_input_nodes[0]
    yield copy


def _source(node: object) -> fx.Node | None:
    """What a node copies to a wider type, or what the copy that it views does: a large tensor of a half type."""
    if not isinstance(node, fx.Node) or node.meta.get("saved_tensor_with_no_vc_check"):  # such tensors stand behind all others
        return None
    copy, value = viewed_value(node), node.meta.get("val")
    if any(len(n.all_input_nodes) != 1 for n in _between(copy, node)):  # symbolic sizes
        return None
    if copy.target not in _CASTS or not isinstance(value, torch.Tensor) or node_bytes(node) < LEAST_BYTES:
        return None
    source = copy.args[0]
    if not isinstance(source, fx.Node) or any(n.meta.get("recompute") in KEPT for n in (node, copy)):
        return None
    made, given = copy.meta.get("val"), source.meta.get("val")
    if not isinstance(made, torch.Tensor) or not isinstance(given, torch.Tensor) or made.numel() != value.numel():
        return None
    return source if given.dtype in _HALVES and made.dtype not in _HALVES and given.device == made.device else None
