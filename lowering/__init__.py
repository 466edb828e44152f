"""From `aten` to `loop` kernels and the `host` sequence, and from both to LLVM."""

from . import (
    allocate_results,
    aten_to_loop,
    aten_to_proved_loop,
    convert_to_host,
    cpu,
    fuse_kernels,
    normalize_kernels,
    plan_memory,
    reinplace_kernels,
    require_bounds,
    tt,
    verify_bounds,
    verify_memory,
)
from .host import convert_host_to_llvm

__all__ = [
    "allocate_results",
    "aten_to_loop",
    "aten_to_proved_loop",
    "convert_host_to_llvm",
    "convert_to_host",
    "cpu",
    "fuse_kernels",
    "normalize_kernels",
    "plan_memory",
    "reinplace_kernels",
    "require_bounds",
    "tt",
    "verify_bounds",
    "verify_memory",
]
