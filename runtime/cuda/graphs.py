"""`mode="reduce-overhead"`: a graph's launches recorded as a CUDA graph, and replayed.

The first call with given sizes runs as it is, the second is recorded, later ones replay. Inputs that stay where they are
(parameters, what another recording gives) are read in place, the others are copied to where the recording reads them. A graph that
is called with several sets of parameters, as one that layers share, is recorded for each that comes again. Outputs
lie in the recording's memory: a replay would overwrite what a caller still holds. Where one is held the graph runs without the
recording, which is left to the holder, and is recorded anew, so that callers get copies of that output. What can't be recorded
runs as ever.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ...torch_internals.tensors import foreach_copy, storage_handle, storage_id, use_count
from .capture import Record, capture, is_elsewhere, one_at_a_time, stream_of
from .output_copies import Copies, Made, by_dtype, over

log = logging.getLogger(__name__)

Runner = Callable[[list[Any]], Sequence[Any]]

# Inputs that stay where they are, by number, with their addresses.
_Places = tuple[tuple[int, int], ...]

# Of one compiled graph, which may be called with other sizes: a recording keeps its memory.
MAX_SIZES = 8
MAX_RECORDINGS = 32
MAX_COUNTED = 256
# So many calls in a row may find inputs in places where they never were, before they are copied to one that is recorded.
MAX_MOVES = 32
# So many calls are awaited for inputs to be on the GPU: what attention saves of random numbers is not before its forward is recorded.
MAX_AWAITED = 100

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
    used: int = 0  # the number of the last call that it was for
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
        self.handles = [storage_handle(s) for s in self.storages]
        self.own = [use_count(h) for h in self.handles]

    def is_for(self, inputs: list[Any]) -> bool:
        """Whether the inputs that are read in place lie there."""
        fixed = self.fixed
        if fixed and inputs[fixed[0]].data_ptr() != self.addresses[0]:
            return False  # mostly the others need not be asked
        return [inputs[n].data_ptr() for n in fixed] == self.addresses

    def held(self) -> set[int]:
        """The numbers of the storages that somebody else refers to."""
        counts = [use_count(h) for h in self.handles]
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
        self.recordings: dict[Any, tuple[_Recording, ...] | None] = {}
        self.copied: dict[tuple[Any, _Places], set[int]] = {}  # storages of outputs, by number, that callers get copies of
        self.known: set[tuple[Any, _Places]] = set()  # where inputs were that no recording is for
        self.moving: set[int] = set()
        self.strange: list[_Places] = []  # of the last calls, in a row, those never known before
        self.lock = threading.RLock()  # a finalizer may call the graph again

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        if is_elsewhere(self.place):
            return self.runner(inputs)
        key = tuple((i.size(), i.stride()) if isinstance(i, torch.Tensor) else i for i in inputs) if self.is_dynamic else ()
        recordings = self.recordings.get(key, ())
        if recordings is None:
            return self.runner(inputs)
        if len(self.calls) > MAX_COUNTED:
            self.calls.clear()
        calls = self.calls[key] = self.calls.get(key, 0) + 1
        for recording in recordings:
            if recording.is_for(inputs):
                recording.used = calls
                return self._replayed(recording, key, inputs)
        if not self._is_ready(key, calls, inputs):
            return self.runner(inputs)
        return self._record(key, calls, inputs)

    def _is_ready(self, key: Any, calls: int, inputs: list[Any]) -> bool:
        """Whether a call with this key has run before, for recording must load and compile nothing, and its inputs are on the GPU."""
        if calls == 1 or (key not in self.recordings and len(self.recordings) >= MAX_SIZES):
            return False
        return calls > MAX_AWAITED or all(i.device == self.place for i in inputs if isinstance(i, torch.Tensor))

    # Recording.
    def _record(self, key: Any, calls: int, inputs: list[Any]) -> Sequence[Any]:
        with self.lock:
            recordings = self.recordings.get(key, ())
            if recordings is None or not self._is_worth_it(key, recordings, inputs):
                return self.runner(inputs)
            self.recordings[key] = None  # for ever, should recording fail
            try:
                recording = self._recorded(key, inputs)
            except Exception as error:
                log.warning("%s is not recorded as a CUDA graph: %s", self.name, error)
                if self.place.type == "cuda":
                    torch.cuda.synchronize(self.place)
                return self.runner(inputs)
            recording.used = calls
            # Those that were for places that are no longer come to nobody's use; of the others each has its turn.
            lately = [r for r in recordings if calls - r.used <= 4 * len(recordings) + 4]
            self.recordings[key] = (*lately, recording)
        return self._replayed(recording, key, inputs)

    def _is_worth_it(self, key: Any, recordings: Sequence[_Recording], inputs: list[Any]) -> bool:
        """Whether inputs have been before where they are, which is not asked of the first ones. Where they never are, they are from then
        on taken for moving."""
        if not recordings:
            return True
        if sum(len(r or ()) for r in self.recordings.values()) >= MAX_RECORDINGS:
            return False
        places = self._places(inputs)
        if (key, places) in self.known:
            self.known.discard((key, places))
            self.strange.clear()
            return True
        if len(self.known) > 4 * MAX_RECORDINGS:
            self.known.clear()
        self.known.add((key, places))
        self.strange.append(places)
        if len(self.strange) <= MAX_MOVES:
            return False
        before = dict(self.strange[-2])
        self.moving.update(n for n, address in places if before.get(n) != address)
        self.strange.clear()
        return True

    def _places(self, inputs: list[Any]) -> _Places:
        """Which inputs stay where they are, and where that is."""
        tensors = [(n, i) for n, i in enumerate(inputs) if isinstance(i, torch.Tensor)]
        return tuple((n, i.data_ptr()) for n, i in tensors if self._stays(n, i))

    def _recorded(self, key: Any, inputs: list[Any]) -> _Recording:
        fixed = self._places(inputs)
        places: list[Any] = list(inputs)
        copied = {}
        in_place = dict(fixed)
        for n, value in enumerate(inputs):
            if n in in_place:
                _staying.add(value.untyped_storage().data_ptr())
            elif isinstance(value, torch.Tensor):
                places[n] = copied[n] = _place_for(value, self.place)
        replay, outputs = self.record(lambda: self.runner(list(places)))
        described, storages = _describe(outputs, places, self.place)
        del outputs
        _staying.update(storage.data_ptr() for storage in storages)
        described, sources = _with_tensors(described, storages, self.copied.get((key, fixed), ()))
        copies = Copies(sources, self.place)
        return _Recording(replay, stream_of(self.place), copied, [*in_place], [*in_place.values()], described, storages, copies)

    def _stays(self, number: int, tensor: torch.Tensor) -> bool:
        if number in self.moving:
            return False
        return number in self.static or tensor.untyped_storage().data_ptr() in _staying

    # Replaying.
    def _replayed(self, recording: _Recording, key: Any, inputs: list[Any]) -> Sequence[Any]:
        if not recording.lock.acquire(blocking=False):
            return self.runner(inputs)
        try:
            if not self._fits(recording, key):
                return self.runner(inputs)
            return self._replay(recording, inputs)
        finally:
            recording.lock.release()

    def _fits(self, recording: _Recording, key: Any) -> bool:
        """Whether a replay now would overwrite nothing that is held."""
        if stream_of(self.place) != recording.stream:
            return False
        if self.strange:
            with self.lock:
                self.strange.clear()
        held = recording.held()
        if held:
            places = tuple(zip(recording.fixed, recording.addresses, strict=True))
            with self.lock:
                self.copied.setdefault((key, places), set()).update(held)
                self.known.add((key, places))
                left = self.recordings.get(key)
                self.recordings[key] = None if left is None else tuple(r for r in left if r is not recording)
        return not held

    def _replay(self, recording: _Recording, inputs: list[Any]) -> Sequence[Any]:
        arguments = list(inputs)
        inputs.clear()
        for numbers, places in recording.groups:
            foreach_copy(places, [arguments[n] for n in numbers])
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
    with one_at_a_time:
        torch.cuda.synchronize(place)
        torch.cuda.empty_cache()  # while it is recorded nothing of what is cached can be freed, nor used
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
    return storage_id(tensor)
