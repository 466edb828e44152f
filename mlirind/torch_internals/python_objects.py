"""What native code knows of Python's objects and of PyTorch's: where a tensor's handle is in its object, functions by address."""

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

# Wraps an `at::Tensor` as a Python object, or gives the one that there is. C++'s own name: there is no C entry for it.
WRAP = "_Z16THPVariable_WrapRKN2at10TensorBaseE"
WORDS = 8  # how far into objects of C++ the number of references is looked for, in halves of words
# Whether this thread passes a dispatch key by, and to set that. C++'s own names here too.
IS_EXCLUDED = "_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE"
SET_EXCLUDED = "_ZN3c104impl29tls_set_dispatch_key_excludedENS_11DispatchKeyEb"
VIEWS_KEY = "ADInplaceOrView"  # where views are noted as views of their base
TENSOR_WORDS = 16  # how far into a tensor of C++ the address of its memory is
# Asking whether an object is a tensor takes 700 instructions; of these types it is known.
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
    """Python's description of a function in C."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype, _new_function.argtypes = ctypes.py_object, [ctypes.POINTER(MethodDef), ctypes.py_object, ctypes.c_void_p]


def python_function(address: int, callables: tuple[Any, ...], name: str) -> Any:
    """The Python function of one argument whose code is at `address`; it gets `callables` as its first argument."""
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
    """Where the handle of a tensor, an `at::Tensor`, is in its Python object, in bytes. Raises UnsupportedGraph where it is not found."""
    found: set[int] | None = None
    tensors = (torch.empty(1), torch.empty(0, dtype=torch.int64), torch.nn.Parameter(torch.empty(2))) if _has_handle else ()
    for tensor in tensors:
        places = {8 * n for n, word in enumerate(_words(tensor)) if word == _handle(tensor)}
        found = places if found is None else found & places
    if not found or len(found) != 1:
        raise UnsupportedGraph("the layout of PyTorch's tensor objects is not known")
    return found.pop()


@functools.cache
def type_offset() -> int:
    """Where a Python object has its type, in bytes."""
    tensor = torch.empty(0)
    return 8 * _words(tensor).index(id(type(tensor)))


def _words(value: object) -> list[int]:
    """What a Python object consists of."""
    return list((ctypes.c_uint64 * (type(value).__basicsize__ // 8)).from_address(id(value)))


@functools.cache
def memory_places() -> tuple[int, int] | None:
    """Where a tensor in C++ has the address of its memory, and where both have the number of references to them, in bytes; None where
    that could not be found out."""
    purpose, without = "whether a saved tensor's memory is used by others", "no saved tensor's memory is reused"
    found: list[tuple[int, int] | None] = []
    known = fact("the layout of tensors in C++", purpose, without, lambda: found.append(_memory_places()) or found[0] is not None)
    return found[0] if known else None


def _memory_places() -> tuple[int, int] | None:
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
    """The number of the key under which views are noted, and the addresses of what asks and sets whether it is passed by; zeros where
    PyTorch has these no longer, or they are about another key."""
    found: list[tuple[int, int, int]] = []
    known = fact("c10's switch of a thread's dispatch keys", _HIDES, _BASES_STAY, lambda: found.append(_views_switch()) or any(found[0]))
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
    address = lambda function: ctypes.cast(function, ctypes.c_void_p).value or 0  # noqa: E731
    return key, address(asks), address(sets)


@functools.cache
def object_table() -> ctypes.Array[ctypes.c_uint64]:
    """What `mlirind_host_setup` takes; all of it lives as long as the process."""
    objects = (None, _tensor_base, TypeError, PROFILER_NAMES, PROFILER_FLAG, True)
    types = map(id, TENSOR_TYPES)
    places = memory_places() or (0, 0)
    return (ctypes.c_uint64 * len(OBJECT_TABLE))(tensor_offset(), *map(id, objects), type_offset(), *types, *places, *views_switch())
