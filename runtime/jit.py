"""Compiles the kernels of a module to native functions, each distinct kernel once per process."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ..errors import UnsupportedGraph
from ..lowering.cpu.convert_loop_to_cpu import TARGET
from ..lowering.cpu.functions import TABLE
from ..options import Options
from ..passes.driver import run_passes
from ..passes.pipeline import CPU
from .kernel_functions import kernel_functions, text_without_name
from .libraries import Handle, StringRef, c_object, expose_torch_symbols, mlir_c_api

# The code is already vectors, hoisted and without repetition: more optimization costs twice the time and gains nothing.
OPT_LEVEL = 0
GROUP = 8  # kernels that are worth a thread of their own


@dataclass
class CompiledKernels:
    """What was compiled so far: (target, text without its name) -> address. Engines are never destroyed: code may run for ever."""

    addresses: dict[tuple[str | None, str], int]
    engines: list[Handle]
    lock: threading.RLock


_compiled = CompiledKernels({}, [], threading.RLock())


def compile_module(module: ir.Module, options: Options | None = None) -> list[int]:
    """The addresses of the module's `loop.func`s for the CPU, in order: `int32 kernel(void *buffer..., int64 symbol...)`.

    Runs inside `compile_context()`. The module is not changed.
    """
    options = options or Options()
    features = options.target_features
    functions = list(kernel_functions(module, "cpu").values())
    keys = [(features, text_without_name(op)) for op in functions]
    with _compiled.lock:
        new = {key: op for key, op in zip(keys, functions, strict=True) if key not in _compiled.addresses}
        if new:
            _compiled.addresses.update(zip(new, _compile(list(new.values()), options), strict=True))
        return [_compiled.addresses[key] for key in keys]


def _compile(functions: list[ir.Operation], options: Options) -> list[int]:
    """The functions' addresses. They are compiled in groups, side by side where there are processors for it."""
    groups = max(1, min(len(functions) // GROUP, len(os.sched_getaffinity(0))))
    parts = [functions[n::groups] for n in range(groups)]
    modules = [_kernel_module(part, options) for part in parts]
    for module in modules:
        run_passes(module, CPU, options)
    addresses = [0] * len(functions)
    for n, found in enumerate(native_addresses(modules, [len(part) for part in parts])):
        addresses[n::groups] = found
    return addresses


def _kernel_module(functions: list[ir.Operation], options: Options) -> ir.Module:
    module = ir.Module.create()
    if options.target_features:
        module.operation.attributes[TARGET] = ir.StringAttr.get(options.target_features)
    for op in functions:
        module.body.append(op.clone())
    return module


def cpu_text(module: ir.Module, options: Options) -> str:
    """The CPU code of the module's kernels, before it becomes LLVM's dialect, for people to read."""
    kernels = _kernel_module(list(kernel_functions(module, "cpu").values()), options)
    run_passes(kernels, CPU[:-1], options)
    return str(kernels)


def native_addresses(modules: Sequence[ir.Module], counts: Sequence[int]) -> list[list[int]]:
    """Compiles LLVM-dialect modules as `convert-cpu-to-llvm` leaves them; what the table function of each lists."""
    expose_torch_symbols()
    api = mlir_c_api()
    # Making an engine reads the MLIR context, which has one thread; generating its code, on demand, does not.
    engines = [api.mlirExecutionEngineCreate(c_object(module), OPT_LEVEL, 0, None, False, False) for module in modules]
    _compiled.engines.extend(engines)
    entries: list[int | None] = [None] * len(engines)

    def look_up(number: int) -> None:
        # A symbol that is found nowhere makes the lookup fail: better here than a jump to 0.
        if engines[number].ptr:
            entries[number] = api.mlirExecutionEngineLookup(engines[number], StringRef.of(TABLE))

    others = [threading.Thread(target=look_up, args=(number,)) for number in range(1, len(engines))]
    for thread in others:
        thread.start()
    look_up(0)
    for thread in others:
        thread.join()
    return [_read_table(entry, count) for entry, count in zip(entries, counts, strict=True)]


def _read_table(entry: int | None, count: int) -> list[int]:
    if not entry:
        raise UnsupportedGraph("the kernels could not be compiled: LLVM refused them, or a function that they call does not exist")
    table = (ctypes.c_void_p * max(count, 1))()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(entry)(table)
    return [address or 0 for address in table[:count]]
