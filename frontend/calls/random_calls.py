"""Random draws that a checkpoint repeats: PyTorch's calls with the generator's state become ordinary operators.

The partition of a checkpointed region has `run_and_save_rng_state(op, ...)` in the forward and `run_with_rng_state(state, op, ...)` in the
backward. They become `mlirindrandom::save__ns__op(...) -> (state, results)` and `mlirindrandom::with__ns__op(state, ...)`.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import torch
from torch import fx

from ...errors import UnsupportedGraph
from ...torch_internals.fake_tensors import detect_fake_mode
from ...torch_internals.fx_graphs import run_and_save_rng_state, run_with_rng_state
from ...torch_internals.modes import without_dispatch_modes
from ...torch_internals.operators import schema_of

NAMESPACE = "mlirindrandom"
_library = torch.library.Library(NAMESPACE, "FRAGMENT")


def expand_random_calls(graph_module: fx.GraphModule) -> None:
    """Rewrites the calls of a graph, in place."""
    graph = graph_module.graph
    for node in list(graph.nodes):
        if node.target is run_and_save_rng_state:
            _expand_save(graph, node)
        elif node.target is run_with_rng_state:
            _expand_with(node)


def _expand_save(graph: fx.Graph, node: fx.Node) -> None:
    drawn, *args = node.args
    items = {user.args[1]: user for user in node.users}
    if 1 not in items or any(user.target is not operator.getitem for user in node.users):
        raise UnsupportedGraph("the results of a repeated random draw are used as a tuple")
    value = items[1].meta["val"]
    with graph.inserting_before(node):
        call = graph.call_function(saving_form(drawn), tuple(args), dict(node.kwargs))
        call.meta = {**items[1].meta, "val": (_fake_state(value), *(value if _is_several(drawn) else [value]))}
    results = list(items[1].users) if _is_several(drawn) else [items[1]]
    for result in results:
        result.args = (call, 1 + (result.args[1] if _is_several(drawn) else 0))
    if 0 in items:
        items[0].args = (call, 0)
        items[0].meta["val"] = call.meta["val"][0]
    for unused in ([items[1]] if _is_several(drawn) else []) + [node]:
        graph.erase_node(unused)


def _expand_with(node: fx.Node) -> None:
    state, drawn, *args = node.args
    node.target = repeating_form(drawn)
    node.args = (state, *args)
    if "val" not in node.meta:
        given, named = fx.map_arg((tuple(args), dict(node.kwargs)), lambda n: n.meta["val"])
        with detect_fake_mode([n.meta.get("val") for n in node.all_input_nodes]):
            node.meta["val"] = drawn(*given, **named)
    state.meta["val"] = _fake_state(node.meta["val"])


def _fake_state(value: Any) -> torch.Tensor:
    """A fake tensor with the size of the state of the generator that draws `value`. PyTorch's own fake state has a symbolic size."""
    first = value[0] if isinstance(value, (list, tuple)) else value
    size = _generator_state_size(first.device)
    with first.fake_mode:
        return torch.empty(size, dtype=torch.uint8)


def _is_several(drawn: torch._ops.OpOverload) -> bool:
    return len(schema_of(drawn).returns) > 1


@functools.cache
def saving_form(drawn: torch._ops.OpOverload) -> torch._ops.OpOverload:
    """The form that draws, and returns the generator's previous state as the first result."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return _first(_generator_state(_device(args, kwargs)), drawn(*args, **kwargs))

    def fake(*args: Any, **kwargs: Any) -> Any:
        size = _generator_state_size(_device(args, kwargs))
        return _first(torch.empty(size, dtype=torch.uint8), drawn(*args, **kwargs))

    arguments, results = _signature(drawn)
    signature = f"({arguments}) -> ({', '.join(['Tensor', *results])})"
    return _define(f"save__{_name(drawn)}", signature, run, fake, (torch.Tag.nondeterministic_seeded,))


@functools.cache
def repeating_form(drawn: torch._ops.OpOverload) -> torch._ops.OpOverload:
    """The form that draws from a generator in the given state, and leaves the generator unchanged."""

    def run(state: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        device = _device(args, kwargs)
        before = _generator_state(device)
        _set_generator_state(device, state)
        try:
            return drawn(*args, **kwargs)
        finally:
            _set_generator_state(device, before)

    def fake(_state: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        return drawn(*args, **kwargs)

    arguments, results = _signature(drawn)
    return _define(f"with__{_name(drawn)}", f"(Tensor rng_state, {arguments}) -> ({', '.join(results)})", run, fake, ())


def _first(state: torch.Tensor, drawn: Any) -> tuple[torch.Tensor, ...]:
    return (state, *drawn) if isinstance(drawn, (list, tuple)) else (state, drawn)


def _define(name: str, signature: str, run: Any, fake: Any, tags: tuple[torch.Tag, ...]) -> torch._ops.OpOverload:
    _library.define(name + signature, tags=tags)
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", fake, lib=_library)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def _name(drawn: torch._ops.OpOverload) -> str:
    namespace, _, base = schema_of(drawn).name.partition("::")
    return f"{namespace}__{base}" + (f"__{schema_of(drawn).overload_name}" if schema_of(drawn).overload_name else "")


def _signature(drawn: torch._ops.OpOverload) -> tuple[str, list[str]]:
    """The arguments as text, and the types of the results."""
    results = [str(r.type) for r in schema_of(drawn).returns]
    if schema_of(drawn).is_mutable or any(r != "Tensor" for r in results) or any(a.alias_info for a in schema_of(drawn).arguments):
        raise UnsupportedGraph(f"{drawn} is drawn again, and gives no tensors of its own")
    given = str(schema_of(drawn))
    return given[given.index("(") + 1 : given.rindex(") -> ")], results


def _device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device:
    tensor = next((a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)), None)
    return tensor.device if tensor is not None else torch.device(kwargs.get("device") or "cpu")


@functools.cache
def _generator_state_size(device: torch.device) -> int:
    with without_dispatch_modes():
        size: int = _generator_state(device).numel()
        return size


def _generator_state(device: torch.device) -> torch.Tensor:
    return torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()


def _set_generator_state(device: torch.device, state: torch.Tensor) -> None:
    if device.type == "cuda":
        torch.cuda.set_rng_state(state.cpu(), device)
    else:
        torch.set_rng_state(state)
