"""PyTorch's CUDA: current device and stream, memory of captures, the switches by which libraries choose kernels."""

from __future__ import annotations

from typing import Any

import torch

from .entries import private

_BUILT = torch.backends.cuda.is_built()


def _stream(device: int) -> int:
    handle: int = torch.cuda.current_stream(device).cuda_stream
    return handle


current_device = private(
    "torch._C._cuda_getDevice",
    "the current CUDA device, with little overhead",
    "torch.cuda.current_device is called",
    torch.cuda.current_device,
    expected=_BUILT,
)
current_raw_stream = private(
    "torch._C._cuda_getCurrentRawStream",
    "the current CUDA stream, with little overhead",
    "torch.cuda.current_stream is called",
    _stream,
    expected=_BUILT,
)
_end_allocation = private(
    "torch._C._cuda_endAllocateToPool",
    "restores the allocator after a failed capture",
    "graphs on a GPU are not captured",
    expected=_BUILT,
)
_release_pool = private(
    "torch._C._cuda_releasePool", "restores the allocator after a failed capture", "graphs on a GPU are not captured", expected=_BUILT
)
_SWITCHES = (
    "_get_cudnn_enabled", "_get_cudnn_benchmark", "_get_cudnn_deterministic", "_get_deterministic_algorithms",
    "_get_cublas_allow_fp16_reduced_precision_reduction", "_get_cublas_allow_bf16_reduced_precision_reduction",
    "_get_blas_preferred_backend",
)  # fmt: skip
_NOT_REPLAYED = "captures are not replayed (option replay)"
_switches: list[Any] = [
    private(f"torch._C.{name}", "a switch by which libraries choose kernels", _NOT_REPLAYED, expected=_BUILT) for name in _SWITCHES
]
_precision = private("torch._C._get_fp32_precision_getter", "the precision of matrix products", _NOT_REPLAYED, expected=_BUILT)


def can_capture() -> bool:
    """Whether the allocator can be restored after a failed capture."""
    return _end_allocation is not None and _release_pool is not None


def can_replay() -> bool:
    """Whether every switch by which libraries choose kernels can be read."""
    return can_capture() and _precision is not None and None not in _switches


def end_allocation(device: int, pool: Any) -> None:
    """Stops PyTorch's allocator from allocating in a capture's pool."""
    _end_allocation(device, pool)


def release_pool(device: int, pool: Any) -> None:
    """Releases a capture's share of its pool."""
    _release_pool(device, pool)


def library_state() -> tuple[Any, ...]:
    """The switches by which libraries choose kernels at each call."""
    return (*(switch() for switch in _switches), _precision("cuda", "matmul"), _precision("cuda", "conv"))
