"""Values that a forward saves although the backward can recompute them cheaply: a few pointwise operators on saved values.

Min-cut saves an operand of a matrix product in the backward, because recomputing it writes one more tensor. But if the backward reads the
value's own operands anyway, as GELU's gradient reads GELU's input, one kernel computes both, and the value need not be saved. In a
transformer's step such values are among the largest. On GPUs longer computations are repeated too, if only pointwise operators read the
value: their kernel then reads one saved tensor in place of another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import torch
from torch import fx

from ...torch_internals.operators import schema_of
from .joint_nodes import is_pointwise_node, is_view_node
from .partition_report import node_bytes
from .saved_values import ASKED_FOR, CASTS, LEAST_BYTES, SavedValues, leaves

MOST_OPERATORS = 4  # for one value
MOST_FUSED_OPERATORS = 24  # the same on GPUs, if only pointwise operators read the value
SMALL_SHARE = 16  # a tensor with at least this part of a value's elements (1/16) counts as read in the value's place

# Pointwise operators without that tag.
_UNTAGGED = CASTS | {torch.ops.aten.clone.default, torch.ops.aten.fill.Scalar, torch.ops.aten.full_like.default}
# Operators of the backward, and the operand of which they read sizes and strides only, if they are kernels.
_UNREAD = {torch.ops.aten.max_pool2d_with_indices_backward.default: 1, torch.ops.aten.max_pool3d_with_indices_backward.default: 1}


def save_less(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
    """Removes such values from what the forward saves, and computes them in the backward."""
    values, inputs = SavedValues(forward, backward, num_fwd_outputs), unwritten_inputs(forward.graph)
    # Operands of recomputed values stay saved. Values come in the order of the graph, so what one needs was decided before.
    order = {node: number for number, node in enumerate(forward.graph.nodes)}
    for node in sorted(values.arguments, key=order.__getitem__):
        if not _is_tensor(node) or values.is_held(node) or node_bytes(node) < LEAST_BYTES or not values.arguments[node].users:
            continue
        found = _computation(node, values.arguments)
        if found is None or not _is_short(found) or not _is_in_passing(node, found, values.arguments):
            found = _computation(node, {*values.arguments, *inputs})
            if found is None or not _is_fused(node, found, values.arguments[node]):
                continue
        values.compute(node, found)
    values.write()


def unwritten_inputs(graph: fx.Graph) -> set[fx.Node]:
    """The tensors that a graph is given and does not write."""
    written = {n.args[0] for n in graph.nodes if isinstance(n.target, torch._ops.OpOverload) and schema_of(n.target).is_mutable and n.args}
    return {n for n in graph.find_nodes(op="placeholder") if _is_tensor(n) and n not in written}


def _computation(node: fx.Node, known: Collection[fx.Node]) -> list[fx.Node] | None:
    """The operators, in order, that compute a value from `known` ones; None if they are too many, or of other kinds."""
    found: dict[fx.Node, None] = {}
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current in found or (current in known and current is not node):
            continue
        if not _may_repeat(current) or len(found) > 2 * MOST_FUSED_OPERATORS:
            return None
        found[current] = None
        waiting += current.all_input_nodes
    return [n for n in node.graph.nodes if n in found]


def _is_short(computation: list[fx.Node]) -> bool:
    return sum(not is_view_node(n) for n in computation) <= MOST_OPERATORS


def _may_repeat(node: fx.Node) -> bool:
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload) or node.meta.get("recompute") in ASKED_FOR:
        return False
    tags = node.target.tags
    if torch.Tag.nondeterministic_seeded in tags or schema_of(node.target).is_mutable:
        return False
    if node.target is torch.ops.aten.empty_like.default:
        return all(user.target is torch.ops.aten.fill.Scalar for user in node.users)
    return is_pointwise_node(node) or node.target in _UNTAGGED or is_view_node(node)


def _is_in_passing(node: fx.Node, computation: list[fx.Node], known: dict[fx.Node, fx.Node]) -> bool:
    """Whether a pointwise operator of the backward reads an operand of the value's size."""
    size = node.meta["val"].numel()
    arguments = [known[n] for n in leaves(computation) if _is_tensor(n) and n.meta["val"].numel() == size]
    return any(is_pointwise_node(user) for argument in arguments for user, _ in _reads(argument))


def _is_fused(node: fx.Node, computation: list[fx.Node], argument: fx.Node) -> bool:
    """Whether a value on a GPU is read by pointwise operators only, and computed from one tensor of its size, which is not larger, and
    from much smaller ones: then the kernels that read it read this tensor instead. `argument`: the backward's, for the value."""
    value = node.meta["val"]
    if not _is_on_gpu(value) or sum(not is_view_node(n) for n in computation) > MOST_FUSED_OPERATORS:
        return False
    if node.meta.get("saved_tensor_with_no_vc_check") or value.numel() == 0:
        return False
    if not all(is_pointwise_node(user) or _reads_sizes_only(user, read) for user, read in _reads(argument)):
        return False
    large = [n for n in leaves(computation) if _is_tensor(n) and n.meta["val"].numel() * SMALL_SHARE >= value.numel()]
    return len(large) == 1 and large[0].op != "placeholder" and node_bytes(large[0]) <= node_bytes(node)


def _is_on_gpu(value: torch.Tensor) -> bool:
    return bool(value.device.type == "cuda")


def _reads(node: fx.Node) -> Iterator[tuple[fx.Node, fx.Node]]:
    """The users of a value and of its views, each with what it uses."""
    for user in node.users:
        yield from _reads(user) if is_view_node(user) else ((user, node),)


def _reads_sizes_only(user: fx.Node, read: fx.Node) -> bool:
    return user.target in _UNREAD and [n for n, value in enumerate(user.args) if value is read] == [_UNREAD[user.target]]


def _is_tensor(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)
