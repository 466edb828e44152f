"""Saves copies of results that the backward needs, unless it read them already when AOTAutograd traced it.

A caller may write to a result before the backward runs. Attention that is written out saves its weights and not its result; the fused
operator saves its result. Autograd's version check does not see such a write if AOTAutograd returns another tensor object for the result
(`_unsafe_view`, with which every `matmul` ends). So the forward saves a copy, which costs little beside the operator.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import torch
from torch import fx

from ...torch_internals.tensors import storage_id
from ...torch_internals.trees import tree_leaves
from .joint_nodes import is_backward, new_value


def results_read_by_backward(joint: fx.Graph, num_fwd_outputs: int) -> frozenset[int]:
    """The numbers of the forward's results that the traced backward reads, or whose views it reads. Autograd saves these in eager too."""
    backward: set[fx.Node] = set()
    for node in joint.nodes:
        is_tangent = node.op == "placeholder" and "tangents" in node.name
        if is_tangent or is_backward(node) or backward.intersection(node.all_input_nodes):
            backward.add(node)
    output = joint.output_node()
    read = {s for node in backward if node is not output for n in node.all_input_nodes if n not in backward for s in _storages(n)}
    return frozenset(number for number, result in enumerate(output.args[0][:num_fwd_outputs]) if read.intersection(_storages(result)))


def save_copies(forward: fx.GraphModule, num_fwd_outputs: int, allowed: frozenset[int]) -> None:
    """Replaces saved values that share memory with a result by copies, except for the results whose numbers are `allowed`."""
    output = forward.graph.output_node()
    outputs = output.args[0]
    shared = _shared(forward.graph, num_fwd_outputs, allowed)
    if not shared:
        return
    copies: dict[fx.Node, fx.Node] = {}
    with forward.graph.inserting_before(output):
        saved = [_copied(n, copies) if shared.intersection(_storages(n)) else n for n in outputs[num_fwd_outputs:]]
    output.args = (type(outputs)([*outputs[:num_fwd_outputs], *saved]),)
    forward.recompile()
    assert not _shared(forward.graph, num_fwd_outputs, allowed), "a result of the forward is saved for the backward"


def _shared(graph: fx.Graph, num_fwd_outputs: int, allowed: frozenset[int]) -> set[int]:
    """The storages that both a result and a saved value use; not those of inputs and `allowed` results."""
    outputs = graph.output_node().args[0]
    results = [n for number, n in enumerate(outputs[:num_fwd_outputs]) if number not in allowed]
    free = {s for n in [*graph.find_nodes(op="placeholder"), *(outputs[number] for number in allowed)] for s in _storages(n)}
    saved = {s for n in outputs[num_fwd_outputs:] for s in _storages(n)}
    return {s for n in results for s in _storages(n)} & saved - free


def _copied(node: fx.Node, copies: dict[fx.Node, fx.Node]) -> fx.Node:
    """A copy of a value; of a view the same view of a copy, so that strides stay."""
    if node in copies:
        return copies[node]
    bases = _bases(node)
    if bases:
        copy = node.graph.node_copy(node, lambda n: _copied(n, copies) if n in bases else n)
    else:
        copy = node.graph.call_function(torch.ops.aten.clone.default, (node,))
        copy.meta = dict(node.meta)
    copy.meta["val"] = new_value(copy)
    copies[node] = copy
    return copy


def _bases(node: fx.Node) -> list[fx.Node]:
    """The operands of which a value is a view. A result of a call with several results counts as the call."""
    own = set(_storages(node))
    found = [n for n in node.all_input_nodes if own.intersection(_storages(n))]
    return found if node.target is not operator.getitem or _bases(found[0]) else []


def _storages(node: Any) -> Iterator[int]:
    values = tree_leaves(node.meta.get("val")) if isinstance(node, fx.Node) else ()
    return (storage_id(v) for v in values if isinstance(v, torch.Tensor) and v.layout == torch.strided)
