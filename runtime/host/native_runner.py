"""The callable of a graph: its `host` sequence as one native function, which Python calls directly."""

from __future__ import annotations

import ctypes
import functools
import io
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torch_mlir import ir

from ... import lowering
from ...dialects.aten import TensorInfo
from ...dialects.aten_names import is_opaque
from ...dialects.context import compile_context
from ...dialects.narrowing import array, dense_entries, integer, text
from ...errors import UnsupportedGraph
from ...lowering.host.c_arguments import ANY_GPU
from ...lowering.host.convert_body_to_llvm import GIVEN
from ...lowering.host.gpu_launches import GRIDS, SCRATCH
from ...lowering.host.releases import KEPT
from ...lowering.launch.convert_to_host import graph_function
from ...options import Options
from ...passes.driver import run_passes
from ...passes.pipeline import NATIVE_BODY, NATIVE_HOST
from ...runner import Runner
from ...torch_internals.c_numbers import numbers_hold
from ...torch_internals.layout import ENTRY, KERNEL_PREFIX, SETUP, SUPPORT_PREFIX
from ...torch_internals.python_objects import WRAP, library_function, object_table, objects_are_known, python_function
from ..artifacts.gpu_kernels import GpuKernels
from ..artifacts.parts import GraphParts
from ..cpu.jit import Engine, KernelAddress
from ..cpu.kept_code import KeptCode
from ..cuda.launching.driver import Device
from ..cuda.launching.launcher import CudaKernel, Plan
from ..kernel_functions import device_number, device_of, gpu_kernels, kernel_functions, may_fail, native_launcher
from .described_callables import Repeat, common_callables, described_callables
from .native_bodies import BodyCode, BodyParts, NativeControlFlow, body_types
from .native_callables import described
from .python_runner import Launcher, make_runner

_FOLDER = Path(lowering.__file__).parent / "host"
SUPPORT = (_FOLDER / "steps.mlir", _FOLDER / "support.mlir", _FOLDER / "control_flow.mlir")
# Straight-line code between calls: optimization costs time and gains nothing. The support functions are compiled once.
OPT_LEVEL, SUPPORT_OPT_LEVEL = 0, 0


def _native_launchers(module: ir.Module, addresses: Sequence[int]) -> dict[str, Launcher]:
    """The kernels of a module by name; `addresses` in the order of its `loop.func` operations for the CPU."""
    launchers = {}
    for (name, op), address in zip(kernel_functions(module, "cpu").items(), addresses, strict=True):
        types = op.regions[0].blocks[0].arguments.types
        buffers = sum(not isinstance(t, ir.IndexType) for t in types)
        launchers[name] = native_launcher(address, buffers, len(array(op.attributes["symbols"])))
    return launchers


@dataclass(frozen=True)
class Kernels:
    """The kernels of a graph: CPU kernels as addresses in order, GPU kernels by name; `gpu` launches these."""

    addresses: Sequence[int]
    on_gpu: Mapping[str, CudaKernel] = field(default_factory=dict)
    gpu: Device | None = None

    def launchers(self, module: ir.Module) -> dict[str, Launcher]:
        """The kernels as callables by name."""
        return _native_launchers(module, self.addresses) | {name: kernel.launch for name, kernel in self.on_gpu.items()}

    def symbols(self, module: ir.Module) -> dict[str, int]:
        """The addresses by the symbols that a native function uses for them."""
        on_cpu = zip(kernel_functions(module, "cpu"), self.addresses, strict=True)
        records = ((name, kernel.record.address) for name, kernel in self.on_gpu.items())
        return {KERNEL_PREFIX + name: address for name, address in (*on_cpu, *records)}


@dataclass(frozen=True)
class LinkedGraph:
    """A graph's native function: its address, its Python callables, and what keeps its code alive."""

    address: int
    callables: tuple[Any, ...]
    owners: tuple[Any, ...]


def devices(module: ir.Module) -> set[str]:
    """The devices of the tensors and of the kernels of a module in `host` form: "cpu", "cuda:0"."""
    block = graph_function(module).regions[0].blocks[0]
    values = [*block.arguments, *(r for op in block.operations for r in op.results)]
    found = {TensorInfo.of(v.type).device for v in values if isinstance(v.type, ir.RankedTensorType)}
    return found | {device_of(op) for op in module.body.operations if op.operation.name == "loop.func"}


def runs_natively(module: ir.Module) -> bool:
    """Whether a graph in `host` form can be a native function: it is on the CPU and at most one NVIDIA GPU."""
    others = devices(module) - {"cpu"}
    return len(others) <= 1 and all(device.startswith("cuda:") for device in others)


def native_code_fits() -> bool:
    """Whether libtorch's numbers and objects are those in the native code."""
    return numbers_hold() and objects_are_known()


def make_native_runner(
    module: ir.Module,
    kernels: Kernels,
    options: Options,
    name: str = "graph",
    static: Collection[int] = (),
    again: Repeat | None = None,
    made: GraphParts | None = None,
) -> Runner:
    """The callable of a module in `host` form; does not change the module. `static`: the arguments that the caller keeps alive; `again`:
    runs the graph with ATen, for the exception. Its code is noted in `made`."""
    if not native_code_fits():
        raise UnsupportedGraph("libtorch's numbers or objects differ from those in the native code")
    data = io.BytesIO()
    module.operation.write_bytecode(data)
    if isinstance(made, BodyParts):
        made.code = _body_code(data.getvalue(), kernels, options, name)
    if isinstance(made, BodyParts) and made.code is not None:
        return _later(lambda: make_native_runner(ir.Module.parse(data.getvalue()), kernels, options, name, static, again))
    native = ir.Module.parse(data.getvalue())
    graph_function(native).attributes[KEPT] = ir.DenseI64ArrayAttr.get(sorted(static))
    if made is not None and made.keeps == KeptCode.LIBRARY:
        native.operation.attributes[ANY_GPU] = ir.UnitAttr.get()
    code = _linked_graph(native, NATIVE_HOST, kernels, options, name, data.getvalue(), again, made)
    # The function's own objects keep its code, and the kernels' code, alive.
    return functools.partial(python_function(code.address, (*code.callables, *code.owners), name))


def _linked_graph(
    native: ir.Module,
    passes: Sequence[str],
    kernels: Kernels,
    options: Options,
    name: str,
    source: bytes,
    again: Repeat | None = None,
    made: GraphParts | None = None,
) -> LinkedGraph:
    """The native function that `passes` make of a module, which they change; `source`: the module as bytecode."""
    for kernel, function in gpu_kernels(native).items():
        _add_maps(function, kernels.on_gpu[kernel].plan)
    control, on_gpu = NativeControlFlow(native), _on_gpu(native, kernels) if made is not None else None
    run_passes(native, passes, options)
    profiled = profiled_runner(source, kernels, name)
    descriptions = described(native)
    callables = (profiled, *common_callables(), *described_callables(descriptions, kernels.on_gpu, again))
    on_cpu = kernel_functions(native, "cpu")
    symbols = kernels.symbols(native)
    for op in list(native.body.operations):
        if op.operation.name in ("loop.func", "loop.group"):
            op.operation.erase()
    functions, support = _support()
    keep = made.keeps if made is not None else KeptCode.NOTHING
    engine = linked(native, OPT_LEVEL, functions | symbols | control.symbols, kernels.gpu, keep)
    address = engine.address(ENTRY)
    if made is not None:
        pairs = zip(on_cpu, kernels.addresses, strict=True)
        codes = {k: a for k, a in pairs if isinstance(a, KernelAddress)}
        made.note_native(engine, support, codes, descriptions, source, on_gpu)
        made.refusal = "" if all(kernel.is_final for kernel in kernels.on_gpu.values()) else "its kernels could not be timed"
    return LinkedGraph(address, callables, (engine, kernels, *control.owners))


def _on_gpu(module: ir.Module, kernels: Kernels) -> GpuKernels | None:
    """The kernels of a graph on a GPU for the cache; None if all of it is on the CPU."""
    found = devices(module) - {"cpu"}
    return GpuKernels.of(device_number(found.pop()), kernels.gpu, kernels.on_gpu) if found and kernels.gpu is not None else None


def _body_code(source: bytes, kernels: Kernels, options: Options, name: str) -> BodyCode | None:
    """The native function of a body of control flow, given as bytecode in `host` form; None if there can't be one."""
    module = ir.Module.parse(source)
    types = body_types(module)
    if types is None:
        return None
    fails = may_fail(module)
    code = _linked_graph(module, NATIVE_BODY, kernels, options, name, source)
    given = tuple(map(bool, dense_entries(module.operation, GIVEN)))
    return BodyCode(code.address, code.callables, code.owners, *types, given, fails)


def _later(make: Callable[[], Runner]) -> Runner:
    """The runner that `make` returns, made at the first call."""
    lock = threading.Lock()
    made: list[Runner] = []

    def run(inputs: list[Any]) -> Sequence[Any]:
        with lock:
            if not made:
                with compile_context():
                    made.append(make())
        return made[0](inputs)

    return run


def _add_maps(function: ir.Operation, plan: Plan) -> None:
    """Sets on a GPU kernel the maps that the native function computes for its launches."""
    function.attributes[GRIDS] = ir.ArrayAttr.get([ir.Attribute.parse(m) for m in plan.grid_maps])
    if plan.scratch:
        function.attributes[SCRATCH] = ir.Attribute.parse(plan.scratch_map)


def profiled_runner(module: bytes, kernels: Kernels, name: str, renumbered: Mapping[int, int] = MappingProxyType({})) -> Runner:
    """The Python runner of a module in `host` form, given as bytecode; made when a profiler first asks for ranges. `renumbered`: the
    numbers of its opaque calls, if another process wrote it."""

    def make() -> Runner:
        parsed = ir.Module.parse(module)
        if renumbered:
            _renumber_calls(parsed, renumbered)
        return make_runner(parsed, kernels.launchers(parsed), name, kernels.gpu)

    return _later(make)


def _renumber_calls(module: ir.Module, renumbered: Mapping[int, int]) -> None:
    for op in graph_function(module).regions[0].blocks[0].operations:
        if op.operation.name == "host.call" and is_opaque(text(op.attributes["target"])):
            number, *arguments = array(op.attributes["arguments"])
            own = ir.IntegerAttr.get(number.type, renumbered[integer(number)])
            op.attributes["arguments"] = ir.ArrayAttr.get([own, *arguments])


def linked(
    module: ir.Module, level: int, symbols: Mapping[str, int], gpu: Device | None = None, keep: KeptCode = KeptCode.NOTHING
) -> Engine:
    """A module as native code; `symbols`: addresses by name, in addition to those that the process exports; `gpu` provides CUDA's. `keep`:
    the object code that is kept."""
    engine = Engine(module, level, keep)
    for op in module.body.operations:
        external = op.operation.name == "llvm.mlir.global" and "value" not in op.attributes
        if external or op.operation.name == "llvm.func" and not op.regions[0].blocks:
            _link(engine, text(op.attributes["sym_name"]), symbols, gpu)
    return engine


def _link(engine: Engine, name: str, symbols: Mapping[str, int], gpu: Device | None) -> None:
    address = symbols.get(name)
    if address is None and name.startswith("Py") or name == WRAP:
        address = library_function(name)
    elif address is None and "_cuda_" in name and gpu is not None:
        address = gpu.symbol(name)
    if address:
        engine.register(name, address)


@functools.cache
def _support() -> tuple[dict[str, int], Engine]:
    """The addresses of the support functions, which are compiled once in a process, and the object that keeps them. Call it inside
    `compile_context()`."""
    module = ir.Module.parse("".join(path.read_text() for path in SUPPORT))
    engine = linked(module, SUPPORT_OPT_LEVEL, {}, keep=KeptCode.OBJECT)
    names = [text(op.attributes["sym_name"]) for op in module.body.operations if op.operation.name == "llvm.func"]
    addresses = {name: engine.address(name) for name in names if name.startswith(SUPPORT_PREFIX)}
    setup: Callable[[Any], None] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses[SETUP])
    setup(object_table())
    return addresses, engine
