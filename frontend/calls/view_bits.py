"""Rewrites graphs with conjugate and negative views as graphs of plain tensors.

PyTorch conjugates and negates lazily: `x.conj()` is a view of `x` with the conjugate bit, the imaginary part of that one with the negative
bit. Here the plain tensor with the same memory stands for a value with bits. A view of it is a view of the plain tensor; any other operator
takes its values, from `conj_physical` or `neg`. A call of the graph takes its inputs without their bits, and sets the bits of its results.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_aggregate

from ...errors import UnsupportedGraph
from ...runner import Runner
from ...torch_internals.aot import mark_boxed
from ...torch_internals.fake_tensors import fake_mode_or_no_grad
from ...torch_internals.fx_graphs import make_graph_module
from ...torch_internals.tensors import plain_tensor
from ...torch_internals.trees import tree_leaves
from ..importing.locations import reasons_at
from ..joint.joint_nodes import is_view_node
from .subgraph_calls import inline_subgraphs

aten = torch.ops.aten

# A value's bits, as the operators that toggle them.
Bits = tuple[torch._ops.OpOverload, ...]
_PHYSICAL: dict[Any, torch._ops.OpOverload] = {aten._conj.default: aten.conj_physical.default, aten._neg_view.default: aten.neg.default}
_SIZES = (aten.sym_size.int, aten.sym_stride.int, aten.sym_numel.default, aten.sym_storage_offset.default)
_COPIES = (None, torch.preserve_format)  # memory formats of a `clone` with the strides of `conj_physical`


def bits_of(value: Any) -> Bits:
    """The bits of a tensor; none of any other value."""
    if not isinstance(value, torch.Tensor):
        return ()
    return tuple(toggle for toggle, bit in zip(_PHYSICAL, (value.is_conj(), value.is_neg()), strict=True) if bit)


def toggled(value: Any, bits: Bits) -> Any:
    """A view of a tensor, with these bits toggled."""
    with torch.no_grad(), fake_mode_or_no_grad([value]):
        for toggle in bits:
            value = toggle(value)
    return value


@dataclass
class PlainGraph:
    """`graph_module`: the graph of plain tensors. `inputs`: the traced values of the graph's inputs that have bits, by position; `outputs`:
    the nodes of the original graph for its outputs that have bits."""

    graph_module: fx.GraphModule
    inputs: dict[int, torch.Tensor]
    outputs: dict[int, fx.Node]

    def runner(self, run: Runner) -> Runner:
        """The runner of the original graph. `run`: that of the plain graph."""
        taken = [(n, bits_of(value)) for n, value in self.inputs.items()]
        given = [(n, bits_of(node.meta["val"])) for n, node in self.outputs.items()]
        if not taken and not given:
            return run

        def call(inputs: list[Any]) -> Sequence[Any]:
            for n, bits in taken:
                inputs[n] = _without(inputs[n], bits)
            results = list(run(inputs))
            for n, bits in given:
                for toggle in bits:
                    results[n] = toggle(results[n])
            return results

        return mark_boxed(call)

    def set_bits(self, graph: fx.Graph) -> None:
        """Gives the inputs and outputs of a graph with those of the plain one their bits again, by nodes that toggle them."""
        placeholders = graph.find_nodes(op="placeholder")
        for n, value in self.inputs.items():
            _set_input_bits(graph, placeholders[n], value)
        end = graph.output_node()
        (outputs,) = end.args
        results = list(outputs)
        with graph.inserting_before(end):
            for n, source in self.outputs.items():
                results[n] = _toggling(graph, results[n], bits_of(source.meta["val"]), source.meta)
        end.args = (type(outputs)(results),)


def _without(tensor: torch.Tensor, bits: Bits) -> torch.Tensor:
    """An input without bits: a view with `bits` toggled. If the tensor has other bits than the traced one, a plain copy."""
    for toggle in bits:
        tensor = toggle(tensor)
    return plain_tensor(tensor) if tensor.is_conj() or tensor.is_neg() else tensor


def _toggling(graph: fx.Graph, node: fx.Node, bits: Bits, meta: dict[str, Any]) -> fx.Node:
    """Adds nodes that toggle these bits of a node's value; returns the last."""
    for toggle in bits:
        made = graph.call_function(toggle, (node,))
        made.meta = {**meta, "val": toggled(node.meta["val"], (toggle,))}
        node = made
    return node


def _set_input_bits(graph: fx.Graph, placeholder: fx.Node, value: torch.Tensor) -> None:
    """Makes a placeholder the input as it was traced, with bits: readers get a view without them, and a value written to it gets them."""
    bits, users = bits_of(value), list(placeholder.users)
    placeholder.meta["val"] = value
    with graph.inserting_before(next(n for n in graph.nodes if n.op != "placeholder")):
        plain = _toggling(graph, placeholder, bits, placeholder.meta)
    for user in users:
        if user.target is not aten.copy_.default or user.args[0] is not placeholder:
            user.replace_input_with(placeholder, plain)
            continue
        with graph.inserting_before(user):
            source = _toggling(graph, user.args[1], bits, user.meta)
        user.args = (placeholder, source, *user.args[2:])
        user.meta["val"] = value


def plain_graph(graph_module: fx.GraphModule) -> PlainGraph | None:
    """The graph of plain tensors; None if no value has bits and no call sets them. Inlines subgraphs in the given graph. Raises
    UnsupportedGraph for a call whose result has bits although its operands have none."""
    inline_subgraphs(graph_module)
    if not any(_has_bits(n) or n.target in _PHYSICAL for n in graph_module.graph.nodes):  # values of numbers may lack their bits
        return None
    return _Rewriting(graph_module).run()


def _has_bits(node: fx.Node) -> bool:
    value = node.meta.get("val")
    leaves = tree_leaves(value) if isinstance(value, (list, tuple)) else (value,)
    return any(map(bits_of, leaves))


class _Rewriting:
    """`plain`: for each node the node of the plain graph with the same memory. `values`: for a plain node and bits, the node of its value
    with these bits toggled."""

    def __init__(self, graph_module: fx.GraphModule) -> None:
        self.graph_module, self.graph = graph_module, fx.Graph()
        self.plain: dict[fx.Node, fx.Node] = {}
        self.values: dict[tuple[fx.Node, Bits], fx.Node] = {}

    def run(self) -> PlainGraph:
        source = self.graph_module.graph
        for node in source.nodes:
            with reasons_at(node):
                self.plain[node] = self._node(node)
        inputs = {n: node.meta["val"] for n, node in enumerate(source.find_nodes(op="placeholder")) if _has_bits(node)}
        (outputs,) = source.output_node().args
        returned = {n: node for n, node in enumerate(outputs) if isinstance(node, fx.Node) and _has_bits(node)}
        return PlainGraph(make_graph_module(self.graph_module, self.graph), inputs, returned)

    def _node(self, node: fx.Node) -> fx.Node:
        if node.target in _PHYSICAL:
            viewed = node.args[0]
            return self.plain[viewed] if isinstance(viewed, fx.Node) else self._number(viewed, node)
        if node.op != "call_function" or _keeps_bits(node):
            return self._copied(node)
        if _has_bits(node) and node.target is not aten.copy_.default:
            raise UnsupportedGraph(f"{node.target} makes a conjugate or negative view")
        read = [n for n in node.all_input_nodes if _has_bits(n)]
        if not read:
            return self._copied(node)
        if node.target is aten.copy_.default:
            return self._write(node)
        if node.target is aten.clone.default and node.kwargs.get("memory_format") in _COPIES:
            value = node.args[0].meta["val"]  # not `_value`: each clone has memory of its own
            return self._physical(self.plain[node.args[0]], bits_of(value), node.meta, node.name)
        return self.graph.node_copy(node, lambda n: self._value(n, node.meta))

    def _number(self, number: complex, node: fx.Node) -> fx.Node:
        """A conjugate number as a tensor: the gradient of `x * 2j` has one. The traced value may lack the bit."""
        value = node.meta["val"]
        if node.target not in bits_of(value):
            number = number.conjugate() if node.target is aten._conj.default else -number
        made = self.graph.call_function(aten.scalar_tensor.default, (number,), {"dtype": value.dtype, "device": value.device})
        made.meta = {**node.meta, "val": toggled(value, bits_of(value))}
        return made

    def _copied(self, node: fx.Node) -> fx.Node:
        """The copy of a node that reads and gives the same memory, without bits."""
        made = self.graph.node_copy(node, self.plain.__getitem__)
        if _has_bits(node):
            made.meta["val"] = map_aggregate(node.meta["val"], lambda v: toggled(v, bits_of(v)))
        return made

    def _write(self, node: fx.Node) -> fx.Node:
        """`copy_` onto an input: what it writes to the memory has the input's bits toggled."""
        target, source, *rest = node.args
        if node.users:
            raise UnsupportedGraph("a result of copy_ onto a conjugate or negative view is read")
        bits = bits_of(target.meta["val"])
        if bits_of(source.meta["val"]) == bits and source.meta["val"].dtype == target.meta["val"].dtype:
            written = self.plain[source]
        else:
            written = self._physical(self._value(source, node.meta), bits, node.meta)
        made = self.graph.call_function(node.target, (self.plain[target], written, *rest), node.kwargs)
        made.meta = {**node.meta, "val": self.plain[target].meta["val"]}
        return made

    def _value(self, node: fx.Node, meta: dict[str, Any]) -> fx.Node:
        """The value of a node as a plain tensor. `meta`: that of a node that reads it."""
        if not _has_bits(node):
            return self.plain[node]
        value = node.meta["val"]
        if not isinstance(value, torch.Tensor):
            raise UnsupportedGraph("a list of conjugate or negative views is read")
        key = self.plain[node], bits_of(value)
        if key not in self.values:
            self.values[key] = self._physical(*key, meta)
        return self.values[key]

    def _physical(self, node: fx.Node, bits: Bits, meta: dict[str, Any], name: str = "") -> fx.Node:
        """The value of a plain tensor with bits toggled."""
        for toggle in bits if node.meta["val"].is_complex() else bits[-1:]:
            made = self.graph.create_node("call_function", _PHYSICAL[toggle], (node,), name=name or None)
            with torch.no_grad(), fake_mode_or_no_grad([node.meta["val"]]):
                made.meta = {**meta, "val": made.target(node.meta["val"])}
            node = made
        return node


def _keeps_bits(node: fx.Node) -> bool:
    """Whether a node does not read the values of its operand: it is a view with the operand's bits, an element of a list, or a size."""
    if node.target is operator.getitem or node.target in _SIZES:
        return True
    if not (is_view_node(node) and isinstance(node.args[0], fx.Node)):
        return False
    bits = bits_of(node.args[0].meta.get("val"))
    return all(bits_of(leaf) == bits for leaf in tree_leaves(node.meta["val"]))
