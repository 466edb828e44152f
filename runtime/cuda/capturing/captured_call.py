"""One capture: the CUDA graph of a call, the memory that it reads and writes, and its replay for another call's inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from ....torch_internals.tensors import foreach_copy, storage_handle, use_count
from .output_copies import by_dtype
from .outputs import Outputs


@dataclass(eq=False)
class CapturedCall:
    """A CUDA graph, and where it reads and writes.

    `key`: where the policy keeps it; `stream`: the stream that was current during the capture. `addresses`: of the inputs that it reads
    in place, by number, if the policy compares these in each call; `buffers`: static buffers of other inputs; `written`: the numbers of the
    inputs that the graph writes.
    """

    replay: Callable[[], None]
    key: Any
    stream: int
    outputs: Outputs
    addresses: Mapping[int, int]
    buffers: Mapping[int, torch.Tensor]
    written: Collection[int]
    used: int = 0  # the number of the last call that used it
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._in_place, self._expected = list(self.addresses), list(self.addresses.values())
        self._written_buffers = [(n, self.buffers[n]) for n in self.written if n in self.buffers]
        self._groups = by_dtype(self.buffers)
        # The storages of the outputs, and the capture's own references to each.
        self._handles = [storage_handle(s) for s in self.outputs.storages]
        self._own = [use_count(h) for h in self._handles]

    def is_for(self, inputs: list[Any]) -> bool:
        """Whether the inputs that are read in place are at the captured addresses."""
        numbers = self._in_place
        if numbers and inputs[numbers[0]].data_ptr() != self._expected[0]:
            return False  # the first input decides in most cases
        return [inputs[n].data_ptr() for n in numbers] == self._expected

    def held(self) -> set[int]:
        """The numbers of the storages to which callers still have references."""
        counts = [use_count(h) for h in self._handles]
        return set() if counts == self._own else {n for n, c in enumerate(counts) if c > self._own[n]}

    def run(self, inputs: list[Any]) -> list[Any]:
        """Replays the graph for these inputs, which it takes out of the list; returns the outputs."""
        arguments = list(inputs)
        inputs.clear()
        for numbers, buffers in self._groups:
            foreach_copy(buffers, [arguments[n] for n in numbers])
        self.replay()
        for n, buffer in self._written_buffers:
            arguments[n].copy_(buffer)
        return self.outputs(arguments)
