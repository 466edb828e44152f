"""A compiled graph as data: object code, cubins, the Python functions that it calls, and what surrounds a call. Loads without MLIR."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from ...bridge.opaque_calls import OpaqueCall
from ...dialects.aten_names import is_pytorchs
from ...disk_cache.container import DamagedEntry
from ...errors import UnsupportedGraph
from ...identities import identity_of_operator
from ...runner import Runner
from ...torch_internals.c_numbers import numbers_hold
from ...torch_internals.layout import ENTRY, KERNEL_PREFIX, KERNEL_TABLE, SETUP, SUPPORT_PREFIX
from ...torch_internals.python_objects import WRAP, library_function, object_table, objects_are_known, python_function
from ..cpu.elf import UnsupportedObject
from ..cpu.object_code import LoadedObject, undefined_symbols
from ..cpu.process_symbols import kernel_addresses, process_symbol
from ..host.described_callables import (
    Description,
    DeviceFailure,
    KernelFailure,
    Launch,
    OperatorCall,
    Refusal,
    Repeat,
    common_callables,
    described_callables,
)

if TYPE_CHECKING:
    from ..cuda.launching.driver import Device
    from ..cuda.launching.launcher import CudaKernel
    from .gpu_kernels import GpuKernels

_DESCRIPTIONS = {c.__name__: c for c in (KernelFailure, Launch, Refusal, DeviceFailure, OperatorCall)}


class NotCacheable(Exception):
    """A compiled graph that can't be written to a file; the message is the reason."""


# From an opaque call, and its number among those of the graph, to bytes, and back: these need the frontend.
WriteCall = Callable[[int, OpaqueCall], bytes]
ReadCall = Callable[[bytes], OpaqueCall]


def _refuse_call(*_: Any) -> Any:
    raise NotCacheable("an opaque call")


@dataclass(frozen=True)
class KernelCode:
    """A kernel: its name, the number of the object that has it, its number in that object's table of addresses."""

    name: str
    object: int
    number: int


@dataclass(frozen=True)
class NativeGraph:
    """The native function of a graph: object code of the sequence, of the support functions and of kernels; the Python functions that it
    calls; the module in `host` form as bytecode, for profilers; its kernels on a GPU, None if all of it is on the CPU."""

    host: bytes = field(repr=False)
    support: bytes = field(repr=False)
    objects: tuple[bytes, ...] = field(repr=False)
    tables: tuple[int, ...]  # the number of kernels in each of the objects
    kernels: tuple[KernelCode, ...]
    callables: tuple[Description, ...]
    module: bytes = field(repr=False)
    on_gpu: GpuKernels | None = field(default=None, repr=False)
    # The numbers of opaque calls in the module, where this process has others.
    renumbered: tuple[tuple[int, int], ...] = ()

    def packed(self, write_call: WriteCall = _refuse_call) -> tuple[dict[str, Any], list[bytes]]:
        """The graph as what JSON can hold, and pieces of bytes. `write_call`: writes an opaque call. Raises NotCacheable."""
        calls: dict[OpaqueCall, int] = {}
        header = {
            "tables": list(self.tables),
            "kernels": [[k.name, k.object, k.number] for k in self.kernels],
            "callables": [_written(c, calls) for c in self.callables],
        }
        written = [write_call(number, call) for call, number in calls.items()]
        pieces = [self.host, self.support, self.module, *written, *self.objects]
        header |= {"calls": [call.number for call in calls]} if calls else {}
        if self.on_gpu is None:
            return header, pieces
        described, cubins = self.on_gpu.packed()
        return header | {"on_gpu": described}, [*pieces, *cubins]

    @staticmethod
    def unpacked(header: dict[str, Any], pieces: Sequence[bytes], read_call: ReadCall = _refuse_call) -> NativeGraph:
        """The inverse of `packed`. Raises DamagedEntry, and what `read_call` raises."""
        try:
            host, support, module, *others = pieces
            numbers = list(map(int, header.get("calls", ())))
            calls, others = [read_call(content) for content in others[: len(numbers)]], others[len(numbers) :]
            callables = tuple(_read(entry, calls) for entry in header["callables"])
            renumbered = tuple((number, call.number) for number, call in zip(numbers, calls, strict=True))
            kernels = tuple(KernelCode(str(name), int(object_), int(number)) for name, object_, number in header["kernels"])
            tables = tuple(map(int, header["tables"]))
            objects, cubins = others[: len(tables)], others[len(tables) :]
            on_gpu = _read_gpu_kernels(header["on_gpu"], cubins) if "on_gpu" in header else None
            if any(not 0 <= k.number < dict(enumerate(tables))[k.object] for k in kernels) or len(tables) != len(objects):
                raise ValueError("a kernel lies in no table")
            if on_gpu is None and cubins:
                raise ValueError("cubins without kernels")
            return NativeGraph(host, support, tuple(objects), tables, kernels, callables, module, on_gpu, renumbered)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise DamagedEntry(f"the description of the graph is wrong: {error}") from error

    def missing_symbols(self) -> list[str]:
        """The symbols of its code that this process has not, if MLIR's libraries are left out."""
        names = [kernel.name for kernel in self.kernels] + [name for name, _ in (self.on_gpu.names if self.on_gpu is not None else ())]
        own, gpu = {KERNEL_PREFIX + name for name in names}, self._gpu()
        parts = [self.host, self.support, *self.objects]
        needed = {n for content in parts for n in undefined_symbols(content) if n not in own and not n.startswith(SUPPORT_PREFIX)}
        return sorted(name for name in needed if not _resolve(name, gpu))

    def runner(self, name: str, again: Repeat | None) -> Runner:
        """The graph as a callable; `again`: runs the graph with ATen, for the exception. Raises UnsupportedObject,
        and what the CUDA driver raises."""
        if not numbers_hold() or not objects_are_known():
            raise UnsupportedObject("libtorch's numbers or objects differ from those in the native code")
        support, objects = _support(self.support), [_loaded(content) for content in self.objects]
        tables = [kernel_addresses(loaded.address(KERNEL_TABLE), count) for loaded, count in zip(objects, self.tables, strict=True)]
        kernels = [tables[kernel.object][kernel.number] for kernel in self.kernels]
        gpu = self._gpu()
        on_gpu = self.on_gpu.loaded(gpu) if self.on_gpu is not None and gpu is not None else {}
        symbols = {KERNEL_PREFIX + kernel.name: address for kernel, address in zip(self.kernels, kernels, strict=True)}
        symbols |= {KERNEL_PREFIX + kernel: loaded.record.address for kernel, loaded in on_gpu.items()}
        host = LoadedObject(self.host, lambda symbol: symbols.get(symbol) or support.functions.get(symbol) or _resolve(symbol, gpu))
        profiled = _profiled(self.module, kernels, on_gpu, gpu, name, dict(self.renumbered))
        callables = (profiled, *common_callables(), *described_callables(self.callables, on_gpu, again))
        # The function's own objects keep its code, and the kernels' code, alive.
        return functools.partial(python_function(host.address(ENTRY), (*callables, host, *objects, support, on_gpu), name))

    def _gpu(self) -> Device | None:
        if self.on_gpu is None:
            return None
        from ..cuda.launching import driver

        return driver.driver()


# Python functions as JSON.


def _written(description: Description, calls: dict[OpaqueCall, int]) -> dict[str, Any]:
    if type(description).__name__ not in _DESCRIPTIONS:
        raise NotCacheable("a launch on a GPU")
    values = {f.name: getattr(description, f.name) for f in dataclasses.fields(description)}
    if isinstance(description, OperatorCall):
        values["constants"] = {name: _written_constant(value, calls) for name, value in description.constants.items()}
    return {"kind": type(description).__name__, **values}


def _written_constant(value: Any, calls: dict[OpaqueCall, int]) -> list[str]:
    if isinstance(value, OpaqueCall):
        return ["opaque", str(calls.setdefault(value, len(calls)))]
    if isinstance(value, torch._ops.OpOverload):
        name = str(value)
        known = is_pytorchs(name) or identity_of_operator(value.name().partition(".")[0]) is not None
        if not known or _operator(name) is not value:
            raise NotCacheable(f"a call of {name}")
        return ["operator", name]
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return ["torch", str(value).removeprefix("torch.")]
    if isinstance(value, torch.device):
        return ["device", str(value)]
    if isinstance(value, complex):
        return ["complex", value.real.hex(), value.imag.hex()]
    if isinstance(value, float):
        return ["float", value.hex()]
    raise NotCacheable(f"a call with an object of type {type(value).__name__}")


def _read_gpu_kernels(entry: dict[str, Any], cubins: Sequence[bytes]) -> GpuKernels:
    from .gpu_kernels import GpuKernels  # not needed on the CPU

    return GpuKernels.unpacked(entry, cubins)


def _read(entry: dict[str, Any], calls: Sequence[OpaqueCall]) -> Description:
    values = dict(entry)
    kind = _DESCRIPTIONS[values.pop("kind")]
    if kind is OperatorCall:
        values["constants"] = {
            str(name): calls[int(text)] if kind == "opaque" else _read_constant(kind, text, *texts)
            for name, (kind, text, *texts) in values["constants"].items()
        }
    return kind(**{name: _frozen(value) for name, value in values.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _read_constant(kind: str, *texts: str) -> Any:
    if kind == "operator":
        return _operator(texts[0])
    if kind == "torch":
        found = getattr(torch, texts[0])
        if not isinstance(found, (torch.dtype, torch.layout, torch.memory_format)):
            raise ValueError(f"{texts[0]} is no constant")
        return found
    if kind == "device":
        return torch.device(texts[0])
    if kind == "complex":
        return complex(float.fromhex(texts[0]), float.fromhex(texts[1]))
    if kind == "float":
        return float.fromhex(texts[0])
    raise ValueError(f"a constant of kind {kind}")


def _operator(name: str) -> torch._ops.OpOverload:
    namespace, base, overload = name.split(".")
    found = getattr(getattr(getattr(torch.ops, namespace), base), overload)
    if not isinstance(found, torch._ops.OpOverload):
        raise ValueError(f"{name} is no operator")
    return found


# Object code. Equal code is loaded once in a process.

_objects: weakref.WeakValueDictionary[bytes, LoadedObject] = weakref.WeakValueDictionary()
_lock = threading.RLock()


def _resolve(name: str, gpu: Device | None = None) -> int:
    if gpu is not None and "_cuda_" in name:
        try:
            return gpu.symbol(name)
        except UnsupportedGraph:
            return 0
    return library_function(name) if name.startswith("Py") or name == WRAP else process_symbol(name)


def _loaded(content: bytes) -> LoadedObject:
    digest = hashlib.sha256(content).digest()
    with _lock:
        found = _objects.get(digest)
        if found is None:
            found = _objects[digest] = LoadedObject(content, _resolve)
        return found


class _Support:
    """The support functions, by name, with the process's objects set."""

    def __init__(self, content: bytes) -> None:
        self.code = LoadedObject(content, _resolve)
        self.functions = {name: self.code.address(name) for name in self.code.names() if name.startswith(SUPPORT_PREFIX)}
        setup: Callable[[Any], None] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.code.address(SETUP))
        setup(object_table())


@functools.lru_cache(maxsize=4)
def _support(content: bytes) -> _Support:
    return _Support(content)


def _profiled(
    module: bytes,
    kernels: Sequence[int],
    on_gpu: Mapping[str, CudaKernel],
    gpu: Device | None,
    name: str,
    renumbered: Mapping[int, int],
) -> Callable[..., Any]:
    """The Python runner, made when a profiler first asks for ranges: it needs MLIR."""

    def run(inputs: list[Any]) -> Sequence[Any]:
        from ..host.native_runner import Kernels, profiled_runner

        if not made:
            made.append(profiled_runner(module, Kernels(kernels, on_gpu, gpu), name, renumbered))
        return made[0](inputs)

    made: list[Runner] = []
    return run
