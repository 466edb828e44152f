"""From `aten` to `loop` kernels and the `host` sequence, and from kernels to LLVM."""

from . import aten_to_loop, convert_to_host, cpu, fuse_kernels, normalize_kernels, tt

__all__ = ["aten_to_loop", "convert_to_host", "cpu", "fuse_kernels", "normalize_kernels", "tt"]
