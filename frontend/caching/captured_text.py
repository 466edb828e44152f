"""A graph as Dynamo captured it, as text that has everything which AOTAutograd and the compiler read of it.

What has no faithful text is refused with `NotCacheable`: AOTAutograd traces such a graph in each process.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ...dialects.aten_names import is_pytorchs
from ...runtime.artifacts.native_graph import NotCacheable
from ...runtime.artifacts.surroundings import of_tracing
from ...torch_internals.dynamo import input_sources
from ...torch_internals.modes import has_dispatch_modes, has_function_modes, is_autocast_on
from ...torch_internals.operators import has_foreign_implementations
from ...torch_internals.tensors import is_view
from ...torch_internals.traced_results import fakes_later, tracing_settings
from ...torch_internals.training_call import saves_through_hooks
from ..calling.forward_mode import in_dual_level
from .graph_text import SUBGRAPH_CALLERS, GraphWriter, subgraph
from .users_code import operator_text

# What Dynamo notes of a node. `creation_timestamp` and `seq_nr` only number the nodes; `custom` are annotations (`torch.fx.traceback`).
_NOTES = {
    "grapharg", "tensor_dict", "stack_trace", "nn_module_stack", "creation_timestamp", "example_value", "source_fn_stack", "custom",
    "seq_nr",
}  # fmt: skip
# What Dynamo notes of a graph: names of its parameters in the program, numbers of the compilation.
_GRAPH_NOTES = {"dynamo_flat_name_to_original_fqn", "dynamo_compile_id", "backend_id"}
_TORCH = str(Path(torch.__file__).parent)
_OVERLOADS = type(torch.ops.aten.add)  # an operator with all its overloads
# Attributes of classes that C code makes.
_DESCRIPTORS = (
    types.BuiltinFunctionType, types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.ClassMethodDescriptorType,
)  # fmt: skip
_MODULES = ("torch", "operator", "_operator", "math", "builtins")  # roots of modules whose functions are identified by their names


def captured_text(graph_module: fx.GraphModule, inputs: Sequence[Any]) -> str:
    """The text of a graph and of the settings under which AOTAutograd would trace it. Raises NotCacheable."""
    check_captured(graph_module)
    if not set(graph_module.meta) <= _GRAPH_NOTES:
        raise NotCacheable(f"a captured graph with {', '.join(sorted(set(graph_module.meta) - _GRAPH_NOTES))}")
    if has_foreign_implementations():
        raise NotCacheable("the program implements operators of PyTorch")
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    if len(placeholders) != len(inputs):
        raise NotCacheable("a captured graph with other inputs")
    writer = _CapturedWriter(graph_module, inputs)
    return json.dumps([writer.written(), _program_settings(), _tensor_methods(), tracing_settings(), of_tracing()])


def check_captured(graph_module: fx.GraphModule) -> None:
    """Raises NotCacheable if AOTAutograd's result for a graph has parts that can't be written, or is for a mode or a hook."""
    if not isinstance(graph_module, fx.GraphModule):
        raise NotCacheable("what compiled autograd captured")
    if not _only_calls_subgraphs(graph_module) or any(True for _ in (*graph_module.parameters(), *graph_module.buffers())):
        raise NotCacheable("a captured graph with subgraphs, or with tensors of its own")
    if has_dispatch_modes() or has_function_modes() or saves_through_hooks() or fakes_later():
        raise NotCacheable("a compilation under modes or hooks")
    if in_dual_level():
        raise NotCacheable("forward-mode differentiation")


def _only_calls_subgraphs(graph_module: fx.GraphModule) -> bool:
    """Whether all its modules are subgraphs that operators of `SUBGRAPH_CALLERS` take, and have none themselves."""
    taken = set()
    for node in graph_module.graph.find_nodes(op="get_attr"):
        by = {user.target.name() if isinstance(user.target, torch._ops.HigherOrderOperator) else "" for user in node.users}
        found = subgraph(graph_module, str(node.target))
        if found is None or not by <= SUBGRAPH_CALLERS or any(True for _ in found.children()):
            return False
        taken.add(str(node.target))
    return {name for name, _ in graph_module.named_children()} <= taken


def _program_settings() -> list[Any]:
    """What a program sets that changes which operators PyTorch's functions call."""
    attention = torch.backends.cuda
    einsum = torch.backends.opt_einsum
    library = einsum.get_opt_einsum() if einsum.is_available() else None
    return [
        [[d, torch.is_autocast_enabled(d), str(torch.get_autocast_dtype(d))] for d in ("cpu", "cuda")],
        [is_autocast_on(), torch.is_autocast_cache_enabled(), torch.is_anomaly_enabled()],
        [attention.flash_sdp_enabled(), attention.mem_efficient_sdp_enabled(), attention.math_sdp_enabled(), attention.cudnn_sdp_enabled()],
        [einsum.enabled, einsum.strategy, str(getattr(library, "__version__", None))],
        [torch.backends.mha.get_fastpath_enabled(), torch.utils.deterministic.fill_uninitialized_memory],
    ]


def _tensor_methods() -> list[Any]:
    """The attributes of torch.Tensor: AOTAutograd calls its methods and operators as it runs the captured graph. Raises NotCacheable if the
    program has put functions of its own there."""
    found = [[name, _attribute(name, value)] for name, value in inspect.getmembers_static(torch.Tensor)]
    return [entry for entry in found if entry[1] is not None]


def _attribute(name: str, value: Any) -> Any:
    if isinstance(value, property):
        return [_attribute(name, part) for part in (value.fget, value.fset, value.fdel)]
    value = getattr(value, "__func__", value)  # of a class method, a static method
    if not callable(value) and not hasattr(value, "__get__"):
        return None  # data, of which pickling adds some
    code = getattr(value, "__code__", None)
    if _is_foreign(value) or (code is None and not isinstance(value, _DESCRIPTORS)):
        raise NotCacheable(f"the program sets torch.Tensor.{name}")
    return [getattr(value, "__qualname__", ""), code.co_firstlineno if code is not None else 0]


def _is_foreign(function: Any) -> bool:
    """Whether it is a function of Python that PyTorch's files do not define."""
    code = getattr(function, "__code__", None)
    return code is not None and not code.co_filename.startswith(_TORCH)


class _CapturedWriter(GraphWriter):
    def __init__(self, graph_module: fx.GraphModule, inputs: Sequence[Any]) -> None:
        super().__init__(graph_module)
        placeholders = graph_module.graph.find_nodes(op="placeholder")
        sources = input_sources(placeholders) if inputs else ()
        self.inputs = dict(zip(placeholders, zip(inputs, sources, strict=True), strict=bool(inputs)))

    def node(self, number: int, node: fx.Node) -> list[Any]:
        self.numbers[node] = number
        if not set(node.meta) <= _NOTES:
            raise NotCacheable(f"a captured node with {', '.join(sorted(set(node.meta) - _NOTES))}")
        notes = [*self.fields(node.meta), self.value(node.meta.get("custom"))]
        if node.op == "get_attr":
            return [node.op, node.name, str(node.target), self._read_attribute(node), *notes]
        target = self.target(node.target) if node.op == "call_function" else str(node.target)
        given = [self.value(list(node.args)), self.value(dict(node.kwargs))]
        text = [node.op, node.name, target, given, *notes]
        return [*text, *self._input(node)] if node.op == "placeholder" else text

    def _of_subgraph(self, graph_module: fx.GraphModule) -> GraphWriter:
        return _SubgraphWriter(graph_module, ())

    def _input(self, node: fx.Node) -> list[Any]:
        """The text of an input: its fake tensor, its source in the program, its class, whether it is a leaf or a view."""
        real, known = self.inputs[node]
        source = repr(known)
        if known is None or " at 0x" in source:
            raise NotCacheable("an input from a place that Dynamo does not name")
        fake, notes = node.meta.get("example_value"), node.meta.get("tensor_dict") or {}
        if not isinstance(fake, torch.Tensor):
            return [self.value(fake), source]
        if type(real) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer, type(fake)):
            raise NotCacheable(f"an input of type {type(real).__name__}")
        if not all(isinstance(value, (str, int, bool, type(None))) for value in notes.values()):
            raise NotCacheable("an input with attributes")
        return [self.value(fake), source, type(real).__name__, fake.is_leaf, is_view(fake), sorted(notes.items())]

    def target(self, target: Any) -> list[str]:
        if isinstance(target, torch._ops.OpOverload):
            return operator_text(target)
        if isinstance(target, torch._ops.HigherOrderOperator):
            return super().target(target)
        if isinstance(target, _OVERLOADS) and not is_pytorchs(f"{target}."):
            return ["operators", *(part for name in target.overloads() for part in operator_text(getattr(target, name)))]
        module = getattr(target, "__module__", None) or "torch"
        names = [getattr(target, name, None) or "" for name in ("__qualname__", "__name__")]
        known = next((name for name in names if _found(module, name) is target), None)
        # A foreign function may stand for one of these.
        if known is None or _is_foreign(target) or module.partition(".")[0] not in _MODULES:
            raise NotCacheable(f"a call of {module}.{names[0]}")
        return ["function", module, known]


class _SubgraphWriter(_CapturedWriter):
    """Writes a subgraph, whose inputs are scalars and tensors that its operator gives to it."""

    def _input(self, node: fx.Node) -> list[Any]:
        return [self.value(node.meta.get("example_value"))]


def _found(module: str, name: str) -> Any:
    try:
        return functools.reduce(getattr, name.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        return None
