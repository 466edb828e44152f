"""From `loop` kernels to CPU code: vectors, loops and threads, then the LLVM dialect."""

from . import convert_cpu_to_llvm, convert_loop_to_cpu

__all__ = ["convert_cpu_to_llvm", "convert_loop_to_cpu"]
