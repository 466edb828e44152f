"""The arguments of a `host.call` as its C function needs them, planned before anything is emitted."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ...dialects import aten
from ...dialects.aten_schema import Argument, Schema
from ...torch_internals.layout import DEVICE_TYPES, DTYPES, LAYOUTS, MEMORY_FORMATS
from .emitter import Emitter
from .shims import Shim
from .sizes import SizeValues

_ENUMERATIONS = {"dtype": DTYPES, "layout": LAYOUTS, "memory_format": MEMORY_FORMATS}

LETTERS = {"int64_t": "l", "int32_t": "i", "double": "d"}


class NoCForm(Exception):
    """The C function can't be given this argument."""


@dataclass(frozen=True)
class Tensor:
    """A tensor operand, by number."""

    number: int


@dataclass(frozen=True)
class CArgument:
    """A value for a parameter of C type `type`: a number, size, `Tensor`, text, a list of those, or None."""

    type: str
    value: Any


# On a module whose code runs on the GPU that is current at the call, whatever its number: code of a library.
ANY_GPU = "host.any_gpu"
CURRENT = -1  # PyTorch's index of the current device


def device_numbers(text: str, any_gpu: bool) -> tuple[int, int]:
    """PyTorch's numbers for a device like "cuda:1": type and index. `any_gpu`: the current GPU stands for the one that is named."""
    kind, _, index = text.partition(":")
    return DEVICE_TYPES[kind], CURRENT if any_gpu and kind != "cpu" else int(index or 0)


def plan(schema: Schema, attributes: Sequence[ir.Attribute], shim: Shim, any_gpu: bool = False) -> list[CArgument]:
    """The arguments of the C function, in the order of its parameters; `any_gpu`: see `device_numbers`. Raises `NoCForm` if it can't be
    called."""
    rest = iter(shim.parameters)
    planned = []
    for argument, attribute in zip(schema.arguments, attributes, strict=True):
        type_, name = next(rest, ("", ""))
        if name != argument.name:
            raise NoCForm(name)
        value = _value(argument, attribute)
        if argument.kind == "device":
            kind, index = (None, 0) if value is None else device_numbers(value, any_gpu)
            planned += [CArgument(type_, kind), CArgument(next(rest)[0], index)]
            continue
        planned.append(CArgument(type_, value))
        if argument.is_list:
            planned.append(CArgument(next(rest)[0], 0 if value is None else len(value)))
    if next(rest, None) is not None:
        raise NoCForm(shim.name)
    return planned


def _value(argument: Argument, attribute: ir.Attribute) -> Any:
    if isinstance(attribute, aten.NoneValue):
        if argument.optional or argument.optional_elements or argument.kind == "generator":
            return None
        raise NoCForm(argument.name)
    if argument.kind in ("complex", "other", "generator"):
        raise NoCForm(argument.name)
    if isinstance(attribute, ir.ArrayAttr):
        return [_element(argument, a) for a in attribute]
    if argument.is_list:
        raise NoCForm(argument.name)
    return _element(argument, attribute)


def _element(argument: Argument, attribute: ir.Attribute) -> Any:
    if isinstance(attribute, aten.NoneValue):
        return None
    if isinstance(attribute, aten.Operand):
        return Tensor(aten.size_of(attribute.index))
    if argument.is_tensor or isinstance(attribute, aten.Complex):
        raise NoCForm(argument.name)
    if isinstance(attribute, aten.Expr):
        return aten.size_of(attribute)
    if isinstance(attribute, aten.Enum):
        kind, value = attribute.kind.maybe_downcast().value, attribute.value.maybe_downcast().value
        if kind == "device":
            return value
        if value not in _ENUMERATIONS[kind]:
            raise NoCForm(value)
        return _ENUMERATIONS[kind][value]
    assert isinstance(attribute, (ir.IntegerAttr, ir.BoolAttr, ir.FloatAttr, ir.StringAttr)), attribute
    return attribute.value


class Marshal:
    """Emits planned arguments. `room`: memory for arguments passed by address; `handle(n)` returns operand n, `undefined()` an undefined
    tensor."""

    def __init__(
        self, emitter: Emitter, sizes: SizeValues, handle: Callable[[int], ir.Value], undefined: Callable[[], ir.Value], room: Room
    ) -> None:
        self.emitter, self.sizes, self.handle, self.undefined, self.room = emitter, sizes, handle, undefined, room

    def emit(self, argument: CArgument) -> tuple[str, ir.Value]:
        """The letter of the parameter's type, and its value."""
        base, value = argument.type.removeprefix("const "), argument.value
        if base in LETTERS:
            return LETTERS[base], self._number(base, value)
        if base == "AtenTensorHandle":
            return "p", self.undefined() if value is None else self.handle(value.number)
        if value is None:
            return "p", self.emitter.null
        if isinstance(value, str):
            return "p", self.emitter.text(value) if base == "char*" else self.room.keep([self.emitter.text(value)])
        if isinstance(value, list):
            return "p", self._list(base, value)
        if isinstance(value, Tensor):
            return "p", self.room.keep([self.handle(value.number)])
        return "p", self._by_address(base.rstrip("*"), [value])

    def _number(self, type_: str, value: Any) -> ir.Value:
        if isinstance(value, (bool, int, float)):
            if type_ == "double":
                return self.emitter.double(float(value))
            return self.emitter.integer(int(value), self.emitter.i64 if type_ == "int64_t" else self.emitter.i32)
        size = self.sizes.value(value)
        if type_ == "double":
            return self.emitter.op("sitofp", [size], self.emitter.f64)
        return size if type_ == "int64_t" else self.emitter.op("trunc", [size], self.emitter.i32)

    def _list(self, base: str, values: list[Any]) -> ir.Value:
        if base == "AtenTensorHandle*":
            return self.room.keep([self.handle(v.number) for v in values])
        if base == "AtenTensorHandle**":
            return self.room.keep([self.emitter.null if v is None else self.room.keep([self.handle(v.number)]) for v in values])
        address = self._by_address(base.rstrip("*"), values)
        return self.room.keep([address]) if base.endswith("**") else address

    def _by_address(self, type_: str, values: list[Any]) -> ir.Value:
        """The address of numbers of C type `type_`."""
        if all(isinstance(v, (bool, int, float)) for v in values):
            return self.emitter.numbers(_packed(type_, values))
        if type_ == "int32_t":
            raise AssertionError("symbolic values of 32 bits are passed by value only")
        return self.room.keep([self._number(type_, v) for v in values])


def _packed(type_: str, values: list[Any]) -> list[int]:
    """These numbers as 8-byte words in C's layout."""
    if type_ == "int64_t":
        return [int(v) for v in values] or [0]
    data = struct.pack(f"<{len(values)}{'d' if type_ == 'double' else 'i'}", *(float(v) if type_ == "double" else int(v) for v in values))
    data += b"\0" * (-len(data) % 8)
    return list(struct.unpack(f"<{len(data) // 8}q", data)) or [0]


class Room:
    """Words on the stack for the arguments of one call at a time; `used`: the number that the largest call needs."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.base: ir.Value = emitter.null
        self.next = self.used = 0

    def reset(self) -> None:
        """Frees all words for the next call."""
        self.next = 0

    def keep(self, values: Sequence[ir.Value]) -> ir.Value:
        """The address of words with these values."""
        start = self.next
        self.next += max(len(values), 1)
        self.used = max(self.used, self.next)
        for position, value in enumerate(values):
            self.emitter.store(value, self.emitter.at(self.base, start + position))
        return self.emitter.at(self.base, start)
