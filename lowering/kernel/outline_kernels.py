"""Moves kernels out of the graph's function: from `loop.kernel` on tensors to deduplicated `loop.func` on flat buffers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from ...dialects.aten import TensorInfo
from ...dialects.loop import signless
from ...dialects.narrowing import array, integers
from ...dialects.segments import LAUNCH_RUNS, run_sizes_attr
from ..index import index_expr as ie
from ..index import index_maps
from ..index.index_expr import IndexExpr, Ranges
from ..index.index_substitution import simplify
from .kernel_body import KernelBody, kernel_key, read_body, write_func

# A kernel's name lists at most this many operators.
NAMES_SHOWN = 6


@dataclass(frozen=True)
class Outlined:
    """An outlined kernel: the name of its function, which of the inputs it reads, the symbols in the function's order. `updates`: for each
    result the input that it updates, -1 if none."""

    name: str
    inputs: tuple[int, ...]
    symbols: ir.ArrayAttr
    updates: tuple[int, ...]


class Outliner:
    """Collects the functions of one module; equal ones become one."""

    def __init__(self, module: ir.Module) -> None:
        self.ip = ir.InsertionPoint.at_block_begin(module.body)
        self.known: dict[object, Outlined] = {}  # by `kernel_key`
        self.names: dict[str, str] = {}
        self.counts: dict[str, int] = {}

    def outline(self, op: ir.OpView) -> Outlined:
        """The function of a `loop.kernel`, made unless an equal kernel has one."""
        key = kernel_key(op)
        if key not in self.known:
            self.known[key] = self._outline(op)
        return self.known[key]

    def _outline(self, op: ir.OpView) -> Outlined:
        kernel = read_body(op)
        infos = [TensorInfo.of(v.type) for v in op.operands], [TensorInfo.of(v.type) for v in op.results]
        _drop_loads_of_nothing(kernel, infos[0])
        _linearize(kernel, *infos)
        kernel.prune()
        used = tuple(sorted({s.buffer for s in kernel.steps if s.name == "loop.load"}))
        for step in kernel.steps:
            if step.name == "loop.load":
                step.buffer = used.index(step.buffer)
        inputs = [_buffer_type(op.operands[n].type) for n in used]
        func = write_func(kernel, "kernel", inputs, [_buffer_type(r.type) for r in op.results], self.ip)
        symbols = array(func.attributes["symbols"])
        device = infos[1][0].device
        if device != "cpu":
            func.attributes["device"] = ir.StringAttr.get(device)
        return Outlined(self._name(func, kernel.names), used, symbols, tuple(integers(op.attributes["updates"])))

    def _name(self, func: ir.Operation, computes: Sequence[str]) -> str:
        text = func.get_asm(use_local_scope=True)
        known = self.names.get(text)
        if known is not None:
            func.erase()
            return known
        base = kernel_name(computes)
        number = self.counts.get(base, 0)
        self.counts[base] = number + 1
        name = self.names[text] = f"{base}_{number}"
        func.attributes["sym_name"] = ir.StringAttr.get(name)
        return name


def kernel_name(computes: Sequence[str]) -> str:
    """`fused_add_gelu` for the operators that a kernel computes, each named once."""
    names = list(dict.fromkeys(re.sub(r"\W+", "_", n) for n in computes))
    text = "_".join(names[:NAMES_SHOWN]) + (f"_and_{len(names) - NAMES_SHOWN}_more" if len(names) > NAMES_SHOWN else "")
    return f"fused_{text}" if len(names) > 1 else text


def _drop_loads_of_nothing(kernel: KernelBody, inputs: Sequence[TensorInfo]) -> None:
    """A load from a tensor without elements becomes 0. It never runs, but if it depends on no dimension it could be hoisted out of the
    empty loops."""
    for step in kernel.steps:
        if step.name == "loop.load" and 0 in inputs[step.buffer].sizes:
            type_ = step.origin.results[0].type
            zero = ir.FloatAttr.get(type_, 0.0) if isinstance(type_, ir.FloatType) else ir.IntegerAttr.get(type_, 0)
            step.name, step.buffer, step.coords, step.mask = "arith.constant", -1, (), None
            step.created = (type_, {"value": zero})


def _linearize(kernel: KernelBody, inputs: Sequence[TensorInfo], outputs: Sequence[TensorInfo]) -> None:
    """Coordinates become element offsets."""
    ranges = kernel.ranges()
    for step in kernel.steps:
        if step.buffer >= 0:
            info = (inputs if step.name == "loop.load" else outputs)[step.buffer]
            step.coords = (linear_offset(step.coords, info, ranges),)


def linear_offset(coords: Sequence[IndexExpr], info: TensorInfo, ranges: Ranges) -> IndexExpr:
    """The offset of the element at `coords` from a tensor's first element, in elements."""
    offset = ie.add([c * index_maps.from_size(s) for c, s in zip(coords, info.strides, strict=True)])
    return simplify(offset, ranges)


def _buffer_type(tensor: ir.Type) -> ir.Type:
    return ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], signless(ir.RankedTensorType(tensor).element_type))


def launch(outlined: Outlined, buffers: Sequence[ir.Value], loc: ir.Location, ip: ir.InsertionPoint) -> ir.Operation:
    """Creates the `host.launch` of an outlined kernel."""
    attributes = {
        "kernel": ir.FlatSymbolRefAttr.get(outlined.name),
        "symbols": outlined.symbols,
        "operandSegmentSizes": run_sizes_attr([b.type for b in buffers], LAUNCH_RUNS),
    }
    return ir.Operation.create("host.launch", operands=buffers, attributes=attributes, loc=loc, ip=ip)
