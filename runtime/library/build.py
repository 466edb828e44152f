"""Links a compiled graph with the functions of PyTorch's AOTInductor model container."""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from torch_mlir import ir

from ... import lowering
from ...dialects.context import compile_context
from ...dialects.kernel_status import DIVISION_BY_ZERO, ELEMENT_OUT_OF_RANGE, INDEX_OUT_OF_RANGE
from ...dialects.narrowing import text
from ...errors import NotALibrary
from ...lowering.cpu.convert_cpu_to_llvm import convert_cpu_to_llvm
from ...torch_internals.layout import DTYPES, KERNEL_PREFIX, KERNEL_TABLE
from ...torch_internals.python_objects import views_switch
from ..artifacts.native_graph import NativeGraph
from ..cpu.jit import Engine
from ..cpu.kept_code import KeptCode
from ..cpu.process_symbols import process_symbol
from ..host.described_callables import DeviceFailure, KernelFailure, Launch, OperatorCall, Refusal
from .data import Buffer, Data
from .description import BY_STATUS, BY_TORCH, CPU, TEXT, Description, Failure, LibraryInterface
from .gpu_code import gpu_code
from .shared_object import Library

_FOLDER = Path(lowering.__file__).parent / "host"
PARTS = ("steps", "processor", "library", "container")
DEVICES = ("on_cpu", "on_cuda")  # by the type of the device
LOAD, UNLOAD, DESCRIPTION, BLOB = "mlirind_library_load", "mlirind_library_unload", "mlirind_library", "mlirind_blob"
# In the order of the words of `mlirind_processor`, the bits that stand for instructions that LLVM may use: SSE3 to AVX; AVX2, BMI, AVX-512;
# VBMI, VNNI; FP16, AMX; AVX-VNNI, BF16; LZCNT.
_INSTRUCTIONS = (0x30983201, 0xDC230128, 0x00005F42, 0x03C00000, 0x00200030, 0x00000020)
_OPTIMIZED = 1
# `libtorch_cpu` brings the OpenMP runtime and libm: a name of ours could load a second OpenMP runtime.
NEEDED = ("libtorch_cpu.so", "libc10.so", "libstdc++.so.6", "libc.so.6")
NEEDED_ON_GPUS = ("libtorch_cuda.so",)


@functools.cache
def _container(device: int) -> bytes:
    """The object code of the functions that every library for a type of device has. Call it inside `compile_context()`."""
    module = ir.Module.parse("".join((_FOLDER / f"{part}.mlir").read_text() for part in (*PARTS, DEVICES[device])))
    outside = [
        text(op.attributes["sym_name"])
        for op in module.body.operations
        if op.operation.name == "llvm.mlir.global" and "value" not in op.attributes
        or op.operation.name == "llvm.func" and not op.regions[0].blocks
    ]  # fmt: skip
    convert_cpu_to_llvm(module)
    engine = Engine(module, _OPTIMIZED, KeptCode.LIBRARY)
    # Code is generated for a process. This code never runs in it, so any address stands for what only a library has.
    for name in outside:
        if not process_symbol(name):
            engine.register(name, process_symbol("calloc"))
    engine.address(LOAD)
    return engine.object_code()


@functools.cache
def _processor() -> tuple[int, ...]:
    """The masks of the instructions that this processor has. Call it inside `compile_context()`."""
    engine = Engine(ir.Module.parse((_FOLDER / "processor.mlir").read_text()), _OPTIMIZED)
    words = (ctypes.c_int64 * len(_INSTRUCTIONS))()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.address("mlirind_processor"))(words)
    return tuple(word & mask for word, mask in zip(words, _INSTRUCTIONS, strict=True))


@functools.cache
def _exports() -> tuple[str, ...]:
    """The container's C functions."""
    return tuple(re.findall(r"^llvm\.func @(AOTInductor\w+)\(", (_FOLDER / "container.mlir").read_text(), re.MULTILINE))


def _failures(graph: NativeGraph) -> tuple[Failure, ...]:
    """The texts of the errors of a graph's calls. Raises NotALibrary for an operator that Python calls."""
    found = []
    for callable_ in graph.callables:
        if isinstance(callable_, KernelFailure):
            where = f"in {', '.join(callable_.computes)} (kernel {callable_.kernel})"
            by_status = {
                INDEX_OUT_OF_RANGE: f"index out of range {where}", DIVISION_BY_ZERO: "ZeroDivisionError",
                ELEMENT_OUT_OF_RANGE: f"an element out of range {where}",
            }  # fmt: skip
            found.append(Failure(BY_STATUS, tuple(by_status[n] for n in range(1, len(by_status) + 1))))
        elif isinstance(callable_, Refusal):
            at = f" at {callable_.place}" if callable_.place else ""
            found.append(Failure(TEXT, (f"{callable_.target}{at}: a result is not as the operator declares it",)))
        elif isinstance(callable_, OperatorCall):
            if not callable_.lazy:
                raise NotALibrary(f"{callable_.operator} has no C function that fits the call")
            found.append(Failure(BY_TORCH, (callable_.operator,)))
        elif isinstance(callable_, Launch):
            found.append(Failure(TEXT, (f"launching {callable_.kernel}",)))
        elif isinstance(callable_, DeviceFailure):
            found.append(Failure(BY_TORCH, ("the GPU's current stream",)))
        else:
            raise NotALibrary(f"a graph with a {type(callable_).__name__}")
    return tuple(found)


def write_library(
    graph: NativeGraph, outline: LibraryInterface, blob: Sequence[Buffer], file: BinaryIO, capabilities: Sequence[int] = ()
) -> None:
    """Writes a shared library with a graph's code (`KeptCode.LIBRARY`). `blob`: the bytes of all constants; `capabilities`: the compute
    capabilities of the GPUs that it is for. Raises NotALibrary."""
    failures = _failures(graph)
    with compile_context():
        container, processor = _container(outline.device), _processor()
        gpu = gpu_code(graph.on_gpu, capabilities) if graph.on_gpu is not None else None
    kernels = [f"{KERNEL_TABLE}.{number}" for number in range(len(graph.objects))]
    tables = tuple(zip(kernels, graph.tables, strict=True))
    dtype_names = {number: name for name, number in DTYPES.items()}
    description = Description(outline, failures, tables, views_switch()[0], processor, dtype_names, gpu)
    data = Data()
    place, table_places, on_gpu = description.written(data)
    # The native function reads a kernel's address from the table that the kernel's object fills.
    places = {DESCRIPTION: place} | {KERNEL_PREFIX + name: record for name, record in on_gpu.items()}
    slots = {KERNEL_PREFIX + kernel.name: table_places[kernel.object] + 8 * kernel.number for kernel in graph.kernels}
    objects = [container, graph.host, *graph.objects]
    renamed: list[dict[str, str]] = [{}, {}] + [{KERNEL_TABLE: name, f"_mlir_{KERNEL_TABLE}": f"_mlir_{name}"} for name in kernels]
    weak = re.findall(r"external @(_Z\w+)\(\)", (_FOLDER / "library.mlir").read_text())
    needed = NEEDED if outline.device == CPU else (*NEEDED_ON_GPUS, *NEEDED)
    library = Library(objects, renamed, data, places, slots, _exports(), weak, needed, LOAD, UNLOAD, BLOB, blob)
    library.write(file)
