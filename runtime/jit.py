"""Compiles the kernels of a module to native functions, each distinct kernel once per process."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass

from torch_mlir import ir

from ..errors import UnsupportedGraph
from ..lowering.cpu.convert_loop_to_cpu import TARGET
from ..lowering.cpu.functions import TABLE
from ..options import Options
from ..passes.driver import run_passes
from ..passes.pipeline import CPU
from .libraries import Handle, StringRef, c_object, expose_torch_symbols, mlir_c_api

# The code is already vectors, hoisted and without repetition: more optimization costs twice the time and gains nothing.
OPT_LEVEL = 0


@dataclass
class CompiledKernels:
    """What was compiled so far: (target, text without its name) -> address. Engines are never destroyed: code may run for ever."""

    addresses: dict[tuple[str | None, str], int]
    engines: list[Handle]
    lock: threading.RLock


_compiled = CompiledKernels({}, [], threading.RLock())


def compile_module(module: ir.Module, options: Options | None = None) -> list[int]:
    """The addresses of the module's `loop.func`s, in order: `int32 kernel(void *buffer..., int64 symbol...)`.

    Runs inside `compile_context()`. The module is not changed.
    """
    options = options or Options()
    features = options.target_features
    functions = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
    keys = [(features, _text_without_name(op)) for op in functions]
    with _compiled.lock:
        new = {key: op for key, op in zip(keys, functions, strict=True) if key not in _compiled.addresses}
        if new:
            _compiled.addresses.update(zip(new, _compile(list(new.values()), options), strict=True))
        return [_compiled.addresses[key] for key in keys]


def _text_without_name(op: ir.Operation) -> str:
    text = op.get_asm(use_local_scope=True)
    for name in ("sym_name", "computes"):
        text = text.replace(str(op.attributes[name]), "", 1) if name in op.attributes else text
    return text


def _compile(functions: list[ir.Operation], options: Options) -> list[int]:
    module = _kernel_module(functions, options)
    run_passes(module, CPU, options)
    return native_addresses(module, len(functions))


def _kernel_module(functions: list[ir.Operation], options: Options) -> ir.Module:
    module = ir.Module.create()
    if options.target_features:
        module.operation.attributes[TARGET] = ir.StringAttr.get(options.target_features)
    for op in functions:
        module.body.append(op.clone())
    return module


def cpu_text(module: ir.Module, options: Options) -> str:
    """The CPU code of the module's kernels, before it becomes LLVM's dialect, for people to read."""
    kernels = _kernel_module([op.operation for op in module.body.operations if op.operation.name == "loop.func"], options)
    run_passes(kernels, CPU[:-1], options)
    return str(kernels)


def native_addresses(module: ir.Module, count: int) -> list[int]:
    """Compiles an LLVM-dialect module as `convert-cpu-to-llvm` leaves it; what its table function lists."""
    expose_torch_symbols()
    api = mlir_c_api()
    engine = api.mlirExecutionEngineCreate(c_object(module), OPT_LEVEL, 0, None, False, False)
    # A symbol that is found nowhere makes the lookup fail: better here than a jump to 0.
    entry = api.mlirExecutionEngineLookup(engine, StringRef.of(TABLE)) if engine.ptr else None
    if not entry:
        raise UnsupportedGraph("the kernels could not be compiled: LLVM refused them, or a function that they call does not exist")
    _compiled.engines.append(engine)
    table = (ctypes.c_void_p * max(count, 1))()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(entry)(table)
    return [address or 0 for address in table[:count]]
