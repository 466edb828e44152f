"""Small graphs on a GPU, whose time is the host's: what a call launches is recorded where its tensors lie, and replayed.

A recording is a CUDA graph, which knows addresses. It stands for calls whose inputs lie where they lay, on the same stream of the same
thread; all others run as ever, and are recorded when they come again. What a caller sees is the same: inputs are read and written in
place, outputs are new tensors, which get copies of what the recording gives.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch

log = logging.getLogger(__name__)

Runner = Callable[[list[Any]], Sequence[Any]]
Replay = Callable[[], None]
# Records what a function launches: gives what launches it again, and what the function gave.
Record = Callable[[Callable[[], Sequence[Any]]], tuple[Replay, list[Any]]]

WARM = 2  # so many calls with tensors in the same places run as ever: libraries choose and load their kernels
MOST_RECORDINGS = 4  # of one graph; the oldest goes
MOST_MISSES = 64  # so many calls in a row that no recording fits: the graph's tensors never lie where they lay
MOST_BYTES = 128 << 20  # that recording may take of the GPU's memory

_recording = threading.Lock()


@dataclass(frozen=True, eq=False)
class _Made:
    """A storage of the recording's in which outputs lie. `whole`: the output that fills it; None: `storage` as bytes is copied."""

    whole: torch.Tensor | None
    storage: torch.Tensor

    @property
    def source(self) -> torch.Tensor:
        """What is copied."""
        return self.storage if self.whole is None else self.whole


@dataclass(frozen=True, eq=False)
class _Recording:
    """`outputs`: for each a function of (inputs, copies of `made`). `groups`: the places of those of `made` that are copied at once."""

    replay: Replay
    made: list[_Made]
    groups: list[list[int]]
    outputs: list[Callable[[Sequence[Any], Sequence[torch.Tensor]], Any]]


class ReplayingRunner:
    """A runner that records and replays. `moving`: the numbers of inputs whose strides may differ from call to call; `idle`: outputs
    whose content nobody reads; `place`: where its tensors are."""

    def __init__(
        self, runner: Runner, place: torch.device, moving: Sequence[int], idle: Collection[int], name: str, record: Record | None = None
    ) -> None:
        self.runner, self.place, self.moving, self.idle, self.name = runner, place, moving, idle, name
        self.record = record or functools.partial(captured, place)
        self.recordings: dict[Any, _Recording] = {}
        self.calls: dict[Any, int] = {}
        self.misses = 0
        self.given_up = False

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        if self.given_up or runs_plainly(self.place):
            return self.runner(inputs)
        strides = [inputs[n].stride() for n in self.moving]
        key = (*[i.data_ptr() for i in inputs], *strides, *where(self.place), *library_state())
        recording = self.recordings.get(key)
        if recording is None:
            return self._missed(key, inputs)
        self.misses = 0
        return self._replayed(recording, inputs)

    def _missed(self, key: Any, inputs: list[Any]) -> Sequence[Any]:
        self.misses += 1
        self.given_up = self.misses > MOST_MISSES
        if len(self.calls) > MOST_MISSES:
            self.calls.clear()
        self.calls[key] = self.calls.get(key, 0) + 1
        if self.calls[key] <= WARM or self.given_up or not _recording.acquire(blocking=False):
            return self.runner(inputs)
        try:
            recording = self._recorded(inputs)
        except Exception as error:
            log.warning("%s is not recorded as a CUDA graph: %s", self.name, error)
            self.given_up = True
            return self.runner(inputs)
        finally:
            _recording.release()
        while len(self.recordings) >= MOST_RECORDINGS:
            self.recordings.pop(next(iter(self.recordings)), None)
        self.recordings[key] = recording
        return self._replayed(recording, inputs)

    def _recorded(self, inputs: list[Any]) -> _Recording:
        replay, results = self.record(lambda: self.runner(list(inputs)))
        taken = {id(i): n for n, i in enumerate(inputs)}
        known = {_storage(i) for i in inputs}
        found: dict[int, list[torch.Tensor]] = {}
        for result in (r for n, r in enumerate(results) if isinstance(r, torch.Tensor) and n not in self.idle and id(r) not in taken):
            if _storage(result) in known or result.device != self.place:
                raise RuntimeError("an output lies in an input, or not on the GPU")
            found.setdefault(_storage(result), []).append(result)
        numbers = {storage: n for n, storage in enumerate(found)}
        made = [_made(tensors) for tensors in found.values()]
        groups: dict[torch.dtype, list[int]] = {}
        for n, one in enumerate(made):
            groups.setdefault(one.source.dtype, []).append(n)
        outputs = []
        for result in results:
            number = numbers.get(_storage(result)) if isinstance(result, torch.Tensor) else None
            outputs.append(_output(result, taken.get(id(result)), number, made))
        return _Recording(replay, made, list(groups.values()), outputs)

    def _replayed(self, recording: _Recording, inputs: list[Any]) -> Sequence[Any]:
        recording.replay()
        copies = [torch.empty_strided(s.size(), s.stride(), dtype=s.dtype, device=self.place) for s in (m.source for m in recording.made)]
        for group in recording.groups:
            torch._foreach_copy_([copies[n] for n in group], [recording.made[n].source for n in group])
        outputs = [output(inputs, copies) for output in recording.outputs]
        inputs.clear()
        return outputs


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _made(tensors: Sequence[torch.Tensor]) -> _Made:
    """The storage in which these outputs lie."""
    first, storage = tensors[0], tensors[0].untyped_storage()
    flat = torch.empty(0, dtype=torch.uint8, device=first.device).set_(storage)
    alone = all(t is first for t in tensors) and first.storage_offset() == 0 and first.numel() * first.element_size() == storage.nbytes()
    return _Made(first if alone and _is_dense(first) else None, flat)


def _is_dense(tensor: torch.Tensor) -> bool:
    """Whether no two elements share memory and none is left out."""
    expected = 1
    for stride, size in sorted((stride, size) for size, stride in zip(tensor.size(), tensor.stride(), strict=True) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True


def _output(result: Any, argument: int | None, number: int | None, made: Sequence[_Made]) -> Callable[..., Any]:
    """How an output is made: an input, a copy, a view of one, or the value that was recorded."""
    if argument is not None:
        return lambda inputs, copies: inputs[argument]
    if number is None:
        return lambda inputs, copies: result
    if made[number].whole is not None:
        return lambda inputs, copies: copies[number]
    dtype, offset, sizes, strides = result.dtype, result.storage_offset(), result.size(), result.stride()

    def view(inputs: Sequence[Any], copies: Sequence[torch.Tensor]) -> torch.Tensor:
        copy = copies[number]
        return torch.empty(0, dtype=dtype, device=copy.device).set_(copy.untyped_storage(), offset, sizes, strides)

    return view


# The machine.


def runs_plainly(place: torch.device) -> bool:
    """Whether somebody records or watches what is launched, or another device is the current one."""
    if torch.autograd.profiler._is_profiler_enabled or torch._C._len_torch_dispatch_stack():
        return True
    return place.type == "cuda" and (torch.cuda.current_device() != place.index or torch.cuda.is_current_stream_capturing())


def where(place: torch.device) -> tuple[int, int]:
    """The stream and the thread: libraries have handles for each thread, and two threads' replays would mix."""
    return torch._C._cuda_getCurrentRawStream(place.index) if place.type == "cuda" else 0, threading.get_ident()


def library_state() -> tuple[Any, ...]:
    """The switches by which libraries choose kernels at each call."""
    state = torch._C
    return (
        state._get_cudnn_enabled(), state._get_cudnn_benchmark(), state._get_cudnn_deterministic(), state._get_deterministic_algorithms(),
        state._get_fp32_precision_getter("cuda", "matmul"), state._get_fp32_precision_getter("cuda", "conv"),
        state._get_cublas_allow_fp16_reduced_precision_reduction(), state._get_cublas_allow_bf16_reduced_precision_reduction(),
        state._get_blas_preferred_backend(),
    )  # fmt: skip


def captured(place: torch.device, run: Callable[[], Sequence[Any]]) -> tuple[Replay, list[Any]]:
    """What `run` launches as a CUDA graph. The memory that it allocates stays the recording's, and serves all recordings for the
    current stream: they never run side by side."""
    current, before = torch.cuda.current_stream(place), torch.cuda.memory_reserved(place)
    side, pool = _room(place, current.cuda_stream)
    random = torch.cuda.default_generators[place.index]
    numbers = random.get_state()
    try:
        replay, results = _capture(side, pool, run)
    except BaseException:
        # A recording that fails leaves the generator in a state in which it draws no numbers any more.
        other = torch.Generator(place)
        other.set_state(numbers)
        random.graphsafe_set_state(other)
        raise
    if torch.cuda.memory_reserved(place) - before > MOST_BYTES:
        raise RuntimeError("it would take too much memory")
    return replay, results


def _capture(side: torch.cuda.Stream, pool: Any, run: Callable[[], Sequence[Any]]) -> tuple[Replay, list[Any]]:
    graph = torch.cuda.CUDAGraph()
    side.wait_stream(torch.cuda.current_stream(side.device))
    with torch.cuda.stream(side):
        graph.capture_begin(pool=pool, capture_error_mode="thread_local")
        try:
            results = list(run())
        finally:
            graph.capture_end()
    return graph.replay, results


@functools.cache
def _room(place: torch.device, stream: int) -> tuple[torch.cuda.Stream, Any]:
    """The stream on which is recorded what a stream will replay, and the memory of these recordings. Libraries have workspaces for each
    stream, and those would be two streams' at once if both recorded on one. A first recording that is never given up keeps the memory:
    PyTorch refuses to record into what no recording uses any more."""
    side, pool = torch.cuda.Stream(place), torch.cuda.graph_pool_handle()
    _kept.append(_capture(side, pool, lambda: [torch.zeros(1, device=place)]))
    return side, pool


_kept: list[Any] = []
