"""A graph as text that has everything the compiler reads of it: two graphs of equal text compile to equal code.

What has no faithful text is refused with `NotCacheable`: such a graph is compiled in each process.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import sympy
import torch
from torch import fx

from ...runtime.artifacts.native_graph import NotCacheable
from ...torch_internals.fake_tensors import FakeTensor, unset_fake_temporarily
from ...torch_internals.tensors import storage_id
from .users_code import operator_text

# Fields of a node's `meta` that the compiler reads, beside `val` and the stack of modules.
_FIELDS = ("stack_trace", "recompute", "ac_graph_id", "partitioner_tag")
_MODULES = ("nn_module_stack", "fwd_nn_module_stack")
_FUNCTIONS = ("_operator", "operator", "math", "torch", "builtins")  # modules whose functions are identified by their names
# Higher-order operators whose subgraphs have faithful texts, and whose calls the compiler replaces by operators or can write.
SUBGRAPH_CALLERS = frozenset({"flex_attention", "flex_attention_backward"})
_CONSTANT_BYTES = 1 << 20  # larger constant tensors are not read for the key


def graph_text(graph_module: fx.GraphModule) -> str:
    """The text of a graph as AOTAutograd hands it over. Raises NotCacheable."""
    return json.dumps(GraphWriter(graph_module).written())


def constant_tensors(graph_module: fx.GraphModule) -> list[torch.Tensor]:
    """The graph's constant tensors, in the order of their nodes, without those of subgraphs. Raises NotCacheable."""
    names = dict.fromkeys(str(node.target) for node in graph_module.graph.find_nodes(op="get_attr"))
    return [_constant(graph_module, name) for name in names if subgraph(graph_module, name) is None]


def subgraph(graph_module: fx.GraphModule, name: str) -> fx.GraphModule | None:
    """The subgraph that an attribute is; None if it is something else."""
    value = _attribute(graph_module, name)
    return value if isinstance(value, fx.GraphModule) else None


def _attribute(graph_module: fx.GraphModule, name: str) -> Any:
    value: Any = graph_module
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _constant(graph_module: fx.GraphModule, name: str) -> torch.Tensor:
    value = _attribute(graph_module, name)
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        raise NotCacheable(f"an attribute of type {type(value).__name__}")
    tensor: torch.Tensor = value
    return tensor


class GraphWriter:
    """Writes one graph: nodes, values, symbols."""

    def __init__(self, graph_module: fx.GraphModule) -> None:
        self.graph_module = graph_module
        self.numbers: dict[fx.Node, int] = {}
        self.storages: dict[Any, int] = {}
        self.symbols: dict[str, sympy.Symbol] = {}
        self.shape_env: Any = None

    def written(self) -> list[Any]:
        """All of it, as what JSON can hold."""
        nodes = [self.node(number, node) for number, node in enumerate(self.graph_module.graph.nodes)]
        return [nodes, self.symbol_facts()]

    def node(self, number: int, node: fx.Node) -> list[Any]:
        self.numbers[node] = number
        target = self.target(node.target) if node.op == "call_function" else str(node.target)
        constant = self._read_attribute(node) if node.op == "get_attr" else None
        given = [self.value(list(node.args)), self.value(dict(node.kwargs))]
        return [node.op, node.name, target, given, self.value(node.meta.get("val")), constant, *self.fields(node.meta)]

    def fields(self, meta: dict[str, Any]) -> list[Any]:
        """What the compiler reads of a node beside its value."""
        fields = [self._field(meta.get(name)) for name in _FIELDS]
        stacks = [meta.get(name) or {} for name in _MODULES]
        return [*fields, [[str(entry[0]) for entry in stack.values()] for stack in stacks], bool(meta.get("unbacked_bindings"))]

    def _field(self, value: Any) -> Any:
        return value if value is None or isinstance(value, (str, int)) else str(value)

    def target(self, target: Any) -> list[str]:
        if isinstance(target, torch._ops.OpOverload):
            return operator_text(target)
        if isinstance(target, torch._ops.HigherOrderOperator) and target.name() in SUBGRAPH_CALLERS:
            return ["higher order", target.name()]
        if isinstance(target, torch._ops.OperatorBase):
            raise NotCacheable(f"a call of {target}")
        module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
        if module not in _FUNCTIONS or name is None:
            raise NotCacheable(f"a call of {module}.{name}")
        return ["function", module, name]

    def _read_attribute(self, node: fx.Node) -> list[Any]:
        """A constant, or a subgraph, which only the operators of `SUBGRAPH_CALLERS` take."""
        found = subgraph(self.graph_module, str(node.target))
        if found is None:
            return self._constant_tensor(node)
        if not all(isinstance(user.target, torch._ops.HigherOrderOperator) for user in node.users):
            raise NotCacheable("a subgraph as a value")
        return ["subgraph", self._of_subgraph(found).written()]

    def _of_subgraph(self, graph_module: fx.GraphModule) -> GraphWriter:
        """The writer of a subgraph."""
        return GraphWriter(graph_module)

    def _constant_tensor(self, node: fx.Node) -> list[Any]:
        """A constant with its elements, which the compiler may read."""
        tensor = _constant(self.graph_module, str(node.target))
        if tensor.layout is not torch.strided or tensor.device.type not in ("cpu", "cuda"):
            raise NotCacheable("a constant that is no plain tensor")
        storage = tensor.untyped_storage()
        if storage.nbytes() > _CONSTANT_BYTES:
            raise NotCacheable(f"a constant of more than {_CONSTANT_BYTES} bytes")
        with unset_fake_temporarily():
            storage = storage.cpu()
        content = ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""
        return [self._tensor(tensor), hashlib.sha256(content).hexdigest()]

    # Values.

    def value(self, value: Any) -> Any:
        """A value of a node, or an argument."""
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return ["int", value]
        if value is ...:
            return ["ellipsis"]
        if isinstance(value, float):
            return ["float", value.hex()]
        if isinstance(value, complex):
            return ["complex", value.real.hex(), value.imag.hex()]
        if isinstance(value, fx.Node):
            return ["node", self.numbers[value]]
        if isinstance(value, (list, tuple)):
            return [type(value).__name__, [self.value(v) for v in value]]
        if isinstance(value, dict):
            return ["dict", [[self.value(k), self.value(v)] for k, v in value.items()]]
        if isinstance(value, slice):
            return ["slice", [self.value(v) for v in (value.start, value.stop, value.step)]]
        if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
            return [type(value).__name__, str(value)]
        return self._symbolic(value) if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) else self._fake(value)

    def _symbolic(self, value: Any) -> list[Any]:
        self.shape_env = value.node.shape_env
        return [type(value).__name__, self._expression(value.node.expr)]

    def _expression(self, expression: sympy.Basic) -> Any:
        """An expression by the classes of its parts: texts of different functions may be equal."""
        if isinstance(expression, sympy.Symbol):
            self.symbols[expression.name] = expression
        kind = type(expression).__name__
        return [kind, *map(self._expression, expression.args)] if expression.args else [kind, str(expression)]

    def _fake(self, value: Any) -> list[Any]:
        if type(value) is not FakeTensor:
            raise NotCacheable(f"a value of type {type(value).__name__}")
        return self._tensor(value)

    def _tensor(self, tensor: torch.Tensor) -> list[Any]:
        if tensor.layout is not torch.strided:
            raise NotCacheable(f"a tensor with the layout {tensor.layout}")
        if tensor.is_conj() or tensor.is_neg():  # the runner of such a graph sets bits
            raise NotCacheable("a conjugate or negative view")
        storage = tensor.untyped_storage()
        number = self.storages.setdefault(storage_id(tensor), len(self.storages))
        sizes: Sequence[Any] = (*tensor.shape, *tensor.stride(), tensor.storage_offset(), storage.nbytes())
        flags = [tensor.requires_grad, tensor.is_inference()]
        return ["tensor", str(tensor.dtype), str(tensor.device), tensor.dim(), [self.value(s) for s in sizes], number, flags]

    # Symbols.

    def symbol_facts(self) -> list[Any]:
        """The ranges and traced values of the symbols, and the guards so far, from which the compiler may conclude."""
        if self.shape_env is None:
            return []
        env = self.shape_env
        hints = env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val  # the second until torch 2.10
        given = getattr(env, "var_to_hint_override", {})
        facts = []
        for name, symbol in sorted(self.symbols.items()):
            facts.append([name, str(env.var_to_range.get(symbol)), str(hints.get(symbol)), str(given.get(symbol))])
        replaced = sorted([str(symbol), self._expression(by)] for symbol, by in env.replacements.items())
        asserted = sorted(str(a.expr) for assertions in env.deferred_runtime_asserts.values() for a in assertions)
        return [facts, replaced, [self._expression(guard.expr) for guard in env.guards], asserted]


def guard_count(graph_module: fx.GraphModule) -> int:
    """The number of guards on symbols so far: a compilation that adds some can't be skipped."""
    for node in graph_module.graph.nodes:
        value = node.meta.get("val")
        if type(value) is FakeTensor and value.fake_mode.shape_env is not None:
            return len(value.fake_mode.shape_env.guards)
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return len(value.node.shape_env.guards)
    return 0
