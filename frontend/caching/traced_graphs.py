"""What AOTAutograd made of a graph that Dynamo captured, in the cache: another process neither traces the graph nor splits a joint graph.

An entry has AOTAutograd's result, pickled, in which each compiled graph is named by its key in the cache.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ...disk_cache.container import DamagedEntry
from ...options import Options
from ...runtime.artifacts.native_graph import NotCacheable
from ...torch_internals.direct_call import InferenceGraph
from ...torch_internals.modes import without_dispatch_modes
from ...torch_internals.traced_results import adds_guards, allow_kept_graphs, callable_of, codes_of, result_of, results_are_data
from ...torch_internals.training_call import Training
from ...torch_internals.wrapper_check import called_directly
from ..counters import counters
from .captured_text import captured_text
from .stored_graphs import check_options, count, discard, gpus_of, key_of, read_entry, write_entry
from .users_code import code_on_captured_graphs

log = logging.getLogger(__name__)

_TRACES = "AOTAutograd traces: "  # begins the reasons why it does so in each process


def traced_key(graph_module: fx.GraphModule, inputs: Sequence[Any], options: Options) -> str | None:
    """The key of what AOTAutograd makes of a captured graph; None if that is not cached."""
    if not options.cache:
        return None
    try:
        check_options(options)
    except NotCacheable:
        return None  # compiled graphs are not cached either, and count the reason
    try:
        if not results_are_data():
            raise NotCacheable("this PyTorch gives no results as data")
        gpus = gpus_of([*inputs, *(node.meta.get("example_value") for node in graph_module.graph.nodes)])
        return key_of(options, gpus, lambda: ["captured", captured_text(graph_module, inputs), code_on_captured_graphs(options)])
    except NotCacheable as reason:
        count(reason, _TRACES)
        return None


def load_traced(key: str, graph_module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any] | None:
    """The callable for Dynamo; None if the cache has no entry, or none that can be used."""
    entry = read_entry(key)
    if entry is None:
        return None
    header, pieces = entry
    try:
        with without_dispatch_modes():
            result = pickle.loads(pieces[0])
        fakes = [node.meta.get("example_value") for node in graph_module.graph.find_nodes(op="placeholder")]
        wrapped = callable_of(result, fakes)
        codes = codes_of(result)
        inference, training = InferenceGraph(), Training()
        if len(codes) == 1:
            inference.note(codes[0], result.runtime_metadata, bool(header["own_operators"]))
        else:
            training = Training(codes[0], bool(header["own_operators"]), [bool(given) for given in header["has_gradient"]])
        found = called_directly(wrapped, graph_module, inputs, inference, training)
    except DamagedEntry as error:  # a graph was removed: its entry is written again
        count(error)
        return None
    except Exception as error:
        discard(key, error)
        return None
    counters.cache["traced hit"] += 1
    counters.cache["hit"] += len(codes)
    counters.compiled += len(codes)
    return found


def save_traced(key: str, wrapped: Callable[..., Any], inference: InferenceGraph, training: Training) -> None:
    """Writes what AOTAutograd made, if its graphs are in the cache."""
    counters.cache["traced miss"] += 1
    result = result_of(wrapped)
    try:
        if result is None:
            raise NotCacheable("AOTAutograd gives no result")
        allow_kept_graphs(result.runtime_metadata)
        if any(getattr(code, "stored", None) is None for code in codes_of(result)):
            return  # the reason was counted
        if adds_guards():
            raise NotCacheable("AOTAutograd adds guards")
        known = training if len(codes_of(result)) > 1 else inference
        header = {"own_operators": known.own_operators, "has_gradient": list(training.has_gradient)}
        write_entry(key, header, [_pickled(result)])
    except NotCacheable as reason:
        count(reason, _TRACES)


def _pickled(result: Any) -> bytes:
    try:
        with without_dispatch_modes(), torch.no_grad():
            return pickle.dumps(result)
    except Exception as error:
        raise NotCacheable(f"its result can't be pickled: {type(error).__name__}: {error}") from error
