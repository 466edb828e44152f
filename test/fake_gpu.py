"""GPUs that are none: programs on CPU tensors go through the compiler as if those were on "cuda:0" or others, and launches are recorded
and executed by the evaluator of Triton IR on the CPU's memory."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

import torch
from mlirind.bridge.tensor_types import tensor_info
from mlirind.dialects.context import compile_context
from mlirind.dialects.tt import Ptr
from mlirind.frontend.calling.constants import with_constants
from mlirind.frontend.calls.functional_calls import expand_functional_calls
from mlirind.frontend.decompositions.table import decomposition_table
from mlirind.frontend.importing import importer
from mlirind.lowering.host.gpu_launches import EXTRA
from mlirind.lowering.tt.gpu_target import DEFAULT, GpuTarget
from mlirind.options import Options
from mlirind.passes.driver import run_passes
from mlirind.passes.pipeline import GRAPH, HOST, KERNELS
from mlirind.runner import Runner
from mlirind.runtime import build
from mlirind.runtime.artifacts.parts import GraphParts
from mlirind.runtime.cpu.jit import PLAIN, Engine
from mlirind.runtime.cuda.launching import cubin, driver, plans
from mlirind.runtime.cuda.launching.cubin import Cubin
from mlirind.runtime.reference.evaluate_ops import BODY_DTYPES
from reference.evaluate_tt import Pointers, evaluate_function
from torch import fx
from torch._dynamo import disable
from torch._functorch.aot_autograd import aot_module_simplified
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch_mlir import ir

NO_GUARD = 1000  # a status that says that a guard can't be made
_kept: list[Any] = []  # native code, and what it calls, stay


@dataclass(frozen=True)
class LaunchRecord:
    """One cuLaunchKernel: the function's name, its grid, threads, bytes of shared memory, stream, the values of its arguments, and
    the device that was current."""

    name: str
    grid: int
    threads: int
    shared: int
    stream: int
    arguments: tuple[int, ...]
    device: int = 0


@dataclass(eq=False)
class FakeGpu:
    """Stands for `runtime.cuda.launching.driver.Driver`. `texts`: the Triton IR of what was loaded, by handle."""

    launches: list[LaunchRecord] = field(default_factory=list)
    native: int = 0  # how many launches came from native code
    loaded: list[tuple[str, str]] = field(default_factory=list)
    allocations: list[torch.Tensor] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)  # what the next launches answer instead of running
    times: list[float] = field(default_factory=list)  # what the next timings give
    entered: int = 0
    current: int = 0  # the current device
    execute: bool = True
    guards: list[ctypes.c_int64] = field(default_factory=list)  # 1 for what native code has made and not deleted
    errors: list[BaseException] = field(default_factory=list)  # of launches from native code

    def __post_init__(self) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        types = {
            "cuLaunchKernel": (self.native_launch, [pointer, *[number] * 7, pointer, pointer, pointer]),
            "aoti_torch_create_cuda_guard": (self.create_guard, [ctypes.c_int32, pointer]),
            "aoti_torch_get_current_cuda_stream": (self.current_stream, [ctypes.c_int32, pointer]),
        }
        self.functions = {name: ctypes.CFUNCTYPE(ctypes.c_int32, *given)(function) for name, (function, given) in types.items()}
        _kept.append(self.functions)

    def symbol(self, name: str) -> int:
        """The addresses of functions that native code calls, in the place of the driver's and PyTorch's."""
        if name == "aoti_torch_delete_cuda_guard":
            return delete_guard()
        return ctypes.cast(self.functions[name], ctypes.c_void_p).value or 0

    def create_guard(self, device: int, guard: int) -> int:
        if self.statuses and self.statuses[0] == NO_GUARD:
            return self.statuses.pop(0)
        self.guards.append(ctypes.c_int64(1))
        ctypes.c_void_p.from_address(guard).value = ctypes.addressof(self.guards[-1])
        return 0

    def current_stream(self, device: int, stream: int) -> int:
        ctypes.c_void_p.from_address(stream).value = 700 + device
        return 0

    def native_launch(self, function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra) -> int:
        try:
            assert any(guard.value for guard in self.guards)
            count = argument_count(self.loaded[function - 1][1]) + EXTRA
            addresses = (ctypes.c_void_p * count).from_address(arguments)
            status = self.launch(function, gx, gy, gz, bx, by, bz, shared, stream, addresses, extra)
            self.native += status == 0
            return status
        except BaseException as error:  # noqa: BLE001  (a callback of C can't raise)
            self.errors.append(error)
            return 999

    def capability(self, device: int) -> int:
        return 90

    def facts(self, device: int) -> list[Any]:
        return ["made up", self.capability(device), DEFAULT.multiprocessors, DEFAULT.l2_bytes, 13000]

    def target(self, device: int) -> GpuTarget:
        return DEFAULT

    def load(self, name: str, code: bytes, shared: int, device: int) -> int:
        self.loaded.append((name, code.decode()))
        return len(self.loaded)

    def enter_context(self, device: int) -> None:
        self.entered += 1

    def error(self, status: int) -> str:
        return f"CUDA error {status}: made up"

    def card(self, device: int) -> str:
        return "made up"

    def milliseconds(self, launch: Any) -> float | None:
        assert launch() == 0
        return self.times.pop(0) if self.times else None

    def namespace(self) -> dict[str, Any]:
        return {
            "_device": lambda: self.current,
            "_on": self.on,
            "_stream": lambda device: 700 + device,
            "_empty_cuda": self.empty,
        }

    @contextlib.contextmanager
    def on(self, device: int) -> Iterator[None]:
        """The current device within."""
        before, self.current = self.current, device
        try:
            yield
        finally:
            self.current = before

    def empty(self, sizes: tuple[int, ...], strides: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        """Memory that begins at a multiple of 16, filled with what no kernel should have left there."""
        made = torch.empty_strided(sizes, strides, dtype=dtype)
        if made.data_ptr() % 16:
            raise AssertionError("PyTorch's CPU allocations are aligned")
        made.untyped_storage().fill_(0xCD)
        return made

    def launch(self, function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra) -> int:
        assert (gy, gz, by, bz, extra) == (1, 1, 1, 1, None)
        if self.statuses:
            return self.statuses.pop(0)
        name, text = self.loaded[function - 1]
        count = argument_count(text)
        values = tuple(ctypes.c_int64.from_address(arguments[n]).value for n in range(count))
        assert all(ctypes.c_int64.from_address(arguments[n]).value == 0 for n in range(count, len(arguments)))
        self.launches.append(LaunchRecord(name, gx, bx, shared, stream, values, self.current))
        if self.execute:
            execute(text, values, gx)
        return 0


@functools.cache
def delete_guard() -> int:
    """The address of a function that sets a guard to 0. Native, as it is called while an exception is set."""
    with compile_context():
        text = """llvm.func @delete_guard(%guard: !llvm.ptr) -> i32 {
            %fine = llvm.mlir.constant(0 : i32) : i32
            %zero = llvm.mlir.constant(0 : i64) : i64
            %null = llvm.mlir.zero : !llvm.ptr
            %none = llvm.icmp "eq" %guard, %null : !llvm.ptr
            llvm.cond_br %none, ^done, ^delete
          ^delete:
            llvm.store %zero, %guard : i64, !llvm.ptr
            llvm.br ^done
          ^done:
            llvm.return %fine : i32
          }"""
        _kept.append(Engine(ir.Module.parse(text), PLAIN))
        return _kept[-1].address("delete_guard")


def argument_count(text: str) -> int:
    """How many arguments the `tt.func` of a text takes."""
    types = re.search(r"function_type = \((.*?)\) -> \(\)", text)
    assert types
    return len([t for t in types[1].split(", ") if t])


# How many elements behind an address the evaluator may look at: the driver knows no bounds. The tests of the lowering do.
WINDOW = 1 << 22


def execute(text: str, values: tuple[int, ...], grid: int) -> None:
    """Runs a `tt.func` on memory: values are addresses and numbers."""
    with compile_context():
        module = ir.Module.parse(text)
        op = module.body.operations[0].operation
        arguments = list(op.regions[0].blocks[0].arguments)
        given = [_argument(a.type, v) for a, v in zip(arguments, values, strict=True)]
        evaluate_function(op, given, grid)


def _argument(type_: ir.Type, value: int) -> Any:
    if not isinstance(type_, Ptr):
        return torch.tensor(value, dtype=torch.int64)
    dtype = BODY_DTYPES[str(type_.pointee)]
    if not value:  # of a tensor without elements
        return Pointers(torch.zeros(1, dtype=dtype), torch.tensor(0))
    memory = (ctypes.c_char * (WINDOW * dtype.itemsize)).from_address(value)
    return Pointers(torch.frombuffer(memory, dtype=dtype), torch.tensor(0))


@contextlib.contextmanager
def fake_gpu() -> Iterator[FakeGpu]:
    """Within, kernels for CUDA devices are compiled for a machine whose only GPU is the yielded one; Triton has no part in it."""
    gpu = FakeGpu()
    with (
        mock.patch.object(plans, "kernel_text", lambda function, divisible: function.get_asm(use_local_scope=True)),
        mock.patch.object(cubin, "compile_text", lambda source, _: Cubin("kernel", source.num_warps, 0, 2, source.text.encode())),
        mock.patch.object(cubin, "read_cubin", lambda key: None),
        mock.patch.object(cubin, "write_cubin", lambda key, made: None),
        mock.patch.object(cubin, "compiler", cubin.Compiler),
        mock.patch.object(build, "driver", lambda: gpu),
        mock.patch.object(driver, "driver", lambda: gpu),
    ):
        yield gpu
    assert not gpu.errors and not any(guard.value for guard in gpu.guards), (gpu.errors, gpu.guards)


DeviceOf = Callable[[Any], str]
Through = Callable[[GraphParts, Runner], Runner]


def backend_on(
    gpu_options: dict[str, Any] | None = None, device_of: DeviceOf = lambda tensor: "cuda:0", through: Through | None = None
) -> Any:
    """A backend that compiles a program on CPU tensors as one on GPUs, which for each tensor `device_of` says; inside `fake_gpu()`.
    `through`: takes what the compiler leaves of each graph for the cache, and its runner; returns what runs."""
    options = replace(Options.from_dict(gpu_options), verify_each=False, fallback=False)

    def compiler(graph_module: fx.GraphModule, inputs: Any) -> Any:
        return disable(compile_as_cuda)(graph_module, options, device_of, through)

    def backend(graph_module: fx.GraphModule, inputs: Any) -> Any:
        table = decomposition_table()
        return aot_module_simplified(
            graph_module, inputs, fw_compiler=compiler, bw_compiler=compiler, decompositions=table, keep_inference_input_mutations=True,
            partition_fn=min_cut_rematerialization_partition,
        )  # fmt: skip

    return backend


def compile_as_cuda(
    graph_module: fx.GraphModule, options: Options, device_of: DeviceOf, through: Through | None = None, made: GraphParts | None = None
) -> Any:
    """As `frontend.compile`, with the tensors said to be on GPUs from the import to the launch sequence. There they become the CPU's
    again, so that calls of ATen run."""
    with compile_context():
        graph_module = expand_functional_calls(graph_module)
        with mock.patch.object(importer, "tensor_info", lambda tensor: replace(tensor_info(tensor), device=device_of(tensor))):
            imported = importer.import_graph(graph_module)
            for steps in (GRAPH, KERNELS, HOST):
                run_passes(imported.module, steps, options)
        text = imported.module.operation.get_asm(use_local_scope=True)
        module = ir.Module.parse(re.sub(r'layout<"cuda:\d"', 'layout<"cpu"', text))
        for body in imported.bodies:
            body.compile(lambda graph, parts: compile_as_cuda(graph, options, device_of, made=parts))
        made = GraphParts() if through is not None else made
        runner = build.build_runner(module, options, made=made)
        runner = with_constants(runner if through is None or made is None else through(made, runner), imported.constants)
        if made is not None:
            made.note_calls([], imported.constants, repeats=False)
        return runner
