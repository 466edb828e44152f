"""Compiled graphs that can be pickled as parts of AOTAutograd's results: the pickle names the graph's entry in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...disk_cache.container import DamagedEntry
from ...runner import Runner
from ...torch_internals.aot import mark_boxed
from ...torch_internals.traced_results import OutputCode, keep_out_of_pytorchs_cache
from ..calling.plain_inputs import with_plain_gradients
from .stored_graphs import StoredGraph


class CompiledCode(OutputCode):
    """A runner that AOTAutograd's wrappers call. `stored`: None if the graph is not in the cache; `run`: None until it is loaded."""

    def __init__(self, run: Runner | None, stored: StoredGraph | None) -> None:
        super().__init__()
        self.run, self.stored = run, stored
        mark_boxed(self)  # on the object: AOTAutograd copies its attributes to a wrapper

    def __call__(self, inputs: Any) -> Any:
        """Runs the graph; empties the list `inputs`."""
        assert self.run is not None
        return self.run(inputs)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledCode, (None, self.stored)

    def prepare_for_serialization(self) -> None:
        """PyTorch calls this before it writes the result."""
        keep_out_of_pytorchs_cache()

    def post_compile(self, example_inputs: Sequence[Any], constants: Any, graph_kwargs: Any) -> None:
        """PyTorch calls this when it builds the callable of a result. Raises DamagedEntry if the graph is not in the cache any more."""
        assert self.stored is not None
        loaded = self.stored.runner()
        if loaded is None:
            raise DamagedEntry("its graph is not in the cache any more")
        self.run = with_plain_gradients(loaded, self.stored.tangents, self.stored.traced_runner()) if self.stored.tangents else loaded
