"""From `loop` kernels to Triton's IR."""

from . import lower_loop_to_tt

__all__ = ["lower_loop_to_tt"]
