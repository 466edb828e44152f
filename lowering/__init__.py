"""From `aten` to `loop` kernels and the `host` sequence, and from kernels to LLVM."""
