"""Identifies Python functions across processes: their code and all values that the code can read.

The version of PyTorch stands for its own code. A function that reads anything else than code, numbers, text, and collections of these
(a tensor, an object, a module other than PyTorch and a few of Python) has no identity.
"""

from __future__ import annotations

import builtins
import dis
import functools
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

from ...dialects.aten_table import NAMESPACES

_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented),
    torch.dtype, torch.device, torch.layout, torch.memory_format,
)  # fmt: skip
_TORCH = str(Path(torch.__file__).parent) + "/"
# Modules of Python whose functions depend on their arguments alone, except those in _IMPURE.
_PURE = frozenset({"builtins", "functools", "itertools", "math", "operator", "typing"})
_IMPURE = frozenset({
    "__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "globals", "hash", "id", "input", "locals", "open", "setattr",
    "vars",
})  # fmt: skip
_NATIVE = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType)
_OVERLOADS = (torch._ops.OpOverload, type(torch.ops.aten.add))
# Entries of a class that say nothing about what it does.
_OF_CLASS = frozenset({
    "__annotations__", "__dict__", "__doc__", "__firstlineno__", "__module__", "__qualname__", "__static_attributes__", "__weakref__",
})  # fmt: skip
_WRITES = {dis.opmap[name] for name in ("DELETE_GLOBAL", "IMPORT_NAME", "STORE_GLOBAL")}
# The most functions, classes and collections in an identity.
_MOST = 1000


class Undecidable(Exception):
    """A value whose identity can't be decided."""


class Identity:
    """The identity of values: `of` returns nested tuples whose `repr` is equal in other processes for equal values, and raises Undecidable.
    `custom`: the names of the custom operators among them."""

    def __init__(self) -> None:
        self.custom: set[str] = set()
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []

    def of(self, value: Any) -> tuple[Any, ...]:
        """The identity of a value."""
        if type(value) in _PLAIN:
            return type(value).__name__, repr(value)
        if isinstance(value, _NATIVE):
            return "native", _native_name(value)
        if isinstance(value, _OVERLOADS):
            _check_namespace(str(value).split(".")[0])
            return "operator", str(value)
        if isinstance(value, types.ModuleType):
            return self._module(value, (), set())
        if id(value) in self._numbers:
            return "again", self._numbers[id(value)]
        if len(self._numbers) == _MOST:
            raise Undecidable("many objects")
        self._numbers[id(value)] = len(self._numbers)
        self._alive.append(value)
        return self._object(value)

    def _object(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, torch.library.CustomOpDef):
            return self._custom_operator(value)
        parts = _PARTS.get(type(value))
        if parts is None:
            return self._unknown(value)
        return type(value).__name__, *(self.of(part) for part in parts(value))

    def _unknown(self, value: Any) -> tuple[Any, ...]:
        if type(value) is types.FunctionType:
            return self._function(value)
        if type(value) in (set, frozenset):
            return type(value).__name__, *sorted((self.of(v) for v in value), key=repr)
        raise Undecidable(type(value))

    def _function(self, function: types.FunctionType) -> tuple[Any, ...]:
        code = function.__code__
        cells = [self._cell(cell) for cell in function.__closure__ or ()]
        if code.co_filename.startswith(_TORCH):
            return "function of torch", code.co_filename[len(_TORCH) :], code.co_qualname, code.co_firstlineno, *cells
        attributes = {name: value for name, value in vars(function).items() if name != "__signature__"}
        rest = [self.of(v) for v in (function.__defaults__, function.__kwdefaults__, attributes)]
        return "function", self._code(code, function.__globals__), *cells, *rest

    def _cell(self, cell: types.CellType) -> tuple[Any, ...]:
        try:
            return self.of(cell.cell_contents)
        except ValueError:  # not assigned yet
            return ("empty",)

    def _code(self, code: types.CodeType, namespace: dict[str, Any]) -> tuple[Any, ...]:
        if not _WRITES.isdisjoint(code.co_code[::2]):
            raise Undecidable("an import, or a global variable that is written")
        facts = (
            code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags, code.co_exceptiontable,
            code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
        )  # fmt: skip
        constants = [self._code(c, namespace) if isinstance(c, types.CodeType) else self.of(c) for c in code.co_consts]
        read = [(name, value) for name in code.co_names for value in _global(name, namespace)]
        names = [(n, self._module(v, code.co_names, set()) if isinstance(v, types.ModuleType) else self.of(v)) for n, v in read]
        methods = [(name, self.of(method)) for name in code.co_names if _is_foreign(method := getattr(torch.Tensor, name, None))]
        return "code", facts, *constants, *names, *methods

    def _module(self, module: types.ModuleType, names: Iterable[str], above: set[types.ModuleType]) -> tuple[Any, ...]:
        """A module from which code with these names reads, with functions of others that were put into PyTorch's. `above`: the modules that
        were entered."""
        path = module.__name__.split(".")
        if path[0] != "torch" and module.__name__ not in _PURE:
            raise Undecidable(f"the module {module.__name__}")
        if path[:2] == ["torch", "ops"] and len(path) > 2:
            _check_namespace(path[2])
        if module in above or path[0] != "torch":
            return "module", module.__name__
        above.add(module)
        read = [vars(module).get(name) for name in names]
        inner = [self._module(v, names, above) for v in read if isinstance(v, types.ModuleType)]
        return "module", module.__name__, *inner, *(self.of(v) for v in read if _is_foreign(v))

    def _class(self, value: type) -> tuple[Any, ...]:
        module = value.__module__.split(".")[0]
        if module == "torch" or module in _PURE:
            return "class", value.__module__, value.__qualname__
        if type(value) is not type and not type(value).__module__.startswith("torch."):
            raise Undecidable("a class of another metaclass")
        entries = [(name, self.of(entry)) for name, entry in vars(value).items() if name not in _OF_CLASS]
        return "class", value.__qualname__, *(self.of(base) for base in value.__bases__), *entries

    def _custom_operator(self, value: Any) -> tuple[Any, ...]:
        """An operator that `torch.library.custom_op` made: its functions and its schema."""
        ignored = (torch.library.Library, torch._ops.OpOverload)
        parts = [(name, self.of(part)) for name, part in vars(value).items() if not isinstance(part, ignored)]
        self.custom.update(part.name() for part in vars(value).values() if isinstance(part, torch._ops.OpOverload))
        return "custom operator", *parts


def _items(value: dict[Any, Any]) -> Iterator[Any]:
    for item in value.items():
        yield from item


# What else is identified by other values.
_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    tuple: iter,
    list: iter,
    torch.Size: iter,
    dict: _items,
    types.MethodType: lambda method: (method.__func__, method.__self__),
    functools.partial: lambda partial: (partial.func, partial.args, partial.keywords),
    slice: lambda given: (given.start, given.stop, given.step),
    staticmethod: lambda method: (method.__func__,),
    classmethod: lambda method: (method.__func__,),
    property: lambda given: (given.fget, given.fset, given.fdel),
}


def _global(name: str, namespace: dict[str, Any]) -> list[Any]:
    """The value of a global variable, as a list; empty if there is none: `name` is an attribute then."""
    return [namespace[name]] if name in namespace else [vars(builtins)[name]] if name in vars(builtins) else []


def _is_foreign(value: Any) -> bool:
    """Whether a value is a Python function that PyTorch does not define."""
    return isinstance(value, types.FunctionType) and not value.__code__.co_filename.startswith(_TORCH)


def _native_name(value: Any) -> str:
    """The name of a native function of PyTorch's or Python's."""
    name = value.__name__
    owner = getattr(value, "__objclass__", None) or getattr(value, "__self__", None)
    if owner is None and getattr(torch, name, None) is value:
        return f"torch.{name}"
    if not isinstance(owner, (type, types.ModuleType)):
        raise Undecidable(f"a native function {name}")
    where = owner.__name__ if isinstance(owner, types.ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
    top = where.split(".")[0]
    if top != "torch" and (top not in _PURE or name in _IMPURE):
        raise Undecidable(f"a native function {where}.{name}")
    return f"{where}.{name}"


def _check_namespace(name: str) -> None:
    if name not in NAMESPACES:
        raise Undecidable(f"an operator of {name}")
