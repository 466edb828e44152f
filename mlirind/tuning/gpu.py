"""Tuning constants of GPU kernels. `lowering/tt/gpu_target.py` has the GPU's facts, by which tiles and splits scale.

The figures are from an H200 (torch 2.11, Triton 3.6); `benchmarks/results/h200.md` has the times of kernels with these constants. "Tuning
run": 1,900 schedules of row sums, column sums, cross entropy, batch norm and short rows were timed, and the fastest taken. Its table was
not kept, so the figures given here are all that is known of it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuTuning:
    """The constants. "Points" are points of a kernel's domain; those of a tile belong to one program."""

    # Points for each thread of a tile of rows. Softmax of short columns took 24 us, with 16 points 16 us.
    thread_points: int = 16
    # Warps of a program, at most; twice as many for rows that fill the registers. Tuning run.
    max_warps: int = 16
    # Points of a tile of several short rows. Tuning run: 32 x 32 with stores takes 14.1 us with two warps, 15.3 with one.
    short_rows_tile: int = 1024
    # Points of a tile of a pointwise kernel, at least, and the largest share of a tile along one dimension that may be out of range.
    # Not measured apart from the tuning run.
    small_tile: int = 128
    most_waste: float = 0.1
    # Bits of the narrowest operand for each thread of a pointwise kernel (two accesses of 16 bytes); half with more accesses than these,
    # whose values fill the registers. Not measured apart.
    pointwise_bits: int = 256
    few_accesses: int = 6
    # The shortest dimensions between which a tile transposes. Not measured.
    transposed_side: int = 8
    # Bits that a thread of a light kernel reads at a time (two accesses of 16 bytes), and the warps of such a tile of rows. Tuning run.
    light_read_bits: int = 256
    light_warps: int = 8
    # Points of a row that stay in registers between reduction passes. Softmax 2048 x 32768: 183 us, then 155.
    register_row: int = 32768
    # Points of a row that a single reduction pass processes at once. Not measured apart from the tuning run.
    one_pass_row: int = 8192
    # With more loads than these, half as many points of a row. Not measured apart.
    few_loads: int = 4
    # Points of a longer row that are processed at once. Tuning run.
    row_block: int = 4096
    # The same if a multiprocessor works on one row only. Softmax 1024 x 131072: 430 us, then 382.
    long_row_block: int = 16384
    # Points from which few rows are processed at a time, so that they stay in the cache until the next pass. Not measured apart: chosen
    # above vocabularies, whose rows are chosen by their number (softmax 4096 x 50257 of f32: 846 us, then 554).
    long_row: int = 65536
    # Bits for each point of all blocks that stay in registers, and the smallest share of a row for which that is done. Softmax
    # 16384 x 131072 of bf16: 3.39 ms, then 2.87.
    kept_bits: int = 64
    kept_share: float = 0.1
    # Points of a tile of rows whose elements are not contiguous; the side of a tile that transposes, and of one over columns. Not
    # measured apart.
    tile_points: int = 4096
    tile_side: int = 64
    # Bits of a cache line. A fact.
    line_bits: int = 1024
    # Points of a split, at least. Not measured apart from the tuning run; fewer splits where every program merges them were faster.
    split_points: int = 8192
    # Programs over columns, as a multiple of those that fill the GPU, and the warps of each; fewer programs have more warps. Sums over
    # 8192 x 768 of bf16 with 16 splits of 16 warps: 8.4 us, then 7.3; gradients of a layer norm's parameters over 8192 x 768 of f32 with
    # 16 splits of 8 warps: 19.4 us, then 16.0. 54 schedules of 13 kernels were timed: this one was within 7% of each kernel's fastest.
    column_programs: float = 2
    column_warps: int = 4
    # Rows of a half type, in a tile of a kernel that stores rows and accesses them along and across: a sector of 32 bytes. Such tiles are
    # taken if there are this many for each multiprocessor. A layer norm of 12000 x 768 of bf16 whose residual lies transposed: in three
    # launches, with 2 splits of 64 x 64 points and 4 warps, 50.2 us; as tiles of 16 x 256 points 43.7 with 8 warps, 43.2 with 16; Inductor
    # takes 47.4. With 3136 rows of 1024 there are too few tiles: 18.3 us with splits, 20.6 without.
    sector_rows: int = 16
    sector_tiles: int = 4
    sector_columns: int = 256
    sector_warps: int = 8
    # Tiles of a light kernel over columns, as a share of the programs that fill the GPU, from which on rows are not split. Sums over
    # 4096 x 8192 of bf16 as 512 programs: 29.0 us, as 128 programs 23.0. Light kernels over half types fill the GPU once: 16384 x 2048 of
    # bf16 as 512 programs: 30.0 us, as 256 programs 26.1.
    light_columns_share: float = 3 / 8
    # Splits that every program of the next pass merges, at most. Batch norm's backward over 200,704 x 64 of bf16 in 512 splits: 74 us,
    # with a launch that merges them 63.
    few_splits: int = 32
    # Points of a tile of a launch that merges splits, and f32 elements in a sector of memory. Not measured apart: the launch takes 1.4 to
    # 3.3 us.
    merged_points: int = 2048
    sector_points: int = 8
    # Schedules that `max-autotune` compiles for a kernel. Not measured: chosen for the time of compilation.
    alternatives: int = 12
    # Multiplications of a matrix product, at most, that is a kernel; and of one with one row or column. A library call costs the host 13 to
    # 21 us, a launch 4 us; so few multiplications take the GPU less than either.
    small_product: int = 1 << 15
    small_vector_product: int = 1 << 16
    # Channels of images for which a convolution of a half type gains from channels-last layouts: a multiple. A fact: a tensor core
    # multiplies 16 elements of each row.
    image_channels: int = 16
    # Positions of a channels-last image from which on a group norm sums channels first. A norm of 16 x 384 x 32 x 32 of bf16 in 32 groups
    # with SiLU took 32.5 us as one kernel, of 16 x 576 x 16 x 16 12.5; if rows are contiguous 21.9 and 12.3. U-Net, forward: 6,300 us of
    # kernels with one for each norm, then 5,980. Other limits were not measured.
    summed_channels: int = 1024
    # Arguments of a launch that replaces several, at most: CUDA passes 4 KiB of them. A fact, less some for Triton's own.
    group_arguments: int = 480
    # Sizes of reductions in a launch, at most: each has code of its own. For the time of compilation; not measured.
    group_sizes: int = 8
    # Bytes of the buffers of one launch, at most, that moves forward to a group and makes a new buffer there, and bytes of all new buffers
    # that launches of a group make earlier than without it: they should still be in the L2 cache where they are read. Not measured apart.
    grouped_bytes: int = 24 << 20
    group_bytes: int = 32 << 20
    # Bytes of a tensor whose copy onto an input is a kernel, at most: those of one graph are one launch. The 106 copies of running
    # statistics of ResNet-50 took the host 12 us each as calls of `copy_`, profiled on an H200. The limit was not measured apart.
    launched_copy: int = 1 << 20
    # Microseconds of the host for a kernel's launch, a call of a library's operator and the replay of a CUDA graph (`docs/design/gpu.md`:
    # 5, 13 to 25, 10 to 20); around a replay by address, and for the copy of an output (not measured apart).
    launch_us: int = 5
    call_us: int = 20
    replay_us: int = 20
    by_address_us: int = 20
    output_us: int = 2
    # Bytes of all buffers and results of a graph that is replayed by address. Not measured: with more, the GPU is the bottleneck, and the
    # memory that a capture keeps is missed elsewhere.
    by_address_bytes: int = 64 << 20


TUNING = GpuTuning()
