"""Nodes that the dialect has no operator for: copied into graphs of their own, which opaque calls run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy
import torch
from torch import fx
from torch_mlir import ir

from ...bridge.opaque_calls import OpaqueCall, opaque_operator
from ...dialects import aten_ops
from ...dialects.aten import TensorInfo
from ...dialects.symbolic_floats import is_float_expression
from ...errors import UnsupportedGraph
from ...torch_internals.operators import schema_of
from ...torch_internals.tensors import storage_id
from ...torch_internals.trees import tree_leaves
from .call_graphs import CallGraph
from .control_flow import control_flow
from .subgraph_bodies import FRESH_RESULTS, OPAQUE_FUNCTIONS, SubgraphBody, direct_function, subgraph_body

# Higher-order operators with effects, or that write to their arguments.
_EFFECTS = frozenset({
    "with_effects", "print", "triton_kernel_wrapper_mutation", "call_torchbind", "register_hook", "run_and_save_rng_state",
    "run_with_rng_state", "invoke_leaf_function", "wrap_with_set_grad_enabled", "wrap_with_autocast", "auto_functionalized",
    "auto_functionalized_v2",
})  # fmt: skip


class Hidden:
    """The value of a node that the dialect can't hold: a subgraph, or a condition on sizes. Opaque calls compute it again."""


HIDDEN = Hidden()


def attribute(graph_module: fx.GraphModule, node: fx.Node) -> Any:
    """The object that a `get_attr` node names."""
    value: Any = graph_module
    for name in str(node.target).split("."):
        value = getattr(value, name)
    return value


def is_opaque_node(node: fx.Node) -> bool:
    """Whether a call becomes an opaque call: one of a higher-order operator, or of an operator whose schema the dialect can't express."""
    target = node.target
    if isinstance(target, torch._ops.OpOverload):
        return not schema_of(target).is_mutable and aten_ops.declare(target) is None
    return isinstance(target, torch._ops.HigherOrderOperator) or target in OPAQUE_FUNCTIONS


class OpaqueNode:
    """The graph of an opaque call.

    `operands`: the values that it takes, tensors by type, then sizes and floats; `kinds`: their schema types. `leaves`: the tensors among
    the node's results in the order in which the call returns them, as positions in the flattened result."""

    def __init__(self, graph_module: fx.GraphModule, node: fx.Node, env: dict[fx.Node, Any], number: Callable[[Any], Any]) -> None:
        self.source, self.node, self.env, self.number = graph_module, node, env, number
        self.root = torch.nn.Module()
        self.graph = fx.Graph()
        self.made: dict[fx.Node, Any] = {}
        self.random = False
        self.bodies: list[SubgraphBody] = []
        given = list(dict.fromkeys(self._inputs()))
        tensors = [v for v in given if isinstance(v, ir.Value)]
        self.operands = [*_by_type(tensors, lambda v: v.type), *(v for v in given if not isinstance(v, ir.Value))]
        self.kinds = tuple("Tensor" if isinstance(v, ir.Value) else "float" if is_float_expression(v) else "SymInt" for v in self.operands)
        self.placeholders = {v: self.graph.placeholder(f"a{n}") for n, v in enumerate(self.operands)}

    def create(self, types: Callable[[Any], ir.Type], **details: Any) -> tuple[OpaqueCall, ir.Operation]:
        """The call, and its op. `types`: the type of a result; `details`: location and attributes of the op."""
        graph = self._call_graph(types)
        operands, results = tuple(TensorInfo.of(v.type) for v in self._tensors()), tuple(map(TensorInfo.of, self.types))
        control = control_flow(self.node.target, self.made[self.node], self.root, self.leaves, self.random)
        written = graph if self.node.target in OPAQUE_FUNCTIONS else None
        made = OpaqueCall(graph.function(), operands, results, control, self.node.target in FRESH_RESULTS, written)
        schema = aten_ops.declare(opaque_operator(*graph.form))
        assert schema is not None
        arguments = {"call": made.number, **{f"a{n}": v for n, v in enumerate(self.operands)}}
        return made, aten_ops.create(schema.name, arguments, self.types, **details)

    def _tensors(self) -> list[ir.Value]:
        return [v for v in self.operands if isinstance(v, ir.Value)]

    def _call_graph(self, types: Callable[[Any], ir.Type]) -> CallGraph:
        """The node's graph, of whose results the call returns the tensors; sets `leaves`, and `types`, their types."""
        found = tree_leaves(self.node.meta["val"])
        tensors = [n for n, leaf in enumerate(found) if isinstance(leaf, torch.Tensor)]
        self._check_memory([found[n] for n in tensors])
        typed = {n: types(found[n]) for n in tensors}
        self.leaves = _by_type(tensors, typed.__getitem__)
        self.types = [typed[n] for n in self.leaves]
        self.graph.output(self._copied(self.node))
        value = self.node.meta["val"]
        is_flat = isinstance(value, (list, tuple)) and not any(isinstance(v, (list, tuple, dict)) for v in value)
        form = (_name(self.node.target), self.kinds, len(self.types), self.random)
        return CallGraph(self.graph, self.root, tuple(self.leaves), is_flat, form)

    # What the node reads.

    def _inputs(self) -> Iterator[Any]:
        """The values that the node reads from the graph; for a hidden node, the values that this reads."""
        for source in self._sources(self.node):
            if self.env[source] is not HIDDEN:
                yield from self._leaves(self.env[source])

    def _sources(self, node: fx.Node) -> Iterator[fx.Node]:
        """The nodes that a node reads, and after a hidden one the nodes that this reads."""
        for source in node.all_input_nodes:
            yield source
            if self.env[source] is HIDDEN and source.op != "get_attr":
                yield from self._sources(source)

    def _leaves(self, value: Any) -> Iterator[Any]:
        if isinstance(value, (list, tuple)):
            for part in value:
                yield from self._leaves(part)
            return
        value = self.number(value)
        if isinstance(value, (ir.Value, sympy.Expr)):
            yield value

    # The copy.

    def _copied(self, node: fx.Node) -> Any:
        """The copy of a node that the call computes."""
        if node not in self.made:
            self.made[node] = self._attribute(node) if node.op == "get_attr" else self._call(node)
        return self.made[node]

    def _call(self, node: fx.Node) -> fx.Node:
        self._check_effects(node.target)
        args, kwargs = fx.map_arg((node.args, node.kwargs), self._argument)
        return self.graph.call_function(direct_function(node.target), args, kwargs)

    def _argument(self, node: fx.Node) -> Any:
        value = self.env[node]
        return self._copied(node) if value is HIDDEN else self._taken(value)

    def _taken(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return tuple(map(self._taken, value))
        value = self.number(value)
        return self.placeholders[value] if isinstance(value, (ir.Value, sympy.Expr)) else value

    def _attribute(self, node: fx.Node) -> fx.Node:
        value = attribute(self.source, node)
        if isinstance(value, fx.GraphModule):
            self._check_subgraph(value)
            value = subgraph_body(value, self.node.target)
            self.bodies += [value] if isinstance(value, SubgraphBody) else []
        setattr(self.root, node.name, value)
        return self.graph.get_attr(node.name)

    # What must not be in an opaque call.

    def _check_subgraph(self, subgraph: fx.GraphModule) -> None:
        for module in subgraph.modules():
            if not isinstance(module, fx.GraphModule):
                continue
            for node in module.graph.nodes:
                if node.op == "call_function":
                    self._check_effects(node.target)
            returned = tree_leaves(module.graph.output_node().args)
            if any(isinstance(r, fx.Node) and r.op == "get_attr" for r in returned):
                raise UnsupportedGraph("a subgraph that returns one of its constants")

    def _check_effects(self, target: Any) -> None:
        """Refuses calls with effects; notes those that draw random numbers."""
        if isinstance(target, torch._ops.HigherOrderOperator) and target.name() in _EFFECTS:
            raise UnsupportedGraph(f"a call of {target.name()}")
        if not isinstance(target, torch._ops.OpOverload):
            return
        schema = schema_of(target)
        if schema.is_mutable or not schema.returns:
            raise UnsupportedGraph(f"a call of {target} in a subgraph of {self.node.target}")
        self.random |= torch.Tag.nondeterministic_seeded in target.tags

    def _check_memory(self, results: Sequence[torch.Tensor]) -> None:
        """Refuses results that share memory with operands or with each other."""
        if not results:
            raise UnsupportedGraph(f"a call of {self.node.target} that returns no tensor")
        given = {storage_id(v) for n in self._sources(self.node) for v in tree_leaves(n.meta.get("val")) if isinstance(v, torch.Tensor)}
        made = [storage_id(r) for r in results]
        if len({*made}) < len(made) or given & {*made}:
            raise UnsupportedGraph(f"a call of {self.node.target} that returns a view")


def _name(target: Any) -> str:
    """`cond`, `aten_add_Tensor`"""
    if target in OPAQUE_FUNCTIONS:
        return str(target.__name__)
    return str(target.name()) if isinstance(target, torch._ops.HigherOrderOperator) else str(target)


def nested(value: Any, results: dict[int, Any], size: Callable[[Any], Any]) -> Any:
    """A node's `meta["val"]` with `results` in place of its tensors, by their positions in the flattened value, and sizes as
    expressions."""
    count = iter(range(len(tree_leaves(value))))

    def replaced(part: Any) -> Any:
        if isinstance(part, (list, tuple)):
            return [replaced(p) for p in part]
        number = next(count)
        return size(part) if isinstance(part, (int, torch.SymInt)) and not isinstance(part, bool) else results.get(number, part)

    return replaced(value)


def _by_type(values: Sequence[Any], type_of: Callable[[Any], Any]) -> list[Any]:
    """The values, those of equal type next to each other: a call has a limited number of runs of operands of one type."""
    order: dict[Any, int] = {}
    for value in values:
        order.setdefault(type_of(value), len(order))
    return sorted(values, key=lambda v: order[type_of(v)])
