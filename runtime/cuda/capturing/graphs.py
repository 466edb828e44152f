"""`mode="reduce-overhead"`: captures a graph's launches as a CUDA graph, and replays it.

The first call with given sizes runs normally, the second is captured, later ones replay the capture. Inputs at unchanged addresses
(parameters, outputs of another capture) are read in place; others are copied into the capture's static buffers. A graph that is called
with several sets of parameters, as one that layers share, is captured for each set that comes a second time. Outputs lie in the capture's
memory: a replay would overwrite what a caller still holds. If a caller holds one, the graph runs without the capture, whose memory stays
the holder's. The next capture gives callers copies of that output. What can't be captured runs normally.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ....runner import Runner
from ....torch_internals.tensors import foreach_copy, storage_handle, storage_id, use_count
from .capture import CaptureFunction, capture, is_elsewhere, one_at_a_time, stream_of
from .output_copies import Copies, Made, by_dtype, over

log = logging.getLogger(__name__)


# Inputs at fixed addresses: (number, address).
_Addresses = tuple[tuple[int, int], ...]

# Captures of one compiled graph for different sizes: each keeps its memory.
MAX_SIZES = 8
MAX_CAPTURES = 32
MAX_COUNTED = 256
# After this many consecutive calls at new addresses, copy the inputs into static buffers.
MAX_MOVES = 32
# Wait at most this many calls until the inputs are on the GPU: random numbers that attention saves are on the CPU until its forward is
# captured.
MAX_AWAITED = 100

# Addresses of storages that never move: of parameters and of captures' outputs.
_staying: set[int] = set()


@dataclass(eq=False)
class _Capture:
    """A CUDA graph, and where it reads and writes.

    `copied`: inputs with static buffers, `groups` these by dtype; `fixed`: the other inputs, at `addresses`. `handles`: the storages of
    the outputs, `own`: the capture's own references to each. Outputs, by number: `passed` are inputs, `shared` lie in the capture's
    memory, `twins` are the same tensor as an earlier output, so that a write to one is seen in both.
    """

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
    used: int = 0  # the number of the last call that used it
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
        """Whether the inputs that are read in place are at the captured addresses."""
        fixed = self.fixed
        if fixed and inputs[fixed[0]].data_ptr() != self.addresses[0]:
            return False  # the first input decides in most cases
        return [inputs[n].data_ptr() for n in fixed] == self.addresses

    def held(self) -> set[int]:
        """The numbers of the storages to which callers still have references."""
        counts = [use_count(h) for h in self.handles]
        return set() if counts == self.own else {n for n, c in enumerate(counts) if c > self.own[n]}


@dataclass(frozen=True, eq=False)
class _Output:
    """How one output is made.

    It is a value that is no tensor; input `argument` (`is_input`), or a view of it; or a view of storage `storage`. Then `shared` is a
    tensor over that storage; or, if callers get copies of it, `made` says how, and the number of the copy.
    """

    value: Any
    argument: int | None = None
    is_input: bool = False
    storage: int | None = None
    shared: torch.Tensor | None = None
    made: Made | None = None
    copy: int = 0


class GraphedRunner:
    """A runner that captures and replays. `static`: inputs whose addresses never change; `written`: inputs that the graph writes;
    `is_dynamic`: whether sizes differ between calls."""

    def __init__(
        self, runner: Runner, device: torch.device, static: frozenset[int], written: frozenset[int], is_dynamic: bool, name: str,
        capture_launches: CaptureFunction | None = None,
    ) -> None:  # fmt: skip
        self.runner, self.device, self.is_dynamic, self.name = runner, device, is_dynamic, name
        self.static, self.written = static, written
        self.capture_launches = capture_launches or functools.partial(_capture_alone, device)
        self.calls: dict[Any, int] = {}
        self.captures: dict[Any, tuple[_Capture, ...] | None] = {}
        self.copied: dict[tuple[Any, _Addresses], set[int]] = {}  # numbers of output storages that callers get copies of
        self.known: set[tuple[Any, _Addresses]] = set()  # addresses of inputs that came once and have no capture
        self.moving: set[int] = set()
        self.strange: list[_Addresses] = []  # addresses of the last consecutive calls that had not been seen before
        self.lock = threading.RLock()  # a finalizer may call the graph again

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        if is_elsewhere(self.device):
            return self.runner(inputs)
        key = tuple((i.size(), i.stride()) if isinstance(i, torch.Tensor) else i for i in inputs) if self.is_dynamic else ()
        captures = self.captures.get(key, ())
        if captures is None:
            return self.runner(inputs)
        if len(self.calls) > MAX_COUNTED:
            self.calls.clear()
        calls = self.calls[key] = self.calls.get(key, 0) + 1
        for captured in captures:
            if captured.is_for(inputs):
                captured.used = calls
                return self._replayed(captured, key, inputs)
        if not self._is_ready(key, calls, inputs):
            return self.runner(inputs)
        return self._capture(key, calls, inputs)

    def _is_ready(self, key: Any, calls: int, inputs: list[Any]) -> bool:
        """Whether a call with this key has run before (a capture must not load or compile anything), and its inputs are on the GPU."""
        if calls == 1 or (key not in self.captures and len(self.captures) >= MAX_SIZES):
            return False
        return calls > MAX_AWAITED or all(i.device == self.device for i in inputs if isinstance(i, torch.Tensor))

    # Capturing.
    def _capture(self, key: Any, calls: int, inputs: list[Any]) -> Sequence[Any]:
        with self.lock:
            captures = self.captures.get(key, ())
            if captures is None or not self._is_worth_it(key, captures, inputs):
                return self.runner(inputs)
            self.captures[key] = None  # for ever, if the capture fails
            try:
                captured = self._new_capture(key, inputs)
            except Exception as error:
                log.warning("%s is not captured as a CUDA graph: %s", self.name, error)
                if self.device.type == "cuda":
                    torch.cuda.synchronize(self.device)
                return self.runner(inputs)
            captured.used = calls
            # Drop captures whose input addresses were not seen recently; the others are used in turn.
            lately = [r for r in captures if calls - r.used <= 4 * len(captures) + 4]
            self.captures[key] = (*lately, captured)
        return self._replayed(captured, key, inputs)

    def _is_worth_it(self, key: Any, captures: Sequence[_Capture], inputs: list[Any]) -> bool:
        """Whether the inputs' addresses were seen before; not tested for the first calls. Inputs whose addresses never repeat are copied
        from then on."""
        if not captures:
            return True
        if sum(len(r or ()) for r in self.captures.values()) >= MAX_CAPTURES:
            return False
        addresses = self._addresses(inputs)
        if (key, addresses) in self.known:
            self.known.discard((key, addresses))
            self.strange.clear()
            return True
        if len(self.known) > 4 * MAX_CAPTURES:
            self.known.clear()
        self.known.add((key, addresses))
        self.strange.append(addresses)
        if len(self.strange) <= MAX_MOVES:
            return False
        before = dict(self.strange[-2])
        self.moving.update(n for n, address in addresses if before.get(n) != address)
        self.strange.clear()
        return True

    def _addresses(self, inputs: list[Any]) -> _Addresses:
        """The inputs at fixed addresses, with these."""
        tensors = [(n, i) for n, i in enumerate(inputs) if isinstance(i, torch.Tensor)]
        return tuple((n, i.data_ptr()) for n, i in tensors if self._stays(n, i))

    def _new_capture(self, key: Any, inputs: list[Any]) -> _Capture:
        fixed = self._addresses(inputs)
        arguments: list[Any] = list(inputs)
        copied = {}
        in_place = dict(fixed)
        for n, value in enumerate(inputs):
            if n in in_place:
                _staying.add(value.untyped_storage().data_ptr())
            elif isinstance(value, torch.Tensor):
                arguments[n] = copied[n] = _static_buffer(value, self.device)
        replay, outputs = self.capture_launches(lambda: self.runner(list(arguments)))
        described, storages = _describe(outputs, arguments, self.device)
        del outputs
        _staying.update(storage.data_ptr() for storage in storages)
        described, sources = _with_tensors(described, storages, self.copied.get((key, fixed), ()))
        copies = Copies(sources, self.device)
        return _Capture(replay, stream_of(self.device), copied, [*in_place], [*in_place.values()], described, storages, copies)

    def _stays(self, number: int, tensor: torch.Tensor) -> bool:
        if number in self.moving:
            return False
        return number in self.static or tensor.untyped_storage().data_ptr() in _staying

    # Replaying.
    def _replayed(self, captured: _Capture, key: Any, inputs: list[Any]) -> Sequence[Any]:
        if not captured.lock.acquire(blocking=False):
            return self.runner(inputs)
        try:
            if not self._fits(captured, key):
                return self.runner(inputs)
            return self._replay(captured, inputs)
        finally:
            captured.lock.release()

    def _fits(self, captured: _Capture, key: Any) -> bool:
        """Whether a replay now overwrites no output that a caller still holds."""
        if stream_of(self.device) != captured.stream:
            return False
        if self.strange:
            with self.lock:
                self.strange.clear()
        held = captured.held()
        if held:
            addresses = tuple(zip(captured.fixed, captured.addresses, strict=True))
            with self.lock:
                self.copied.setdefault((key, addresses), set()).update(held)
                self.known.add((key, addresses))
                left = self.captures.get(key)
                self.captures[key] = None if left is None else tuple(r for r in left if r is not captured)
        return not held

    def _replay(self, captured: _Capture, inputs: list[Any]) -> Sequence[Any]:
        arguments = list(inputs)
        inputs.clear()
        for numbers, buffers in captured.groups:
            foreach_copy(buffers, [arguments[n] for n in numbers])
        captured.replay()
        for n in self.written:
            if n in captured.copied:
                arguments[n].copy_(captured.copied[n])
        return self._outputs(captured, arguments)

    def _outputs(self, captured: _Capture, arguments: list[Any]) -> list[Any]:
        copies = captured.copies()
        outputs: list[Any] = [None] * len(captured.outputs)
        if torch.is_inference_mode_enabled():  # tensors made in inference mode are marked by it
            for n, tensor in captured.shared:
                outputs[n] = over(tensor.untyped_storage(), tensor)
        else:
            for n, tensor in captured.shared:
                outputs[n] = tensor.detach()
        for n, argument in captured.passed:
            outputs[n] = arguments[argument]
        for n, output in captured.others:
            outputs[n] = self._output(output, captured, arguments, copies)
        for n, first in captured.twins:
            outputs[n] = outputs[first]
        return outputs

    def _output(self, output: _Output, captured: _Capture, arguments: list[Any], copies: Sequence[torch.Tensor]) -> Any:
        if output.made is not None:
            return output.made.output(output.value, copies[output.copy])
        if output.argument is None:
            return output.value
        given, seen = arguments[output.argument], output.value
        read = captured.copied.get(output.argument, given)
        if (seen.size(), seen.stride(), seen.storage_offset()) == (read.size(), read.stride(), read.storage_offset()):
            return given
        return given.as_strided(seen.size(), seen.stride(), given.storage_offset() + seen.storage_offset() - read.storage_offset())


def _capture_alone(device: torch.device, run: Callable[[], Sequence[Any]]) -> tuple[Callable[[], None], list[Any]]:
    """Captures the launches of `run` as a CUDA graph with its own memory."""
    with one_at_a_time:
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()  # during a capture the cached memory can be neither freed nor used
        graph, outputs = capture(device, run, shares_memory=False)
    return graph.replay, outputs


def _with_tensors(
    outputs: Sequence[_Output], storages: Sequence[torch.UntypedStorage], copied: Collection[int]
) -> tuple[list[_Output], list[torch.Tensor]]:
    """The outputs with the tensors that they are made from, and the copies to make. `copied`: the storages that callers get copies of."""
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


def _static_buffer(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Memory for a copy of `tensor`, with its layout. Raises RuntimeError if it can't be copied."""
    if tensor.device != device:
        raise RuntimeError("an input is not on the GPU")
    if any(stride == 0 and size > 1 for size, stride in zip(tensor.size(), tensor.stride(), strict=True)):
        raise RuntimeError("elements of an input share memory")
    with torch.inference_mode(False), torch.no_grad():  # it is written in every mode
        buffer = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=tensor.device)
        return buffer.copy_(tensor)


def _describe(outputs: Sequence[Any], arguments: Sequence[Any], device: torch.device) -> tuple[list[_Output], list[torch.UntypedStorage]]:
    """How a capture's outputs are made, and the storages that they lie in."""
    by_storage = {storage_id(a): n for n, a in enumerate(arguments) if isinstance(a, torch.Tensor)}
    numbers: dict[int, int] = {}
    storages: list[torch.UntypedStorage] = []
    described = []
    for output in outputs:
        if not isinstance(output, torch.Tensor):
            described.append(_Output(output))
            continue
        if output.device != device:
            raise RuntimeError("an output is not on the GPU")
        if storage_id(output) in by_storage:
            number = next((n for n, a in enumerate(arguments) if a is output), by_storage[storage_id(output)])
            described.append(_Output(output, argument=number, is_input=output is arguments[number]))
            continue
        if storage_id(output) not in numbers:
            numbers[storage_id(output)] = len(storages)
            storages.append(output.untyped_storage())
        described.append(_Output(output, storage=numbers[storage_id(output)]))
    return described, storages
