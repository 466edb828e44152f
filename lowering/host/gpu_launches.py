"""GPU kernels in the native function of a graph: the stream and the device guard, arguments, grids, cuLaunchKernel.

A `loop.func` or `loop.group` for a GPU states its needs in `grids` (a map for each of its launches) and `scratch` (bytes of each scratch
buffer). At run time the object `kernel.<name>` (`runtime/cuda/launching/launch_record.py`) says where its code is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch_mlir import ir

from ...dialects.aten import TensorInfo, size_of
from ...dialects.narrowing import affine_map, array, text
from ...torch_internals.layout import DO_ALLOCATE, DO_DROP, DO_PYTHON, DTYPES, EXTRA, KERNEL_PREFIX
from .c_arguments import device_numbers
from .host_function import HostFunction, coded

GRIDS, SCRATCH = "grids", "scratch"


def gpu_of(functions: list[ir.OpView]) -> str | None:
    """The GPU of the module's kernels; None if all are for the CPU."""
    devices = {text(op.attributes["device"]) for op in functions if "device" in op.attributes} - {"cpu"}
    assert len(devices) <= 1, "a native function has kernels on one GPU"
    return devices.pop() if devices else None


class GpuLaunches:
    """The launches of a graph on one GPU, "cuda:0"; `callable_` returns the number of a Python callable."""

    def __init__(self, f: HostFunction, device: str, callable_: Callable[[dict[str, ir.Attribute]], int]) -> None:
        self.f, self.callable_ = f, callable_
        self.device, self.index = ir.StringAttr.get(device), device_numbers(device, f.any_gpu)[1]
        self.guard = f.reserve(2)
        self.stream = self.guard + 1

    def enter(self) -> None:
        """Makes the device current until `leave`, and reads its current stream, without the GIL. In a library it is current."""
        emitter = self.f.emitter
        index = emitter.integer(self.index, emitter.i32)
        guards = [] if self.f.any_gpu else [("aoti_torch_create_cuda_guard", self.guard)]
        for name, word in (*guards, ("aoti_torch_get_current_cuda_stream", self.stream)):
            self._settle(emitter.call(name, "ip:i", [index, self.f.frame_address(word)]))

    def _settle(self, status: ir.Value) -> None:
        step = coded(DO_PYTHON, [self.callable_({"device": self.device}), 0, 0, 0, 0])
        emitter = self.f.emitter
        self.f.check(emitter.call("mlirind_host_settle", "pip:i", [self.f.frame.base, status, emitter.numbers(step)]))

    def leave(self) -> None:
        """Restores the previous current device; the guard may be null."""
        if not self.f.any_gpu:
            self.f.emitter.call("aoti_torch_delete_cuda_guard", "p:i", [self.f.load(self.guard)])

    def launch(self, function: ir.OpView, operands: Sequence[ir.Value], sizes: Sequence[ir.Attribute]) -> None:
        """Issues the launches of a kernel or group, in order, with equal arguments: buffers, and the values of symbols."""
        f, emitter = self.f, self.f.emitter
        symbols = [f.sizes.value(size_of(s)) for s in sizes]
        for buffer in operands:
            f.address(buffer)
        scratch = self._allocate_scratch(function, symbols, device_numbers(TensorInfo.of(operands[-1].type).device, f.any_gpu))
        f.flush()
        grids = [f.sizes.affine(affine_map(m).results[0], symbols) for m in array(function.attributes[GRIDS])]
        pointers = [f.pointer(b) for b in operands] + [f.load(word + 1) for word in scratch]
        status = emitter.integer(0)  # the first word is for a status
        words = f.room.keep([status, f.load(self.stream), *pointers, *symbols, *[emitter.null] * EXTRA])
        name = text(function.attributes["sym_name"])
        number = emitter.integer(self.callable_({"launch": ir.StringAttr.get(name)}))
        given = [f.frame.base, emitter.external(KERNEL_PREFIX + name), number, words, f.room.keep(grids)]
        f.check(emitter.call("mlirind_host_launch", "pplpp:i", given))
        if scratch:
            f.step(DO_DROP, *scratch)

    def _allocate_scratch(self, function: ir.OpView, symbols: list[ir.Value], device: tuple[int, int]) -> list[int]:
        """The words of new scratch buffers, followed by their addresses."""
        f = self.f
        found = []
        for expr in affine_map(function.attributes[SCRATCH]).results if SCRATCH in function.attributes else ():
            found.append(f.reserve(2))
            f.slots.append(found[-1])
            size = expr.value if isinstance(expr, ir.AffineConstantExpr) else f.computed(f.sizes.affine(expr, symbols))
            f.step(DO_ALLOCATE, found[-1], DTYPES["uint8"], *device, size, 1)
        return found
