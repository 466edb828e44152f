"""Tuning constants of CPU kernels.

A comment says the unit, the meaning, and the measurement. `python benchmarks/tuning.py` times kernels with other values ("other values"
below; `benchmarks/results/tuning.md` has the times, on one thread with AVX2). The number of lanes and the instructions are no constants:
`lowering/cpu/target.py` reads them from the processor's features.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CpuTuning:
    """The constants. "Points" are points of a kernel's domain."""

    # Points of a chunk, at least: what a thread computes between two steps of the loop over chunks. Other values: no difference
    # on one thread.
    chunk_points: int = 1024
    # Points along the lanes' dimension in a chunk of a kernel without reductions, at most: chunks for threads. Other values: no
    # difference on one thread.
    block_points: int = 4096
    # Points along each side of a tile, where some accesses are contiguous along another dimension. x + y.T of 2048 x 2048 took 1.0 to 1.4
    # of eager's time without tiles, with them 0.33 to 0.5. Other values: 16 is better for 512 x 512, worse for 1536 x 1536.
    tile_side: int = 64
    # Operations of a kernel whose transposed loads go through squares that are turned in registers; the body is emitted once for each lane.
    # 1536 x 1536 floats, one thread: 1.69 ms, with gathers 3.88 (AVX-512). Other values: 1.31 of the time
    # with gathers.
    square_nodes: int = 32
    # Elements between lanes, at most, for a load by whole vectors and shuffles instead of a gather. x[..., ::2] + x[..., 1::2] took 4.3 of
    # eager's time, then 0.33 (AVX-512). Other values: no difference for a step of 8 with AVX2.
    shuffled_step: int = 8
    # The value of an access when the lanes' dimension is chosen: contiguous, backwards, the same for all lanes, a load with a step of up to
    # `short_step` elements, any other. Not measured, except `short_step`: sums of rows of 3 take 1.26 of the time without it. The order
    # counts: backwards adds a shuffle, a gather takes as many accesses as lanes.
    contiguous: float = 1.0
    backwards: float = 0.9
    same: float = 0.8
    short_step: int = 4
    short_step_value: float = 0.5
    strided: float = 0.1
    # The weight of an access outside of the reduced dimensions, beside 1 for one inside. Not measured.
    once_a_row: float = 0.05
    # Operations that a mathematical function counts for. Not measured: exp, tanh and erf are 10 to 30 in line.
    function_cost: int = 10
    # Operations of a reduction's hot part above which a value has two registers instead of four, and one instead of two. Not measured:
    # with more, values would not fit the 16 registers of AVX2.
    busy_nodes: int = 5
    crowded_nodes: int = 12
    # Loads of a kernel without reductions above which a value has one register instead of two. Not measured: likewise.
    many_loads: int = 6
    # Bytes of a kernel's row buffers, on the stack: values that a later reduction pass reads again. softmax of 2048 x 1024 was 1.19
    # times as fast as eager's with them (AVX-512). Other values: no difference for 64 x 2048.
    row_buffer_bytes: int = 1 << 16
    # Chunks that a split reduction makes. Sum over dim 0 of 1024 x 4096: twice eager's speed, 0.9 of it without splits
    # (several threads). Other values: 256 took 1.25 of the time.
    split_chunks: int = 64
    # Results of splits that are combined with each other first, so that a sum's error is near eager's. For accuracy, not for speed.
    split_group: int = 8
    # Bytes of the results of splits, on the stack. Other values: no difference beyond noise on one thread; a stack is 2 MB or more.
    split_bytes: int = 1 << 17
    # A reduction with less work than this times `thread_work` is not split. Not measured.
    split_work: int = 4
    # Operations on elements, at least, for each thread. Not measured: it outweighs the start of a parallel region.
    thread_work: int = 1 << 17
    # Fewer points than this along a dimension are emitted one by one, without a loop. Other values: 1.04 of the time
    # with 17.
    unrolled_points: int = 5
    # Pieces of a dimension with a body each, at most, and the operations of such a body, at most: rows of padding and rotation. Reflection
    # padding took 3.7 of eager's time, in pieces 1.2. The second bounds the time of compilation. Other values: 1.38 to 1.51 of the time
    # without pieces, no gain from more.
    pieces: int = 6
    piece_nodes: int = 40
    # Elements of a last dimension below which LLVM's optimization is on: most of the code is then prologue and epilogue. Concatenation of
    # short parts took 3.8 of eager's time, then 1.1. Other values: no difference for parts of 4 to 7.
    optimized_row: int = 32
    # Kernels for each thread that compiles. Not measured: it outweighs the start of a thread.
    kernels_per_compiler: int = 8
    # Multiplications of a matrix product, at most, that is a kernel instead of a library call, whose overhead is 2 us; and of one with one
    # row or column, where the library reuses no data. Measured on one thread with AVX-512.
    # Other values, with AVX2: 48 x 48 takes 1.10 as a call; 96 x 96 takes 1.15 as a kernel; 1 x 448 takes 1.17 as a call.
    small_product: int = 1 << 17
    small_vector_product: int = 1 << 18
    # Scores that a block of attention has, at most, if it has no fewer rows than the last number; and its rows. A call with static sizes
    # and at most this many scores is computed as one block.
    attention_scores: int = 1 << 20
    attention_rows: int = 128
    attention_least_rows: int = 32
    # Attention in native code. A thread computes a tile of `tile_rows` rows, `tile_keys` keys at a time. While a call has fewer tiles than
    # `tiles`, the rows are halved, down to `tile_least_rows`. Tiles of 64 or 256 rows, and 256 or 1,024 keys at a time, took 0.97 to 1.01
    # of the time (bfloat16, AMX).
    tile_rows: int = 128
    tile_keys: int = 512
    tile_least_rows: int = 16
    tiles: int = 64
    # Bytes of a graph's inputs, together, from which dead ones are released before the call ends. A release costs 60 ns.
    released_bytes: int = 1 << 16


TUNING = CpuTuning()
