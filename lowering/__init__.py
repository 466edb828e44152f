"""From `aten` to `loop` kernels and the `host` sequence, and from both to LLVM."""

from . import aten_to_loop, aten_to_proved_loop, cpu, tt
from .bounds import require_bounds, verify_bounds
from .fusion import fuse_kernels, reinplace_kernels
from .host import convert_body_to_llvm, convert_host_to_llvm
from .kernel import normalize_kernels
from .launch import convert_to_host, group_launches
from .memory import allocate_results, plan_memory, verify_memory

__all__ = [
    "allocate_results",
    "aten_to_loop",
    "aten_to_proved_loop",
    "convert_body_to_llvm",
    "convert_host_to_llvm",
    "convert_to_host",
    "cpu",
    "fuse_kernels",
    "group_launches",
    "normalize_kernels",
    "plan_memory",
    "reinplace_kernels",
    "require_bounds",
    "tt",
    "verify_bounds",
    "verify_memory",
]
