"""`mode="max-autotune"`: which of several schedules of a kernel is the fastest on this machine's GPU. They are timed when the graph is
compiled, on separate memory of the sizes that the graph was traced with. The choice is kept on disk."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch_mlir import ir

from ....dialects.aten import TensorInfo, size_of
from ....dialects.dtypes import item_size
from ....dialects.narrowing import array
from ....dialects.size_hints import evaluated, size_hints
from ....disk_cache import folder
from ....disk_cache.entries import keep_entry, load_entry
from ....errors import UnsupportedKernel
from ....torch_internals.fake_tensors import unset_fake_temporarily
from ....triton_settings import triton_version
from .cubin import CubinSource, compiler
from .driver import Device
from .launcher import CudaKernel, Plan
from .plans import plan_of, variant_sources

log = logging.getLogger(__name__)

Bits = tuple[int, int]  # of buffers, and of symbols: which are not multiples of 16


@dataclass(frozen=True)
class LaunchSizes:
    """The arguments of a launch: the bytes of each buffer, the values of the symbols."""

    buffers: tuple[int, ...]
    symbols: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Lowered:
    """A module of `tt.func`s, and the functions of each `loop.func` by its name."""

    module: ir.Module
    functions: dict[str, list[ir.Operation]]


@dataclass(frozen=True, eq=False)
class Way:
    """One schedule of a kernel: its functions, the module that keeps them alive, and the sources to compile."""

    lowered: Lowered
    functions: list[ir.Operation]
    plan: Plan
    sources: list[CubinSource]

    @staticmethod
    def of(lowered: Lowered, functions: list[ir.Operation], bits: Bits) -> Way:
        """The schedule for arguments of which `bits` are not multiples of 16."""
        plan = plan_of(functions)
        return Way(lowered, functions, plan, variant_sources(plan, functions, plan.mask(*bits)))


def launch_sizes(function: ir.OpView, op: ir.OpView) -> LaunchSizes:
    """The sizes of a graph's `host.launch`, for the symbols' values while tracing."""
    hints = size_hints(function)
    buffers = tuple(_bytes(TensorInfo.of(v.type), hints) for v in op.operands)
    return LaunchSizes(buffers, tuple(evaluated(size_of(s), hints) for s in array(op.attributes["symbols"])))


def _bytes(info: TensorInfo, hints: Mapping[str, int]) -> int:
    """The bytes from the first element to the end of the last."""
    sizes, strides = ([evaluated(s, hints) for s in found] for found in (info.sizes, info.strides))
    if 0 in sizes:
        return 0
    return (item_size(info.dtype) or 16) * (1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)))


def may_be_timed(function: ir.Operation, sizes: LaunchSizes) -> bool:
    """Whether a `loop.func` may run on zero-filled memory. One that checks indices could fail, which ends the use of the GPU."""
    checks = any(op.operation.name == "loop.check" for op in function.regions[0].blocks[0].operations)
    return not checks and all(sizes.buffers)


@dataclass(frozen=True, eq=False)
class Tuner:
    """Finds the fastest schedule of a kernel for given sizes on a device."""

    ways: Sequence[Way]
    gpu: Device
    device: int
    sizes: LaunchSizes
    bits: Bits

    def start(self) -> None:
        """Starts compiling the schedules to be timed."""
        if not self.is_known():
            compiler(self.gpu.capability(self.device)).start([s for way in self.ways for s in way.sources])

    def fastest(self) -> Way:
        """The fastest schedule; the first one if times can't be measured, and then nothing is kept on disk."""
        known = self._known()
        if known is not None:
            return self.ways[known]
        times = [self._time(way) for way in self.ways]
        found = {n: time for n, time in enumerate(times) if time is not None}
        if 0 not in found:
            return self.ways[0]
        best = min(found, key=lambda n: found[n])
        log.debug("%s: way %d of %s", self.ways[0].plan.name, best, times)
        keep_entry(folder.TUNED, self._key(), {"way": best})
        return self.ways[best]

    def is_known(self) -> bool:
        """Whether the choice is on disk."""
        return self._known() is not None

    def _key(self) -> str:
        """The name of the file that holds the choice."""
        key = repr(([way.sources for way in self.ways], self.gpu.card(self.device), self.sizes, triton_version()))
        return hashlib.sha256(key.encode()).hexdigest()

    def _known(self) -> int | None:
        entry = load_entry(folder.TUNED, self._key())
        number = -1 if entry is None else int(entry[0]["way"])
        return number if 0 <= number < len(self.ways) else None

    def _time(self, way: Way) -> float | None:
        """Milliseconds of a launch; None if the schedule can't be compiled, loaded, given memory or timed."""
        namespace, kernel = self.gpu.namespace(), CudaKernel(way.plan, self.device, self.gpu)
        with namespace["_on"](self.device), unset_fake_temporarily():  # AOTAutograd compiles under a mode that makes fake tensors
            try:
                kernel.add(way.plan.mask(*self.bits), kernel.compiler.compile(way.sources))
                buffers = [_zeros(namespace, size) for size in self.sizes.buffers]
            except (UnsupportedKernel, RuntimeError) as error:
                log.debug("%s can't be timed: %s", way.plan.name, error)
                return None
            pointers = [buffer.data_ptr() + 8 * (self.bits[0] >> n & 1) for n, buffer in enumerate(buffers)]
            stream = namespace["_stream"](self.device)
            return self.gpu.milliseconds(lambda: kernel.launch(stream, *pointers, *self.sizes.symbols))


def _zeros(namespace: Mapping[str, Any], size: int) -> torch.Tensor:
    """Memory for `size` bytes that begin up to 8 bytes after its beginning."""
    return namespace["_empty_cuda"]((size + 8,), (1,), torch.uint8).zero_()
