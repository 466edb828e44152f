"""Captures keyed by input addresses, for small graphs on a GPU, whose time is the host's.

A CUDA graph contains addresses. A capture is used for calls whose inputs are at the captured addresses, on the same stream and thread.
Other calls run normally, and are captured when they come again. The caller sees no difference: inputs are read and written in place,
outputs are new tensors, copies of what the capture computes.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ....runner import Runner
from ....torch_internals.cuda import library_state
from ....torch_internals.modes import has_dispatch_modes, profiler_runs
from ....torch_internals.tensors import storage_id
from .capture import CaptureFunction, capture, is_elsewhere, one_at_a_time, stream_of
from .output_copies import Copies, Made

log = logging.getLogger(__name__)


WARM = 2  # this many calls at the same addresses run normally first: libraries choose and load their kernels
MOST_CAPTURES = 4  # of one graph; the oldest is dropped
MOST_MISSES = 64  # after this many consecutive calls without a matching capture, stop: the graph's addresses never repeat
MOST_BYTES = 128 << 20  # of GPU memory that one capture may take
MOST_BYTES_OF_ALL = 1 << 30  # of GPU memory that all captures may take before no more are made

_taken: Counter[torch.device] = Counter()


@dataclass(frozen=True, eq=False)
class _Capture:
    """`outputs`: for each a function of (inputs, copies of what was made)."""

    replay: Callable[[], None]
    copies: Copies
    outputs: list[Callable[[Sequence[Any], Sequence[torch.Tensor]], Any]]


class ReplayingRunner:
    """A runner that captures and replays. `moving`: numbers of inputs whose strides may change; `idle`: outputs whose content nobody
    reads."""

    def __init__(
        self,
        runner: Runner,
        device: torch.device,
        moving: Sequence[int],
        idle: Collection[int],
        name: str,
        capture_launches: CaptureFunction | None = None,
    ) -> None:
        self.runner, self.device, self.moving, self.idle, self.name = runner, device, moving, idle, name
        self.capture_launches = capture_launches or functools.partial(capture_shared, device)
        self.captures: dict[Any, _Capture] = {}
        self.calls: dict[Any, int] = {}
        self.misses = 0
        self.given_up = False

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        if self.given_up or runs_plainly(self.device):
            return self.runner(inputs)
        strides = [inputs[n].stride() for n in self.moving]
        key = (*[i.data_ptr() for i in inputs], *strides, *where(self.device), *library_state())
        captured = self.captures.get(key)
        if captured is None:
            return self._missed(key, inputs)
        self.misses = 0
        return self._replayed(captured, inputs)

    def _missed(self, key: Any, inputs: list[Any]) -> Sequence[Any]:
        self.misses += 1
        self.given_up = self.misses > MOST_MISSES
        if len(self.calls) > MOST_MISSES:
            self.calls.clear()
        self.calls[key] = self.calls.get(key, 0) + 1
        if self.calls[key] <= WARM or self.given_up or not one_at_a_time.acquire(blocking=False):
            return self.runner(inputs)
        try:
            captured = self._new_capture(inputs)
        except Exception as error:
            log.warning("%s is not captured as a CUDA graph: %s", self.name, error)
            self.given_up = True
            return self.runner(inputs)
        finally:
            one_at_a_time.release()
        while len(self.captures) >= MOST_CAPTURES:
            self.captures.pop(next(iter(self.captures)), None)
        self.captures[key] = captured
        return self._replayed(captured, inputs)

    def _new_capture(self, inputs: list[Any]) -> _Capture:
        replay, results = self.capture_launches(lambda: self.runner(list(inputs)))
        known = {storage_id(i) for i in inputs}
        found: dict[int, list[torch.Tensor]] = {}
        for result in (r for n, r in enumerate(results) if isinstance(r, torch.Tensor) and n not in self.idle):
            if result.device != self.device:
                raise RuntimeError("an output is not on the GPU")
            if storage_id(result) not in known:
                found.setdefault(storage_id(result), []).append(result)
        numbers = {storage: n for n, storage in enumerate(found)}
        made = [Made.of(tensors) for tensors in found.values()]
        outputs = []
        for result in results:
            if isinstance(result, torch.Tensor) and storage_id(result) in known:
                outputs.append(_in_input(result, inputs))
                continue
            number = numbers.get(storage_id(result)) if isinstance(result, torch.Tensor) else None
            outputs.append(_output(result, number, made))
        return _Capture(replay, Copies([one.source for one in made], self.device), outputs)

    def _replayed(self, captured: _Capture, inputs: list[Any]) -> Sequence[Any]:
        captured.replay()
        copies = captured.copies()
        outputs = [output(inputs, copies) for output in captured.outputs]
        inputs.clear()
        return outputs


def _in_input(result: torch.Tensor, inputs: Sequence[torch.Tensor]) -> Callable[..., Any]:
    """How to make an output in the memory of an input: it is the input, or a view of it."""
    for n, given in enumerate(inputs):
        if given is result:
            return lambda inputs, copies: inputs[n]
    for n, given in enumerate(inputs):
        offset = result.storage_offset() - given.storage_offset()
        if storage_id(given) == storage_id(result) and given.dtype == result.dtype and 0 <= offset <= _extent(given) - _extent(result):
            layout = offset, result.size(), result.stride()
            return lambda inputs, copies: _over(inputs[n], *layout)
    raise RuntimeError("an output lies where an input does, and beyond")


def _extent(tensor: torch.Tensor) -> int:
    """The number of elements from the first to the last one in memory."""
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride(), strict=True)) if tensor.numel() else 0


def _over(tensor: torch.Tensor, offset: int, sizes: torch.Size, strides: tuple[int, ...]) -> torch.Tensor:
    """A new tensor over the memory of another."""
    made = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return made.set_(tensor.untyped_storage(), tensor.storage_offset() + offset, sizes, strides)


def _output(result: Any, number: int | None, made: Sequence[Made]) -> Callable[..., Any]:
    """How to make an output: a copy, a view of one, or the captured value."""
    if number is None:
        return lambda inputs, copies: result
    if made[number].whole is not None:
        return lambda inputs, copies: copies[number]
    return lambda inputs, copies: made[number].output(result, copies[number])


# The GPU.


def runs_plainly(device: torch.device) -> bool:
    """Whether a call must run normally: a capture or a profiler is active, or another device is the current one."""
    if profiler_runs() or has_dispatch_modes():
        return True
    return is_elsewhere(device)


def where(device: torch.device) -> tuple[int, int]:
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
