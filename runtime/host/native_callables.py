"""The Python functions that native host code calls: operators without a C function, and calls that failed natively and are repeated for
the exception."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch_mlir import ir

from ...dialects.aten import Operand, size_of
from ...dialects.host import INTO
from ...dialects.narrowing import Attributes, array, dense_integers, dictionary, integer, text, texts
from ...lowering.host.convert_host_to_llvm import CALLABLES
from ...torch_internals.layout import DEVICE_TYPES, DTYPES
from ...torch_internals.tensors import view_of
from ..cuda.launching.launcher import CudaKernel
from ..failures import OUT_OF_RANGE, fail, launch_failed
from . import declared_results
from .declared_results import assignment, native_refusal
from .operator_calls import Constants, call_source
from .restride import refuse_restride, restride
from .without_memory import with_memory

# Runs a graph with ATen and returns the text of its exception, or None; does not change the given list of inputs.
Repeat = Callable[[list[Any]], str | None]

_DTYPES = {number: getattr(torch, name) for name, number in DTYPES.items() if hasattr(torch, name)}
_DEVICES = {number: name for name, number in DEVICE_TYPES.items()}


def own_callables(module: ir.Module, on_gpu: Mapping[str, CudaKernel], again: Repeat | None = None) -> list[Callable[..., Any]]:
    """The callables of one graph, after `convert-host-to-llvm`; `on_gpu`: its kernels on a GPU; `again`: runs the graph with ATen."""
    return [_own(entry, on_gpu, again) for entry in map(dictionary, array(module.operation.attributes[CALLABLES]))]


def _own(entry: ir.DictAttr, on_gpu: Mapping[str, CudaKernel], again: Repeat | None) -> Callable[..., Any]:
    if "kernel" in entry:
        return _kernel_failure(entry, again)
    if "launch" in entry:
        return _launch(text(entry["launch"]), on_gpu)
    if "refuses" in entry:
        names, *types = zip(*(texts(tensor) for tensor in array(entry["tensors"])), strict=True)
        return native_refusal(text(entry["refuses"]), text(entry["place"]), names, list(zip(*types, strict=True)))
    return _device_failure(text(entry["device"])) if "device" in entry else _operator(entry)


def common_callables() -> list[Callable[..., Any]]:
    """The callables that every graph has after the first, in the order of `host_function`."""
    return [_allocate, _view, _restride, _refuse_restride, _copy, torch.clone]


def _allocate(dtype: int, device: int, index: int, *numbers: int) -> tuple[torch.Tensor]:
    rank = len(numbers) // 2
    device_object = torch.device(_DEVICES[device], index) if device else torch.device("cpu")
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


def _kernel_failure(entry: ir.DictAttr, again: Repeat | None) -> Callable[[int, int], None]:
    """Raises for a kernel's status; `inputs` is the address of the list of the graph's inputs, which the caller owns."""
    kernel, names = text(entry["kernel"]), tuple(texts(entry["computes"]))

    def failed(status: int, inputs: int) -> None:
        text = again(ctypes.cast(inputs, ctypes.py_object).value) if again is not None and status in OUT_OF_RANGE else None
        fail(status, kernel, names, text)

    return failed


def _launch(name: str, on_gpu: Mapping[str, CudaKernel]) -> Callable[..., tuple[()]]:
    kernel = on_gpu[name]

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


def _operator(entry: Attributes) -> Callable[..., Any]:
    """A function of a call's tensors and symbols. Returns a tuple of the results, with None for integers."""
    constants = Constants()
    tensors = [f"t{n}" for n in range(_operand_count(array(entry["arguments"])) + (INTO in entry))]
    results = [f"r{n}" for n in range(integer(entry["results"]))]
    parameters = ", ".join([*tensors, *texts(entry["symbols"])])
    integers = set(dense_integers(entry["integers"])) if "integers" in entry else set()
    given = ["None" if n in integers else name for n, name in enumerate(results)]
    body = assignment(entry, text(entry["place"]), results, call_source(entry, tensors, constants))
    lines = [f"def call({parameters}):", *body, f"return ({''.join(g + ', ' for g in given)})"]
    constants.namespace.update(declared_results.NAMESPACE, math=math)
    call = _Source("\n    ".join(lines), constants.namespace, f"<mlirind {text(entry['target'])}>")
    return call if "repeats" in entry else call.function()


class _Source:
    """The source of a function, compiled at the first call: most are for failures that never happen."""

    def __init__(self, text: str, namespace: dict[str, Any], name: str) -> None:
        self.text, self.namespace, self.name = text, namespace, name

    def function(self) -> Callable[..., Any]:
        """The function."""
        namespace = dict(self.namespace)
        exec(compile(self.text, self.name, "exec"), namespace)
        call: Callable[..., Any] = namespace["call"]
        return call

    def __call__(self, *arguments: Any) -> Any:
        return self.function()(*arguments)


def _operand_count(arguments: ir.ArrayAttr) -> int:
    numbers = [-1]
    for argument in arguments:
        if isinstance(argument, Operand):
            numbers.append(size_of(argument.index))
        elif isinstance(argument, ir.ArrayAttr):
            numbers.append(_operand_count(argument) - 1)
    return max(numbers) + 1
