"""The CUDA driver through ctypes, and the few parts of PyTorch's CUDA interface that launches need. No C code is compiled: Triton's own
launcher builds a C extension, ours packs arguments itself. `Driver` is all that the rest of `runtime/cuda` knows of a GPU; tests replace
it by another object."""

from __future__ import annotations

import ctypes
import functools
import statistics
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch

from ....errors import UnsupportedGraph
from ....torch_internals.cuda import current_device, current_raw_stream
from ....torch_internals.tensors import empty_cuda

if TYPE_CHECKING:
    from ....lowering.tt.gpu_target import GpuTarget

INVALID_CONTEXT = 201
TIMED = 15  # launches, to compare the times of two variants
_MAX_DYNAMIC_SHARED, _DEFAULT_SHARED = 8, 48 << 10

# Like cuLaunchKernel: function, grid x y z, block x y z, bytes of shared memory, stream, arguments, extra. Returns a CUresult.
Launch = Callable[..., int]


class Device(Protocol):
    """The operations on a machine's GPUs that launches need. Devices have PyTorch's numbers."""

    launch: Launch

    def capability(self, device: int) -> int:
        """The compute capability: 90 for sm_90."""

    def target(self, device: int) -> GpuTarget:
        """What tile choices depend on."""

    def facts(self, device: int) -> list[Any]:
        """What code for a device depends on, as what JSON can hold: its model, compute capability, multiprocessors, bytes of L2 cache, and
        the driver's version."""

    def symbol(self, name: str) -> int:
        """The address of a C function of the driver or of PyTorch's CUDA library. Raises `UnsupportedGraph` if there is none."""

    def load(self, name: str, code: bytes, shared: int, device: int) -> int:
        """The handle of function `name` of a cubin, which stays loaded, with `shared` bytes of shared memory allowed."""

    def enter_context(self, device: int) -> None:
        """Makes the device's primary context the current thread's."""

    def error(self, status: int) -> str:
        """The text of a CUresult."""

    def card(self, device: int) -> str:
        """The name of a GPU model; equal names mean equal speed."""

    def milliseconds(self, launch: Callable[[], int]) -> float | None:
        """The time of a launch on the current device and stream; None if it can't be measured now."""

    def namespace(self) -> dict[str, Any]:
        """The functions that generated code calls: `_device() -> int`, `_on(device)`, `_stream(device) -> int`, and `_empty_cuda(sizes,
        strides, dtype)` on the current device."""


class Driver:
    """The CUDA driver of this machine."""

    def __init__(self) -> None:
        self._lib = ctypes.CDLL("libcuda.so.1")
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        self.launch: Launch = self._lib.cuLaunchKernel
        self._lib.cuLaunchKernel.argtypes = [pointer, *[number] * 7, pointer, pointer, pointer]
        self._lib.cuModuleLoadData.argtypes = [pointer, ctypes.c_char_p]
        self._lib.cuModuleGetFunction.argtypes = [pointer, pointer, ctypes.c_char_p]
        self._lib.cuFuncSetAttribute.argtypes = [pointer, ctypes.c_int, ctypes.c_int]
        self._lib.cuDevicePrimaryCtxRetain.argtypes = [pointer, ctypes.c_int]
        self._lib.cuCtxSetCurrent.argtypes = [pointer]
        self._lib.cuGetErrorString.argtypes = [ctypes.c_int, pointer]
        self._contexts: dict[int, ctypes.c_void_p] = {}
        self._lock = threading.Lock()
        torch_cuda = Path(torch.__file__).parent / "lib" / "libtorch_cuda.so"
        self._libraries = (self._lib, *([ctypes.CDLL(str(torch_cuda))] if torch_cuda.exists() else []))

    def symbol(self, name: str) -> int:
        """The address of a C function."""
        for library in self._libraries:
            if hasattr(library, name):
                return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
        raise UnsupportedGraph(f"there is no function {name}")

    def capability(self, device: int) -> int:
        """The compute capability: 90 for sm_90."""
        capability: tuple[int, int] = torch.cuda.get_device_capability(device)
        return 10 * capability[0] + capability[1]

    def target(self, device: int) -> GpuTarget:
        """What tile choices depend on."""
        from ....lowering.tt.gpu_target import GpuTarget  # imports MLIR, which launches do not need

        properties = torch.cuda.get_device_properties(device)
        return GpuTarget(properties.multi_processor_count, properties.L2_cache_size)

    def facts(self, device: int) -> list[Any]:
        """What code for a device depends on."""
        properties, version = torch.cuda.get_device_properties(device), ctypes.c_int()
        self._check(self._lib.cuDriverGetVersion(ctypes.byref(version)), "the driver's version")
        numbers = [self.capability(device), properties.multi_processor_count, properties.L2_cache_size]
        return [self.card(device), *numbers, version.value]

    def load(self, name: str, code: bytes, shared: int, device: int) -> int:
        """The handle of a cubin's function. The code is then on the device, so a launch loads nothing."""
        with self.on(device):
            self.enter_context(device)
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            self._check(self._lib.cuModuleLoadData(ctypes.byref(module), code), f"loading {name}")
            self._check(self._lib.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), f"finding {name}")
            if shared > _DEFAULT_SHARED:
                status = self._lib.cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED, shared)
                self._check(status, f"allowing {name} {shared} bytes of shared memory")
        assert function.value is not None
        return function.value

    def on(self, device: int) -> AbstractContextManager[Any]:
        """A context in which the device is PyTorch's current one."""
        context: AbstractContextManager[Any] = torch.cuda.device(device)
        return context

    def enter_context(self, device: int) -> None:
        """Makes the device's primary context, which PyTorch uses, current in this thread. The driver numbers devices as PyTorch does: both
        count the devices in CUDA_VISIBLE_DEVICES."""
        with self._lock:
            context = self._contexts.get(device)
            if context is None:
                context = ctypes.c_void_p()
                self._check(self._lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "the device's context")
                self._contexts[device] = context
        self._check(self._lib.cuCtxSetCurrent(context), "entering the device's context")

    def error(self, status: int) -> str:
        """The driver's text for a status."""
        text = ctypes.c_char_p()
        self._lib.cuGetErrorString(status, ctypes.byref(text))
        return f"CUDA error {status}: {(text.value or b'unknown').decode()}"

    def card(self, device: int) -> str:
        """The name of the GPU model."""
        name: str = torch.cuda.get_device_name(device)
        return name

    def milliseconds(self, launch: Callable[[], int]) -> float | None:
        """The median of several launches; None while a CUDA graph is captured, or if a launch fails."""
        if torch.cuda.is_current_stream_capturing() or any(launch() for _ in range(3)):
            return None
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(TIMED)]
        for start, end in events:
            start.record()
            launch()
            end.record()
        torch.cuda.current_stream().synchronize()
        times: list[float] = [start.elapsed_time(end) for start, end in events]
        return statistics.median(times)

    def _check(self, status: int, what: str) -> None:
        if status:
            raise RuntimeError(f"{what}: {self.error(status)}")

    def namespace(self) -> dict[str, Any]:
        """PyTorch's functions by the names in generated code."""
        return {
            "_device": current_device,
            "_on": torch.cuda.device,
            "_stream": current_raw_stream,
            "_empty_cuda": empty_cuda,
        }


@functools.cache
def driver() -> Device:
    """The machine's driver. Initializes PyTorch's CUDA too."""
    torch.cuda.init()
    return Driver()
