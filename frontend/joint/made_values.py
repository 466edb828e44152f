"""A joint graph whose calls make sizes from data, as a graph that takes what they make as inputs.

The dialect has no operation that defines a symbol, so the passes see a graph without these calls: their results are inputs, and their
operands are outputs. Afterwards each call stands before the first reader of its results again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from ...errors import UnsupportedGraph
from ...torch_internals.fx_graphs import make_graph_module
from ...torch_internals.operators import schema_of
from ...torch_internals.tensors import storage_id
from ..cut_graphs import makers_of_sizes, results_of
from ..importing.locations import reasons_at
from .joint_nodes import is_tangent, is_view_node

_ASSERT = torch.ops.aten._assert_scalar.default


@dataclass
class MadeValues:
    """`graph_module`: the graph without the calls. `results`: the call that each of its last inputs is a result of, by the input's name,
    and the node of the result; `operands`: what the calls read, as the graph's last outputs."""

    graph_module: fx.GraphModule
    results: dict[str, tuple[fx.Node, fx.Node]]
    operands: list[fx.Node]

    def put_back(self, changed: fx.GraphModule) -> fx.GraphModule:
        """Makes the calls again, in new nodes. `changed`: the graph after passes, with the inputs and outputs of `graph_module`. Raises
        UnsupportedGraph if calls that draw or have effects would change places."""
        (outputs,) = changed.graph.output_node().args
        kept = len(outputs) - len(self.operands)
        return _Stitching(self, changed, dict(zip(self.operands, outputs[kept:], strict=True)), outputs[:kept]).run()


def without_makers(joint_module: fx.GraphModule) -> MadeValues | None:
    """The graph without its calls that make sizes from data; None if it has none."""
    makers = list(makers_of_sizes(joint_module.graph))
    if not makers:
        return None
    _check(joint_module.graph, makers)
    results = {result: maker for maker in makers for result in _results(maker)}
    own, graph = {*makers, *results}, fx.Graph()
    made: dict[fx.Node, fx.Node] = {}
    given = joint_module.graph.find_nodes(op="placeholder")
    first, last = [n for n in given if not is_tangent(n)], [n for n in given if is_tangent(n)]
    for node in [*first, *results, *last]:  # a size is read from the first input that has it: by the forward from no gradient
        made[node] = graph.placeholder(node.target if node.op == "placeholder" else node.name)
        made[node].meta = dict(node.meta)
    for node in joint_module.graph.nodes:
        if node.op not in ("placeholder", "output") and node not in own:
            made[node] = graph.node_copy(node, made.__getitem__)
    operands = [n for n in dict.fromkeys(n for maker in makers for n in maker.all_input_nodes) if n not in results]
    end = joint_module.graph.output_node()
    graph.output(fx.map_arg([*end.args[0], *operands], made.__getitem__)).meta = dict(end.meta)
    names = {made[result].name: (maker, result) for result, maker in results.items()}
    return MadeValues(make_graph_module(joint_module, graph), names, operands)


def _results(maker: fx.Node) -> Iterator[fx.Node]:
    with reasons_at(maker):
        yield from results_of(maker)


def _check(graph: fx.Graph, makers: list[fx.Node]) -> None:
    """Refuses views of what the graph writes: the passes would not know that these share its memory."""
    written = {storage_id(n.args[0].meta["val"]) for n in graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)}
    for maker in makers:
        viewed = maker.all_input_nodes[0].meta.get("val") if is_view_node(maker) else None
        if isinstance(viewed, torch.Tensor) and storage_id(viewed) in written:
            with reasons_at(maker):
                raise UnsupportedGraph(f"a view at a place from data of what is written ({maker.target})")


@dataclass
class _Stitching:
    """`operands`: the values of the changed graph that the calls read; `outputs`: its outputs without these. `taken`: its inputs that are
    results of calls, each with the call and the result."""

    values: MadeValues
    changed: fx.GraphModule
    operands: dict[fx.Node, Any]
    outputs: Any
    graph: fx.Graph = field(default_factory=fx.Graph)
    made: dict[fx.Node, fx.Node] = field(default_factory=dict)
    taken: dict[fx.Node, tuple[fx.Node, fx.Node]] = field(default_factory=dict)

    def run(self) -> fx.GraphModule:
        results, checks = self.values.results, _checks(self.changed.graph)
        self.taken = {n: results[n.name] for n in self.changed.graph.find_nodes(op="placeholder") if n.name in results}
        self.operands |= {result: node for node, (_, result) in self.taken.items()}
        apart = {*checks, *self.taken}
        rest = [n for n in self.changed.graph.nodes if n.op != "output" and n not in apart]
        for node in [*rest, *self.taken, None]:
            if node:
                self._place(node)
            while checks and (node is None or all(n in self.made for n in checks[0].all_input_nodes)):
                self._place(checks.popleft())
        end = self.changed.graph.output_node()
        self.graph.output(fx.map_arg(type(end.args[0])(self.outputs), self.made.__getitem__)).meta = dict(end.meta)
        if _ordered(self.graph) != _ordered(self.changed.graph):
            raise UnsupportedGraph("draws or effects between calls that make sizes from data")
        return make_graph_module(self.changed, self.graph)

    def _place(self, node: fx.Node) -> None:
        """Places a node of the changed graph, after all that it needs: a stack instead of recursion, for long graphs."""
        todo, open_ = [node], set[fx.Node]()
        while todo:
            node = todo[-1]
            missing = [n for n in self._needed(node) if n not in self.made]
            if node in self.made or not missing:
                todo.pop()
                if node not in self.made:
                    self._make(node)
            elif node in open_:
                raise UnsupportedGraph("a call that makes a size from data needs its own result")
            else:
                open_.add(node)
                todo += missing

    def _needed(self, node: fx.Node) -> list[fx.Node]:
        """What must be placed before a node of the changed graph: for a result, the operands of its call."""
        read = [self.operands[n] for n in self.taken[node][0].all_input_nodes] if node in self.taken else node.all_input_nodes
        return [n for n in read if isinstance(n, fx.Node)]

    def _make(self, node: fx.Node) -> None:
        if node not in self.taken:
            self.made[node] = self.graph.node_copy(node, self.made.__getitem__)
            return
        maker, result = self.taken[node]
        if maker not in self.made:
            self.made[maker] = self.graph.node_copy(maker, self._made_operand)
        self.made[node] = self.made[maker] if result is maker else self.graph.node_copy(result, self.made.__getitem__)

    def _made_operand(self, node: fx.Node) -> Any:
        value = self.operands[node]
        return self.made[value] if isinstance(value, fx.Node) else value


def _checks(graph: fx.Graph) -> deque[fx.Node]:
    """The assertions on sizes, and the numbers that only these read, in order: each is placed as soon as what it reads is."""
    found: set[fx.Node] = set()
    for node in reversed(graph.nodes):
        is_number = isinstance(node.meta.get("val"), (torch.SymInt, torch.SymBool)) and node.op == "call_function"
        if node.target is _ASSERT or is_number and node.users and all(user in found for user in node.users):
            found.add(node)
    return deque(n for n in graph.nodes if n in found)


def _ordered(graph: fx.Graph) -> list[str]:
    """The names of the calls that draw random numbers or have effects, in order; without assertions on sizes."""
    return [n.name for n in graph.nodes if isinstance(n.target, torch._ops.OpOverload) and _is_ordered(n.target)]


def _is_ordered(target: torch._ops.OpOverload) -> bool:
    return torch.Tag.nondeterministic_seeded in target.tags or not (schema_of(target).returns or target is _ASSERT)
