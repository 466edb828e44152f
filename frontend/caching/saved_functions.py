"""Compiled functions that PyTorch's `torch.compile(...).aot_compile(...)` can write to a file.

The file has what Dynamo made of the function, and the files that the cache of graphs would have of its graph. A process that loads it runs
neither Dynamo nor the compiler.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import fx

from ...disk_cache.container import DamagedEntry
from ...errors import MlirindError
from ...options import Options
from ...runtime.artifacts import surroundings
from ...runtime.artifacts.native_graph import NotCacheable
from ...torch_internals.serializable import SerializableCallable
from ...torch_internals.traced_results import callable_of_file, results_are_data
from ..calling.forward_mode import has_tangent, in_dual_level
from .captured_text import check_captured
from .stored_graphs import check_options, entries_in_memory, read_entry

_KEY = "captured"  # of what AOTAutograd made of the graph


class SavedFunction(SerializableCallable):
    """A compiled graph that Dynamo's `aot_compile` can write to a file. `entries`: the files of the cache that belong to it, by their keys;
    the one of AOTAutograd's result has the key "captured"."""

    def __init__(self, call: Callable[..., Any], entries: Mapping[str, bytes]) -> None:
        self.call, self.entries = call, dict(entries)

    def __call__(self, *inputs: Any) -> Any:
        """Runs the graph."""
        return self.call(*inputs)

    @classmethod
    def serialize_compile_artifacts(cls, fn: Any) -> bytes:
        """What `deserialize_compile_artifacts` reads."""
        return pickle.dumps({"entries": fn.entries, "process": _process()})

    @classmethod
    def deserialize_compile_artifacts(cls, data: bytes) -> SavedFunction:
        """The function, in a process with the same versions and on the same kind of processor. Raises MlirindError in another one, and for
        damaged data."""
        saved = pickle.loads(data)
        entries, process = saved["entries"], _process()
        other = [name for name, value in saved["process"].items() if process.get(name) != value]
        if other:
            raise MlirindError(
                f"aot_compile: the file was made with another version or elsewhere ({', '.join(other)} differ): make it again"
            )
        with entries_in_memory(entries):
            entry = read_entry(_KEY)
            if entry is None:
                raise MlirindError("aot_compile: the file is damaged: make it again")
            try:
                call = callable_of_file(pickle.loads(entry[1][0]))
            except DamagedEntry as error:  # the log has more
                raise MlirindError("aot_compile: the file is damaged, or its code is for another GPU: make it again") from error
        return cls(_without_tangents(call), entries)


def saved_function(
    graph_module: fx.GraphModule, inputs: Sequence[Any], options: Options, compile_with: Callable[..., Callable[..., Any]]
) -> SavedFunction:
    """Compiles a graph for `aot_compile`. `compile_with(graph_module, inputs, options, key)` compiles it as the backend does. Raises
    MlirindError for a graph that can't be written to a file; the message has the reason."""
    options = dataclasses.replace(options, cache=True)
    with entries_in_memory({}) as entries:
        try:
            check_options(options)
            check_captured(graph_module)
            if not results_are_data():
                raise NotCacheable("this PyTorch gives no results as data")
        except NotCacheable as reason:
            raise _refusal(str(reason)) from reason
        call = compile_with(graph_module, inputs, options, _KEY)
    if _KEY not in entries.contents:
        raise _refusal("; ".join(entries.reasons))
    return SavedFunction(_without_tangents(call), entries.contents)


def _refusal(reason: str) -> MlirindError:
    return MlirindError(f"aot_compile: the graph can't be written to a file: {reason}. Use torch.compile without aot_compile for it")


def _without_tangents(call: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which refuses inputs with tangents: it has no graph that could compute with them."""

    def checked(*inputs: Any) -> Any:
        if in_dual_level() and any(map(has_tangent, inputs)):
            raise MlirindError("aot_compile: the function computes no tangents of forward-mode differentiation: call the model itself")
        return call(*inputs)

    return checked


def _process() -> dict[str, str]:
    """A checksum of each part of what code depends on in a process."""
    return {
        name: hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest() for name, value in surroundings.of_process().items()
    }
