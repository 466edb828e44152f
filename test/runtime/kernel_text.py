"""Writes `loop.func`s as text, compiles them and runs them on tensors."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import torch
from mlirind.dialects.context import compile_context
from mlirind.options import Options
from mlirind.runtime.cpu.jit import compile_module
from torch_mlir import ir

TYPES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "ui8",
    torch.bool: "i1",
}


class KernelText:
    """A kernel over buffers of the given types. `domain`: extents as text ("4", "s0"); symbols are s0, s1, ..."""

    # What `compile` compiles for: tests set another function of the text.
    compiler: Callable[[str], Callable[..., int]] | None = None

    def __init__(self, inputs: list[str], outputs: list[str], domain: list[str], symbols: int = 0) -> None:
        self.types = inputs + outputs
        self.outputs = len(outputs)
        self.domain = domain
        self.names = [f"s{i}" for i in range(symbols)]
        self.lines: list[str] = []

    def op(self, text: str) -> str:
        """Adds a line; `text` is what follows `=`. Gives the result's name."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _map(self, expr: str, extra: int) -> str:
        dims = ", ".join(f"d{i}" for i in range(len(self.domain) + extra))
        return f"affine_map<({dims})[{', '.join(self.names)}] -> ({expr})>"

    def _access(self, buffer: int, extra: tuple[str, ...]) -> tuple[str, str]:
        indices = [f"%d{i}" for i in range(len(self.domain))] + list(extra)
        return "".join(f", {i}" for i in indices), ", index" * len(indices)

    def load(self, buffer: int, expr: str, mask: str | None = None, extra: tuple[str, ...] = ()) -> str:
        """`expr` is over d0, d1, ... (the domain, then `extra` index values) and the symbols."""
        names, types = self._access(buffer, extra)
        segments = f"array<i32: 1, {len(self.domain) + len(extra)}, {int(mask is not None)}>"
        element = self.types[buffer].removeprefix("u")
        masked = (f", {mask}", ", i1") if mask else ("", "")
        return self.op(
            f'"loop.load"(%b{buffer}{names}{masked[0]}) {{map = {self._map(expr, len(extra))}, operandSegmentSizes = {segments}}}'
            f" : (memref<?x{self.types[buffer]}>{types}{masked[1]}) -> {element}"
        )

    def store(
        self, buffer: int, value: str, expr: str, mask: str | None = None, extra: tuple[str, ...] = (), accumulate: str | None = None
    ) -> None:
        """Writes `value`."""
        names, types = self._access(buffer, extra)
        segments = f"array<i32: 1, 1, {len(self.domain) + len(extra)}, {int(mask is not None)}>"
        element = self.types[buffer].removeprefix("u")
        masked = (f", {mask}", ", i1") if mask else ("", "")
        how = f', accumulate = "{accumulate}"' if accumulate else ""
        attributes = f"map = {self._map(expr, len(extra))}{how}, operandSegmentSizes = {segments}"
        self.lines.append(
            f'"loop.store"(%b{buffer}, {value}{names}{masked[0]}) {{{attributes}}}'
            f" : (memref<?x{self.types[buffer]}>, {element}{types}{masked[1]}) -> ()"
        )

    def reduce(self, kind: str, inputs: list[str], types: list[str], dims: list[int], results: list[str] | None = None) -> list[str]:
        """The names of the results."""
        results = results or types
        name = f"%v{len(self.lines)}"
        sizes = f"operandSegmentSizes = array<i32: {_runs(types)}>, resultSegmentSizes = array<i32: {_runs(results)}>"
        many = f":{len(results)}" if len(results) > 1 else ""
        self.lines.append(
            f'{name}{many} = "loop.reduce"({", ".join(inputs)}) {{kind = "{kind}", dims = {dims}, {sizes}}}'
            f" : ({', '.join(types)}) -> ({', '.join(results)})"
        )
        return [name] if len(results) == 1 else [f"{name}#{i}" for i in range(len(results))]

    def scan(self, kind: str, inputs: list[str], types: list[str], dim: int) -> list[str]:
        """The names of the results."""
        name = f"%v{len(self.lines)}"
        sizes = f"operandSegmentSizes = array<i32: {_runs(types)}>, resultSegmentSizes = array<i32: {_runs(types)}>"
        many = f":{len(inputs)}" if len(inputs) > 1 else ""
        self.lines.append(
            f'{name}{many} = "loop.scan"({", ".join(inputs)}) {{kind = "{kind}", dim = {dim} : i64, {sizes}}}'
            f" : ({', '.join(types)}) -> ({', '.join(types)})"
        )
        return [name] if len(inputs) == 1 else [f"{name}#{i}" for i in range(len(inputs))]

    def check(self, condition: str, error: str) -> None:
        """Adds a check."""
        self.lines.append(f'"loop.check"({condition}) {{error = "{error}"}} : (i1) -> ()')

    def text(self, name: str = "kernel") -> str:
        """The `loop.func`."""
        arguments = [f"%b{i}: memref<?x{t}>" for i, t in enumerate(self.types)] + [f"%d{i}: index" for i in range(len(self.domain))]
        symbols = ", ".join(f'#aten.expr<"{name}">' for name in self.names)
        body = "\n    ".join(self.lines)
        domain = f"affine_map<()[{', '.join(self.names)}] -> ({', '.join(self.domain)})>"
        return f'''"loop.func"() ({{ ^bb0({", ".join(arguments)}):
    {body}
    "loop.yield"() : () -> ()
}}) {{sym_name = "{name}", domain = {domain}, symbols = [{symbols}], outputs = {self.outputs}}} : () -> ()
'''

    def compile(self, options: Options | None = None) -> Callable[..., int]:
        """Native code."""
        if KernelText.compiler is not None:
            return KernelText.compiler(self.text())
        with compile_context():
            (address,) = compile_module(ir.Module.parse(self.text()), options)
        return CompiledText(address, len(self.types), len(self.names))

    def __call__(self, *tensors: torch.Tensor, symbols: tuple[int, ...] = (), options: Options | None = None) -> int:
        """Runs it; gives the status."""
        return self.compile(options)(*tensors, symbols=symbols)


def _runs(types: list[str]) -> str:
    return f"{len(types)}, 0" if len(set(types)) == 1 else "1, 1"


class CompiledText:
    """A compiled kernel."""

    def __init__(self, address: int, buffers: int, symbols: int) -> None:
        self.address = address
        self.function = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * buffers, *[ctypes.c_int64] * symbols)(address)

    def __call__(self, *tensors: torch.Tensor, symbols: tuple[int, ...] = ()) -> int:
        return self.function(*[t.data_ptr() for t in tensors], *symbols)
