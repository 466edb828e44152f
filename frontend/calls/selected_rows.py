"""Rewrites `x.select(dim, index.item())` in the bodies of loops as a gather.

The body of `while_loop`'s backward selects the values of one step so. At `item()` it would be cut into two graphs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from ...torch_internals.fake_tensors import fake_mode_or_no_grad
from ..joint.joint_nodes import is_view_node

aten = torch.ops.aten


def gather_selected_rows(graph: fx.Graph) -> None:
    """Rewrites, in place, each `select` at the number of a tensor with one integer, unless the graph returns the view."""
    for node in graph.find_nodes(op="call_function", target=aten.select.int):
        item = node.args[2]
        if not isinstance(item, fx.Node) or item.target is not aten._local_scalar_dense.default:
            continue
        if item.args[0].meta["val"].dtype is not torch.int64 or graph.output_node() in node.users:
            continue
        users = list(node.users)
        with graph.inserting_before(node):
            node.replace_all_uses_with(_gathered(graph, node, item.args[0]))
        graph.erase_node(node)
        _renew_views(users)
        if not item.users:
            graph.erase_node(item)


def _renew_views(nodes: list[fx.Node]) -> None:
    """Computes the fake values of views, and of views of these, again: their storage offsets were those of the `select`."""
    for node in filter(is_view_node, nodes):
        args, kwargs = fx.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
        with fake_mode_or_no_grad([node.meta["val"]]):
            node.meta["val"] = node.target(*args, **kwargs)
        _renew_views(list(node.users))


def _gathered(graph: fx.Graph, select: fx.Node, index: fx.Node) -> fx.Node:
    """The nodes of `index_select(x, dim, where(index < 0, index + size, index)).squeeze(dim)`; returns the last."""

    def call(target: Any, *args: Any) -> fx.Node:
        made = graph.call_function(target, args)
        values = fx.map_arg(args, lambda n: n.meta["val"])
        with fake_mode_or_no_grad([select.meta["val"]]):
            made.meta = {k: v for k, v in select.meta.items() if k != "unbacked_bindings"} | {"val": target(*values)}
        return made

    x, dim, _ = select.args
    size = x.meta["val"].shape[dim]
    if isinstance(size, torch.SymInt):
        length = call(aten.sym_size.int, x, dim % x.meta["val"].dim())
    shifted = call(aten.add.Tensor, index, length if isinstance(size, torch.SymInt) else size)
    position = call(aten.where.self, call(aten.lt.Scalar, index, 0), shifted, index)
    return call(aten.squeeze.dim, call(aten.index_select.default, x, dim, call(aten.view.default, position, [1])), dim)
