"""A module's `loop.func`s by device, and native kernels as callables."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from torch_mlir import ir

from ..dialects.loop import GROUPED
from ..dialects.narrowing import text, texts


def device_of(function: ir.OpView | ir.Operation) -> str:
    """The device of a `loop.func`'s buffers: "cpu", "cuda:0"."""
    return text(function.attributes["device"]) if "device" in function.attributes else "cpu"


def device_number(device: str) -> int:
    """cuda:1 -> 1"""
    return int(device.rpartition(":")[2])


def kernel_functions(module: ir.Module, kind: str) -> dict[str, ir.Operation]:
    """The module's `loop.func`s for devices of a kind ("cpu", "cuda"), by name, in order."""
    found = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
    return {text(op.attributes["sym_name"]): op for op in found if device_of(op).split(":")[0] == kind}


def gpu_kernels(module: ir.Module) -> dict[str, ir.Operation]:
    """What a module's graph launches on GPUs: `loop.group`s, and `loop.func`s that have launches of their own, by name, in order."""
    functions = {name: op for name, op in kernel_functions(module, "cuda").items() if GROUPED not in op.attributes}
    groups = [op.operation for op in module.body.operations if op.operation.name == "loop.group"]
    return functions | {text(op.attributes["sym_name"]): op for op in groups}


def code_key(kernel: ir.Operation, functions: Mapping[str, ir.Operation]) -> str:
    """Equal for kernels with equal code. `functions`: the `loop.func`s by name, of which a group's code is made."""
    if kernel.name != "loop.group":
        return text_without_name(kernel)
    names = texts(kernel.attributes["parts"])
    order = {name: n for n, name in enumerate(dict.fromkeys(names))}
    parts = [text_without_name(functions[name]) for name in order]
    return "\n".join([*parts, str([order[name] for name in names]), str(kernel.attributes["buffers"])])


def text_without_name(function: ir.Operation) -> str:
    """The text of a function without the parts that do not change its code: equal texts are equal kernels."""
    text = function.get_asm(use_local_scope=True)
    for name in ("sym_name", "computes"):
        text = text.replace(str(function.attributes[name]), "", 1) if name in function.attributes else text
    return text


def native_launcher(address: int, buffers: int, symbols: int) -> Callable[..., int]:
    """The kernel at `address` as a callable of pointers and symbols that returns a status; keeps the address alive."""
    launcher: Any = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * buffers, *[ctypes.c_int64] * symbols)(address)
    launcher.address = address
    typed: Callable[..., int] = launcher
    return typed


def may_fail(module: ir.Module) -> bool:
    """Whether a kernel has a check that can fail."""
    kernels = (op for op in module.body.operations if op.operation.name == "loop.func")
    return any(inner.operation.name == "loop.check" for op in kernels for inner in op.regions[0].blocks[0].operations)
