"""The C entries of MLIR's execution engine."""

from __future__ import annotations

import ctypes
import functools
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
    api.mlirExecutionEngineDumpToObjectFile.argtypes = [Handle, StringRef]
    api.mlirExecutionEngineDumpToObjectFile.restype = None
    api.mlirExecutionEngineRegisterSymbol.argtypes = [Handle, StringRef, ctypes.c_void_p]
    api.mlirExecutionEngineRegisterSymbol.restype = None
    return api


def c_object(wrapper: ir.Module) -> Handle:
    """The C API's handle of a Python binding's object."""
    capsule = wrapper._CAPIPtr
    return Handle(_pointer(capsule, _name(capsule)))


_pointer, _name = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_GetName
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
