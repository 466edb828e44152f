"""`group-linears`: linear layers of one input with weights of equal sizes become one batched product.

Only with the option `group_linears`: each call concatenates the weights, unless they are frozen (`freezing`). The result of each layer is
then a contiguous part of one result.
"""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from ..dialects.narrowing import maker
from .analysis.alias_analysis import STRIDED_VIEWS, Aliases, base_name, functions_with_body
from .analysis.frozen_values import FrozenValues
from .analysis.infer_metadata import TypeInference
from .analysis.node_identity import identity, same_region
from .refresh_metadata import mark_stale, refresh, set_types
from .registry import register_pass
from .rewrite_limit import may_rewrite

# On a function whose linear layers are grouped.
WANTED = "aten.group_linears"
MM, ADDMM = (aten_ops.op_name(f"aten.{n}.default") for n in ("mm", "addmm"))


def group_linears(module: ir.Module) -> None:
    """mm(x, v), mm(x, w) -> bmm([x, x], [v, w])[0], bmm([x, x], [v, w])[1]; addmm likewise"""
    for function in functions_with_body(module):
        if WANTED in function.attributes:
            _group(function)


def mark_grouping(module: ir.Module) -> None:
    """Marks the functions of a module, so that their linear layers are grouped."""
    for function in functions_with_body(module):
        function.attributes[WANTED] = ir.UnitAttr.get()


def _group(function: ir.OpView) -> None:
    grouping = _Grouping(function)
    groups: dict[Any, list[ir.Operation]] = {}
    for view in function.regions[0].blocks[0].operations:
        key = grouping.key(view.operation)
        if key is not None:
            groups.setdefault(key, []).append(view.operation)
    found = [group for group in groups.values() if len(group) > 1 and same_region(group)]
    for group in found:
        grouping.run(group)
    if found:
        refresh(function)


class _Grouping:
    def __init__(self, function: ir.OpView) -> None:
        self.aliases, self.frozen = Aliases(function), FrozenValues(function)
        self.inference = TypeInference(function)
        block = function.regions[0].blocks[0]
        self.positions = {v.operation.results[0]: n for n, v in enumerate(block.operations) if len(v.operation.results)}

    def key(self, op: ir.Operation) -> Any:
        """The properties that layers of one group share; None if an operation can't be in a group."""
        if op.name not in (MM, ADDMM) or self.aliases.escapes(op.results[0]):
            return None
        given = aten_ops.arguments(op)
        x, weight, bias = (given["mat1"], given["mat2"], given["self"]) if op.name == ADDMM else (given["self"], given["mat2"], None)
        if not all(v is None or self._is_parameter(v) for v in (weight, bias)):
            return None
        info = TensorInfo.of(weight.type)
        if bias is None:
            return x, info.sizes, info.dtype
        if (given["alpha"], given["beta"]) != (1, 1) or TensorInfo.of(bias.type).sizes != info.sizes[1:]:
            return None
        return x, info.sizes, info.dtype, "bias"

    def _is_parameter(self, value: ir.Value) -> bool:
        """Whether a value is frozen, or an argument that nobody writes, or a view of one: it can be moved anywhere."""
        if value in self.frozen:
            return True
        while isinstance(value, ir.OpResult) and aten_ops.is_operator(value.owner):
            if base_name(aten_ops.schema(value.owner)) not in STRIDED_VIEWS:
                return False
            value = value.owner.operands[0]
        return isinstance(value, ir.BlockArgument) and self.aliases.root(value) not in self.aliases.written

    def run(self, group: list[ir.Operation]) -> None:
        """Replaces the layers of a group by one product at the position of the first layer."""
        first = group[0]
        if not may_rewrite(f"group of {len(group)}", first):
            return
        for op in group:
            for value in op.operands:
                self._move(value, first)
        given = [aten_ops.arguments(op) for op in group]
        with ir.InsertionPoint(first), first.location:
            x = given[0]["mat1" if first.name == ADDMM else "self"]
            rows = self._call("expand", self=self._call("unsqueeze", self=x, dim=0), size=[len(group), *TensorInfo.of(x.type).sizes])
            weights = self._stacked([g["mat2"] for g in given], 0)
            if first.name == MM:
                made = self._call("bmm", self=rows, mat2=weights)
            else:
                bias = self._stacked([g["self"] for g in given], 0)
                made = self._call("baddbmm", self=self._call("unsqueeze", self=bias, dim=1), batch1=rows, batch2=weights)
            for name, attribute in identity(first, *group[1:]).items():
                maker(made).attributes[name] = attribute
            parts = [self._call("select.int", self=made, dim=0, index=n) for n in range(len(group))]
        for op, part in zip(group, parts, strict=True):
            for use in list(op.results[0].uses):
                if aten_ops.is_operator(use.owner):
                    mark_stale(use.owner.operation)
            op.results[0].replace_all_uses_with(part)
            op.erase()

    def _move(self, value: ir.Value, first: ir.Operation) -> None:
        """Moves the operations that make a value before the first layer of a group."""
        if isinstance(value, ir.BlockArgument):
            return
        op = maker(value)
        if self.positions[op.results[0]] < self.positions[first.results[0]]:
            return
        for operand in op.operands:
            self._move(operand, first)
        op.move_before(first)
        self.positions[op.results[0]] = -1

    def _stacked(self, values: list[ir.Value], dim: int) -> ir.Value:
        return self._call("cat", tensors=[self._call("unsqueeze", self=v, dim=dim) for v in values], dim=dim)

    def _call(self, name: str, /, **arguments: Any) -> ir.Value:
        like = next(v for a in arguments.values() for v in aten_ops.listed(a) if isinstance(v, ir.Value)).type
        op = aten_ops.create(f"aten.{name}" if "." in name else f"aten.{name}.default", arguments, [like])
        set_types(op, self.inference)
        return op.results[0]


register_pass("group-linears", group_linears)
