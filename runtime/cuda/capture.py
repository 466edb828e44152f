"""What a function launches, recorded as a CUDA graph; a recording that fails leaves PyTorch as it was."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...torch_internals.cuda import current_raw_stream, end_allocation, release_pool

# Records what a function launches: gives what launches it again, and what the function gave.
Record = Callable[[Callable[[], Sequence[Any]]], tuple[Callable[[], None], list[Any]]]

# Held by whoever records: PyTorch's generator of a device is in one recording at a time.
one_at_a_time = threading.Lock()

# By place and stream: the stream on which is recorded what it will replay, and the memory that recordings share.
_rooms: dict[tuple[torch.device, int], tuple[torch.cuda.Stream, Any]] = {}
_kept: list[Any] = []


def capture(place: torch.device, run: Callable[[], Sequence[Any]], shares_memory: bool) -> tuple[torch.cuda.CUDAGraph, list[Any]]:
    """A graph of what `run` launches on `place`, and what it gives. The memory that it allocates stays the graph's: its own, or one for
    all graphs of the current stream that share it; those never run side by side, and each overwrites what another left. What `run`
    raises, or an error of CUDA's where it does what can't be recorded, is raised; nothing of it is left."""
    stream = stream_of(place)
    side, shared = _room(place, stream)
    generator = torch.cuda.default_generators[place.index]
    numbers = generator.get_state()
    try:
        return _captured(side, shared if shares_memory else torch.cuda.graph_pool_handle(), run)
    except BaseException:
        if shares_memory:  # PyTorch's allocator of pinned memory has no end of a recording that failed, and refuses another one there
            _rooms.pop((place, stream), None)
        # In mid-recording a generator counts what it draws for the graph alone, and would do so for ever.
        other = torch.Generator(place)
        other.set_state(numbers)
        generator.graphsafe_set_state(other)
        raise


def _captured(side: torch.cuda.Stream, pool: Any, run: Callable[[], Sequence[Any]]) -> tuple[torch.cuda.CUDAGraph, list[Any]]:
    graph = torch.cuda.CUDAGraph()
    side.wait_stream(torch.cuda.current_stream(side.device))
    with torch.cuda.stream(side):
        with _given_back(graph, pool, side.device.index):
            graph.capture_begin(pool=pool, capture_error_mode="thread_local")
        try:
            results = list(run())
        finally:
            with _given_back(graph, pool, side.device.index):
                graph.capture_end()
    return graph, results


@contextlib.contextmanager
def _given_back(graph: torch.cuda.CUDAGraph, pool: Any, device: int) -> Any:
    """Where recording can't begin or end, PyTorch's allocator would take it to be going on, and could never again free memory."""
    try:
        yield
    except RuntimeError:
        with contextlib.suppress(RuntimeError):
            end_allocation(device, pool)
        try:
            graph.pool()
        except RuntimeError:  # it never ended, so the graph does not give back its share of the pool
            release_pool(device, pool)
        raise


def is_elsewhere(place: torch.device) -> bool:
    """Whether another device is the current one, or somebody else records."""
    return place.type == "cuda" and (torch.cuda.current_device() != place.index or torch.cuda.is_current_stream_capturing())


def stream_of(place: torch.device) -> int:
    """The current stream there."""
    return current_raw_stream(place.index) if place.type == "cuda" else 0


def _room(place: torch.device, stream: int) -> tuple[torch.cuda.Stream, Any]:
    """A stream and memory. Libraries have workspaces for each stream, and those would be two streams' at once if both recorded on one. A
    first recording that is never given up keeps the memory: PyTorch refuses to record into what no recording uses any more."""
    room = _rooms.get((place, stream))
    if room is None:
        room = _rooms[place, stream] = torch.cuda.Stream(place), torch.cuda.graph_pool_handle()
        _kept.append(_captured(*room, lambda: [torch.zeros(1, device=place)]))
    return room
