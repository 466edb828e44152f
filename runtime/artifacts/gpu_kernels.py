"""The kernels of a graph on a GPU as data: launch plans, and cubins with what a launch needs of them. Loads without MLIR and Triton."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from ..cpu.elf import UnsupportedObject
from ..cuda.launching.cubin import Cubin
from ..cuda.launching.driver import Device
from ..cuda.launching.launcher import CudaKernel, Plan


@dataclass(frozen=True)
class GpuKernel:
    """A kernel: its plan, the masks that have code of their own, and the code of each mask that was compiled."""

    plan: Plan
    expected: tuple[int, ...]
    variants: tuple[tuple[int, tuple[Cubin, ...]], ...]

    @staticmethod
    def of(kernel: CudaKernel) -> GpuKernel:
        """A kernel that was compiled, or loaded."""
        with kernel.lock:
            return GpuKernel(kernel.plan, tuple(sorted(kernel.expected)), tuple(sorted(kernel.cubins.items())))


@dataclass(frozen=True)
class GpuKernels:
    """The part of a graph that is on a GPU: the GPU's number and compute capability (90 for sm_90), the kernels, and which of them each
    name in the graph means."""

    device: int
    capability: int
    kernels: tuple[GpuKernel, ...]
    names: tuple[tuple[str, int], ...]

    @staticmethod
    def of(device: int, gpu: Device, kernels: Mapping[str, CudaKernel]) -> GpuKernels:
        """The kernels of a graph by name; there may be none, if it calls operators alone."""
        distinct = list(dict.fromkeys(kernels.values()))
        names = tuple((name, distinct.index(kernel)) for name, kernel in kernels.items())
        return GpuKernels(device, gpu.capability(device), tuple(map(GpuKernel.of, distinct)), names)

    def packed(self) -> tuple[dict[str, Any], list[bytes]]:
        """The kernels as what JSON can hold, and the cubins' code, each once."""
        numbers: dict[Cubin, int] = {}
        kernels = []
        for kernel in self.kernels:
            variants = [[mask, [numbers.setdefault(c, len(numbers)) for c in cubins]] for mask, cubins in kernel.variants]
            kernels.append({"plan": asdict(kernel.plan), "expected": list(kernel.expected), "variants": variants})
        cubins = [[c.name, c.warps, c.shared, c.parameters] for c in numbers]
        header = {"device": self.device, "capability": self.capability, "kernels": kernels, "cubins": cubins, "names": self.names}
        return header, [c.code for c in numbers]

    @staticmethod
    def unpacked(header: dict[str, Any], pieces: Sequence[bytes]) -> GpuKernels:
        """The inverse of `packed`. Raises ValueError, KeyError, TypeError or IndexError."""
        described = zip(header["cubins"], pieces, strict=True)
        cubins = [Cubin(str(name), int(warps), int(shared), int(count), code) for (name, warps, shared, count), code in described]
        kernels = tuple(_kernel(entry, cubins) for entry in header["kernels"])
        names = tuple((str(name), int(number)) for name, number in header["names"])
        if any(not 0 <= number < len(kernels) for _, number in names):
            raise ValueError("a name means no kernel")
        return GpuKernels(int(header["device"]), int(header["capability"]), kernels, names)

    def loaded(self, gpu: Device) -> dict[str, CudaKernel]:
        """The kernels by name, with their code on the GPU. Raises UnsupportedObject if the code is for another GPU."""
        if gpu.capability(self.device) != self.capability:
            raise UnsupportedObject("its kernels are for another GPU")
        with _lock:
            keys = [(gpu, self.device, kernel) for kernel in self.kernels]
            new = {key: CudaKernel(key[2].plan, self.device, gpu) for key in keys if key not in _loaded}
            for (_, _, kernel), made in new.items():
                for mask, cubins in kernel.variants:
                    (made.add_expected if mask in kernel.expected else made.add)(mask, cubins)
                made.expected.update(kernel.expected)
                made.companions = [k for k in new.values() if k.plan.symbols]
            _loaded.update(new)
            return {name: _loaded[keys[number]] for name, number in self.names}


def _kernel(entry: dict[str, Any], cubins: Sequence[Cubin]) -> GpuKernel:
    plan = Plan(**{f.name: _frozen(entry["plan"][f.name]) for f in fields(Plan)})
    variants = [(int(mask), [int(number) for number in numbers]) for mask, numbers in entry["variants"]]
    if any(len(numbers) != len(plan.grids) or not set(numbers) <= set(range(len(cubins))) for _, numbers in variants):
        raise ValueError("a variant has other launches than its kernel")
    found = tuple((mask, tuple(cubins[number] for number in numbers)) for mask, numbers in variants)
    return GpuKernel(plan, tuple(map(int, entry["expected"])), found)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


# Equal kernels are loaded once in a process.
_loaded: dict[tuple[Device, int, GpuKernel], CudaKernel] = {}
_lock = threading.RLock()
