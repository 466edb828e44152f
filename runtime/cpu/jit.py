"""Compiles the kernels of a module to native functions, each distinct kernel once per process."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch_mlir import ir

from ...dialects.narrowing import affine_map, dense_integers
from ...errors import UnsupportedGraph
from ...lowering.cpu.convert_loop_to_cpu import TARGET
from ...options import Options
from ...passes.driver import run_passes
from ...passes.pipeline import CPU
from ...progress import progress
from ...torch_internals.layout import KERNEL_TABLE
from ...tuning.cpu import TUNING
from ..kernel_functions import kernel_functions, text_without_name
from .kept_code import KeptCode
from .libraries import Handle, StringRef, c_object, mlir_c_api
from .process_symbols import expose_torch_symbols, kernel_addresses

# LLVM's optimization does not help long, already hoisted vector loops, and doubles compile time. It makes code for single elements, and for
# computed positions, up to three times as fast.
PLAIN, OPTIMIZED = LEVELS = (0, 1)


class Engine:
    """A module as native code, which is freed with the last reference to the engine."""

    def __init__(self, module: ir.Module, level: int, keep: KeptCode = KeptCode.NOTHING) -> None:
        """`keep`: the object code that `object_code` returns."""
        expose_torch_symbols()
        api = mlir_c_api()
        self.keeps = bool(keep)
        self.handle: Handle = api.mlirExecutionEngineCreate(c_object(module), level, 0, None, self.keeps, keep == KeptCode.LIBRARY)
        if not self.handle.ptr:
            raise UnsupportedGraph("LLVM refused the code")
        # At exit, threads that Python does not know may still run code.
        weakref.finalize(self, api.mlirExecutionEngineDestroy, self.handle).atexit = False

    def register(self, name: str, address: int) -> None:
        """Sets the address of a symbol that the process does not export."""
        mlir_c_api().mlirExecutionEngineRegisterSymbol(self.handle, StringRef.of(name), address)

    def address(self, name: str) -> int:
        """The address of a function. Generates its code."""
        found: int | None = mlir_c_api().mlirExecutionEngineLookup(self.handle, StringRef.of(name))
        # Fail on an unresolved symbol here: the code would jump to 0.
        if not found:
            raise UnsupportedGraph(f"{name} could not be compiled: LLVM refused it, or a function that it calls does not exist")
        return found

    def object_code(self) -> bytes:
        """The code as a relocatable object; empty if it was not kept."""
        if not self.keeps:
            return b""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "code.o")
            mlir_c_api().mlirExecutionEngineDumpToObjectFile(self.handle, StringRef.of(str(path)))
            return path.read_bytes() if path.exists() else b""


class KernelAddress(int):
    """The address of a kernel's code; keeps the code alive."""

    kernel: CompiledKernel


@dataclass(frozen=True, eq=False)
class CompiledKernel:
    """The code of a kernel: its address, its engine, its number in the engine's table of addresses, and that table's length."""

    address: int
    engine: Engine
    number: int
    table_length: int

    def held(self) -> KernelAddress:
        """The address; keeps the code alive."""
        found = KernelAddress(self.address)
        found.kernel = self
        return found


Key = tuple[str | None, KeptCode, str]  # the target, the object code that is kept, and the text without the kernel's name
_compiled: weakref.WeakValueDictionary[Key, CompiledKernel] = weakref.WeakValueDictionary()
_lock = threading.RLock()


def compile_module(module: ir.Module, options: Options | None = None, keep: KeptCode | None = None) -> list[KernelAddress]:
    """The addresses of the module's CPU `loop.func`s, in order: `int32 kernel(void *buffer..., int64 symbol...)`. Call it inside
    `compile_context()`; it does not change the module. The addresses keep the code alive. `keep`: the object code that is kept; by
    default, what the option `cache` needs."""
    options = options or Options()
    keep = KeptCode(options.cache) if keep is None else keep
    features = options.target_features
    functions = list(kernel_functions(module, "cpu").values())
    keys = [(features, keep, text_without_name(op)) for op in functions]
    with _lock:
        known = {key: _compiled.get(key) for key in keys}
        new = {key: op for key, op in zip(keys, functions, strict=True) if known[key] is None}
        if new:
            made = dict(zip(new, _compile(list(new.values()), options, keep), strict=True))
            _compiled.update(made)
            known |= made
    return [kernel.held() for kernel in map(known.get, keys) if kernel is not None]


def _compile(functions: list[ir.Operation], options: Options, keep: KeptCode) -> list[CompiledKernel]:
    """The functions' code. Groups of functions are compiled in parallel if there are processors for it."""
    levels = [level_of(op) for op in functions]
    parts = [part for level in LEVELS for part in _groups([n for n, chosen in enumerate(levels) if chosen == level])]
    modules = [_kernel_module([functions[n] for n in part], options) for part in parts]
    for module in modules:
        run_passes(module, CPU, options)
    found = native_code(modules, [len(part) for part in parts], [levels[part[0]] for part in parts], keep)
    made = {n: kernel for part, kernels in zip(parts, found, strict=True) for n, kernel in zip(part, kernels, strict=True)}
    return [made[n] for n in range(len(functions))]


def _groups(kernels: list[int]) -> list[list[int]]:
    count = max(1, min(len(kernels) // TUNING.kernels_per_compiler, len(os.sched_getaffinity(0))))
    return [kernels[n::count] for n in range(count)] if kernels else []


def _kernel_module(functions: list[ir.Operation], options: Options) -> ir.Module:
    module = ir.Module.create()
    if options.target_features:
        module.operation.attributes[TARGET] = ir.StringAttr.get(options.target_features)
    for op in functions:
        module.body.append(op.clone())
    return module


def cpu_text(module: ir.Module, options: Options) -> str:
    """The CPU code of the module's kernels before it becomes the LLVM dialect, for people to read."""
    kernels = _kernel_module(list(kernel_functions(module, "cpu").values()), options)
    run_passes(kernels, CPU[:-1], options)
    return str(kernels)


def native_code(
    modules: Sequence[ir.Module], counts: Sequence[int], levels: Sequence[int], keep: KeptCode = KeptCode.NOTHING
) -> list[list[CompiledKernel]]:
    """Compiles LLVM-dialect modules from `convert-cpu-to-llvm`; returns the entries of each module's table. `keep`: the object
    code that is kept."""
    # Making an engine reads the MLIR context, which allows one thread only; generating its code, on demand, does not.
    engines = [Engine(module, level, keep) for module, level in zip(modules, levels, strict=True)]
    entries: dict[int, int] = {}
    failed: list[UnsupportedGraph] = []

    def look_up(number: int) -> None:
        try:
            entries[number] = engines[number].address(KERNEL_TABLE)
            progress("CPU kernels (LLVM)", sum(counts[n] for n in list(entries)), sum(counts))
        except UnsupportedGraph as error:
            failed.append(error)

    progress("CPU kernels (LLVM)", 0, sum(counts))

    others = [threading.Thread(target=look_up, args=(number,)) for number in range(1, len(engines))]
    for thread in others:
        thread.start()
    look_up(0)
    for thread in others:
        thread.join()
    if failed:
        raise failed[0]
    tables = [kernel_addresses(entries[number], count) for number, count in enumerate(counts)]
    return [
        [CompiledKernel(address, engine, number, len(table)) for number, address in enumerate(table)]
        for table, engine in zip(tables, engines, strict=True)
    ]


def level_of(function: ir.Operation) -> int:
    """The optimization level for a kernel."""
    block = function.regions[0].blocks[0]
    positions: set[ir.Value] = {argument for argument in block.arguments if isinstance(argument.type, ir.IndexType)}
    extents = affine_map(function.attributes["domain"]).results
    last = extents[-1].maybe_downcast() if len(extents) else None
    short = isinstance(last, ir.AffineConstantExpr) and last.value < TUNING.optimized_row and len(extents) > 1
    irregular = any(_is_irregular(op.operation, positions) for op in block.operations)
    return OPTIMIZED if short or irregular else PLAIN


def _is_irregular(op: ir.Operation, positions: set[ir.Value]) -> bool:
    """Whether an access is masked, has computed positions, or an index that is no sum of multiples of the dimensions."""
    if op.name == "loop.scan":
        return True
    if op.name not in ("loop.load", "loop.store"):
        return False
    indices = [v for v in op.operands if isinstance(v.type, ir.IndexType)]
    text = str(op.attributes["map"])
    computed = "accumulate" in op.attributes or any(v not in positions for v in indices)
    return computed or dense_integers(op.attributes["operandSegmentSizes"])[-1] > 0 or "mod" in text or "div" in text
