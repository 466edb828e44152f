"""Inlines calls of subgraphs (`torch.compiler.nested_compile_region`)."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

from ...errors import UnsupportedGraph
from ...torch_internals.fake_tensors import detect_fake_mode

# The caller's fields that its new nodes get.
_OF_CALLER = ("partitioner_tag", "recompute", "ac_graph_id")


def inline_subgraphs(graph_module: fx.GraphModule) -> None:
    """Inlines the calls of a graph, in place, and nested calls."""
    calls = _calls(graph_module)
    if not calls:
        return
    while calls:
        for node in calls:
            _inline(graph_module, node)
        calls = _calls(graph_module)
    graph_module.recompile()
    _propagate(graph_module)


def _calls(graph_module: fx.GraphModule) -> list[fx.Node]:
    return list(graph_module.graph.find_nodes(op="call_function", target=torch.ops.higher_order.invoke_subgraph))


def _propagate(graph_module: fx.GraphModule) -> None:
    """Computes all fake values again: those of a subgraph share no memory with the caller's."""
    values = [node.meta.get("val") for node in graph_module.graph.find_nodes(op="placeholder")]
    FakeTensorProp(graph_module, detect_fake_mode(values)).propagate_dont_convert_inputs(*values)


def _inline(graph_module: fx.GraphModule, node: fx.Node) -> None:
    named, _, *operands = node.args
    body = getattr(graph_module, named.target)
    if any(user.target is not operator.getitem for user in node.users):
        raise UnsupportedGraph("the results of a subgraph are used as a tuple")
    values: dict[fx.Node, Any] = dict(zip(body.graph.find_nodes(op="placeholder"), operands, strict=True))
    with graph_module.graph.inserting_before(node):
        for inner in body.graph.nodes:
            if inner.op == "get_attr":
                values[inner] = _attribute(graph_module, body, inner)
            elif inner.op not in ("placeholder", "output"):
                values[inner] = made = graph_module.graph.node_copy(inner, values.__getitem__)
                made.meta |= {name: node.meta[name] for name in _OF_CALLER if name in node.meta}
    results = fx.map_arg(body.graph.output_node().args[0], values.__getitem__)
    for user in list(node.users):
        user.replace_all_uses_with(results[user.args[1]])
        graph_module.graph.erase_node(user)
    graph_module.graph.erase_node(node)
    if not named.users:
        graph_module.graph.erase_node(named)


def _attribute(graph_module: fx.GraphModule, body: fx.GraphModule, inner: fx.Node) -> fx.Node:
    """The body's constant or subgraph as one of the caller's."""
    value = getattr(body, inner.target)
    name = next(n for n in (f"{inner.target}_{i}" for i in range(10**6)) if not hasattr(graph_module, n))
    setattr(graph_module, name, value)
    made = graph_module.graph.get_attr(name)
    made.meta = dict(inner.meta)
    return made
