"""Tuning constants of CPU kernels.

A comment says the unit, the meaning, and the measurement. `python benchmarks/tuning.py` times kernels with other values ("swept" below:
`benchmarks/results/tuning.md`). The number of lanes and the instructions are no constants: `lowering/cpu/target.py` reads them from the
processor's features.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CpuTuning:
    """The constants. "Points" are points of a kernel's domain."""

    # Points of a chunk, at least: what a thread computes between two steps of the loop over chunks. Swept.
    chunk_points: int = 1024
    # Points along the lanes' dimension in a chunk of a kernel without reductions, at most: chunks for threads. Swept.
    block_points: int = 4096
    # Points along each side of a tile, where some accesses are contiguous along another dimension. x + y.T of 2048 x 2048 took 1.0 to 1.4
    # of eager's time without tiles, with them 0.33 to 0.5. Swept.
    tile_side: int = 64
    # Operations of a kernel whose transposed loads go through squares that are turned in registers; the body is emitted once for each lane.
    # 1536 x 1536 floats, one thread: 1.69 ms, with gathers 3.88. Swept.
    square_nodes: int = 32
    # Elements between lanes, at most, for a load by whole vectors and shuffles instead of a gather. x[..., ::2] + x[..., 1::2] took 4.3 of
    # eager's time, then 0.33. Swept.
    shuffled_step: int = 8
    # The value of an access when the lanes' dimension is chosen: contiguous, backwards, the same for all lanes, a load with a step of up to
    # `short_step` elements, any other. Not measured by itself: chosen for the order. Backwards adds a shuffle; a load that is the same for
    # all leaves a store without lanes; a gather takes as many accesses as lanes.
    contiguous: float = 1.0
    backwards: float = 0.9
    same: float = 0.8
    short_step: int = 4
    short_step_value: float = 0.5
    strided: float = 0.1
    # The weight of an access outside of the reduced dimensions, beside 1 for one inside. Not measured: chosen for rows of 20 and more.
    once_a_row: float = 0.05
    # Operations that a mathematical function counts for. Not measured: exp, tanh and erf are 10 to 20 operations in line.
    function_cost: int = 10
    # Operations of a reduction's hot part above which a value has two registers instead of four, and one instead of two. Not measured
    # again: chosen so that 16 registers of AVX2 hold all live values.
    busy_nodes: int = 5
    crowded_nodes: int = 12
    # Loads of a kernel without reductions above which a value has one register instead of two. Not measured: chosen for 16 registers.
    many_loads: int = 6
    # Bytes of a kernel's row buffers, on the stack: values that a later reduction pass reads again. softmax of 2048 x 1024 took 1.19 of
    # eager's speed with them. Swept.
    row_buffer_bytes: int = 1 << 16
    # Chunks that a split reduction makes. Sum over dim 0 of 1024 x 4096: twice eager's speed, 0.9 of it without splits. Swept.
    split_chunks: int = 64
    # Results of splits that are combined with each other first, so that a sum's error is near eager's. For accuracy, not for speed.
    split_group: int = 8
    # Bytes of the results of splits, on the stack. Swept.
    split_bytes: int = 1 << 17
    # A reduction with less work than this times `thread_work` is not split. Not measured: chosen for two threads and more.
    split_work: int = 4
    # Operations on elements, at least, for each thread. Not measured on its own: some 10 us of work, beside 2 to 5 us of GOMP_parallel.
    thread_work: int = 1 << 17
    # Fewer points than this along a dimension are emitted one by one, without a loop. Swept.
    unrolled_points: int = 5
    # Pieces of a dimension with a body each, at most, and the operations of such a body, at most: rows of padding and rotation. Reflection
    # padding took 3.7 of eager's time, in pieces 1.2. The second bounds the time of compilation. Swept.
    pieces: int = 6
    piece_nodes: int = 40
    # Elements of a last dimension below which LLVM's optimization is on: most of the code is then prologue and epilogue. Concatenation of
    # short parts took 3.8 of eager's time, then 1.1. Swept.
    optimized_row: int = 32
    # Kernels for each thread that compiles. Not measured: a kernel takes some 10 ms, a thread some 0.1 ms.
    kernels_per_compiler: int = 8
    # Multiplications of a matrix product, at most, that is a kernel instead of a library call, whose overhead is 2 us; and of one with one
    # row or column, where the library reuses no data. Measured on one thread with AVX-512. Swept.
    small_product: int = 1 << 17
    small_vector_product: int = 1 << 18
    # Bytes of a graph's inputs, together, from which dead ones are released before the call ends. A release costs 60 ns.
    released_bytes: int = 1 << 16


TUNING = CpuTuning()
