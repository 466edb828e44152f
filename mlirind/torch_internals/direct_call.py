"""Graphs that Dynamo calls without AOTAutograd's wrapper in between: those for which it would do nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ..runner import Runner
from .modes import is_autocast_on

# Operators of these are known not to give what they are given; others AOTAutograd checks when they first run.
NAMESPACES = ("aten", "prims")
# What AOTAutograd's metadata counts that the wrapper has work with; a version of PyTorch that does not say has work with it.
WORK = ("num_mutated_inp_runtime_indices", "num_outputs_aliased", "num_intermediate_bases", "tokens", "is_rng_op_functionalized")
_INFERENCE_WORK = ("num_mutated_graph_handled_indices_seen_by_autograd", "dynamic_outputs")
# AOTAutograd's functions around a runner that do nothing else where there are no tokens or functional random states; PyTorch 2.11 has
# them around every runner.
_PASSING_ON = ("FunctionalizedRngRuntimeWrapper.post_compile.<locals>.wrapper", "EffectTokensWrapper.post_compile.<locals>.inner_fn")


@dataclass
class Inference:
    """What the inference compiler made of a graph, and AOTAutograd's metadata of it; empty if it made none."""

    runner: Runner | None = None
    metadata: Any = None
    own_operators: bool = False

    def note(self, runner: Runner, metadata: Any, own_operators: bool) -> None:
        """Remembers them."""
        self.runner, self.metadata, self.own_operators = runner, metadata, own_operators


def uses_own_operators(graph_module: fx.GraphModule) -> bool:
    """Whether a graph calls more than PyTorch's own operators."""
    operators = [n.target for n in graph_module.graph.nodes if isinstance(n.target, torch._ops.OperatorBase)]
    return any(getattr(o, "namespace", None) not in NAMESPACES for o in operators)


def direct_call(wrapped: Callable[..., Any], graph_module: fx.GraphModule, made: Inference) -> Callable[..., Any]:
    """The callable for Dynamo: `wrapped`, as AOTAutograd made it, or one that calls the runner at once. AOTAutograd's wrapper writes
    to inputs what the graph returns for them, makes outputs views of inputs again, counts the versions of written inputs, and
    switches gradients and autocast off; where nothing of this is to be done, it costs a call 1 us."""
    runner = made.runner
    if runner is None or made.own_operators or has_work(made.metadata, _INFERENCE_WORK) or is_autocast_on():
        return wrapped
    if torch.is_grad_enabled() and any(i.requires_grad for i in made.metadata.input_info):
        return wrapped
    if not passes_on(inside(wrapped), runner) or any(True for _ in (*graph_module.parameters(), *graph_module.buffers())):
        return wrapped

    def call(*inputs: Any) -> Any:
        return runner(list(inputs))

    return call


def inside(wrapped: Callable[..., Any]) -> Any:
    """What AOTAutograd's wrapper at runtime calls, where that alone is under the function that takes inputs one by one. What takes tensor
    subclasses apart, or gives one tensor for two, would be there else."""
    code = getattr(wrapped, "__code__", None)
    if code is None or not code.co_flags & inspect.CO_VARARGS:
        return None
    return getattr(getattr(wrapped, "__wrapped__", None), "__wrapped__", None)


def passes_on(function: Any, runner: Runner) -> bool:
    """Whether a function is the runner, or does nothing but call it where there are no tokens and no functional random states."""
    while function is not runner:
        code = getattr(function, "__code__", None)
        if code is None or code.co_qualname not in _PASSING_ON:
            return False
        function = getattr(function, "__wrapped__", None)
    return True


def has_work(metadata: Any, more: Sequence[str]) -> bool:
    """Whether a graph writes to inputs that autograd sees, or gives views, or anything else is to be done when it ends; `more`: what else
    is counted."""
    return any(getattr(metadata, name, True) for name in (*WORK, *more)) or getattr(metadata, "grad_enabled_mutation", True) is not None
