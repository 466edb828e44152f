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
ConstantSource = needed("torch._dynamo.source.ConstantSource", "names of symbolic sizes")
_GlobalStateSource = private(
    "torch._dynamo.source.GlobalStateSource",
    "a guard that recompiles when the registered patterns change",
    "a compiled function keeps the patterns it was compiled with",
)
_Guard = private(
    "torch._guards.Guard",
    "a guard that recompiles when the registered patterns change",
    "a compiled function keeps the patterns it was compiled with",
)


def add_guard(context: Any, install: Callable[[Any, Any], None]) -> None:
    """Lets `install(builder, guard)` add a condition to the guards of the code that is being compiled."""
    if _Guard is not None and _GlobalStateSource is not None:
        context.guards_context.dynamo_guards.add(_Guard(_GlobalStateSource(), install))


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
