"""`mode="reduce-overhead"`: captures read inputs in static buffers, or at addresses that stay.

The first call with given sizes runs normally, the second is captured, later ones replay the capture. Inputs at unchanged addresses
(parameters, outputs of another capture) are read in place; others are copied into the capture's static buffers. A graph that is called
with several sets of parameters, as one that layers share, is captured for each set that comes a second time. Outputs lie in the capture's
memory: a replay would overwrite what a caller still holds. If a caller holds one, the graph runs without the capture, whose memory stays
the holder's. The next capture gives callers copies of that output. What can't be captured runs normally.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ....runner import Runner
from .capture import CaptureFunction, capture, is_elsewhere, one_at_a_time, stream_of
from .captured_call import CapturedCall
from .capturing_runner import CapturingRunner

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


class StaticBufferRunner(CapturingRunner):
    """Captures for static buffers. `static`: inputs whose addresses never change; `written`: inputs that the graph writes; `is_dynamic`:
    whether sizes differ between calls."""

    def __init__(
        self, runner: Runner, device: torch.device, static: frozenset[int], written: frozenset[int], is_dynamic: bool, name: str,
        capture_launches: CaptureFunction | None = None,
    ) -> None:  # fmt: skip
        super().__init__(runner, device, name, capture_launches or functools.partial(_capture_alone, device))
        self.static, self.written, self.is_dynamic = static, written, is_dynamic
        self.calls: dict[Any, int] = {}
        self.captures: dict[Any, tuple[CapturedCall, ...] | None] = {}
        self.copied: dict[tuple[Any, _Addresses], set[int]] = {}  # numbers of output storages that callers get copies of
        self.known: set[tuple[Any, _Addresses]] = set()  # addresses of inputs that came once and have no capture
        self.moving: set[int] = set()
        self.strange: list[_Addresses] = []  # addresses of the last consecutive calls that had not been seen before
        self.lock = threading.RLock()  # a finalizer may call the graph again

    def _capture_for(self, inputs: list[Any]) -> CapturedCall | None:
        if is_elsewhere(self.device):
            return None
        key = tuple((i.size(), i.stride()) if isinstance(i, torch.Tensor) else i for i in inputs) if self.is_dynamic else ()
        captures = self.captures.get(key, ())
        if captures is None:
            return None
        if len(self.calls) > MAX_COUNTED:
            self.calls.clear()
        calls = self.calls[key] = self.calls.get(key, 0) + 1
        for captured in captures:
            if captured.is_for(inputs):
                captured.used = calls
                return captured
        return self._capture(key, calls, inputs) if self._is_ready(key, calls, inputs) else None

    def _is_ready(self, key: Any, calls: int, inputs: list[Any]) -> bool:
        """Whether a call with this key has run before (a capture must not load or compile anything), and its inputs are on the GPU."""
        if calls == 1 or (key not in self.captures and len(self.captures) >= MAX_SIZES):
            return False
        return calls > MAX_AWAITED or all(i.device == self.device for i in inputs if isinstance(i, torch.Tensor))

    def _capture(self, key: Any, calls: int, inputs: list[Any]) -> CapturedCall | None:
        with self.lock:
            captures = self.captures.get(key, ())
            if captures is None or not self._is_worth_it(key, captures, inputs):
                return None
            self.captures[key] = None  # for ever, if the capture fails
            captured = self._captured(lambda: self._with_buffers(key, inputs))
            if captured is None:
                if self.device.type == "cuda":
                    torch.cuda.synchronize(self.device)
                return None
            captured.used = calls
            # Drop captures whose input addresses were not seen recently; the others are used in turn.
            lately = [r for r in captures if calls - r.used <= 4 * len(captures) + 4]
            self.captures[key] = (*lately, captured)
        return captured

    def _is_worth_it(self, key: Any, captures: Sequence[CapturedCall], inputs: list[Any]) -> bool:
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

    def _stays(self, number: int, tensor: torch.Tensor) -> bool:
        if number in self.moving:
            return False
        return number in self.static or tensor.untyped_storage().data_ptr() in _staying

    def _with_buffers(self, key: Any, inputs: list[Any]) -> CapturedCall:
        """A capture with static buffers for the inputs that may move."""
        fixed = self._addresses(inputs)
        arguments: list[Any] = list(inputs)
        buffers = {}
        in_place = dict(fixed)
        for n, value in enumerate(inputs):
            if n in in_place:
                _staying.add(value.untyped_storage().data_ptr())
            elif isinstance(value, torch.Tensor):
                arguments[n] = buffers[n] = _static_buffer(value, self.device)
        copied = self.copied.get((key, fixed), ())
        captured = self._new_capture(key, arguments, addresses=in_place, buffers=buffers, written=self.written, idle=(), copied=copied)
        _staying.update(storage.data_ptr() for storage in captured.outputs.storages)
        return captured

    def _may_replay(self, captured: CapturedCall) -> bool:
        """Whether a replay now overwrites no output that a caller still holds."""
        if stream_of(self.device) != captured.stream:
            return False
        if self.strange:
            with self.lock:
                self.strange.clear()
        held = captured.held()
        if held:
            key, addresses = captured.key, tuple(captured.addresses.items())
            with self.lock:
                self.copied.setdefault((key, addresses), set()).update(held)
                self.known.add((key, addresses))
                left = self.captures.get(key)
                self.captures[key] = None if left is None else tuple(r for r in left if r is not captured)
        return not held


def _capture_alone(device: torch.device, run: Callable[[], Sequence[Any]]) -> tuple[Callable[[], None], list[Any]]:
    """Captures the launches of `run` as a CUDA graph with its own memory."""
    with one_at_a_time:
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()  # during a capture the cached memory can be neither freed nor used
        graph, outputs = capture(device, run, shares_memory=False)
    return graph.replay, outputs


def _static_buffer(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Memory for a copy of `tensor`, with its layout. Raises RuntimeError if it can't be copied."""
    if tensor.device != device:
        raise RuntimeError("an input is not on the GPU")
    if any(stride == 0 and size > 1 for size, stride in zip(tensor.size(), tensor.stride(), strict=True)):
        raise RuntimeError("elements of an input share memory")
    with torch.inference_mode(False), torch.no_grad():  # it is written in every mode
        buffer = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=tensor.device)
        return buffer.copy_(tensor)
