"""The parts of AOTAutograd and of functorch's partitioners that the project uses, and AOTAutograd's metadata of the graph that is being
compiled."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from torch import fx
from torch.utils.checkpoint import CheckpointPolicy

from ..runner import Runner
from .entries import needed, private

_Run = TypeVar("_Run", bound=Callable[..., Any])

_count = itertools.count()


def _next_name() -> str:
    return f"graph_{next(_count)}"


def _boxed(function: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    def run(inputs: list[Any]) -> Any:
        return function(*inputs)

    return mark_boxed(run)


def _must_recompute(node: fx.Node) -> bool:
    return node.meta.get("recompute") in (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)


class _NoSettings:
    """Stands for functorch's config if PyTorch has none: `patch` changes nothing."""

    @staticmethod
    def patch(**_: Any) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


aot_module_simplified = needed("torch._functorch.aot_autograd.aot_module_simplified", "forward and backward graphs of ATen's operators")
config = needed("torch._functorch.config", "functorch's settings while a graph is partitioned", _NoSettings)
default_partition = needed("torch._functorch.partitioners.default_partition", "forward and backward of a joint graph")
min_cut_partition = needed("torch._functorch.partitioners.min_cut_rematerialization_partition", "forward and backward of a joint graph")
must_recompute = private(
    "torch._functorch.partitioners.must_recompute",
    "which nodes a checkpoint recomputes",
    "it is taken from the nodes' `recompute` metadata",
    _must_recompute,
)
aot_graph_name = private(
    "torch._functorch._aot_autograd.logging_utils.get_aot_graph_name",
    "AOTAutograd's names of graphs in logs",
    "graphs are numbered",
    _next_name,
)
boxed_function: Callable[[Callable[..., Any]], Runner] = private(
    "torch._functorch.aot_autograd.make_boxed_func",
    "marks callables that take one list of inputs",
    "an equivalent wrapper of ours is used",
    _boxed,
)
TracingContext = private(
    "torch._guards.TracingContext",
    "which inputs are parameters, which saved tensors are donated, and whether AOTAutograd's wrappers do anything",
    "no input counts as a parameter, no saved tensor's memory is reused, and graphs are called through the wrappers",
)


def mark_boxed(run: _Run) -> _Run:
    """The runner, marked so that AOTAutograd calls it with one list of inputs, which the runner may empty."""
    marked: Any = run
    marked._boxed_call = True
    return run


def tracing_context() -> Any:
    """What Dynamo and AOTAutograd know of the code that is being compiled; None outside of a compilation."""
    return None if TracingContext is None else TracingContext.try_get()


def graph_metadata() -> Any:
    """AOTAutograd's metadata of the graph that is being compiled; None outside of a compilation."""
    return getattr(tracing_context(), "fw_metadata", None)


def makes_views_by_offset() -> bool:
    """Whether AOTAutograd makes some output for the caller as a view by storage offset (`as_strided`), so that the offset of the compiled
    graph's result matters. False if every output is a result, an input, or a view whose operators AOTAutograd repeats. True if unknown."""
    infos = getattr(graph_metadata(), "output_info", None)
    return infos is None or any(info.output_type.name.startswith("alias_of") and not _is_replayed(info) for info in infos)


def _is_replayed(info: Any) -> bool:
    made_by = getattr(info, "view_meta_sequence", None)
    return made_by is not None and not any(getattr(view, "has_symbolic_inputs", True) for view in made_by.sequence)


def donated_inputs() -> Sequence[int]:
    """Which inputs of the backward graph being compiled are saved tensors that nothing reads after the call."""
    return tuple(getattr(graph_metadata(), "bw_donated_idxs", None) or ())


def static_inputs() -> Sequence[int]:
    """Which inputs of the forward graph being compiled are parameters and buffers, at the same address in every call."""
    return tuple(getattr(graph_metadata(), "static_input_indices", None) or ())


def outputs_of_tangents(joint: fx.Graph) -> list[tuple[fx.Node, fx.Node]]:
    """The gradients among a joint graph's inputs, each with the output that it belongs to; only those for which AOTAutograd says so."""
    end = joint.output_node()
    described = [(d, value) for d, value in zip(end.meta.get("desc") or (), end.args[0], strict=False) if isinstance(value, fx.Node)]
    of_tangents = [(node, getattr(node.meta.get("desc"), "output", None)) for node in joint.find_nodes(op="placeholder")]
    return [(node, value) for node, output in of_tangents if output is not None for d, value in described if d == output]
