"""From `aten` to `loop` kernels and the `host` sequence, and from both to LLVM."""

from . import aten_to_loop, convert_to_host, cpu, fuse_kernels, normalize_kernels, reinplace_kernels, tt
from .host import convert_host_to_llvm

__all__ = ["aten_to_loop", "convert_host_to_llvm", "convert_to_host", "cpu", "fuse_kernels", "normalize_kernels", "reinplace_kernels", "tt"]
