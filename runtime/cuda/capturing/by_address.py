"""Option `replay`: captures keyed by input addresses, for small graphs on a GPU, whose time is the host's.

A CUDA graph contains addresses. A capture is used for calls whose inputs are at the captured addresses, on the same stream and thread.
Other calls run normally, and are captured when they come again. The caller sees no difference: inputs are read and written in place,
outputs are new tensors, copies of what the capture computes.
"""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch

from ....runner import Runner
from ....torch_internals.cuda import library_state
from ....torch_internals.modes import has_dispatch_modes, profiler_runs
from .capture import CaptureFunction, capture, is_elsewhere, one_at_a_time, stream_of
from .captured_call import CapturedCall
from .capturing_runner import CapturingRunner

WARM = 2  # this many calls at the same addresses run normally first: libraries choose and load their kernels
MOST_CAPTURES = 4  # of one graph; the oldest is dropped
MOST_MISSES = 64  # after this many consecutive calls without a matching capture, stop: the graph's addresses never repeat
MOST_BYTES = 128 << 20  # of GPU memory that one capture may take
MOST_BYTES_OF_ALL = 1 << 30  # of GPU memory that all captures may take before no more are made

_taken: Counter[torch.device] = Counter()


class ByAddressRunner(CapturingRunner):
    """Captures for input addresses. `moving`: numbers of inputs whose strides may change; `idle`: outputs whose content nobody reads."""

    def __init__(
        self,
        runner: Runner,
        device: torch.device,
        moving: Sequence[int],
        idle: Collection[int],
        name: str,
        capture_launches: CaptureFunction | None = None,
    ) -> None:
        super().__init__(runner, device, name, capture_launches or functools.partial(capture_shared, device))
        self.moving, self.idle = moving, idle
        self.captures: dict[Any, CapturedCall] = {}
        self.calls: dict[Any, int] = {}
        self.misses = 0
        self.given_up = False

    def _capture_for(self, inputs: list[Any]) -> CapturedCall | None:
        if self.given_up or runs_plainly(self.device):
            return None
        strides = [inputs[n].stride() for n in self.moving]
        key = (*[i.data_ptr() for i in inputs], *strides, *stream_and_thread(self.device), *library_state())
        captured = self.captures.get(key)
        if captured is None:
            return self._missed(key, inputs)
        self.misses = 0
        return captured

    def _missed(self, key: Any, inputs: list[Any]) -> CapturedCall | None:
        self.misses += 1
        self.given_up = self.misses > MOST_MISSES
        if len(self.calls) > MOST_MISSES:
            self.calls.clear()
        self.calls[key] = self.calls.get(key, 0) + 1
        if self.calls[key] <= WARM or self.given_up or not one_at_a_time.acquire(blocking=False):
            return None
        try:
            captured = self._captured(lambda: self._in_place(key, inputs))
        finally:
            one_at_a_time.release()
        if captured is None:
            self.given_up = True
            return None
        while len(self.captures) >= MOST_CAPTURES:
            self.captures.pop(next(iter(self.captures)), None)
        self.captures[key] = captured
        return captured

    def _in_place(self, key: Any, inputs: list[Any]) -> CapturedCall:
        """A capture that reads all inputs in place, and whose outputs are all copied. The key has the addresses."""
        return self._new_capture(key, inputs, addresses={}, buffers={}, written=(), idle=self.idle, copied=None)


def runs_plainly(device: torch.device) -> bool:
    """Whether a call must run normally: a capture or a profiler is active, or another device is the current one."""
    if profiler_runs() or has_dispatch_modes():
        return True
    return is_elsewhere(device)


def stream_and_thread(device: torch.device) -> tuple[int, int]:
    """The stream and the thread: libraries have handles for each thread, and replays of two threads would interfere."""
    return stream_of(device), threading.get_ident()


def capture_shared(device: torch.device, run: Callable[[], Sequence[Any]]) -> tuple[Callable[[], None], list[Any]]:
    """Captures the launches of `run` as a CUDA graph. Its memory serves all captures on the current stream, and stays allocated."""
    if _taken[device] > MOST_BYTES_OF_ALL:
        raise RuntimeError(f"captures have taken {_taken[device]} bytes")
    before = torch.cuda.memory_reserved(device)
    graph, results = capture(device, run, shares_memory=True)
    taken = torch.cuda.memory_reserved(device) - before
    _taken[device] += taken
    if taken > MOST_BYTES:
        raise RuntimeError(f"it takes {taken} bytes")
    return graph.replay, results
