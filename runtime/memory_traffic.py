"""The bytes that one run of a graph writes of its caller's tensors, and the copies that remain: the report's part on mutation.

Symbolic sizes count as the sizes seen while tracing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch_mlir import ir

from ..bridge.operators import overload
from ..dialects import aten_ops
from ..dialects.aten import Operand, TensorInfo, size_of
from ..dialects.dtypes import item_size
from ..dialects.host import argument_attributes
from ..dialects.narrowing import array, dictionary, integer, text
from ..dialects.size_hints import Hints, evaluated, size_hints
from ..passes.analysis.alias_analysis import functions_with_body
from ..passes.reinplace import REFUSED
from ..torch_internals.operators import schema_of
from .kernel_costs import kernel_costs
from .source_lines import source_lines


@dataclass(frozen=True)
class InputWrite:
    """A kernel, a copy or an operator that writes at most `bytes` of graph input `name`; the input has `whole` bytes."""

    name: str
    by: str
    bytes: int
    whole: int


@dataclass(frozen=True)
class StayingCopy:
    """A call of `target` that copies `bytes` instead of writing in place, the reason, the call's source lines, and the name
    of the graph's input that it writes, if it writes one."""

    target: str
    bytes: int
    reason: str
    lines: tuple[str, ...] = ()
    written: str = ""


def staying_copies(module: ir.Module, target: str | None = None) -> tuple[StayingCopy, ...]:
    """The copies that `reinplace` left in the graph (`target` None), or those of operator `target` that `reinplace-kernels` left. Call it
    directly after that pass."""
    found = []
    for function in functions_with_body(module):
        hints = size_hints(function)
        for op in function.regions[0].blocks[0].operations:
            if REFUSED in op.attributes and target in (None, aten_ops.pytorch_name(op)):
                copies = ((n.name, text(n.attr)) for n in dictionary(op.attributes[REFUSED]))
                found += [_staying_copy(function, op, op.operands[int(n)], reason, hints) for n, reason in copies]
    return tuple(found)


def _staying_copy(function: ir.OpView, op: ir.OpView, written: ir.Value, reason: str, hints: Hints) -> StayingCopy:
    name = _argument_name(function, written.arg_number) if isinstance(written, ir.BlockArgument) else ""
    return StayingCopy(aten_ops.pytorch_name(op), tensor_bytes(written, hints), reason, source_lines([op]), name)


def input_writes(module: ir.Module) -> tuple[InputWrite, ...]:
    """What the launches, copies and calls of a module after `convert-to-host` write of the graph's arguments."""
    kernels = {text(op.attributes["sym_name"]): op for op in module.body.operations if op.operation.name == "loop.func"}
    return tuple(w for function in functions_with_body(module) for w in _function_writes(function, kernels))


def _function_writes(function: ir.OpView, kernels: Mapping[str, ir.OpView]) -> Iterator[InputWrite]:
    hints = size_hints(function)
    block = function.regions[0].blocks[0]
    names: dict[ir.Value, str] = {v: _argument_name(function, n) for n, v in enumerate(block.arguments)}
    base: dict[ir.Value, ir.Value] = {v: v for v in block.arguments}
    for op in block.operations:
        if op.operation.name == "host.view" and op.operands[0] in base:
            base[op.results[0]] = base[op.operands[0]]
        for value, by, size in _writes(op, kernels, hints):
            if value in base:
                yield InputWrite(names[base[value]], by, size, tensor_bytes(base[value], hints))


def _writes(op: ir.OpView, kernels: Mapping[str, ir.OpView], hints: Hints) -> Iterator[tuple[ir.Value, str, int]]:
    name = op.operation.name
    if name == "host.copy":
        yield op.operands[0], "a copy", tensor_bytes(op.operands[0], hints)
    elif name == "host.launch":
        kernel = text(op.attributes["kernel"])
        first = len(op.operands) - integer(kernels[kernel].attributes["outputs"])
        given = tuple(evaluated(size_of(s), hints) for s in array(op.attributes["symbols"]))
        for number, size in kernel_costs(kernels[kernel], given).written.items():
            if number >= first:
                yield op.operands[number], kernel, size
    elif name == "host.call":
        for value in schema_writes(op):
            yield value, text(op.attributes["target"]), tensor_bytes(value, hints)


def schema_writes(call: ir.OpView) -> list[ir.Value]:
    """The operands that an operator writes, as its schema says; not the buffer that an `out` overload writes."""
    schema = schema_of(overload(text(call.attributes["target"])))
    arguments = zip(schema.arguments, array(call.attributes["arguments"]), strict=True)
    return [v for a, given in arguments if a.alias_info and a.alias_info.is_write for v in _operands(call, given)]


def _operands(op: ir.OpView, given: ir.Attribute) -> list[ir.Value]:
    if isinstance(given, ir.ArrayAttr):
        return [v for g in given for v in _operands(op, g)]
    return [op.operands[int(size_of(given.index))]] if isinstance(given, Operand) else []


def tensor_bytes(value: ir.Value, hints: Hints) -> int:
    """Bytes of a tensor's elements."""
    if not isinstance(value.type, ir.RankedTensorType):
        return 0
    info = TensorInfo.of(value.type)
    return (item_size(info.dtype) or 0) * math.prod(evaluated(s, hints) for s in info.sizes)


def graph_input_names(function: ir.OpView) -> list[str]:
    """The names of a graph's arguments, without the constants, which are the last."""
    return [_argument_name(function, n) for n, known in enumerate(argument_attributes(function)) if "aten.constant" not in known]


def _argument_name(function: ir.OpView, number: int) -> str:
    attributes = argument_attributes(function)[number]
    found = [text(attributes[n]) for n in ("aten.name", "aten.constant") if n in attributes]
    return found[0] if found else f"arg{number}"
