"""Bodies of `cond`, `while_loop`, `scan` and `map` as native functions, and the calls of these operators that use them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch_mlir import ir

from ...bridge.opaque_calls import ControlFlow, opaque_call
from ...dialects.aten import Expr, Operand, TensorInfo, outputs_of, size_attr, size_of
from ...dialects.aten_names import is_opaque
from ...dialects.host import CONTROL
from ...dialects.narrowing import array, integer, text
from ...dialects.symbolic_floats import is_float_expression
from ...lowering.host.control_flow import COND, WHILE
from ...lowering.launch.convert_to_host import graph_function
from ...torch_internals.python_objects import tensor_offset
from ..artifacts.parts import GraphParts
from ..cpu.kept_code import KeptCode

# The symbol of a body's record, with the body's position in the graph.
RECORD = "body."


# The types of a body's inputs.
Types = tuple[TensorInfo | None, ...]


@dataclass(frozen=True, eq=False)
class BodyCode:
    """The native function of a body: its address, its Python callables, and what keeps its code alive. `inputs`: the types of its tensors,
    None for integers; `results`: those of its results; `given`: for each whether the caller may give the memory;
    `may_fail`: whether a kernel has a check that can fail."""

    address: int
    callables: tuple[Any, ...]
    owners: tuple[Any, ...]
    inputs: Types
    results: tuple[TensorInfo, ...]
    given: tuple[bool, ...]
    may_fail: bool


@dataclass
class BodyParts(GraphParts):
    """Filled by the compilation of a body. `code`: its native function, if it has one."""

    keeps: KeptCode = KeptCode.NOTHING
    code: BodyCode | None = None

    @property
    def is_for_disk(self) -> bool:
        return False

    def native_code(self) -> BodyCode | None:
        """The native function, if nothing has to be done around it."""
        return self.code if self.done and not self.conditions else None

    def record(self, code: BodyCode) -> ctypes.Array[ctypes.c_uint64]:
        """What native code reads to call it (`lowering/host/control_flow.mlir`)."""
        handles = [id(constant) + tensor_offset() for constant in self.constants]
        count = len(code.inputs) - len(handles)
        return (ctypes.c_uint64 * (4 + len(handles)))(code.address, id(code.callables), count, len(handles), *handles)


def body_types(module: ir.Module) -> tuple[Types, tuple[TensorInfo, ...]] | None:
    """The types of the inputs and of the results of a module in `host` form; None if a result is no tensor."""
    graph = graph_function(module)
    block = graph.regions[0].blocks[0]
    returned = outputs_of(graph, list(block.operations)[-1].operands)
    tensors = [o.type for o in returned if isinstance(o, ir.Value) and isinstance(o.type, ir.RankedTensorType)]
    if len(tensors) < len(returned):
        return None
    inputs = (TensorInfo.of(a.type) if isinstance(a.type, ir.RankedTensorType) else None for a in block.arguments)
    return tuple(inputs), tuple(map(TensorInfo.of, tensors))


class NativeControlFlow:
    """Marks the calls of a module in `host` form that native code makes (`host.control`).

    `symbols`: the addresses of the bodies' records; `owners`: what must live as long as the module's code."""

    def __init__(self, module: ir.Module) -> None:
        self.symbols: dict[str, int] = {}
        self.owners: list[Any] = []
        for op in graph_function(module).regions[0].blocks[0].operations:
            if op.operation.name == "host.call" and is_opaque(text(op.attributes["target"])):
                self._mark(op)

    def _mark(self, call: ir.OpView) -> None:
        number, *arguments = array(call.attributes["arguments"])
        control = opaque_call(integer(number)).control
        if control is None:
            return
        found = [(body.parts, body.parts.native_code()) for body in control.bodies]
        codes = [(parts, code) for parts, code in found if code is not None]
        inputs = [arguments[i[0]] if isinstance(i, tuple) else size_attr(i) for i in control.inputs]
        repeats = not control.is_random or not any(code.may_fail for _, code in codes)  # Python repeats a call in which a kernel failed
        if len(codes) < len(found) or not all(map(_is_number_or_tensor, inputs)) or not repeats:
            return
        given = [_type(call, attribute) for attribute in inputs]
        results = [TensorInfo.of(r.type) for r in call.results]
        bodies = [(code.inputs[: len(code.inputs) - len(parts.constants)], code) for parts, code in codes]
        in_place = _in_place(control, bodies, given, [results[n] for n in control.places])
        if in_place is None:
            return
        names = [self._record(parts, code) for parts, code in codes]
        call.attributes[CONTROL] = ir.DictAttr.get({
            "kind": ir.StringAttr.get(control.kind),
            "bodies": ir.ArrayAttr.get([ir.StringAttr.get(name) for name in names]),
            "inputs": ir.ArrayAttr.get(inputs),
            "counts": ir.DenseI64ArrayAttr.get([control.carried, control.sliced]),
            "places": ir.DenseI64ArrayAttr.get(list(control.places)),
            "in_place": ir.DenseI64ArrayAttr.get([int(writes) for writes in in_place]),
        })  # fmt: skip

    def _record(self, parts: BodyParts, code: BodyCode) -> str:
        name, record = f"{RECORD}{len(self.symbols)}", parts.record(code)
        self.symbols[name] = ctypes.addressof(record)
        self.owners += [record, code, parts.constants]
        return name


def _is_number_or_tensor(attribute: ir.Attribute) -> bool:
    """Whether an argument is a tensor or an integer, as opposed to a float."""
    if isinstance(attribute, Expr):
        return not is_float_expression(size_of(attribute))
    return isinstance(attribute, (Operand, ir.IntegerAttr))


def _type(call: ir.OpView, attribute: ir.Attribute) -> TensorInfo | None:
    """The type of an argument; None for an integer."""
    return TensorInfo.of(call.operands[size_of(attribute.index)].type) if isinstance(attribute, Operand) else None


def _in_place(
    control: ControlFlow, bodies: Sequence[tuple[Types, BodyCode]], given: Sequence[TensorInfo | None], results: Sequence[TensorInfo]
) -> list[bool] | None:
    """Whether the body may write each stacked result where it is stacked; None if the bodies are not made for these types. `given`: what
    the operator takes; `results`: its results."""
    carried, sliced = given[: control.carried], given[control.carried : control.carried + control.sliced]
    if control.kind == COND:
        fit = _is_truth(given[0]) and all(_fit(given[1:], types) and len(code.results) == len(results) for types, code in bodies)
        return [] if fit else None
    if None in carried or None in sliced:
        return None
    (types, body), made = bodies[-1], bodies[-1][1].results[: control.carried]
    if control.kind == WHILE:
        ((asked, condition), _) = bodies
        asks = len(condition.results) == 1 and _is_truth(condition.results[0]) and _fit(made, asked[: len(made)])
        fit = asks and len(made) == len(results) and all(_fit(given, t) for t in (types, asked)) and _fit(made, types[: len(made)])
        return [] if fit else None
    rows = [_rows(i) for i in sliced if i is not None and i.rank]
    inner = [*carried, *rows, *given[control.carried + control.sliced :]]
    stacked, parts = results[control.carried :], body.results[control.carried :]
    fit = bool(rows) and len(inner) == len(given) and _fit(inner, types) and _fit(made, types[: len(made)]) and len(parts) == len(stacked)
    if not fit or any(_rows(s) != replace(p, strides=_rows(s).strides, offset=0) for s, p in zip(stacked, parts, strict=True)):
        return None
    takes = body.given[control.carried :]
    return [taken and _rows(s).strides == p.strides for taken, s, p in zip(takes, stacked, parts, strict=True)]


def _rows(info: TensorInfo) -> TensorInfo:
    """The type of a tensor's parts along its first dimension."""
    return replace(info, sizes=info.sizes[1:], strides=info.strides[1:], offset=0)


def _is_truth(info: TensorInfo | None) -> bool:
    """Whether a value is a tensor of one boolean."""
    return info is not None and info.dtype == "bool" and all(size == 1 for size in info.sizes)


def _fit(given: Sequence[TensorInfo | None], wanted: Sequence[TensorInfo | None]) -> bool:
    """Whether a body that is made for the types `wanted` is right for `given`: it reads one element of a dimension of stride 0."""
    return len(given) == len(wanted) and all(_fits(g, w) for g, w in zip(given, wanted, strict=True))


def _fits(given: TensorInfo | None, wanted: TensorInfo | None) -> bool:
    if given is None or wanted is None:
        return given is wanted
    repeats = all(w != 0 or g == 0 or s == 1 for g, w, s in zip(given.strides, wanted.strides, wanted.sizes, strict=False))
    return repeats and (given.sizes, given.dtype, given.device) == (wanted.sizes, wanted.dtype, wanted.device)
