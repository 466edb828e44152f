"""The parts of Dynamo that the project uses beyond the documented interface of backends."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any

from .entries import needed, private

counters: Any = private(
    "torch._dynamo.utils.counters",
    "tells DistributedDataParallel's graph splitter that AOTAutograd compiles the graph",
    "the splitter assumes a backend without AOTAutograd",
    collections.defaultdict(collections.Counter),
)
flatten_graph_inputs = private(
    "torch._dynamo.utils.flatten_graph_inputs",
    "graphs of compiled autograd, which take lists",
    "graphs of compiled autograd run as captured",
)
compilation_metrics: Callable[[], Sequence[Any]] = private(
    "torch._dynamo.utils.get_compilation_metrics",
    "what Dynamo compiled, in a report",
    "a report names no recompilations and no graph breaks",
    list,
)
ConstantSource = needed("torch._dynamo.source.ConstantSource", "names of symbolic sizes")
_GlobalStateSource = private(
    "torch._dynamo.source.GlobalStateSource",
    "guards that recompile when the registered patterns change, and for forward-mode differentiation",
    "a compiled function keeps the patterns it was compiled with; each call looks for tangents among its inputs",
)
_Guard = private(
    "torch._guards.Guard",
    "guards that recompile when the registered patterns change, and for forward-mode differentiation",
    "a compiled function keeps the patterns it was compiled with; each call looks for tangents among its inputs",
)
_add_dual_level_guard = private(
    "torch._C._dynamo.guards.RootGuardManager.add_dual_level_match_guard",
    "a guard that recompiles within and outside of forward-mode differentiation",
    "each call looks for tangents among its inputs",
)


def add_guard(context: Any, install: Callable[[Any, Any], None]) -> bool:
    """Lets `install(builder, guard)` add a condition to the guards of the code that is being compiled. False if this PyTorch can't."""
    if _Guard is None or _GlobalStateSource is None:
        return False
    context.guards_context.dynamo_guards.add(_Guard(_GlobalStateSource(), install))
    return True


def add_to_root(add: Callable[..., None], condition: Any, reason: str, guard: Any) -> None:
    """`add(condition, [reason], stack)`, where `add` is a method of Dynamo's root guard manager; older versions take no stack."""
    try:
        add(condition, [reason], guard.user_stack)
    except TypeError:
        add(condition, [reason])


def guard_on_dual_level(context: Any, level: int) -> bool:
    """Guards the code that is being compiled on the level of `torch.autograd.forward_ad`; -1: outside of forward-mode differentiation.
    False if this PyTorch can't."""
    if _add_dual_level_guard is None:
        return False

    def install(builder: Any, guard: Any) -> None:
        root = builder.guard_manager.root
        add_to_root(root.add_dual_level_match_guard, level, f"mlirind: the level of torch.autograd.forward_ad is {level}", guard)

    return add_guard(context, install)


def examples(placeholders: Sequence[Any]) -> list[Any]:
    """The inputs that Dynamo saw for the placeholders of a graph; None for one that it did not keep."""
    arguments = [node.meta.get("grapharg") for node in placeholders]
    return [getattr(argument, "example", None) for argument in arguments]


def source_expressions(placeholders: Sequence[Any]) -> list[str]:
    """Where Dynamo took the inputs of a graph from, such as `L['x'][0]`; the placeholder's name if Dynamo kept no source."""
    return [_source_expression(node) or node.name for node in placeholders]


def _source_expression(node: Any) -> str | None:
    name = getattr(getattr(node.meta.get("grapharg"), "source", None), "name", None)
    return name() if callable(name) else name


def input_sources(placeholders: Sequence[Any]) -> list[Any]:
    """Where Dynamo took the inputs of a graph from, with the kinds of modules and of their parameters; None for one that it did not
    keep."""
    return [getattr(node.meta.get("grapharg"), "source", None) for node in placeholders]
