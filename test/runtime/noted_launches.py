"""A driver that notes launches, for processes that import no compiler."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import sys
from collections.abc import Iterator
from typing import Any

import torch

COMPILER = ("torch_mlir", "triton", "llvmlite", "mlirind.dialects.aten", "mlirind.lowering", "mlirind.passes")


def compiler_modules() -> list[str]:
    """What this process has imported of MLIR, Triton and the project's compiler."""
    return [name for name in COMPILER if name in sys.modules]


class NotedLaunches:
    """Stands for `runtime.cuda.launching.driver.Driver`. A launch is noted as name, grid, threads, bytes of shared memory, stream, the
    first argument, and the checksum of the code."""

    def __init__(self) -> None:
        self.launches: list[list[Any]] = []
        self.loaded: list[tuple[str, str]] = []
        self.guards = 0
        self.library = ctypes.CDLL(None)
        self.library.malloc.restype = ctypes.c_void_p
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        types = {
            "cuLaunchKernel": (self.launch, [pointer, *[number] * 7, pointer, pointer, pointer]),
            "aoti_torch_create_cuda_guard": (self.create_guard, [ctypes.c_int32, pointer]),
            "aoti_torch_get_current_cuda_stream": (self.current_stream, [ctypes.c_int32, pointer]),
            "aoti_torch_delete_cuda_guard": (self.delete_guard, [pointer]),
        }
        self.functions = {name: ctypes.CFUNCTYPE(ctypes.c_int32, *given)(function) for name, (function, given) in types.items()}

    def symbol(self, name: str) -> int:
        return ctypes.cast(self.functions[name], ctypes.c_void_p).value or 0

    def create_guard(self, device: int, guard: int) -> int:
        self.guards += 1
        ctypes.c_void_p.from_address(guard).value = self.library.malloc(8)
        return 0

    def delete_guard(self, guard: int) -> int:
        self.guards -= 1
        self.library.free(ctypes.c_void_p(guard))
        return 0

    def current_stream(self, device: int, stream: int) -> int:
        ctypes.c_void_p.from_address(stream).value = 700 + device
        return 0

    def capability(self, device: int) -> int:
        return 90

    def load(self, name: str, code: bytes, shared: int, device: int) -> int:
        self.loaded.append((name, hashlib.sha256(code).hexdigest()))
        return len(self.loaded)

    def enter_context(self, device: int) -> None:
        pass

    def namespace(self) -> dict[str, Any]:
        return {"_empty_cuda": torch.empty_strided, "_on": self.on, "_stream": lambda device: 700, "_device": lambda: 0}

    @contextlib.contextmanager
    def on(self, device: int) -> Iterator[None]:
        yield

    def launch(self, function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra) -> int:
        name, code = self.loaded[function - 1]
        first = ctypes.c_uint64.from_address(ctypes.c_void_p.from_address(arguments).value or 0).value
        self.launches.append([name, gx, bx, shared, stream, first, code])
        return 0
