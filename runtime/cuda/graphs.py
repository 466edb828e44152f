"""`mode="reduce-overhead"`: a graph's launches recorded as a CUDA graph, and replayed.

The first call with given sizes runs as it is, the second is recorded, later ones replay. Inputs that stay where they are
(parameters, what another recording gives) are read in place, the others are copied to where the recording reads them. Outputs
lie in the recording's memory: a replay would overwrite what a caller still holds. Where one is held the graph runs without the
recording, which is left to the holder, and is recorded anew, so that callers get copies of that output. What can't be recorded
runs as ever.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from .capture import Record, capture, is_elsewhere, one_at_a_time, stream_of
from .output_copies import Copies, Made, by_dtype, over

log = logging.getLogger(__name__)

Runner = Callable[[list[Any]], Sequence[Any]]

# Of one compiled graph: a recording keeps its memory.
MAX_RECORDINGS = 8
# So often an input that is expected in place may be found elsewhere, and the graph be recorded anew for it, before it is copied.
MAX_MOVES = 2

# Addresses of storages that stay: of parameters and of recordings' outputs.
_staying: set[int] = set()


@dataclass(eq=False)
class _Recording:
    """A CUDA graph with where it reads and writes. `copied`: inputs with places of their own, `groups` those of a dtype; `fixed`: the
    others, at `addresses`. `own`: how many references to each storage that outputs lie in are the recording's, `handles` those storages.
    Of the outputs, by number, `passed` are inputs, `shared` lie in the recording's memory, `twins` are the same tensor as an earlier one,
    which says of both that one was written to."""

    replay: Callable[[], None]
    stream: int
    copied: dict[int, torch.Tensor]
    fixed: list[int]
    addresses: list[int]
    outputs: list[_Output]
    storages: list[torch.UntypedStorage]
    copies: Copies
    passed: list[tuple[int, int]] = field(default_factory=list)
    shared: list[tuple[int, torch.Tensor]] = field(default_factory=list)
    others: list[tuple[int, _Output]] = field(default_factory=list)
    twins: list[tuple[int, int]] = field(default_factory=list)
    groups: list[tuple[list[int], list[torch.Tensor]]] = field(default_factory=list)
    handles: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        seen: dict[int, int] = {}
        for n, output in enumerate(self.outputs):
            first = seen.setdefault(id(output.value), n)
            if output.is_input and output.argument is not None:
                self.passed.append((n, output.argument))
            elif output.storage is not None and first != n:
                self.twins.append((n, first))
            elif output.shared is not None:
                self.shared.append((n, output.shared))
            else:
                self.others.append((n, output))
        self.groups = by_dtype(self.copied)
        self.handles = [s._cdata for s in self.storages]
        self.own = [torch._C._storage_Use_Count(h) for h in self.handles]

    def held(self) -> set[int]:
        """The numbers of the storages that somebody else refers to."""
        count = torch._C._storage_Use_Count
        counts = [count(h) for h in self.handles]
        return set() if counts == self.own else {n for n, c in enumerate(counts) if c > self.own[n]}


@dataclass(frozen=True, eq=False)
class _Output:
    """What one output is made of: a value that is no tensor, input `argument` (`is_input`) or a view of it, or a view of storage
    `storage`: `shared`, a tensor over that storage, or for callers who get copies of it what lies in it, `made`, and the number of the
    copy."""

    value: Any
    argument: int | None = None
    is_input: bool = False
    storage: int | None = None
    shared: torch.Tensor | None = None
    made: Made | None = None
    copy: int = 0


class GraphedRunner:
    """A runner that records and replays. `static`: which inputs stay where they are; `written`: which ones the graph writes to.
    `is_dynamic`: whether sizes differ from call to call; `place`: where its tensors are."""

    def __init__(
        self, runner: Runner, place: torch.device, static: frozenset[int], written: frozenset[int], is_dynamic: bool, name: str,
        record: Record | None = None,
    ) -> None:  # fmt: skip
        self.runner, self.place, self.is_dynamic, self.name = runner, place, is_dynamic, name
        self.static, self.written = static, written
        self.record = record or functools.partial(_captured, place)
        self.calls: dict[Any, int] = {}
        self.copied: dict[Any, set[int]] = {}  # by key: storages of outputs, by number, that callers get copies of
        self.recordings: dict[Any, _Recording | None] = {}
        self.moves: Counter[int] = Counter()  # by input
        self.lock = threading.Lock()

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        if is_elsewhere(self.place):
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
                if self.place.type == "cuda":
                    torch.cuda.synchronize(self.place)
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
                places[n] = copied[n] = _place_for(value, self.place)
        replay, outputs = self.record(lambda: self.runner(list(places)))
        described, storages = _describe(outputs, places, self.place)
        del outputs
        _staying.update(storage.data_ptr() for storage in storages)
        described, sources = _with_tensors(described, storages, copied_outputs)
        copies = Copies(sources, self.place)
        return _Recording(replay, stream_of(self.place), copied, [*fixed], [*fixed.values()], described, storages, copies)

    def _stays(self, number: int, tensor: torch.Tensor) -> bool:
        if self.moves[number] > MAX_MOVES:
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
        if stream_of(self.place) != recording.stream:
            return False
        addresses = [inputs[n].data_ptr() for n in recording.fixed]
        if addresses != recording.addresses:
            found = zip(recording.fixed, recording.addresses, addresses, strict=True)
            self.moves.update(n for n, recorded, now in found if recorded != now)
            self.recordings.pop(key, None)
            return False
        held = recording.held()
        if held:
            self.copied.setdefault(key, set()).update(held)
            self.recordings.pop(key, None)
        return not held

    def _replay(self, recording: _Recording, inputs: list[Any]) -> Sequence[Any]:
        arguments = list(inputs)
        inputs.clear()
        for numbers, places in recording.groups:
            torch._foreach_copy_(places, [arguments[n] for n in numbers])
        recording.replay()
        for n in self.written:
            if n in recording.copied:
                arguments[n].copy_(recording.copied[n])
        return self._outputs(recording, arguments)

    def _outputs(self, recording: _Recording, arguments: list[Any]) -> list[Any]:
        copies = recording.copies()
        outputs: list[Any] = [None] * len(recording.outputs)
        if torch.is_inference_mode_enabled():  # what is made there is known by it
            for n, tensor in recording.shared:
                outputs[n] = over(tensor.untyped_storage(), tensor)
        else:
            for n, tensor in recording.shared:
                outputs[n] = tensor.detach()
        for n, argument in recording.passed:
            outputs[n] = arguments[argument]
        for n, output in recording.others:
            outputs[n] = self._output(output, recording, arguments, copies)
        for n, first in recording.twins:
            outputs[n] = outputs[first]
        return outputs

    def _output(self, output: _Output, recording: _Recording, arguments: list[Any], copies: Sequence[torch.Tensor]) -> Any:
        if output.made is not None:
            return output.made.output(output.value, copies[output.copy])
        if output.argument is None:
            return output.value
        given, seen = arguments[output.argument], output.value
        place = recording.copied.get(output.argument, given)
        if (seen.size(), seen.stride(), seen.storage_offset()) == (place.size(), place.stride(), place.storage_offset()):
            return given
        return given.as_strided(seen.size(), seen.stride(), given.storage_offset() + seen.storage_offset() - place.storage_offset())


def _captured(place: torch.device, run: Callable[[], Sequence[Any]]) -> tuple[Callable[[], None], list[Any]]:
    """What `run` launches as a CUDA graph with memory of its own."""
    torch.cuda.synchronize(place)
    torch.cuda.empty_cache()  # while it is recorded nothing of what is cached can be freed, nor used
    with one_at_a_time:
        graph, outputs = capture(place, run, shares_memory=False)
    return graph.replay, outputs


def _with_tensors(
    outputs: Sequence[_Output], storages: Sequence[torch.UntypedStorage], copied: Collection[int]
) -> tuple[list[_Output], list[torch.Tensor]]:
    """The outputs with what they are made from, and what is copied for them. `copied`: the storages that callers get copies of."""
    found: dict[int, list[torch.Tensor]] = {}
    for output in outputs:
        if output.storage in copied and output.storage is not None:
            found.setdefault(output.storage, []).append(output.value)
    made = {storage: Made.of(tensors) for storage, tensors in found.items()}
    numbers = {storage: n for n, storage in enumerate(made)}
    given = []
    for output in outputs:
        if output.storage in made:
            output = replace(output, made=made[output.storage], copy=numbers[output.storage])
        elif output.storage is not None:
            with torch.inference_mode(False):
                output = replace(output, shared=over(storages[output.storage], output.value))
        given.append(output)
    return given, [one.source for one in made.values()]


def _place_for(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Memory for copies of `tensor`, laid out alike. RuntimeError where a copy can't be."""
    if tensor.device != device:
        raise RuntimeError("an input is not on the GPU")
    if any(stride == 0 and size > 1 for size, stride in zip(tensor.size(), tensor.stride(), strict=True)):
        raise RuntimeError("elements of an input share memory")
    with torch.inference_mode(False), torch.no_grad():  # it is written to in every mode
        place = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=tensor.device)
        return place.copy_(tensor)


def _describe(outputs: Sequence[Any], places: Sequence[Any], device: torch.device) -> tuple[list[_Output], list[torch.UntypedStorage]]:
    """What the outputs of a recording are made of, and the storages that they lie in."""
    arguments = {_address(p): n for n, p in enumerate(places) if isinstance(p, torch.Tensor)}
    numbers: dict[int, int] = {}
    storages: list[torch.UntypedStorage] = []
    described = []
    for output in outputs:
        if not isinstance(output, torch.Tensor):
            described.append(_Output(output))
            continue
        if output.device != device:
            raise RuntimeError("an output is not on the GPU")
        if _address(output) in arguments:
            number = next((n for n, place in enumerate(places) if place is output), arguments[_address(output)])
            described.append(_Output(output, argument=number, is_input=output is places[number]))
            continue
        if _address(output) not in numbers:
            numbers[_address(output)] = len(storages)
            storages.append(output.untyped_storage())
        described.append(_Output(output, storage=numbers[_address(output)]))
    return described, storages


def _address(tensor: torch.Tensor) -> int:
    """Equal for tensors over one storage."""
    return tensor.untyped_storage()._cdata
