"""Launches Triton's kernels through the CUDA driver, for tests on a machine with a GPU."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from mlirind.dialects.context import compile_context
from mlirind.dialects.tt import Ptr
from mlirind.runtime.reference.evaluate import evaluate_affine
from mlirind.runtime.reference.evaluate_ops import BODY_DTYPES
from mlirind.tools.emit import triton_kernel
from tile_kernels import flat, lowered
from torch_mlir import ir

SHARED_MEMORY_LIMIT = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


@functools.cache
def _driver() -> Any:
    return ctypes.CDLL("libcuda.so.1")


def _checked(status: int) -> None:
    assert status == 0, f"CUDA driver: error {status}"


class Launch:
    """A loaded kernel; `grid` and `scratch` are expressions over the symbols."""

    def __init__(self, func: ir.Operation) -> None:
        major, minor = torch.cuda.get_device_capability()
        kernel = triton_kernel(func, f"sm_{major}{minor}")
        self.grid = func.attributes["grid"].value.results[0]
        self.scratch = list(func.attributes["scratch"].value.results)
        buffers = ir.IntegerAttr(func.attributes["buffers"]).value
        arguments = [a.type for a in func.regions[0].blocks[0].arguments]
        self.scratch_types = [BODY_DTYPES[str(Ptr(t).pointee)] for t in arguments[buffers : buffers + len(self.scratch)]]
        self.threads, self.shared = 32 * kernel.metadata.num_warps, kernel.metadata.shared
        driver, module, self.function = _driver(), ctypes.c_void_p(), ctypes.c_void_p()
        torch.zeros(1, device="cuda")  # makes the context
        _checked(driver.cuModuleLoadData(ctypes.byref(module), kernel.asm["cubin"]))
        _checked(driver.cuModuleGetFunction(ctypes.byref(self.function), module, kernel.metadata.name.encode()))
        if self.shared > 48 << 10:
            _checked(driver.cuFuncSetAttribute(self.function, SHARED_MEMORY_LIMIT, self.shared))

    def bound(self, pointers: Sequence[int], symbols: Sequence[int], grid: int) -> Callable[[], None]:
        """What launches it on the current stream; Triton's two scratch pointers are null."""
        values = [ctypes.c_void_p(p) for p in pointers] + [ctypes.c_int64(s) for s in symbols] + [ctypes.c_void_p()] * 2
        addresses = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        sizes = (grid, 1, 1, self.threads, 1, 1, self.shared)

        def run() -> None:
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            if grid:
                assert values  # `addresses` does not keep them
                _checked(_driver().cuLaunchKernel(self.function, *sizes, stream, addresses, None))

        return run


class LaunchedTiles:
    """A `loop.func` as text that runs on the GPU: called as `tile_kernels.EvaluatedTiles`, on tensors of either device."""

    def __init__(self, text: str) -> None:
        with compile_context():
            module = lowered(text)
            self.module = module
            self.launches = [Launch(op.operation) for op in module.body.operations]

    def __call__(self, *tensors: torch.Tensor, symbols: tuple[int, ...] = ()) -> int:
        """Runs it; 0."""
        memory = [flat(t) for t in tensors]
        device = [m.cuda() for m in memory]
        self.bound(device, symbols)()
        torch.cuda.synchronize()
        for host, result in zip(memory, device, strict=True):
            host.copy_(result)
        return 0

    def bound(self, buffers: Sequence[torch.Tensor], symbols: tuple[int, ...] = ()) -> Callable[[], None]:
        """What launches it on buffers of the device, without waiting."""
        first = self.launches[0]
        with compile_context():
            sizes = [int(evaluate_affine(e, [], symbols)) for e in first.scratch]
            grids = [int(evaluate_affine(launch.grid, [], symbols)) for launch in self.launches]
        scratch = [torch.empty(n // t.itemsize, dtype=t, device="cuda") for n, t in zip(sizes, first.scratch_types, strict=True)]
        pointers = [b.data_ptr() for b in [*buffers, *scratch]]

        launches = [launch.bound(pointers, symbols, grid) for launch, grid in zip(self.launches, grids, strict=True)]

        def run() -> None:
            for launch in launches:
                launch()
            assert len(scratch) == len(sizes)  # alive until here

        return run
