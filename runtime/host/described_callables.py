"""The Python functions that native host code calls, from plain descriptions, which another process may have written: operators without a C
function, and calls that failed natively and are repeated for the exception. Needs no compiler."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ...torch_internals.layout import DEVICE_NAMES, DTYPES
from ...torch_internals.tensors import view_of
from ..failures import OUT_OF_RANGE, fail, launch_failed
from . import refused_results
from .refused_results import native_refusal
from .restride import refuse_restride, restride
from .without_memory import with_memory

if TYPE_CHECKING:
    from ..cuda.launching.launcher import CudaKernel

# Runs a graph with ATen and returns the text of its exception, or None; does not change the given list of inputs.
Repeat = Callable[[list[Any]], str | None]

_DTYPES = {number: getattr(torch, name) for name, number in DTYPES.items() if hasattr(torch, name)}


@dataclass(frozen=True)
class KernelFailure:
    """Raises for a kernel's status; `computes`: the kernel's operators."""

    kernel: str
    computes: tuple[str, ...]


@dataclass(frozen=True)
class Launch:
    """Launches a kernel on a GPU that native code could not launch."""

    kernel: str


@dataclass(frozen=True)
class Refusal:
    """Raises for a result that is not as declared; `types`: dtype and device of each tensor."""

    target: str
    place: str
    names: tuple[str, ...]
    types: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DeviceFailure:
    """Raises for a device that can't become the current one."""

    device: str


@dataclass(frozen=True, eq=False)
class OperatorCall:
    """Calls an operator: the source of a function `call`, the objects that it names, a name for tracebacks. `lazy`: compiled at the first
    call, because most such calls are for failures that never happen. `place`: the user's line."""

    source: str
    constants: Mapping[str, Any]
    name: str
    lazy: bool
    place: str = ""

    @property
    def operator(self) -> str:
        """The operator's name, with the user's line."""
        target = self.name.removeprefix("<mlirind ").removesuffix(">")
        return f"{target} at {self.place}" if self.place else target

    def function(self) -> Callable[..., Any]:
        """The function."""
        namespace = {**self.constants, **refused_results.NAMESPACE, "math": math}
        exec(compile(self.source, self.name, "exec"), namespace)
        call: Callable[..., Any] = namespace["call"]
        return call

    def __call__(self, *arguments: Any) -> Any:
        return self.function()(*arguments)


Description = KernelFailure | Launch | Refusal | DeviceFailure | OperatorCall


def described_callables(
    descriptions: Sequence[Description], on_gpu: Mapping[str, CudaKernel], again: Repeat | None = None
) -> list[Callable[..., Any]]:
    """The callables of one graph; `on_gpu`: its kernels on a GPU; `again`: runs the graph with ATen."""
    return [_callable(description, on_gpu, again) for description in descriptions]


def _callable(description: Description, on_gpu: Mapping[str, CudaKernel], again: Repeat | None) -> Callable[..., Any]:
    if isinstance(description, KernelFailure):
        return _kernel_failure(description, again)
    if isinstance(description, Launch):
        return _launch(description.kernel, on_gpu[description.kernel])
    if isinstance(description, Refusal):
        return native_refusal(description.target, description.place, description.names, description.types)
    if isinstance(description, DeviceFailure):
        return _device_failure(description.device)
    return description if description.lazy else description.function()


def common_callables() -> list[Callable[..., Any]]:
    """The callables that every graph has after the first, in the order of `host_function`."""
    return [_allocate, _view, _restride, _refuse_restride, _copy, torch.clone]


def _allocate(dtype: int, device: int, index: int, *numbers: int) -> tuple[torch.Tensor]:
    rank = len(numbers) // 2
    device_object = torch.device(DEVICE_NAMES[device], index) if device else torch.device("cpu")
    return (with_memory(torch.empty_strided(numbers[:rank], numbers[rank:], dtype=_DTYPES[dtype], device=device_object)),)


def _view(base: torch.Tensor, offset: int, *numbers: int) -> tuple[torch.Tensor]:
    rank = len(numbers) // 2
    return (view_of(base, numbers[:rank], numbers[rank:], offset),)


def _restride(tensor: torch.Tensor, *strides: int) -> tuple[torch.Tensor]:
    return (restride(with_memory(tensor), strides),)


def _refuse_restride(tensor: torch.Tensor, *strides: int) -> tuple[torch.Tensor]:
    return (refuse_restride(with_memory(tensor), strides),)


def _copy(target: torch.Tensor, source: torch.Tensor) -> tuple[()]:
    target.copy_(source)
    return ()


def _kernel_failure(failure: KernelFailure, again: Repeat | None) -> Callable[[int, int], None]:
    """Raises for a kernel's status; `inputs` is the address of the list of the graph's inputs, which the caller owns."""

    def failed(status: int, inputs: int) -> None:
        text = again(ctypes.cast(inputs, ctypes.py_object).value) if again is not None and status in OUT_OF_RANGE else None
        fail(status, failure.kernel, failure.computes, text)

    return failed


def _launch(name: str, kernel: CudaKernel) -> Callable[..., tuple[()]]:
    def again(status: int, stream: int, *values: int) -> tuple[()]:
        status = kernel.launch_again(status, stream, values)
        if status:
            launch_failed(kernel.gpu, status, name)
        return ()

    return again


def _device_failure(device: str) -> Callable[[], None]:
    def failed() -> None:
        raise RuntimeError(f"{device} can't be made the current device")

    return failed
