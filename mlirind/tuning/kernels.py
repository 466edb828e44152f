"""Tuning constants of what a kernel computes, the same for all targets: fusion, and the choice of a rule's form.

Limits whose comment says so bound the time of compilation, not the kernel's; `benchmarks/compile_scaling.py` shows that it stays linear.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KernelTuning:
    """The constants."""

    # Operations of a fused kernel, and tensors that it takes, at most. For the time of compilation; not measured by themselves.
    max_steps: int = 400
    max_reads: int = 24
    # Types of its operands: a `loop.kernel` holds 16 runs of operands of equal type. A fact of the dialect, less two for outputs.
    max_types: int = 14
    # Copies of a member in a fused kernel, on average, at most. For the time of compilation; not measured.
    max_copies: int = 4
    # A reduction with fewer rows than this, of more work than this, is split: no kernel that needs its result for every element joins it.
    # Not measured.
    few_rows: int = 16
    much_work: int = 1 << 15
    # The estimate of a symbolic size. Not measured.
    symbol_estimate: int = 64
    # Groups with a common input that a kernel tries to join. For the time of compilation; not measured.
    siblings_tried: int = 4
    # Bytes up to which fusion may raise the peak of memory. Not measured.
    free_peak_bytes: int = 1 << 16
    # Operations, and full tensor reads, at most, of a value that each of several kernels computes for itself. Not measured.
    cheap_cost: int = 8
    cheap_reads: int = 2
    # Where the count of operations stops. For the time of compilation.
    most_cost: int = 1000
    # Operations beyond those for its elements, at most, for a value that one kernel computes in place. Not measured.
    extra_work: int = 1 << 14
    # The cost of a function such as exp, in simple operations. Not measured: 10 to 30 in line (`lowering/cpu/inline_math.py`).
    heavy_math: int = 10
    # Kernels that can fail for each of which a write waits; with more, these run in order. For the time of compilation.
    most_failing: int = 8
    # Elements of a reduction, at most, whose moments are two sums that read the elements twice: more exact than Welford's algorithm in f32
    # up to there, and faster than in f64.
    two_sums: int = 1 << 16
    # Elements of a line from which a kernel of its own checks the index of the one that `scatter` writes. Not measured.
    checked_line: int = 1024
    # Elements of a window that is unrolled in the body, at most; larger ones are reductions. Not measured.
    unrolled_window: int = 16
    # Tensors that one kernel concatenates. Not measured: for the time of compilation.
    concatenated: int = 8
    # Tensors that are stacked without masked loads if their elements become neighbours. Rotary embedding of 512 x 32 x 128 floats, one
    # thread: 1.19 ms with masks, 0.95 without.
    interleaved: int = 4
    # Group norm's gradients come from sums by channel where a group has this many channels at most, or a channel this many pixels at least.
    # 16 x 64 x 56 x 56 in 8 groups, one thread: 9.0 ms, then 7.1; channels last 15.6, then 7.4.
    group_channels: int = 32
    channel_pixels: int = 256


TUNING = KernelTuning()
