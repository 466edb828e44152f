"""`mode="reduce-overhead"`: a graph's launches recorded as a CUDA graph, and replayed.

The first call with given sizes runs as it is, the second is recorded, later ones replay. Inputs that stay where they are
(parameters, what another recording gives) are read in place, the others are copied to where the recording reads them. Outputs
lie in the recording's memory: a replay would overwrite what a caller still holds. Where one is held the graph runs without the
recording, which is left to the holder, and is recorded anew, so that callers get copies of that output. What can't be recorded
runs as ever.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

log = logging.getLogger(__name__)

Runner = Callable[[list[Any]], Sequence[Any]]

# Of one compiled graph: a recording keeps its memory.
MAX_RECORDINGS = 8
# Inputs that are expected in place may be found elsewhere so often before the graph is recorded anew, with copies of them.
MAX_MOVES = 2

# Addresses of storages that stay: of parameters and of recordings' outputs.
_staying: set[int] = set()


@dataclass(eq=False)
class _Recording:
    """A CUDA graph with where it reads and writes. `copied`: inputs with places of their own; `fixed`: addresses of the others."""

    graph: torch.cuda.CUDAGraph
    stream: int
    copied: dict[int, torch.Tensor]
    fixed: dict[int, int]
    outputs: list[_Output]
    storages: list[_Storage]
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(eq=False)
class _Storage:
    """A storage that outputs lie in, and how many references to it are the recording's own."""

    storage: torch.UntypedStorage
    own: int = 0
    is_copied: bool = False

    def is_held(self) -> bool:
        """Whether somebody else refers to it."""
        return torch._C._storage_Use_Count(self.storage._cdata) > self.own

    def current(self) -> torch.UntypedStorage:
        """What a caller gets: the storage, or a copy of it."""
        return self.storage.clone() if self.is_copied else self.storage


@dataclass(frozen=True, eq=False)
class _Output:
    """What one output is made of: a value that is no tensor, a view of input `argument`, or a view of storage `storage`."""

    value: Any
    argument: int | None = None
    storage: int | None = None

    def tensor(self, storages: Sequence[torch.UntypedStorage]) -> torch.Tensor:
        """A tensor of its own over a storage."""
        made = torch.empty(0, dtype=self.value.dtype, device=self.value.device)
        assert self.storage is not None
        return made.set_(storages[self.storage], self.value.storage_offset(), self.value.size(), self.value.stride())


class GraphedRunner:
    """A runner that records and replays. `static`: which inputs stay where they are; `written`: which ones the graph writes to.
    `is_dynamic`: whether sizes differ from call to call."""

    def __init__(self, runner: Runner, device: int, static: frozenset[int], written: frozenset[int], is_dynamic: bool, name: str) -> None:
        self.runner, self.device, self.is_dynamic, self.name = runner, device, is_dynamic, name
        self.static, self.written = static, written
        self.calls: dict[Any, int] = {}
        self.copied: dict[Any, set[int]] = {}  # by key: storages of outputs, by number, that callers get copies of
        self.recordings: dict[Any, _Recording | None] = {}
        self.moves = 0
        self.lock = threading.Lock()

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        if torch.cuda.is_current_stream_capturing() or torch.cuda.current_device() != self.device:
            return self.runner(inputs)
        key = tuple((i.size(), i.stride()) if isinstance(i, torch.Tensor) else i for i in inputs) if self.is_dynamic else ()
        recording = self.recordings.get(key)
        if recording is not None:
            return self._replayed(recording, key, inputs)
        if key in self.recordings or not self._is_warm(key):
            return self.runner(inputs)
        return self._record(key, inputs)

    def _is_warm(self, key: Any) -> bool:
        """Whether a call with this key has run before: recording must load and compile nothing."""
        self.calls[key] = self.calls.get(key, 0) + 1
        return self.calls[key] > 1 and len(self.recordings) < MAX_RECORDINGS

    # Recording.
    def _record(self, key: Any, inputs: list[Any]) -> Sequence[Any]:
        with self.lock:
            if key in self.recordings:
                return self.runner(inputs)
            self.recordings[key] = None  # for ever, should recording fail
            try:
                recording = self._recorded(inputs, self.copied.get(key, set()))
            except Exception as error:
                log.warning("%s is not recorded as a CUDA graph: %s", self.name, error)
                torch.cuda.synchronize(self.device)
                return self.runner(inputs)
            self.recordings[key] = recording
        return self._replayed(recording, key, inputs)

    def _recorded(self, inputs: list[Any], copied_outputs: set[int]) -> _Recording:
        places: list[Any] = list(inputs)
        copied, fixed = {}, {}
        for n, value in enumerate(inputs):
            if not isinstance(value, torch.Tensor):
                continue
            if self._stays(n, value):
                fixed[n] = value.data_ptr()
                _staying.add(value.untyped_storage().data_ptr())
            else:
                places[n] = copied[n] = _place_for(value)
        torch.cuda.synchronize(self.device)
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.current_stream(self.device).cuda_stream
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            outputs = list(self.runner(list(places)))
        described, storages = _describe(outputs, places)
        del outputs
        for number, storage in enumerate(storages):
            storage.own = torch._C._storage_Use_Count(storage.storage._cdata)
            storage.is_copied = number in copied_outputs
            _staying.add(storage.storage.data_ptr())
        return _Recording(graph, stream, copied, fixed, described, storages)

    def _stays(self, number: int, tensor: torch.Tensor) -> bool:
        if self.moves > MAX_MOVES:
            return False
        return number in self.static or tensor.untyped_storage().data_ptr() in _staying

    # Replaying.
    def _replayed(self, recording: _Recording, key: Any, inputs: list[Any]) -> Sequence[Any]:
        if not recording.lock.acquire(blocking=False):
            return self.runner(inputs)
        try:
            if not self._fits(recording, key, inputs):
                return self.runner(inputs)
            return self._replay(recording, inputs)
        finally:
            recording.lock.release()

    def _fits(self, recording: _Recording, key: Any, inputs: list[Any]) -> bool:
        """Whether a replay now would read what it should and overwrite nothing that is held."""
        if torch.cuda.current_stream(self.device).cuda_stream != recording.stream:
            return False
        if any(inputs[n].data_ptr() != address for n, address in recording.fixed.items()):
            self.moves += 1
            if self.moves > MAX_MOVES:
                self.recordings.pop(key, None)
            return False
        held = {n for n, s in enumerate(recording.storages) if s.is_held()}
        if held:
            self.copied.setdefault(key, set()).update(held)
            self.recordings.pop(key, None)
        return not held

    def _replay(self, recording: _Recording, inputs: list[Any]) -> Sequence[Any]:
        arguments = list(inputs)
        inputs.clear()
        for n, place in recording.copied.items():
            place.copy_(arguments[n])
        recording.graph.replay()
        for n in self.written:
            if n in recording.copied:
                arguments[n].copy_(recording.copied[n])
        storages = [s.current() for s in recording.storages]
        return [self._output(o, recording, arguments, storages) for o in recording.outputs]

    def _output(self, output: _Output, recording: _Recording, arguments: list[Any], storages: Sequence[torch.UntypedStorage]) -> Any:
        if output.storage is not None:
            return output.tensor(storages)
        if output.argument is None:
            return output.value
        given, seen = arguments[output.argument], output.value
        place = recording.copied.get(output.argument, given)
        if (seen.size(), seen.stride(), seen.storage_offset()) == (place.size(), place.stride(), place.storage_offset()):
            return given
        return given.as_strided(seen.size(), seen.stride(), given.storage_offset() + seen.storage_offset() - place.storage_offset())


def _place_for(tensor: torch.Tensor) -> torch.Tensor:
    """Memory for copies of `tensor`, laid out alike. RuntimeError where a copy can't be."""
    if tensor.device.type != "cuda":
        raise RuntimeError("an input is not on the GPU")
    if any(stride == 0 and size > 1 for size, stride in zip(tensor.size(), tensor.stride(), strict=True)):
        raise RuntimeError("elements of an input share memory")
    place = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=tensor.device)
    return place.copy_(tensor)


def _describe(outputs: Sequence[Any], places: Sequence[Any]) -> tuple[list[_Output], list[_Storage]]:
    """What the outputs of a recording are made of."""
    arguments = {_address(p): n for n, p in enumerate(places) if isinstance(p, torch.Tensor)}
    numbers: dict[int, int] = {}
    storages: list[_Storage] = []
    described = []
    for output in outputs:
        if not isinstance(output, torch.Tensor):
            described.append(_Output(output))
            continue
        if output.device.type != "cuda":
            raise RuntimeError("an output is not on the GPU")
        if _address(output) in arguments:
            described.append(_Output(output, argument=arguments[_address(output)]))
            continue
        if _address(output) not in numbers:
            numbers[_address(output)] = len(storages)
            storages.append(_Storage(output.untyped_storage()))
        described.append(_Output(output, storage=numbers[_address(output)]))
    return described, storages


def _address(tensor: torch.Tensor) -> int:
    """Equal for tensors over one storage."""
    return tensor.untyped_storage()._cdata
