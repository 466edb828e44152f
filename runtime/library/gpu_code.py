"""The GPU kernels of a library: for each target architecture the cubins of all variants that may run; one is right for any call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import NotALibrary
from ..artifacts.gpu_kernels import GpuKernel, GpuKernels
from ..cuda.launching.cubin import Cubin, CubinSource, compiler
from ..cuda.launching.launch_record import folded_mask
from ..cuda.launching.launcher import Plan
from ..cuda.launching.plans import sources_of_plan
from .data import Data

# The most shared memory of a block, in KiB, by compute capability (CUDA's programming guide, "Technical specifications").
_SHARED = {75: 64, 80: 163, 86: 99, 87: 163, 89: 99, 90: 227, 100: 227, 103: 227, 120: 99}


@dataclass(frozen=True)
class GpuKernelCode:
    """A kernel: how many arguments and launches it has, and its variants, those that assume more before those that assume less: the mask
    (`runtime/cuda/launching/launcher.py`), and the number of the function of each launch."""

    arguments: int
    launches: int
    variants: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class GpuCode:
    """`targets`: by compute capability (90 for sm_90), the cubins of all functions, in one order. `kernels`: the graph's, by name."""

    targets: Mapping[int, Sequence[Cubin]]
    kernels: Mapping[str, GpuKernelCode]

    @property
    def functions(self) -> int:
        """The number of functions."""
        return len(next(iter(self.targets.values()), ()))

    def target_table(self, data: Data) -> int:
        """Adds the targets to a library's data, as `lowering/host/on_cuda.mlir` reads them; their place."""
        table = data.reserve(max(2 * len(self.targets), 1))
        places: dict[bytes, int] = {}
        for row, (capability, cubins) in enumerate(self.targets.items()):
            functions = data.reserve(max(4 * len(cubins), 1))
            data.set(table + 16 * row, capability)
            data.point(table + 16 * row + 8, functions)
            for number, cubin in enumerate(cubins):
                start = functions + 32 * number
                if cubin.code not in places:
                    places[cubin.code] = data.bytes(cubin.code)
                data.point(start, places[cubin.code])
                data.point(start + 8, data.text(cubin.name))
                data.set(start + 16, cubin.shared)
                data.set(start + 24, 32 * cubin.warps)
        return table

    def records(self, data: Data) -> dict[str, int]:
        """Adds the kernels to a library's data; their places by name."""
        return {name: data.words(_record(kernel)) for name, kernel in self.kernels.items()}


def _record(kernel: GpuKernelCode) -> list[int]:
    variants = [number for mask, functions in kernel.variants for number in (mask, *functions)]
    return [kernel.arguments, kernel.launches, len(kernel.variants), *variants]


def gpu_code(kernels: GpuKernels, capabilities: Sequence[int]) -> GpuCode:
    """Compiles the kernels of a graph for these compute capabilities, in parallel. Call it inside `compile_context()`. Raises NotALibrary
    if a kernel does not fit into the shared memory of a target, and what `Compiler.compile` raises."""
    numbers: dict[CubinSource, int] = {}
    found = [_with_variants(kernel, numbers) for kernel in kernels.kernels]
    for capability in capabilities:
        compiler(capability).start(list(numbers))
    targets = {capability: compiler(capability).compile(list(numbers)) for capability in capabilities}
    for capability, cubins in targets.items():
        most = max((cubin.shared for cubin in cubins), default=0)
        if most > _SHARED.get(capability, 227) << 10:
            raise NotALibrary(f"a kernel needs {most} bytes of shared memory, more than sm_{capability} has: leave out this target")
    return GpuCode(targets, {name: found[number] for name, number in kernels.names})


def _with_variants(kernel: GpuKernel, numbers: dict[CubinSource, int]) -> GpuKernelCode:
    plan = kernel.plan
    variants = [(mask, tuple(numbers.setdefault(s, len(numbers)) for s in sources_of_plan(plan, mask))) for mask in _masks(kernel)]
    return GpuKernelCode(plan.arguments, len(plan.grids), tuple(variants))


def _masks(kernel: GpuKernel) -> list[int]:
    """The variants: for the sizes and addresses that the compiler expects, for other sizes, for any sizes and addresses."""
    plan: Plan = kernel.plan
    sizes, everything = plan.mask(0, (1 << plan.symbols) - 1), folded_mask((1 << plan.arguments) - 1)
    found = {mask | more for mask in kernel.expected for more in (0, sizes)} | {everything}
    return sorted(found, key=lambda mask: (mask.bit_count(), mask))
