"""The callable of a graph: its `host` sequence as one native function, which Python calls without anything in between."""

from __future__ import annotations

import ctypes
import functools
import io
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch_mlir import ir

from .. import lowering
from ..dialects.aten import TensorInfo
from ..dialects.context import compile_context
from ..errors import UnsupportedGraph
from ..lowering.convert_to_host import graph_function
from ..lowering.host.convert_host_to_llvm import KERNEL_PREFIX
from ..lowering.host.host_function import ENTRY
from ..lowering.host.releases import KEPT
from ..options import Options
from ..passes.driver import run_passes
from ..passes.pipeline import NATIVE_HOST
from .libraries import Handle, StringRef, c_object, expose_torch_symbols, mlir_c_api
from .native_callables import common_callables, own_callables
from .python_boundary import WRAP, library_function, object_table, python_function
from .python_runner import Runner, make_runner, native_launchers

SUPPORT = Path(lowering.__file__).parent / "host" / "support.mlir"
PREFIX, SETUP = "mlirind_host_", "mlirind_host_setup"
# Straight code that is left by calls: more optimization costs time and gains nothing. The support functions are compiled once.
OPT_LEVEL, SUPPORT_OPT_LEVEL = 0, 0


def runs_natively(module: ir.Module) -> bool:
    """Whether all tensors of a graph in `host` form are on the CPU: kernels for other devices are launched by the Python runner."""
    block = graph_function(module).regions[0].blocks[0]
    values = [*block.arguments, *(r for op in block.operations for r in op.results)]
    return all(TensorInfo.of(v.type).device == "cpu" for v in values if isinstance(v.type, ir.RankedTensorType))


def make_native_runner(
    module: ir.Module, addresses: Sequence[int], options: Options, name: str = "graph", static: Collection[int] = ()
) -> Runner:
    """The callable of a module in `host` form; `addresses` of its kernels in their order. The module's graph becomes native code.
    `static`: the arguments that the caller keeps."""
    graph_function(module).attributes[KEPT] = ir.DenseI64ArrayAttr.get(sorted(static))
    kernels = [op.attributes["sym_name"].value for op in module.body.operations if op.operation.name == "loop.func"]
    profiled = _profiled_runner(module, addresses, name)
    run_passes(module, NATIVE_HOST, options)
    callables = (profiled, *common_callables(), *own_callables(module))
    for op in list(module.body.operations):
        if op.operation.name == "loop.func":
            op.operation.erase()
    entry = _Engine(module, OPT_LEVEL, _support() | {KERNEL_PREFIX + k: a for k, a in zip(kernels, addresses, strict=True)}).address(ENTRY)
    return functools.partial(python_function(entry, callables, name))


def _profiled_runner(module: ir.Module, addresses: Sequence[int], name: str) -> Runner:
    """The Python runner, made when a profiler first asks for ranges of the graph's parts."""
    data = io.BytesIO()
    module.operation.write_bytecode(data)
    lock = threading.Lock()
    made: list[Runner] = []

    def run(inputs: list[Any]) -> Sequence[Any]:
        with lock:
            if not made:
                with compile_context():
                    parsed = ir.Module.parse(data.getvalue())
                    made.append(make_runner(parsed, native_launchers(parsed, addresses), name))
        return made[0](inputs)

    return run


class _Engine:
    """A module as native code, kept for ever; `symbols` are addresses by name, beside those that the process exports."""

    def __init__(self, module: ir.Module, level: int, symbols: Mapping[str, int]) -> None:
        expose_torch_symbols()
        self.api = mlir_c_api()
        self.handle: Handle = self.api.mlirExecutionEngineCreate(c_object(module), level, 0, None, False, False)
        if not self.handle.ptr:
            raise UnsupportedGraph("LLVM refused the host function")
        for op in module.body.operations:
            if op.operation.name == "llvm.func" and not op.regions[0].blocks:
                self._link(op.attributes["sym_name"].value, symbols)

    def _link(self, name: str, symbols: Mapping[str, int]) -> None:
        address = symbols.get(name)
        if address is None and name.startswith("Py") or name == WRAP:
            address = library_function(name)
        if address:
            self.api.mlirExecutionEngineRegisterSymbol(self.handle, StringRef.of(name), address)

    def address(self, name: str) -> int:
        """The address of a function."""
        found = self.api.mlirExecutionEngineLookup(self.handle, StringRef.of(name))
        if not found:
            raise UnsupportedGraph(f"{name} could not be compiled: a function that it calls does not exist")
        return found


@functools.cache
def _support() -> dict[str, int]:
    """The addresses of the support functions, which are compiled once in a process. Inside `compile_context()`."""
    module = ir.Module.parse(SUPPORT.read_text())
    engine = _Engine(module, SUPPORT_OPT_LEVEL, {})
    names = [op.attributes["sym_name"].value for op in module.body.operations if op.operation.name == "llvm.func"]
    addresses = {name: engine.address(name) for name in names if name.startswith(PREFIX)}
    setup: Callable[[Any], None] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses[SETUP])
    setup(object_table())
    return addresses
