"""Replaces `auto_functionalized` calls of custom operators that write to their arguments by calls of functional forms, and scatters.

PyTorch's call holds the base tensors of the written arguments, describes each argument as a view of its base, and returns the new values
of the bases. Here the views are operators, and so are the scatters that put each written view back into its base.
"""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...bridge import symbols
from ...bridge.functional_forms import arguments_written_by_operator, functional_form
from ...bridge.tensor_types import tensor_info
from ...errors import UnsupportedGraph
from ...passes.analysis.memory_overlap import is_expanded, overlaps
from ...torch_internals.fake_tensors import detect_fake_mode
from ...torch_internals.fx_graphs import auto_functionalized, auto_functionalized_v2, make_graph_module, use_lazy_graph_modules
from ...torch_internals.operators import schema_of

aten = torch.ops.aten

_COUNTED = "mlirind_slices_counted_from_bases"  # a mark in a node's `meta`
_CALLS = (auto_functionalized, auto_functionalized_v2)


def expand_functional_calls(graph_module: fx.GraphModule) -> fx.GraphModule:
    """The graph with its calls rewritten: a copy, or the graph itself if it has none. The copy is for the importer, not to be run: its
    storage offsets are those of PyTorch's calls, but the results of functional forms that FX runs begin at offset 0. Corrects slices in the
    given graph too."""
    if not any(node.target in _CALLS for node in graph_module.graph.nodes):
        return graph_module
    _count_slices_from_bases(graph_module)
    graph = fx.Graph()
    made: dict[fx.Node, fx.Node] = {}
    for node in graph_module.graph.nodes:
        made[node] = graph.node_copy(node, made.__getitem__)
    for node in [n for n in graph.nodes if n.target in _CALLS]:
        _Expansion(graph, node).run()
    with use_lazy_graph_modules(True):  # nobody runs it
        return make_graph_module(graph_module, graph)


def _count_slices_from_bases(graph_module: fx.GraphModule) -> None:
    """Corrects the slices of bases with a storage offset: PyTorch counts their bounds from the start of the storage, but applies them to
    the base."""
    changed = False
    for node in graph_module.graph.nodes:
        if node.target is auto_functionalized_v2 and not node.meta.get(_COUNTED):
            node.meta[_COUNTED] = True
            names = [name for name in node.kwargs if name.endswith("_slice_dim")]
            changed |= any([_count_from_base(node, name.removesuffix("_slice_dim")) for name in names])
    if changed:
        graph_module.recompile()


def _count_from_base(node: fx.Node, argument: str) -> bool:
    """Corrects one argument's slice; returns whether it changed."""
    base, dim = node.kwargs["_all_bases"][node.kwargs[f"{argument}_base_index"]], node.kwargs[f"{argument}_slice_dim"]
    offset, stride = base.meta["val"].storage_offset(), base.meta["val"].stride(dim)
    if isinstance(offset, int) and offset == 0:
        return False
    with node.graph.inserting_before(node):
        first = _calculated(
            operator.floordiv,
            offset if isinstance(offset, int) else _calculated(aten.sym_storage_offset.default, base),
            stride if isinstance(stride, int) else _calculated(aten.sym_stride.int, base, dim),
        )
        for end in ("start", "end"):
            name = f"{argument}_slice_{end}"
            node.update_kwarg(name, _calculated(operator.sub, node.kwargs[name], first))
    return True


def _calculated(function: Any, *arguments: Any) -> Any:
    """`function(*arguments)`, of integers and nodes: an integer if it is known, else a new node that computes it."""
    value = function(*(a.meta["val"] if isinstance(a, fx.Node) else a for a in arguments))
    known = symbols.size_from_torch(value)
    if isinstance(known, int):
        return known
    graph = next(a.graph for a in arguments if isinstance(a, fx.Node))
    made = graph.call_function(function, arguments)
    made.meta["val"] = value
    return made


@dataclass(frozen=True)
class _View:
    """A written argument. `take`: the operator that makes it from base number `base`; `put`: the one that puts it back; both None if it is
    the base itself."""

    base: int
    take: torch._ops.OpOverload | None = None
    put: torch._ops.OpOverload | None = None
    arguments: tuple[Any, ...] = ()


class _Expansion:
    def __init__(self, graph: fx.Graph, node: fx.Node) -> None:
        self.graph, self.node = graph, node
        self.operator: torch._ops.OpOverload = node.args[0]
        self.given = dict(node.kwargs)
        if not isinstance(self.operator, torch._ops.OpOverload) or schema_of(self.operator).is_mutable is False:
            raise UnsupportedGraph(f"a call of {node.target} on {self.operator}")
        self.fake_mode = detect_fake_mode([n.meta.get("val") for n in node.all_input_nodes])

    def run(self) -> None:
        bases, views = self._bases([a.name for a in arguments_written_by_operator(self.operator)])
        absent = frozenset(name for name, view in views.items() if view is None)
        views = {name: view for name, view in views.items() if view is not None}
        values = {name: self._take(view, bases) for name, view in views.items()}
        if any(is_expanded(tensor_info(v.meta["val"])) for name in views for _, v in _pairs(views[name], values[name])):
            raise UnsupportedGraph(f"{self.operator} may write to an expanded tensor")
        with self.graph.inserting_before(self.node):
            call = self._call(functional_form(self.operator, absent), (), {**self.given, **values, **dict.fromkeys(absent)})
            outputs = self._outputs(call)
            own = len(schema_of(self.operator).returns)
            self._put(bases, views, values, dict(zip(views, outputs[own:], strict=True)))
        self._replace([*(outputs[:own] or [None]), *bases])

    def _bases(self, written: list[str]) -> tuple[list[Any], dict[str, Any]]:
        """The bases, and each written argument as a view of one (or a list of views); None for one that is left out."""
        if self.node.target is auto_functionalized:
            bases = [self.given.pop(name) for name in written]
            if not all(isinstance(b, fx.Node) for b in bases):
                raise UnsupportedGraph(f"{self.operator} writes to a list, or to nothing")
            return bases, {name: _View(n) for n, name in enumerate(written)}
        bases = list(self.given.pop("_all_bases"))
        return bases, {name: self._views(name) for name in written}

    def _views(self, name: str) -> Any:
        length = f"_{name}_length"
        if length not in self.given:
            return self._view(f"_{name}")
        views = [self._view(f"_{name}_{n}") for n in range(self.given.pop(length) or 0)]
        if None in views:
            raise UnsupportedGraph(f"{self.operator} writes to a list with a tensor that is None")
        return views

    def _view(self, prefix: str) -> _View | None:
        fields = {k.removeprefix(prefix): self.given.pop(k) for k in list(self.given) if k.startswith(prefix + "_")}
        base = fields.get("_base_index")
        if base is None:
            return None
        if "_storage_offset" in fields:
            arguments = (fields["_size"], fields["_stride"], fields["_storage_offset"])
            return _View(base, aten.as_strided.default, aten.as_strided_scatter.default, arguments)
        if "_slice_dim" in fields:
            arguments = (fields["_slice_dim"], fields["_slice_start"], fields["_slice_end"])
            return _View(base, aten.slice.Tensor, aten.slice_scatter.default, arguments)
        if fields.keys() <= {"_base_index", "_alias"}:
            return _View(base)
        raise UnsupportedGraph(f"{self.operator}: an unknown view of an argument, {sorted(fields)}")

    def _take(self, view: Any, bases: list[Any]) -> Any:
        if isinstance(view, list):
            return [self._take(v, bases) for v in view]
        if view.take is None:
            return bases[view.base]
        with self.graph.inserting_before(self.node):
            return self._call(view.take, (bases[view.base], *view.arguments))

    def _put(self, bases: list[Any], views: dict[str, Any], values: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Replaces each base by its new value."""
        before = [(view.base, tensor_info(value.meta["val"])) for name in views for view, value in _pairs(views[name], values[name])]
        if any(a == b and overlaps(x, y) for (a, x), (b, y) in itertools.combinations(before, 2)):
            raise UnsupportedGraph(f"{self.operator} writes to two views that overlap")
        for view, value in (p for name in views for p in _pairs(views[name], outputs[name])):
            bases[view.base] = value if view.put is None else self._put_back(view, bases[view.base], value)

    def _put_back(self, view: _View, base: fx.Node, value: fx.Node) -> fx.Node:
        """The base with a view of it replaced, at the base's offset. PyTorch's own meta functions of scatters ignore the offset."""
        return self._call(view.put, (base, value, *view.arguments), made_as=base)

    def _outputs(self, call: fx.Node) -> list[Any]:
        """The results, with lists unpacked."""
        count = len(schema_of(call.target).returns)
        results = [call] if count == 1 else [self._item(call, n) for n in range(count)]
        return [[self._item(r, n) for n in range(len(r.meta["val"]))] if isinstance(r.meta["val"], list) else r for r in results]

    def _item(self, node: fx.Node, index: int) -> fx.Node:
        return self._call(operator.getitem, (node, index))

    def _call(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, made_as: fx.Node | None = None) -> fx.Node:
        """A call before the node. `made_as`: a node whose fake tensor the result gets, instead of that of PyTorch's meta function."""
        made = self.graph.call_function(target, args, kwargs or {})
        made.meta = {k: v for k, v in self.node.meta.items() if k not in ("val", "tensor_meta")}
        args, kwargs = fx.map_arg((made.args, made.kwargs), lambda n: n.meta["val"])
        with self.fake_mode:
            made.meta["val"] = made_as.meta["val"] if made_as else target(*args, **kwargs)
        return made

    def _replace(self, results: list[Any]) -> None:
        for user in list(self.node.users):
            if user.target is not operator.getitem:
                raise UnsupportedGraph(f"the results of {self.operator} are used as a tuple")
            result = results[user.args[1]]
            if isinstance(result, fx.Node):
                self._take_value(result, user.meta["val"])
            user.replace_all_uses_with(result)
            self.graph.erase_node(user)
        self.graph.erase_node(self.node)

    def _take_value(self, node: fx.Node, value: Any) -> None:
        """Sets the fake tensor of a node, of which later nodes are views."""
        made = node.meta["val"]
        if (made.shape, made.stride()) != (value.shape, value.stride()):
            raise UnsupportedGraph(f"{self.operator} writes to a view of a tensor with strides {value.stride()}")
        _set_value(node, value)


def _set_value(node: fx.Node, value: Any) -> None:
    """Sets a node's value, also in the call's list if it is one of several results."""
    node.meta["val"] = value
    if node.target is operator.getitem:
        source, index = node.args
        given = source.meta["val"]
        _set_value(source, type(given)(value if n == index else v for n, v in enumerate(given)))


def _pairs(view: Any, output: Any) -> list[tuple[_View, Any]]:
    return list(zip(view, output, strict=True)) if isinstance(view, list) else [(view, output)]
