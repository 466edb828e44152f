"""Stands for the CUDA driver and PyTorch's CUDA library: a shared library with their functions, which Python defines.

With it a library for GPUs that `mlirind.aot_compile` wrote runs in a process without a GPU. Its tensors are on the CPU, and the stub says
that they are on a GPU. Its "cubins" are texts of Triton's IR, which the evaluator runs.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import torch

# Names and the types of parameters: p a pointer, i 32 bits, l 64 bits, d a double, b a boolean. All return 32 bits.
FUNCTIONS = {
    "cuInit": "i", "cuDevicePrimaryCtxRetain": "pi", "cuDevicePrimaryCtxRelease_v2": "i", "cuDeviceGetAttribute": "pii",
    "cuCtxSetCurrent": "p", "cuCtxPushCurrent_v2": "p", "cuCtxPopCurrent_v2": "p", "cuCtxSynchronize": "", "cuGetErrorString": "ip",
    "cuModuleLoadData": "pp", "cuModuleGetFunction": "ppp", "cuModuleUnload": "p", "cuFuncSetAttribute": "pii",
    "cuLaunchKernel": "piiiiiiippp",
    "aoti_torch_create_cuda_stream_guard": "pip", "aoti_torch_delete_cuda_stream_guard": "p", "aoti_torch_get_current_cuda_stream": "ip",
    "aoti_torch_get_current_device_index": "p", "aoti_torch_get_device_type": "pp", "aoti_torch_get_device_index": "pp",
    "aoti_torch_empty_strided": "lppiiip", "aoti_torch_cuda_addmm_out": "ppppdd", "aoti_torch_cuda_mm_out": "ppp",
}  # fmt: skip
_MLIR = {"p": "!llvm.ptr", "i": "i32", "l": "i64", "d": "f64"}
_C = {"p": ctypes.c_void_p, "i": ctypes.c_int32, "l": ctypes.c_int64, "d": ctypes.c_double}
CUDA = 1


def write_stub(folder: Path) -> None:
    """Writes the library into a folder, under the names of both that it stands for."""
    from mlirind.dialects.context import compile_context
    from mlirind.runtime.cpu.jit import Engine
    from mlirind.runtime.cpu.kept_code import KeptCode
    from mlirind.runtime.library.data import Data
    from mlirind.runtime.library.shared_object import Library
    from torch_mlir import ir

    text = "".join(_forwarding(number, name, types) for number, (name, types) in enumerate(FUNCTIONS.items()))
    table = f"!llvm.array<{len(FUNCTIONS)} x i64>"
    text += f"""
      llvm.mlir.global internal @table(dense<0> : tensor<{len(FUNCTIONS)}xi64>) : {table}
      llvm.func @stub_set(%number: i64, %function: !llvm.ptr) {{
        %table = llvm.mlir.addressof @table : !llvm.ptr
        %place = llvm.getelementptr %table[%number] : (!llvm.ptr, i64) -> !llvm.ptr, i64
        llvm.store %function, %place : !llvm.ptr, !llvm.ptr
        llvm.return
      }}
      llvm.func @stub_load() {{
        llvm.return
      }}"""
    with compile_context():
        engine = Engine(ir.Module.parse(text), 0, KeptCode.LIBRARY)
        engine.address("stub_load")
        code = engine.object_code()
    content = io.BytesIO()
    exports = [*FUNCTIONS, "stub_set"]
    Library([code], [{}], Data(), {}, {}, exports, (), ("libc.so.6",), "stub_load", "stub_load", "stub_blob", ()).write(content)
    (folder / "libcuda.so.1").write_bytes(content.getvalue())
    (folder / "libtorch_cuda.so").symlink_to("libcuda.so.1")


def _forwarding(number: int, name: str, types: str) -> str:
    given = ", ".join(f"%{n}: {_MLIR[t]}" for n, t in enumerate(types))
    values, kinds = ", ".join(f"%{n}" for n in range(len(types))), ", ".join(_MLIR[t] for t in types)
    return f"""
      llvm.func @{name}({given}) -> i32 {{
        %table = llvm.mlir.addressof @table : !llvm.ptr
        %place = llvm.getelementptr %table[{number}] : (!llvm.ptr) -> !llvm.ptr, i64
        %function = llvm.load %place : !llvm.ptr -> !llvm.ptr
        %result = llvm.call %function({values}) : !llvm.ptr, ({kinds}) -> i32
        llvm.return %result : i32
      }}"""


@contextlib.contextmanager
def texts_as_cubins() -> Iterator[list[tuple[int, str]]]:
    """Within, Triton has no part in compiling: a cubin is the text of its kernel, with a line for the target and one for what it assumes.
    Yields what was compiled: targets and texts."""
    from mlirind.runtime.cuda.launching import cubin, plans

    compiled: list[tuple[int, str]] = []

    def kernel_text(function: Any, divisible: Any) -> str:
        return f"// divisible: {''.join(str(int(d)) for d in divisible)}\n{function.get_asm(use_local_scope=True)}"

    def compile_text(source: Any, capability: int) -> Any:
        compiled.append((capability, source.text))
        shared = 50000 if "loop" in source.text else 100
        return cubin.Cubin("kernel", source.num_warps, shared, 2, f"// sm_{capability}\n{source.text}\0".encode())

    with (
        mock.patch.object(plans, "kernel_text", kernel_text),
        mock.patch.object(cubin, "compile_text", compile_text),
        mock.patch.object(cubin, "read_cubin", lambda key: None),
        mock.patch.object(cubin, "write_cubin", lambda key, made: None),
    ):
        from mlirind.runtime.library import gpu_code

        makers: dict[int, Any] = {}
        with mock.patch.object(gpu_code, "compiler", lambda c: makers.setdefault(c, cubin.Compiler(c))):
            yield compiled


@dataclass(eq=False)
class StubMachine:
    """A machine with GPUs of these compute capabilities. It notes launches: (device, stream, target, what the kernel assumes, grid)."""

    folder: Path
    capabilities: tuple[int, ...] = (90,)
    launches: list[tuple[int, int, str, str, int]] = field(default_factory=list)
    loaded: dict[int, str] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)  # what the next launches answer instead of running
    indices: dict[int, int] = field(default_factory=dict)  # the devices of tensors that were allocated, by address
    on_cpu: set[int] = field(default_factory=set)  # addresses of tensors on the CPU
    cpu_memory: range = range(0)  # more of them
    retained: list[int] = field(default_factory=list)
    waits: int = 0

    def __post_init__(self) -> None:
        self.local = threading.local()
        self.allowed: dict[int, int] = {}
        self.texts: list[Any] = []
        self.lock = threading.Lock()
        self.torch = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        self.stub = ctypes.CDLL("libcuda.so.1")
        self.kept = []
        for number, (name, types) in enumerate(FUNCTIONS.items()):
            kind = ctypes.CFUNCTYPE(ctypes.c_int32, *(_C[t] for t in types))
            operator = name.startswith("aoti_torch_cuda_")
            self.kept.append(getattr(self.torch, name.replace("cuda", "cpu")) if operator else kind(self._function(name)))
            self.stub.stub_set(ctypes.c_int64(number), self.kept[-1])

    def _function(self, name: str) -> Callable[..., int]:
        own = getattr(self, name)

        def call(*given: Any) -> int:
            try:
                return own(*given) or 0
            except Exception:  # a callback of C can't raise
                import traceback

                traceback.print_exc()
                return 999

        return call

    # Where the thread is.

    @property
    def stack(self) -> list[tuple[int, int]]:
        """The guards of this thread: device and stream."""
        if not hasattr(self.local, "stack"):
            self.local.stack, self.local.contexts = [], [0]
        return self.local.stack

    @property
    def device(self) -> int:
        """The current device."""
        return self.stack[-1][0] if self.stack else 0

    def aoti_torch_create_cuda_stream_guard(self, stream, index, guard):
        if index >= len(self.capabilities):
            return 1
        self.stack.append((index, stream or 0))
        _set(guard, 77)

    def aoti_torch_delete_cuda_stream_guard(self, guard):
        assert guard == 77
        self.stack.pop()

    def aoti_torch_get_current_cuda_stream(self, index, stream):
        assert index == -1, "a library runs on the current device"
        _set(stream, self.stack[-1][1])

    def aoti_torch_get_current_device_index(self, index):
        _set(index, self.device, ctypes.c_int32)

    # Tensors.

    def _address(self, handle):
        place = ctypes.c_void_p()
        self.torch.aoti_torch_get_data_ptr(ctypes.c_void_p(handle), ctypes.byref(place))
        return place.value or 0

    def aoti_torch_get_device_type(self, handle, result):
        _set(result, 0 if self._address(handle) in self.on_cpu or self._address(handle) in self.cpu_memory else CUDA, ctypes.c_int32)

    def aoti_torch_get_device_index(self, handle, result):
        _set(result, self.indices.get(self._address(handle), 0), ctypes.c_int32)

    def aoti_torch_empty_strided(self, rank, sizes, strides, dtype, kind, index, result):
        pointer, number = ctypes.c_void_p, ctypes.c_int32
        given = (ctypes.c_int64(rank), pointer(sizes), pointer(strides), number(dtype), number(0), number(0), pointer(result))
        status = self.torch.aoti_torch_empty_strided(*given)
        address = self._address(pointer.from_address(result).value)
        if kind == CUDA:
            self.indices[address] = self.device if index == -1 else index
            self.on_cpu.discard(address)
        else:
            self.on_cpu.add(address)
        return status

    # The driver.

    def cuInit(self, flags):
        assert flags == 0

    def cuDevicePrimaryCtxRetain(self, context, index):
        if index >= len(self.capabilities):
            return 101
        self.retained.append(index)
        _set(context, 1000 + index)

    def cuDevicePrimaryCtxRelease_v2(self, index):
        self.retained.remove(index)

    def cuDeviceGetAttribute(self, result, attribute, index):
        _set(result, divmod(self.capabilities[index], 10)[attribute - 75], ctypes.c_int32)

    def cuCtxSetCurrent(self, context):
        self.stack  # noqa: B018  (makes this thread's list)
        self.local.contexts[-1] = context

    def cuCtxPushCurrent_v2(self, context):
        self.stack  # noqa: B018
        self.local.contexts.append(context)

    def cuCtxPopCurrent_v2(self, context):
        _set(context, self.local.contexts.pop())

    def cuCtxSynchronize(self):
        assert self.local.contexts[-1] >= 1000
        self.waits += 1

    def cuGetErrorString(self, status, text):
        self.texts.append(ctypes.create_string_buffer(b"made up"))
        _set(text, ctypes.addressof(self.texts[-1]))

    def cuModuleLoadData(self, module, image):
        assert self.local.contexts[-1] >= 1000, "a context is current"
        number = len(self.loaded) + 1
        self.loaded[number] = f"// context {self.local.contexts[-1]}\n{ctypes.string_at(image).decode()}"
        _set(module, number)

    def cuModuleGetFunction(self, function, module, name):
        assert ctypes.string_at(name) == b"kernel" and module in self.loaded
        _set(function, module)

    def cuModuleUnload(self, module):
        del self.loaded[module]

    def cuFuncSetAttribute(self, function, attribute, value):
        assert attribute == 8 and function in self.loaded
        self.allowed[function] = value

    def cuLaunchKernel(self, function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra):
        from fake_gpu import argument_count, execute

        with self.lock:
            if self.statuses:
                return self.statuses.pop(0)
            index = self.device
            if self.local.contexts[-1] != 1000 + index:
                return 201
            context, target, assumed, text = self.loaded[function].split("\n", 3)
            assert context == f"// context {1000 + index}" and (gy, gz, by, bz, extra) == (1, 1, 1, 1, None)
            assert shared <= max(49152, self.allowed.get(function, 0))
            values = tuple(ctypes.c_int64.from_address(_pointer(arguments + 8 * n)).value for n in range(argument_count(text)))
            wanted = assumed.removeprefix("// divisible: ")
            assert all(value % 16 == 0 for value, divisible in zip(values, wanted, strict=True) if divisible == "1"), (values, wanted)
            self.launches.append((index, stream or 0, target.removeprefix("// "), wanted, gx))
            execute(text, values, gx)
        return 0


def _set(place: int, value: int, kind: Any = ctypes.c_int64) -> None:
    kind.from_address(place).value = value


def _pointer(place: int) -> int:
    return ctypes.c_void_p.from_address(place).value or 0


DTYPES = {torch.float32: 6, torch.int64: 4}


class Model:
    """A library's container, through its C functions."""

    def __init__(self, machine: StubMachine, path: str, device: str = "cuda") -> None:
        self.machine, self.library = machine, ctypes.CDLL(path)
        self.container = ctypes.c_void_p()
        self._check(self.library.AOTInductorModelContainerCreateWithDevice(ctypes.byref(self.container), 1, device.encode(), None))

    def _check(self, status: int) -> None:
        if status:
            text = ctypes.c_char_p()
            self.library.AOTInductorGetLastError(ctypes.byref(text))
            raise RuntimeError((text.value or b"").decode())

    def handle(self, tensor: torch.Tensor) -> ctypes.c_void_p:
        """A handle of a tensor on its memory."""
        made = ctypes.c_void_p()
        sizes, strides = ((ctypes.c_int64 * max(tensor.dim(), 1))(*values) for values in (tensor.shape, tensor.stride()))
        number = ctypes.c_int32
        given = (ctypes.c_void_p(tensor.data_ptr()), ctypes.c_int64(tensor.dim()), sizes, strides, ctypes.c_int64(0))
        more = (number(DTYPES[tensor.dtype]), number(0), number(0), ctypes.byref(made))
        assert self.machine.torch.aoti_torch_create_tensor_from_blob(*given, *more) == 0
        return made

    def __call__(self, *inputs: torch.Tensor, stream: int = 0) -> list[torch.Tensor]:
        count = ctypes.c_int64()
        self.library.AOTInductorModelContainerGetNumOutputs(self.container, ctypes.byref(count))
        outputs = (ctypes.c_void_p * count.value)()
        given = (ctypes.c_void_p * len(inputs))(*(self.handle(t) for t in inputs))
        numbers = ctypes.c_int64(len(inputs)), outputs, count
        self._check(self.library.AOTInductorModelContainerRun(self.container, given, *numbers, ctypes.c_void_p(stream), None))
        return [self._tensor(output) for output in outputs]

    def _tensor(self, handle: int) -> torch.Tensor:
        """A copy of a result."""
        torch_, pointer = self.machine.torch, ctypes.c_void_p(handle)
        rank, dtype, place = ctypes.c_int64(), ctypes.c_int32(), ctypes.c_void_p()
        torch_.aoti_torch_get_dim(pointer, ctypes.byref(rank))
        torch_.aoti_torch_get_dtype(pointer, ctypes.byref(dtype))
        lists = []
        for function in (torch_.aoti_torch_get_sizes, torch_.aoti_torch_get_strides):
            function(pointer, ctypes.byref(place))
            lists.append(list((ctypes.c_int64 * rank.value).from_address(place.value or 0)) if rank.value else [])
        (kind,) = (t for t, number in DTYPES.items() if number == dtype.value)
        extent = 1 + sum((size - 1) * stride for size, stride in zip(*lists, strict=True))
        memory = (ctypes.c_char * (extent * kind.itemsize)).from_address(self.machine._address(handle))
        made = torch.frombuffer(memory, dtype=kind).as_strided(*lists).clone()
        torch_.aoti_torch_delete_tensor_object(pointer)
        return made

    def update(self, values: dict[str, torch.Tensor], function: str = "UpdateConstantBufferPairs", inactive: bool = False) -> None:
        """Replaces constants."""
        kept = [(name.encode(), self.handle(tensor)) for name, tensor in values.items()]
        pairs = (ctypes.c_void_p * (2 * len(kept)))()
        for n, (name, handle) in enumerate(kept):
            pairs[2 * n], pairs[2 * n + 1] = ctypes.cast(name, ctypes.c_void_p), handle
        run = getattr(self.library, f"AOTInductorModelContainer{function}")
        self._check(run(self.container, pairs, ctypes.c_int64(len(kept)), ctypes.c_bool(inactive), ctypes.c_bool(False)))

    def close(self) -> None:
        """Deletes the container."""
        assert self.library.AOTInductorModelContainerDelete(self.container) == 0
