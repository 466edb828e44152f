"""Converts a recorded function of a pattern to a module of the `aten` dialect, as the importer does for a traced graph."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from ...dialects import aten, aten_ops
from ...dialects.aten import TensorInfo
from ..importing.canonical_arguments import canonicalize, plain_argument
from ..importing.untrue_metadata import may_be_untrue
from .pattern_recording import Recorded, RecordedCall, Ref, Shape
from .pattern_sizes import Unusual

_LARGEST = 2**63 - 1


def recorded_module(recorded: Recorded, names: list[str]) -> ir.Module:
    """The module, with symbols `s0`, `s1`, ... Raises Unusual for anything that only the importer can convert."""
    return _Builder(recorded).run(names)


class _Builder:
    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.values: dict[int, ir.Value] = {}
        self.infos = [self._info(*shapes) for shapes in zip(recorded.first.shapes, recorded.second.shapes, strict=True)]

    def _info(self, one: Shape, other: Shape) -> TensorInfo:
        if one.offset or other.offset or one.dtype != other.dtype:
            raise Unusual("a tensor that begins within another")
        size = self.recorded.sizes.size
        sizes, strides = (tuple(map(size, *pair)) for pair in ((one.sizes, other.sizes), (one.strides, other.strides)))
        return TensorInfo(sizes, str(one.dtype).removeprefix("torch."), str(self.recorded.device), strides)

    def run(self, names: list[str]) -> ir.Module:
        first, module = self.recorded.first, ir.Module.create()
        types = [self.infos[n].type() for n in first.inputs]
        results = [self.infos[n].type() for n in first.outputs]
        attributes = {
            "sym_name": ir.StringAttr.get("graph"),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, results)),
            "arg_attrs": ir.ArrayAttr.get([ir.DictAttr.get({"aten.name": ir.StringAttr.get(n)}) for n in names]),
            "aten.stage": ir.StringAttr.get("functional"),
            "aten.symbols": self._symbols(),
            "aten.io_writes": ir.ArrayAttr.get([]),
            "aten.io_aliases": self._aliases(),
            "aten.outputs": ir.ArrayAttr.get([aten.Operand.get(aten.size_attr(n)) for n in range(len(results))]),
        }
        function = ir.Operation.create("func.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module.body))
        block = function.regions[0].blocks.append(*types)
        self.values = dict(zip(first.inputs, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            for one, other in self.recorded.calls():
                self._call(one, other)
            ir.Operation.create("func.return", operands=[self.values[n] for n in first.outputs])
        return module

    def _symbols(self) -> ir.Attribute:
        """The symbols' ranges, as the importer has them."""
        i64 = ir.IntegerType.get_signless(64)
        facts = {name: (2, _LARGEST, size) for name, size in self.recorded.sizes.named().items()}
        return ir.DictAttr.get({n: ir.ArrayAttr.get([ir.IntegerAttr.get(i64, v) for v in vs]) for n, vs in facts.items()})

    def _aliases(self) -> ir.Attribute:
        """The groups of arguments (N) and results (-1 - N) that share storage."""
        first, groups = self.recorded.first, dict[int, list[int]]()
        for place, number in [*enumerate(first.inputs), *((-1 - n, r) for n, r in enumerate(first.outputs))]:
            groups.setdefault(first.shapes[number].storage, []).append(place)
        return ir.ArrayAttr.get([ir.ArrayAttr.get([aten.size_attr(n) for n in g]) for g in groups.values() if len(g) > 1])

    def _call(self, one: RecordedCall, other: RecordedCall) -> None:
        schema = aten_ops.declare(one.operator)
        if schema is None or schema.mutates or may_be_untrue(schema) or any(r.is_list for r in schema.returns):
            raise Unusual(one.operator)
        arguments: dict[str, Any] = {}
        for argument, a, b in zip(schema.arguments, one.args, other.args, strict=False):
            arguments[argument.name] = self._argument(self.recorded.value(a, b))
        arguments.update({n: self._argument(self.recorded.value(a, other.kwargs[n])) for n, a in one.kwargs.items()})
        infos = [self.infos[n] for n in one.results if n is not None]
        given = (v for a in schema.tensors for v in aten_ops.listed(arguments.get(a.name)))
        canonicalize(schema, arguments, [TensorInfo.of(v.type) for v in given if isinstance(v, ir.Value)], infos)
        types = [ir.NoneType.get() if n is None else self.infos[n].type() for n in one.results]
        op = aten_ops.create(schema.name, arguments, types)
        for number, result in zip(one.results, op.results, strict=True):
            if number is not None:
                self.values[number] = result

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Ref):
            return self.values[value.number]
        if isinstance(value, list):
            return [self._argument(v) for v in value]
        return plain_argument(value)
