"""The C entries that compiled code and its compiler need: MLIR's execution engine, ATen's vector math, the OpenMP runtime."""

from __future__ import annotations

import ctypes
import functools
import sys
from pathlib import Path

import torch_mlir
from torch_mlir import ir


class Handle(ctypes.Structure):
    """An object of MLIR's C API."""

    _fields_ = [("ptr", ctypes.c_void_p)]


class StringRef(ctypes.Structure):
    """MLIR's (data, length)."""

    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    @staticmethod
    def of(text: str) -> StringRef:
        data = text.encode()
        return StringRef(data, len(data))


@functools.cache
def mlir_c_api() -> ctypes.CDLL:
    """MLIR's C API through ctypes, which releases the GIL during calls; the bindings do not."""
    folder = Path(torch_mlir.__path__[0], "_mlir_libs")
    api = ctypes.CDLL(str(next(folder.glob("libTorchMLIRAggregateCAPI*"))))
    # module, optimization level, number of shared libraries, their paths, whether to keep the object, whether it is PIC
    api.mlirExecutionEngineCreate.argtypes = [Handle, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_bool, ctypes.c_bool]
    api.mlirExecutionEngineCreate.restype = Handle
    api.mlirExecutionEngineLookup.argtypes = [Handle, StringRef]
    api.mlirExecutionEngineLookup.restype = ctypes.c_void_p
    api.mlirExecutionEngineDestroy.argtypes = [Handle]
    api.mlirExecutionEngineDestroy.restype = None
    api.mlirExecutionEngineRegisterSymbol.argtypes = [Handle, StringRef, ctypes.c_void_p]
    api.mlirExecutionEngineRegisterSymbol.restype = None
    return api


@functools.cache
def expose_torch_symbols() -> None:
    """Makes the symbols of torch's CPU library (Sleef, the C shim) and of its OpenMP runtime visible to compiled code. Uses the copies
    that the process has loaded: a second OpenMP runtime would start threads of its own."""
    import torch

    folder = Path(torch.__file__).parent
    for pattern in ("lib/libtorch_cpu.so*", "lib/libgomp*", "../torch.libs/libgomp*"):
        for path in sorted(folder.glob(pattern)):
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    if sys.platform == "linux":
        ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)


def c_object(wrapper: ir.Module) -> Handle:
    """The C API's handle of a Python binding's object."""
    capsule = wrapper._CAPIPtr
    return Handle(_pointer(capsule, _name(capsule)))


_pointer, _name = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_GetName
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
