"""Which matrix products are kernels: the choice is that of the lowering, and passes on the graph must know it."""

from __future__ import annotations

from collections.abc import Sequence

from . import cpu, gpu

_TUNING: dict[str, cpu.CpuTuning | gpu.GpuTuning] = {"cpu": cpu.TUNING, "cuda": gpu.TUNING}


def is_small_product(device: str, sizes: Sequence[object]) -> bool:
    """Whether a product of floats is faster as a kernel than as a library call. `device`: "cpu", or "cuda:0" and the like; `sizes`: rows,
    columns, and the other dimensions of the product. False if a size is symbolic or 0, or for another device."""
    tuning = _TUNING.get(device.partition(":")[0])
    if tuning is None:
        return False
    work = 1
    for size in sizes:
        if not isinstance(size, int) or size < 1:
            return False
        work *= size
    return work <= (tuning.small_vector_product if 1 in sizes[:2] else tuning.small_product)
