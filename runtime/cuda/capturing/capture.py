"""Captures a function's launches as a CUDA graph. A capture that fails leaves PyTorch as it was."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ....torch_internals.cuda import current_raw_stream, end_allocation, release_pool

# Captures the launches of a function: returns a function that replays them, and the captured function's results.
CaptureFunction = Callable[[Callable[[], Sequence[Any]]], tuple[Callable[[], None], list[Any]]]

# Held during a capture: PyTorch's generator of a device can be in only one capture at a time.
one_at_a_time = threading.Lock()

# By device and current stream: the stream for captures and replays, and the memory pool that captures share.
_streams_and_pools: dict[tuple[torch.device, int], tuple[torch.cuda.Stream, Any]] = {}
_kept: list[Any] = []


def capture(device: torch.device, run: Callable[[], Sequence[Any]], shares_memory: bool) -> tuple[torch.cuda.CUDAGraph, list[Any]]:
    """Captures the launches of `run` on `device`; returns the graph and the results of `run`.

    The capture's memory is its own, or, with `shares_memory`, one pool for all captures of the current stream: these never run at the same
    time, and each overwrites the others' results. Raises what `run` raises, or a CUDA error if `run` does what can't be captured; nothing
    of the capture is left then.
    """
    stream = stream_of(device)
    side, shared = _stream_and_pool(device, stream)
    generator = torch.cuda.default_generators[device.index]
    numbers = generator.get_state()
    try:
        return _captured(side, shared if shares_memory else torch.cuda.graph_pool_handle(), run)
    except BaseException:
        if shares_memory:  # PyTorch's allocator of pinned memory never ends a failed capture, and refuses a later one in it
            _streams_and_pools.pop((device, stream), None)
        # During a capture the generator counts draws for the graph only, and would do so for ever.
        other = torch.Generator(device)
        other.set_state(numbers)
        generator.graphsafe_set_state(other)
        raise


def _captured(side: torch.cuda.Stream, pool: Any, run: Callable[[], Sequence[Any]]) -> tuple[torch.cuda.CUDAGraph, list[Any]]:
    graph = torch.cuda.CUDAGraph()
    side.wait_stream(torch.cuda.current_stream(side.device))
    with torch.cuda.stream(side):
        with _ended(graph, pool, side.device.index):
            graph.capture_begin(pool=pool, capture_error_mode="thread_local")
        try:
            results = list(run())
        finally:
            with _ended(graph, pool, side.device.index):
                graph.capture_end()
    return graph, results


@contextlib.contextmanager
def _ended(graph: torch.cuda.CUDAGraph, pool: Any, device: int) -> Any:
    """Ends the pool's use by a capture that could not begin or end. Otherwise PyTorch's allocator would wait for this end, and never free
    memory again."""
    try:
        yield
    except RuntimeError:
        with contextlib.suppress(RuntimeError):
            end_allocation(device, pool)
        try:
            graph.pool()
        except RuntimeError:  # the capture did not end, so the graph does not release its share of the pool
            release_pool(device, pool)
        raise


def is_elsewhere(device: torch.device) -> bool:
    """Whether another device is the current one, or another capture is running."""
    if device.type != "cuda":
        return False
    return bool(torch.cuda.current_device() != device.index or torch.cuda.is_current_stream_capturing())


def stream_of(device: torch.device) -> int:
    """The device's current stream."""
    return current_raw_stream(device.index) if device.type == "cuda" else 0


def _stream_and_pool(device: torch.device, stream: int) -> tuple[torch.cuda.Stream, Any]:
    """A stream and a memory pool for captures. Libraries have one workspace for each stream, and two streams would use one workspace at
    the same time if both captured on one stream. A first capture, which is never dropped, keeps the pool: PyTorch refuses a pool that no
    capture uses any more."""
    found = _streams_and_pools.get((device, stream))
    if found is None:
        found = _streams_and_pools[device, stream] = torch.cuda.Stream(device), torch.cuda.graph_pool_handle()
        _kept.append(_captured(*found, lambda: [torch.zeros(1, device=device)]))
    return found
