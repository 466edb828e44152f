"""Values that a forward saves although the backward can recompute them cheaply: a few pointwise operators on saved values.

Min-cut saves an operand of a matrix product in the backward, because recomputing it writes one more tensor. But if the backward reads the
value's own operands anyway, as GELU's gradient reads GELU's input, one kernel computes both, and the value need not be saved. In a
transformer's step such values are among the largest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import torch
from torch import fx
from torch.utils.checkpoint import CheckpointPolicy

from ...torch_internals.operators import schema_of
from .joint_nodes import is_view_node, viewed_value
from .partition_report import node_bytes

# Smaller tensors are saved: a launch may cost more.
LEAST_BYTES = 1 << 16
MOST_OPERATORS = 4  # for one value

_CASTS = {torch.ops.aten._to_copy.default, torch.ops.prims.convert_element_type.default}
_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


def save_less(forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
    """Removes such values from what the forward saves, and computes them in the backward."""
    output = forward.graph.output_node()
    results, saved = list(output.args[0][:num_fwd_outputs]), list(output.args[0][num_fwd_outputs:])
    held = {viewed_value(n) for n in results if isinstance(n, fx.Node)}
    placeholders = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    known = {n: placeholders[n.name] for n in saved if isinstance(n, fx.Node) and n.name in placeholders}
    # Operands of recomputed values stay saved. Values come in the order of the graph, so what one needs was decided before.
    order = {node: number for number, node in enumerate(forward.graph.nodes)}
    dropped: set[fx.Node] = set()
    for node in sorted(known, key=order.__getitem__):
        placeholder = known[node]
        if not _is_tensor(node) or viewed_value(node) in held or node_bytes(node) < LEAST_BYTES or not placeholder.users:
            continue
        found = _computation(node, known)
        if found is None or not _is_in_passing(node, found, known):
            continue
        del known[node]
        _compute(backward.graph, placeholder, found, known)
        dropped.add(node)
    if not dropped:
        return
    output.args = (type(output.args[0])([*results, *(n for n in saved if n not in dropped)]),)
    for graph_module in (forward, backward):
        graph_module.recompile()


def _computation(node: fx.Node, known: Collection[fx.Node]) -> list[fx.Node] | None:
    """The operators, in order, that compute a value from saved ones; None if they are too many, or of other kinds."""
    found: dict[fx.Node, None] = {}
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current in found or (current in known and current is not node):
            continue
        if not _may_repeat(current):
            return None
        found[current] = None
        waiting += current.all_input_nodes
    if sum(not is_view_node(n) for n in found) > MOST_OPERATORS:
        return None
    return [n for n in node.graph.nodes if n in found]


def _may_repeat(node: fx.Node) -> bool:
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload) or node.meta.get("recompute") in _KEPT:
        return False
    tags = node.target.tags
    if torch.Tag.nondeterministic_seeded in tags or schema_of(node.target).is_mutable:
        return False
    return torch.Tag.pointwise in tags or node.target in _CASTS or is_view_node(node)


def _is_in_passing(node: fx.Node, computation: list[fx.Node], known: dict[fx.Node, fx.Node]) -> bool:
    """Whether a pointwise operator of the backward reads an operand of the value's size."""
    size = node.meta["val"].numel()
    leaves = {known[n] for c in computation for n in c.all_input_nodes if n in known and n is not node}
    return any(leaf.meta["val"].numel() == size and any(map(_is_pointwise, _readers(leaf))) for leaf in leaves if _is_tensor(leaf))


def _is_tensor(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _is_pointwise(node: fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and torch.Tag.pointwise in node.target.tags


def _readers(node: fx.Node) -> Iterator[fx.Node]:
    """The users of a value and of its views."""
    for user in node.users:
        yield from _readers(user) if is_view_node(user) else (user,)


def _compute(graph: fx.Graph, placeholder: fx.Node, computation: list[fx.Node], known: dict[fx.Node, fx.Node]) -> None:
    """Replaces an argument of the backward by its computation, inserted before its first use."""
    copies = dict(known)
    first = next(n for n in graph.nodes if n in placeholder.users)
    with graph.inserting_before(first):
        for node in computation:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    placeholder.replace_all_uses_with(copies[computation[-1]])
    graph.erase_node(placeholder)
