"""What native code needs to know of objects of Python and PyTorch: the offset of a tensor's handle in its object, addresses of
functions."""

from __future__ import annotations

import ctypes
import functools
import operator
import sys
from pathlib import Path
from typing import Any

import torch

from ..errors import UnsupportedGraph
from .entries import fact, private
from .layout import METH_O, OBJECT_TABLE
from .modes import PROFILER_FLAG, PROFILER_NAMES
from .tensors import storage_id

# Returns the Python object of an `at::Tensor`, a new one if it has none. The name is mangled C++: there is no C function for it.
WRAP = "_Z16THPVariable_WrapRKN2at10TensorBaseE"
WORDS = 8  # the reference count is searched in this many 32-bit words of a C++ object
# Tests and sets whether this thread excludes a dispatch key. Mangled C++ names, too.
IS_EXCLUDED = "_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE"
SET_EXCLUDED = "_ZN3c104impl29tls_set_dispatch_key_excludedENS_11DispatchKeyEb"
VIEWS_KEY = "ADInplaceOrView"  # the dispatch key that marks results as views of their base
TENSOR_WORDS = 16  # the address of the storage is searched in this many words of a C++ tensor
# Objects of these types are tensors; a general test takes 700 instructions.
TENSOR_TYPES = (torch.Tensor, torch.nn.Parameter)

_AS_PYTHON = "graphs run as Python functions"
_READS, _HIDES = "native code reads tensors from their Python objects", "operators in native code make views without a base"
_BASES_STAY = "such views keep their base alive"
_has_handle = private("torch.Tensor._cdata", _READS, _AS_PYTHON) is not None
_handle = operator.attrgetter("_cdata")
_tensor_base = private("torch._C.TensorBase", "native code recognizes tensors by their type", "torch.Tensor is that type", torch.Tensor)
_views_key = private(f"torch._C.DispatchKey.{VIEWS_KEY}", _HIDES, _BASES_STAY)
_is_excluded = private("torch._C._dispatch_tls_is_dispatch_key_excluded", _HIDES, _BASES_STAY)
_set_excluded = private("torch._C._dispatch_tls_set_dispatch_key_excluded", _HIDES, _BASES_STAY)


class MethodDef(ctypes.Structure):
    """Python's `PyMethodDef`, the description of a C function."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype, _new_function.argtypes = ctypes.py_object, [ctypes.POINTER(MethodDef), ctypes.py_object, ctypes.c_void_p]


def python_function(address: int, callables: tuple[Any, ...], name: str) -> Any:
    """The Python function of one argument whose code is at `address`. Its `self`, the first argument of the code, is `callables`."""
    definition = MethodDef(name.encode(), address, METH_O, None)
    # Python keeps the address of the definition: what the function owns keeps the definition.
    return _new_function(ctypes.byref(definition), (*callables, definition), None)


@functools.cache
def objects_are_known() -> bool:
    """Whether native code can read and make the Python objects of tensors. Asked at the first use."""
    makes = "native code makes Python objects of tensors"
    known = fact("the layout of PyTorch's tensor objects", _READS, _AS_PYTHON, lambda: tensor_offset() != type_offset())
    return fact("libtorch_python's THPVariable_Wrap", makes, _AS_PYTHON, lambda: library_function(WRAP) != 0) and known


@functools.cache
def tensor_offset() -> int:
    """The offset in bytes of a tensor's handle, the address of an `at::Tensor`, in its Python object. Raises UnsupportedGraph if it is not
    found."""
    found: set[int] | None = None
    tensors = (torch.empty(1), torch.empty(0, dtype=torch.int64), torch.nn.Parameter(torch.empty(2))) if _has_handle else ()
    for tensor in tensors:
        offsets = {8 * n for n, word in enumerate(_words(tensor)) if word == _handle(tensor)}
        found = offsets if found is None else found & offsets
    if not found or len(found) != 1:
        raise UnsupportedGraph("the layout of PyTorch's tensor objects is not known")
    return found.pop()


@functools.cache
def type_offset() -> int:
    """The offset in bytes of an object's type."""
    tensor = torch.empty(0)
    return 8 * _words(tensor).index(id(type(tensor)))


def _words(value: object) -> list[int]:
    """The 8-byte words of a Python object."""
    return list((ctypes.c_uint64 * (type(value).__basicsize__ // 8)).from_address(id(value)))


@functools.cache
def memory_offsets() -> tuple[int, int] | None:
    """The offsets in bytes of the storage's address in a C++ tensor, and of the reference count in tensors and storages; None if they are
    not found."""
    purpose, without = "whether a saved tensor's memory is used by others", "no saved tensor's memory is reused"
    found: list[tuple[int, int] | None] = []

    def finds() -> bool:
        found.append(_memory_offsets())
        return found[0] is not None

    known = fact("the layout of tensors in C++", purpose, without, finds)
    return found[0] if known else None


def _memory_offsets() -> tuple[int, int] | None:
    tensor = torch.empty(3)
    storage = storage_id(tensor)
    words = (ctypes.c_uint64 * TENSOR_WORDS).from_address(_handle(tensor))
    addresses = [8 * n for n, word in enumerate(words) if word == storage]
    numbers = (ctypes.c_uint32 * WORDS).from_address(storage)
    own, before = list((ctypes.c_uint32 * WORDS).from_address(_handle(tensor))), list(numbers)
    views = [tensor.view(3) for _ in range(5)]
    counts = [n for n, number in enumerate(before) if numbers[n] == number + len(views)]
    if len(addresses) != 1 or len(counts) != 1:
        return None
    same = own[counts[0]] == 1
    plain = ctypes.c_int64.from_address(id(tensor)).value == sys.getrefcount(tensor) - 1
    return (addresses[0], 4 * counts[0]) if same and plain else None


@functools.cache
def library_function(name: str) -> int:
    """The address of a function of Python or of libtorch_python."""
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_python.so")) if name == WRAP else ctypes.pythonapi
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    except AttributeError:
        raise UnsupportedGraph(f"there is no function {name}") from None


@functools.cache
def views_switch() -> tuple[int, int, int]:
    """The number of the dispatch key that tracks views, and the addresses of the functions that test and set whether this thread excludes
    it; zeros if this PyTorch lacks them, or if they do not change this key."""
    found: list[tuple[int, int, int]] = []

    def finds() -> bool:
        found.append(_views_switch())
        return any(found[0])

    known = fact("c10's switch of a thread's dispatch keys", _HIDES, _BASES_STAY, finds)
    return found[0] if known else (0, 0, 0)


def _views_switch() -> tuple[int, int, int]:
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    if None in (_views_key, _is_excluded, _set_excluded) or not hasattr(library, IS_EXCLUDED) or not hasattr(library, SET_EXCLUDED):
        return 0, 0, 0
    key, asks, sets = int(_views_key), getattr(library, IS_EXCLUDED), getattr(library, SET_EXCLUDED)
    asks.restype = ctypes.c_bool
    was = _is_excluded(VIEWS_KEY)
    found = []
    for excluded in (True, False):
        _set_excluded(VIEWS_KEY, excluded)
        found.append(asks(key))
    _set_excluded(VIEWS_KEY, was)
    if found != [True, False]:
        return 0, 0, 0
    return key, ctypes.cast(asks, ctypes.c_void_p).value or 0, ctypes.cast(sets, ctypes.c_void_p).value or 0


@functools.cache
def object_table() -> ctypes.Array[ctypes.c_uint64]:
    """The table that `mlirind_host_setup` takes. All its objects live as long as the process."""
    objects = (None, _tensor_base, TypeError, PROFILER_NAMES, PROFILER_FLAG, True)
    types = map(id, TENSOR_TYPES)
    offsets = memory_offsets() or (0, 0)
    return (ctypes.c_uint64 * len(OBJECT_TABLE))(tensor_offset(), *map(id, objects), type_offset(), *types, *offsets, *views_switch())
