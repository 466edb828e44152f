"""Compiles the native code of attention in tiles (`lowering/cpu/attention_tiles.mlir`) for the kernels of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from torch_mlir import ir

from ... import lowering
from ...lowering.cpu.convert_cpu_to_llvm import convert_cpu_to_llvm
from ...options import Options
from .attention_tiles import ENTRY, KernelObject, TileCode, TileKernel
from .attention_words import CALL, SOFTMAX, SPAN, TILE, WORDS
from .jit import OPTIMIZED, Engine, compile_module
from .kept_code import KeptCode

_SOURCE = Path(lowering.__file__).parent / "cpu" / "attention_tiles.mlir"


def tile_kernel(module: ir.Module, buffers: tuple[str | int, ...], symbols: int, numbers: str, features: str | None) -> TileKernel:
    """The module's kernel; for the other arguments see `TileKernel`. `features`: the option `target_features`. Call it inside
    `compile_context()`."""
    (address,) = compile_module(module, Options(target_features=features), KeptCode.OBJECT)
    kernel = address.kernel
    return TileKernel(
        address, buffers, symbols, numbers, lambda: KernelObject(kernel.engine.object_code(), kernel.number, kernel.table_length)
    )


def tile_code(kernels: Mapping[str, TileKernel | None]) -> TileCode:
    """Code that calls these kernels: "partial" and "full" of spans with a mask and without one, None if scores stay as they are; those of
    `SOFTMAX`; "convert" of outputs, None if sums are outputs. Call it inside `compile_context()`."""
    text = re.sub(r"\b[A-Z][A-Z_]+\b", lambda found: str(WORDS[found[0]]), _code(_SOURCE.read_text()))
    callers = [_nothing(name) if kernel is None else _caller(name, kernel) for name, kernel in kernels.items()]
    module = ir.Module.parse("\n".join([text, *callers]))
    convert_cpu_to_llvm(module)
    engine = Engine(module, OPTIMIZED, KeptCode.OBJECT)
    for name, kernel in kernels.items():
        if kernel is not None:
            engine.register(f"{name}_kernel", kernel.address)
    return TileCode(engine.address(ENTRY), engine, kernels, engine.object_code)


def _code(text: str) -> str:
    """The text without comments."""
    return "\n".join(line.partition("//")[0] for line in text.splitlines())


# The arguments of the function that calls a kernel; the bytes of a score and a position, which begin at the span's first key; what is an
# argument, not a word of the tile or of the call.
_IN_SPAN = "%call: !llvm.ptr, %tile: !llvm.ptr, %span: !llvm.ptr, %scores: !llvm.ptr"
_OF_SOFTMAX = "%call: !llvm.ptr, %tile: !llvm.ptr, %scores: !llvm.ptr, %weights: !llvm.ptr, %maxima: !llvm.ptr, %divisors: !llvm.ptr"
_ARGUMENTS = {
    "partial": _IN_SPAN,
    "full": _IN_SPAN,
    **{name: _OF_SOFTMAX for name in SOFTMAX},
    "convert": "%call: !llvm.ptr, %tile: !llvm.ptr, %sums: !llvm.ptr",
}
_STEPS = {"scores": 4, "key": 8}
_OWN = ("scores", "weights", "maxima", "divisors", "sums")


def _caller(name: str, kernel: TileKernel) -> str:
    """The function `@name` that calls a kernel."""
    in_span = name in ("partial", "full")
    lines, operands = [], []
    if in_span:
        lines += _loaded("offset", "span", SPAN["OFFSET"])
    for number, buffer in enumerate(kernel.buffers):
        made = f"b{number}"
        if buffer in _OWN:
            lines.append(f"%{made} = llvm.getelementptr %{buffer}[0] : (!llvm.ptr) -> !llvm.ptr, i8")
        elif isinstance(buffer, int):
            lines += _loaded(made, "call", CALL["OTHERS"] + buffer, "!llvm.ptr")
        else:
            lines += _loaded(made, "tile", TILE[f"{buffer.upper()}_AT"], "!llvm.ptr")
        if in_span and buffer in _STEPS:
            element = f"i{8 * _STEPS[buffer]}"
            lines.append(f"%{made}s = llvm.getelementptr %{made}[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, {element}")
            made += "s"
        operands.append(made)
    lines += _loaded("numbers", *(("span", SPAN["NUMBERS"]) if in_span else ("tile", TILE[f"{name.upper()}_NUMBERS"])), "!llvm.ptr")
    for number in range(kernel.symbols):
        lines += _loaded(f"s{number}", "numbers", number)
    types = ", ".join(["!llvm.ptr"] * len(operands) + ["i64"] * kernel.symbols)
    values = ", ".join(f"%{v}" for v in (*operands, *(f"s{n}" for n in range(kernel.symbols))))
    lines += [f"%status = llvm.call @{name}_kernel({values}) : ({types}) -> i32", "llvm.return %status : i32"]
    body = "\n  ".join(lines)
    return f"llvm.func @{name}_kernel({types}) -> i32\nllvm.func internal @{name}({_ARGUMENTS[name]}) -> i32 {{\n  {body}\n}}"


def _loaded(name: str, words: str, number: int, type_: str = "i64") -> list[str]:
    """Loads a word."""
    return [
        f"%{name}_at = llvm.getelementptr %{words}[{number}] : (!llvm.ptr) -> !llvm.ptr, i64",
        f"%{name} = llvm.load %{name}_at : !llvm.ptr -> {type_}",
    ]


def _nothing(name: str) -> str:
    """The function `@name` without a kernel."""
    body = "%status = llvm.mlir.constant(0 : i32) : i32\n  llvm.return %status : i32"
    return f"llvm.func internal @{name}({_ARGUMENTS[name]}) -> i32 {{\n  {body}\n}}"
