"""Graphs with sizes that depend on data, cut at the node that makes such a size.

`first` computes what comes before the node, the node itself runs as PyTorch's graph has it, and `rest` takes its results: there the size
is that of an input. `rest` may be cut again.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..bridge.symbols import is_unbacked
from ..dialects.aten_names import is_pytorchs
from ..errors import UnsupportedGraph
from ..runner import Runner
from ..torch_internals.aot import mark_boxed
from ..torch_internals.fx_graphs import make_graph_module
from ..torch_internals.operators import schema_of
from ..torch_internals.tensors import storage_id
from ..torch_internals.trees import tree_leaves
from .calling.made_sizes import result_check
from .calling.size_guards import is_condition_node, unbacked_inputs
from .importing.untrue_metadata import makes_quantized
from .joint.joint_nodes import is_view_node

# In `meta`: the symbols that a node makes. In its value PyTorch may have replaced them by other sizes that it asserts to be equal.
_MADE = "unbacked_bindings"
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


def makers_of_sizes(graph: fx.Graph) -> Iterator[fx.Node]:
    """The calls that make a size or number from data. In a backward one may make again a size which the forward has made."""
    known = set(unbacked_inputs(graph))
    return (n for n in graph.nodes if n.op == "call_function" and (n.meta.get(_MADE) or _new_sizes(n, known)))


def maker_of_size(graph: fx.Graph) -> fx.Node | None:
    """The first of these calls; None if there is none."""
    return next(makers_of_sizes(graph), None)


def makers_together(graph_module: fx.GraphModule) -> fx.GraphModule:
    """The graph with the calls that make sizes from data, and read no such size, one directly after the other, after all that they read:
    then what follows, as the experts of a layer, is one part. The graph itself if there are less than two, or if an effect or a custom
    operator is between."""
    nodes = list(graph_module.graph.nodes)
    later: set[fx.Node] = set()  # makers, and what depends on them
    together: list[fx.Node] = []
    for node in nodes:
        is_maker = node.op == "call_function" and bool(node.meta.get(_MADE))
        depends = not later.isdisjoint(node.all_input_nodes)
        if is_maker and not depends:
            together.append(node)
        if is_maker or depends:
            later.add(node)
    if len(together) < 2:
        return graph_module
    needed = _read_by(together)
    passed_over = [n for n in nodes[: nodes.index(together[-1])] if n.op == "call_function" and n not in needed and n not in together]
    if any((_has_effect(n) and not is_condition_node(n)) or _is_users(n) for n in passed_over):
        return graph_module
    rest = [n for n in nodes if n not in needed and n not in together]
    inputs = [n for n in nodes if n.op in ("placeholder", "get_attr")]
    graph, made = fx.Graph(), dict[fx.Node, fx.Node]()
    for node in dict.fromkeys([*inputs, *(n for n in nodes if n in needed), *together, *rest]):
        made[node] = graph.node_copy(node, made.__getitem__)
    return make_graph_module(graph_module, graph)


def _read_by(nodes: Iterable[fx.Node]) -> set[fx.Node]:
    """The nodes that these depend on."""
    found: set[fx.Node] = set()
    todo = list(nodes)
    while todo:
        new = [n for n in todo.pop().all_input_nodes if n not in found]
        found.update(new)
        todo += new
    return found


def _new_sizes(node: fx.Node, known: set[str]) -> set[str]:
    """The unbacked symbols among the sizes of a result that neither an operand nor an input of the graph has."""
    made = {s.name for size in _sizes([node]) for s in size.node.expr.free_symbols if is_unbacked(s)} - known
    return made - _symbols(node.all_input_nodes) if made else made


def _symbols(nodes: Iterable[fx.Node]) -> set[str]:
    """The symbols in the numbers and sizes among the nodes' values."""
    return {s.name for size in _sizes(nodes) for s in size.node.expr.free_symbols}


def _sizes(nodes: Iterable[fx.Node]) -> list[Any]:
    """The symbolic numbers and sizes among the nodes' values."""
    values = [v for n in nodes for v in tree_leaves(n.meta.get("val")) if isinstance(v, (torch.Tensor, *_SYMBOLIC))]
    return [s for v in values for s in (v.shape if isinstance(v, torch.Tensor) else (v,)) if isinstance(s, _SYMBOLIC)]


@dataclass
class GraphPart:
    """A part of a graph, and the positions of its inputs among all values of a run: the graph's inputs, the results of `first`, those of
    the node."""

    graph_module: fx.GraphModule
    inputs: list[int]

    def taken(self, values: Sequence[Any]) -> list[Any]:
        """The part's inputs."""
        return [values[n] for n in self.inputs]

    def static(self, positions: Iterable[int]) -> list[int]:
        """Which of the part's inputs are the graph's inputs at these positions."""
        fixed = {*positions}
        return [n for n, position in enumerate(self.inputs) if position in fixed]


@dataclass
class CutGraph:
    """The parts; `first` is None if nothing comes before the node. `copies`: the rest gets copies of the views that the node makes."""

    node: fx.Node
    first: GraphPart | None
    maker: GraphPart
    rest: GraphPart
    copies: bool = False

    def runner(self, first: Runner | None, rest: Runner) -> Runner:
        """The callable of the graph, from those of its parts."""
        check, maker, copies = result_check(self.node), self.maker.graph_module.forward, self.copies

        def run(inputs: list[Any]) -> Sequence[Any]:
            values = list(inputs)
            inputs.clear()
            if first is not None:
                assert self.first is not None
                values += first(self.first.taken(values))
            made = check(maker(*self.maker.taken(values)))
            values += map(_copied, made) if copies else made
            given = self.rest.taken(values)
            values.clear()
            return rest(given)

        return mark_boxed(run)


def cut_at_maker(graph_module: fx.GraphModule) -> CutGraph | None:
    """Cuts a graph at the first call that makes a size from data; None if there is none. Raises UnsupportedGraph if a value that the parts
    need can't be passed."""
    if maker_of_size(graph_module.graph) is None:
        return None
    for ordered in dict.fromkeys([makers_together(graph_module), graph_module]):
        maker = maker_of_size(ordered.graph)
        assert maker is not None
        try:
            return cut(ordered, maker)
        except UnsupportedGraph:
            if ordered is graph_module:
                raise
    return None


def cut(graph_module: fx.GraphModule, node: fx.Node) -> CutGraph:
    """Cuts a graph at the node. Raises UnsupportedGraph if a value that the parts need can't be passed."""
    return _Cut(graph_module, node).run()


def cut_around(graph_module: fx.GraphModule, name: str) -> CutGraph | None:
    """Cuts a graph at the call of this name, which can't be compiled; None if there is none, or if the parts would not be correct."""
    node = next((n for n in graph_module.graph.nodes if n.op == "call_function" and n.name == name), None)
    if node is None or node.target is operator.getitem or is_condition_node(node) or _is_repeated(node) or makes_quantized(node):
        return None
    try:
        return cut(graph_module, node)
    except UnsupportedGraph:
        return None


def cut_at_view(graph_module: fx.GraphModule) -> CutGraph | None:
    """Cuts a graph at the first view whose place depends on numbers from data, so that PyTorch checks that it is within its tensor. None if
    there is none, or if the parts would not be correct."""
    views = (n for n in graph_module.graph.nodes if n.op == "call_function" and is_view_node(n))
    node = next((n for n in views if _places([n]) - _places(n.all_input_nodes)), None)
    try:
        return cut(graph_module, node) if node else None
    except UnsupportedGraph:
        return None


def _places(nodes: Iterable[fx.Node]) -> set[str]:
    """The unbacked symbols in the sizes and storage offsets of the nodes' tensors."""
    values = [v for n in nodes for v in tree_leaves(n.meta.get("val")) if isinstance(v, torch.Tensor)]
    numbers = [s for v in values for s in (*v.shape, v.storage_offset()) if isinstance(s, torch.SymInt)]
    return {s.name for number in numbers for s in number.node.expr.free_symbols if is_unbacked(s)}


def results_of(node: fx.Node) -> dict[fx.Node, int]:
    """The nodes of the results of a call, with their positions among these. Raises UnsupportedGraph for lists in lists."""
    value = node.meta.get("val")
    if not node.users:
        return {}
    if not isinstance(value, (list, tuple)):
        return {node: 0}
    if any(user.target is not operator.getitem for user in node.users) or any(isinstance(v, (list, tuple)) for v in value):
        raise UnsupportedGraph(f"nested results of {node.target}, whose sizes depend on data")
    return {user: user.args[1] for user in node.users}


class _Cut:
    def __init__(self, graph_module: fx.GraphModule, node: fx.Node) -> None:
        self.graph_module, self.node = graph_module, node
        calls = [n for n in graph_module.graph.nodes if n.op == "call_function"]
        at = calls.index(node)
        self.before = calls[:at]
        early = {*self.before}
        for item in calls[at + 1 :]:  # an element of a list belongs to its list
            if item.target is operator.getitem and item.args[0] in early:
                self.before.append(item)
                early.add(item)
        self.results = results_of(node)
        self.after = [n for n in calls[at + 1 :] if n not in early and n not in self.results]

    def run(self) -> CutGraph:
        output = self.graph_module.graph.output_node()
        positions = {n: i for i, n in enumerate(self.graph_module.graph.find_nodes(op="placeholder"))}
        read = dict.fromkeys([*self._externals([self.node]), *self._externals([*self.after, output])])
        passed = [n for n in read if n not in positions and n not in self.results]
        self._check(passed, list(positions))
        first = self._part(self.before, tuple(passed), positions) if passed or any(map(_has_effect, self.before)) else None
        positions |= {n: len(positions) + i for i, n in enumerate(passed)}
        maker = self._part([self.node], self.node, positions)
        start = len(positions)
        positions |= {n: start + i for n, i in self.results.items()}
        return CutGraph(self.node, first, maker, self._part(self.after, output.args[0], positions), self._needs_copies())

    def _check(self, passed: list[fx.Node], given: list[fx.Node]) -> None:
        """Refuses values between the parts that are neither tensors nor numbers, and tensors that share memory or begin inside their
        storage: a part takes its inputs for tensors of their own. Not so the views that the node makes: code gets the address of their
        first element."""
        made = [n.meta.get("val") for n in (*passed, *self.results)]
        if any(not isinstance(v, (torch.Tensor, float, int, *_SYMBOLIC)) for v in made):
            raise UnsupportedGraph(f"a value between parts of a graph that is cut at {self.node.target}, neither tensor nor number")
        if any(isinstance(v, torch.Tensor) and v.layout != torch.strided for v in made):
            raise UnsupportedGraph(f"a tensor without strides between parts of a graph that is cut at {self.node.target}")
        inputs, own = set(_storages(given)), [*passed, *(() if is_view_node(self.node) else self.results)]
        storages = _storages(own)
        if any(map(_begins_late, own)) or len({*storages}) < len(storages) or not inputs.isdisjoint(storages):
            raise UnsupportedGraph(f"a view between parts of a graph that is cut at {self.node.target}")

    def _needs_copies(self) -> bool:
        """Whether the rest writes an input of which the node makes a view. The view has the values from before; a copy of it does, too.
        Raises UnsupportedGraph if the caller gets the view, or if it repeats elements."""
        written = {v for n in self.after if _writes(n) for v in _storages([n.args[0]])}
        if not is_view_node(self.node) or written.isdisjoint(_storages(self.results)):
            return False
        views, seen = list(self.results), set[fx.Node]()
        while views:
            view = views.pop()
            value = view.meta.get("val")
            repeats = isinstance(value, torch.Tensor) and any(isinstance(s, int) and s == 0 for s in value.stride())
            if repeats or any(user.op == "output" for user in view.users):
                raise UnsupportedGraph(f"a view of what is written, between parts of a graph that is cut at {self.node.target}")
            seen.add(view)
            views += [u for u in view.users if u not in seen and (is_view_node(u) or u.target is operator.getitem)]
        return True

    def _externals(self, nodes: Sequence[fx.Node]) -> list[fx.Node]:
        """The nodes outside that these read; of repeated ones, what these read."""
        own, todo = {*nodes}, list(reversed(nodes))
        found: dict[fx.Node, None] = {}
        while todo:
            for source in todo.pop().all_input_nodes:
                if source in own or source.op == "get_attr":
                    continue
                if self._is_repeated(source):
                    own.add(source)
                    todo.append(source)
                else:
                    found[source] = None
        return list(found)

    def _is_repeated(self, node: fx.Node) -> bool:
        """Whether each part that reads a node's value computes it; not what the cut's node makes."""
        return node is not self.node and node not in self.results and _is_repeated(node)

    def _part(self, nodes: list[fx.Node], returned: Any, positions: dict[fx.Node, int]) -> GraphPart:
        graph = fx.Graph()
        ending = [n for n in tree_leaves(returned) if isinstance(n, fx.Node) and n not in set(nodes)]
        again = [n for n in ending if self._is_repeated(n)]
        externals = list(dict.fromkeys([*self._externals([*nodes, *again]), *(n for n in ending if n not in set(again))]))
        externals += _givers(_symbols([*externals, *nodes]) - _given_symbols(externals), positions)
        made: dict[fx.Node, fx.Node] = {}
        for node in externals:
            made[node] = graph.placeholder(node.name)
            made[node].meta = dict(node.meta)

        def copied(node: fx.Node) -> fx.Node:
            if node not in made:
                for source in node.all_input_nodes:
                    copied(source)
                made[node] = graph.node_copy(node, made.__getitem__)
            return made[node]

        for node in nodes:
            copied(node)
        graph.output(fx.map_arg(returned, copied)).meta = dict(self.graph_module.graph.output_node().meta)
        return GraphPart(make_graph_module(self.graph_module, graph), [positions[n] for n in externals])


def _copied(value: Any) -> Any:
    """A tensor of its own with the same values and strides; a number itself."""
    if not isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device).copy_(value)


def _givers(symbols: set[str], nodes: Iterable[fx.Node]) -> list[fx.Node]:
    """Nodes whose values, or sizes of these, are the symbols, as far as there are such nodes."""
    found: dict[str, fx.Node] = {}
    for node in sorted(nodes, key=lambda n: isinstance(n.meta.get("val"), torch.Tensor)):  # numbers first
        for symbol in symbols & _given_symbols([node]):
            found.setdefault(symbol, node)
    return list(dict.fromkeys(found.values()))


def _given_symbols(nodes: Iterable[fx.Node]) -> set[str]:
    """The symbols that are values of the nodes, or sizes of these."""
    return {s.node.expr.name for s in _sizes(nodes) if s.node.expr.is_Symbol}


def _is_repeated(node: fx.Node) -> bool:
    """Whether each part that reads a node's value computes it: a condition or float that depends on sizes, or a view."""
    if node.op != "call_function":
        return False
    return isinstance(node.meta.get("val"), (bool, float, torch.SymBool, torch.SymFloat)) or is_view_node(node)


def _storages(nodes: Iterable[fx.Node]) -> list[int]:
    """The storages of the tensors among nodes' values."""
    values = [n.meta.get("val") for n in nodes]
    return [storage_id(v) for v in values if isinstance(v, torch.Tensor) and v.layout == torch.strided]


def _begins_late(node: fx.Node) -> bool:
    value = node.meta.get("val")
    offset = value.storage_offset() if isinstance(value, torch.Tensor) else 0
    return not isinstance(offset, int) or offset != 0


def _writes(node: fx.Node) -> bool:
    """Whether a call writes its first argument."""
    return isinstance(node.target, torch._ops.OpOverload) and schema_of(node.target).is_mutable


def _is_users(node: fx.Node) -> bool:
    """Whether a call is one of a custom operator, which may raise."""
    return isinstance(node.target, torch._ops.OpOverload) and not is_pytorchs(str(node.target))


def _has_effect(node: fx.Node) -> bool:
    """Whether a call must happen even if nothing uses its result: it writes, checks something or draws random numbers."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return isinstance(node.target, torch._ops.HigherOrderOperator)
    drawn = torch.Tag.nondeterministic_seeded in node.target.tags
    return drawn or schema_of(node.target).is_mutable or not schema_of(node.target).returns
