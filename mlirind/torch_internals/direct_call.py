"""Inference graphs that Dynamo calls without AOTAutograd's wrapper, because the wrapper would do nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..runner import Runner
from .modes import is_autocast_on

# Operators of these namespaces never return an input as a result; AOTAutograd checks other operators when they first run.
NAMESPACES = ("aten", "prims")
# Higher-order operators of which that holds too: PyTorch refuses subgraphs that return an input.
_CONTROL_FLOW = frozenset({"cond", "while_loop", "scan", "map_impl", "flex_attention"})
# Fields of AOTAutograd's metadata that count work of the wrapper. A field that this PyTorch lacks counts as work.
WORK = ("num_mutated_inp_runtime_indices", "num_outputs_aliased", "num_intermediate_bases", "tokens", "is_rng_op_functionalized")
_INFERENCE_WORK = ("num_mutated_graph_handled_indices_seen_by_autograd", "dynamic_outputs")
# AOTAutograd's functions around a runner that only call it if there are no tokens and no functional random states. PyTorch 2.11 puts them
# around every runner.
_PASSING_ON = ("FunctionalizedRngRuntimeWrapper.post_compile.<locals>.wrapper", "EffectTokensWrapper.post_compile.<locals>.inner_fn")


@dataclass
class InferenceGraph:
    """What is known of an inference graph: its runner and AOTAutograd's metadata, None if there is none; whether it calls custom
    operators."""

    runner: Runner | None = None
    metadata: Any = None
    own_operators: bool = False

    def note(self, runner: Runner, metadata: Any, own_operators: bool) -> None:
        """Sets all three."""
        self.runner, self.metadata, self.own_operators = runner, metadata, own_operators


def uses_own_operators(graph_module: fx.GraphModule) -> bool:
    """Whether a graph, or a subgraph of it, calls more than PyTorch's own operators."""
    graphs = [module.graph for module in graph_module.modules() if isinstance(module, fx.GraphModule)]
    operators = [n.target for graph in graphs for n in graph.nodes if isinstance(n.target, torch._ops.OperatorBase)]
    return not all(o.name() in _CONTROL_FLOW or getattr(o, "namespace", None) in NAMESPACES for o in operators)


def direct_call(wrapped: Callable[..., Any], graph_module: fx.GraphModule, made: InferenceGraph) -> Callable[..., Any]:
    """The callable for Dynamo: `wrapped`, as AOTAutograd made it, or a function that calls the runner directly. AOTAutograd's wrapper
    writes new values to inputs, makes outputs views of inputs, increments version counters of written inputs, and switches gradients and
    autocast off. A graph that needs none of this saves 1 us a call."""
    runner = made.runner
    if runner is None or made.own_operators or has_work(made.metadata, _INFERENCE_WORK) or is_autocast_on():
        return wrapped
    if torch.is_grad_enabled() and any(i.requires_grad for i in made.metadata.input_info):
        return wrapped
    if not passes_on(inside(wrapped), runner) or any(True for _ in (*graph_module.parameters(), *graph_module.buffers())):
        return wrapped

    run = innermost(runner)

    def call(*inputs: Any) -> Any:
        return run(list(inputs))

    return call


def innermost(runner: Any) -> Any:
    """The runner, without the object around it that AOTAutograd can pickle."""
    return getattr(runner, "run", runner)


def inside(wrapped: Callable[..., Any]) -> Any:
    """The function that AOTAutograd's runtime wrapper calls, if no other wrapper lies between it and the function that takes the inputs one
    by one. Wrappers for tensor subclasses and for duplicate inputs would lie there."""
    code = getattr(wrapped, "__code__", None)
    if code is None or not code.co_flags & inspect.CO_VARARGS:
        return None
    return _below(_below(wrapped))


def _below(function: Any) -> Any:
    """What a wrapper calls, without AOTAutograd's object that only holds a result for its cache, too."""
    found = getattr(function, "__wrapped__", None)
    return getattr(found, "__wrapped__", None) if type(found).__name__ == "SerializableCompiledFunction" else found


def passes_on(function: Any, runner: Runner) -> bool:
    """Whether a function is the runner, or only calls it if there are no tokens and no functional random states."""
    while function is not runner:
        code = getattr(function, "__code__", None)
        if code is None or code.co_qualname not in _PASSING_ON:
            return False
        function = getattr(function, "__wrapped__", None)
    return True


def has_work(metadata: Any, more: Sequence[str]) -> bool:
    """Whether AOTAutograd's wrapper has work after the graph: writes to inputs that autograd sees, views as outputs, and the like. `more`:
    further fields of the metadata that count."""
    return any(getattr(metadata, name, True) for name in (*WORK, *more)) or getattr(metadata, "grad_enabled_mutation", True) is not None
