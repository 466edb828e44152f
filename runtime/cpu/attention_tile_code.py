"""Compiles the native code of attention in tiles (`lowering/cpu/attention_tiles.mlir`) for the kernels of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from torch_mlir import ir

from ... import lowering
from ...lowering.cpu.convert_cpu_to_llvm import convert_cpu_to_llvm
from ...lowering.cpu.target import target_for
from ...options import Options
from .attention_tiles import ENTRY, KernelObject, TileCode, TileKernel
from .attention_words import CALL, SPAN, TILE, WORDS
from .jit import OPTIMIZED, Engine, compile_module
from .kept_code import KeptCode

_SOURCES = [Path(lowering.__file__).parent / "cpu" / name for name in ("attention_tiles.mlir", "attention_softmax.mlir")]


def tile_kernel(module: ir.Module, buffers: tuple[str | int, ...], symbols: int, numbers: str, features: str | None) -> TileKernel:
    """The module's kernel; for the other arguments see `TileKernel`. `features`: the option `target_features`. Call it inside
    `compile_context()`."""
    (address,) = compile_module(module, Options(target_features=features), KeptCode.OBJECT)
    kernel = address.kernel
    return TileKernel(
        address, buffers, symbols, numbers, lambda: KernelObject(kernel.engine.object_code(), kernel.number, kernel.table_length)
    )


def tile_code(kernels: Mapping[str, TileKernel | None], weight: str, features: str | None) -> TileCode:
    """Code that calls these kernels: "partial" and "full" of spans with a mask and without one, None if scores stay as they are;
    "statistics" of rows; "convert" of outputs; "pack_keys" and "pack_values". `weight`: the type of weights, "f32" or "bf16". `features`:
    the option `target_features`. Call it inside `compile_context()`."""
    text = re.sub(r"\b[A-Z][A-Z_]+\b", lambda found: str(WORDS[found[0]]), "\n".join(_code(s.read_text()) for s in _SOURCES))
    callers = [_nothing(name) if kernel is None else _caller(name, kernel) for name, kernel in kernels.items()]
    types = f"!weight = {weight}\n!weights = vector<16x{weight}>"
    module = ir.Module.parse("\n".join([types, text, _rounding(weight), *callers]))
    if target := target_for(features).features:
        for function in module.body.operations:
            function.operation.attributes["passthrough"] = ir.Attribute.parse(f'[["target-features", "{target}"]]')
    convert_cpu_to_llvm(module)
    engine = Engine(module, OPTIMIZED, KeptCode.OBJECT)
    for name, kernel in kernels.items():
        if kernel is not None:
            engine.register(f"{name}_kernel", kernel.address)
    return TileCode(engine.address(ENTRY), engine, kernels, engine.object_code)


def _code(text: str) -> str:
    """The text without comments."""
    return "\n".join(line.partition("//")[0] for line in text.splitlines())


# The arguments of the function that calls a kernel; the bytes of a score and a position, and the word of a span with the first of them.
_IN_SPAN = "%call: !llvm.ptr, %tile: !llvm.ptr, %span: !llvm.ptr, %scores: !llvm.ptr"
_ARGUMENTS = {
    "partial": _IN_SPAN,
    "full": _IN_SPAN,
    "statistics": "%call: !llvm.ptr, %tile: !llvm.ptr, %maxima: !llvm.ptr, %totals: !llvm.ptr",
    "convert": "%call: !llvm.ptr, %tile: !llvm.ptr, %sums: !llvm.ptr, %maxima: !llvm.ptr, %totals: !llvm.ptr",
    "pack_keys": "%sums: !llvm.ptr, %out: !llvm.ptr, %numbers: !llvm.ptr",
    "pack_values": "%values: !llvm.ptr, %pairs: !llvm.ptr, %numbers: !llvm.ptr",
}
_STEPS = {"scores": (4, "OFFSET"), "key": (8, "KEY_OFFSET")}


def _caller(name: str, kernel: TileKernel) -> str:
    """The function `@name` that calls a kernel."""
    arguments = [argument.split(":")[0] for argument in _ARGUMENTS[name].split(", ")]
    lines, operands = [], []
    for number, buffer in enumerate(kernel.buffers):
        made = f"b{number}"
        if f"%{buffer}" in arguments:
            lines.append(f"%{made} = llvm.getelementptr %{buffer}[0] : (!llvm.ptr) -> !llvm.ptr, i8")
        elif isinstance(buffer, int):
            lines += _loaded(made, "call", CALL["OTHERS"] + buffer, "!llvm.ptr")
        else:
            lines += _loaded(made, "tile", TILE[f"{buffer.upper()}_AT"], "!llvm.ptr")
        if "%span" in arguments and buffer in _STEPS:
            size, word = _STEPS[buffer]
            lines += _loaded(f"{made}o", "span", SPAN[word])
            lines.append(f"%{made}s = llvm.getelementptr %{made}[%{made}o] : (!llvm.ptr, i64) -> !llvm.ptr, i{8 * size}")
            made += "s"
        operands.append(made)
    if "%span" in arguments:
        lines += _loaded("numbers", "span", SPAN["NUMBERS"], "!llvm.ptr")
    elif "%numbers" not in arguments:
        lines += _loaded("numbers", "tile", TILE[f"{name.upper()}_NUMBERS"], "!llvm.ptr")
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


def _rounding(weight: str) -> str:
    """The function `@rounded` from float32 to weights."""
    lines = ["%rounded = arith.truncf %powers : vector<16xf32> to !weights"] if weight != "f32" else []
    lines.append(f"llvm.return %{'rounded' if lines else 'powers'} : !weights")
    body = "\n  ".join(lines)
    return f"llvm.func internal @rounded(%powers: vector<16xf32>) -> !weights {{\n  {body}\n}}"


def _nothing(name: str) -> str:
    """The function `@name` without a kernel."""
    body = "%status = llvm.mlir.constant(0 : i32) : i32\n  llvm.return %status : i32"
    return f"llvm.func internal @{name}({_ARGUMENTS[name]}) -> i32 {{\n  {body}\n}}"
