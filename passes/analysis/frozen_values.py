"""Values that are the same in every call: computed from frozen arguments, which are parameters and buffers under `freezing=True`."""

from __future__ import annotations

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo, expressions
from ...dialects.narrowing import AnyOp, array, dictionary
from .alias_analysis import Aliases, base_name

# On an argument of the graph: its elements do not change from call to call.
FROZEN = "aten.frozen"
# On an argument that is a constant tensor of the graph.
CONSTANT = "aten.constant"
# Operators that return new memory, with elements that depend only on operands and arguments.
_COPIES = frozenset({
    "clone", "lift_fresh_copy", "full", "full_like", "new_full", "zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones",
})  # fmt: skip


def mark_frozen(function: ir.OpView, numbers: frozenset[int]) -> None:
    """Marks the tensors among these arguments as frozen."""
    marked = []
    for number, (argument, notes) in enumerate(zip(_arguments(function), array(function.attributes["arg_attrs"]), strict=True)):
        entries: dict[str, ir.Attribute] = {e.name: e.attr for e in dictionary(notes)}
        if number in numbers and isinstance(argument.type, ir.RankedTensorType):
            entries[FROZEN] = ir.UnitAttr.get()
        marked.append(ir.DictAttr.get(entries))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(marked)


def _arguments(function: ir.OpView) -> list[ir.BlockArgument]:
    return list(function.regions[0].blocks[0].arguments)


class FrozenValues:
    """The frozen values of one function; of these, `parameters` depend on a frozen argument."""

    def __init__(self, function: ir.OpView) -> None:
        self.parameters: set[ir.Value] = set()
        self.constants: set[ir.Value] = set()
        marked = _marked(function)
        if not any(FROZEN in notes for _, notes in marked):
            return
        self.aliases = Aliases(function)
        for argument, notes in marked:
            if self.aliases.root(argument) not in self.aliases.written:
                (self.parameters if FROZEN in notes else self.constants).add(argument)
        for view in function.regions[0].blocks[0].operations:
            self.note(view.operation)

    def __contains__(self, value: ir.Value) -> bool:
        return value in self.parameters or value in self.constants

    def note(self, op: AnyOp) -> None:
        """Notes the results of an operation, if they are frozen."""
        if op.name == "aten.number":
            self.constants.update(() if _names_a_symbol(op) else op.results)
        elif all(v in self for v in op.operands) and _is_computable(op):
            of_parameters = any(v in self.parameters for v in op.operands)
            (self.parameters if of_parameters else self.constants).update(op.results)


def _marked(function: ir.OpView) -> list[tuple[ir.Value, ir.DictAttr]]:
    """The frozen and constant arguments, with their attributes."""
    if "arg_attrs" not in function.attributes:
        return []
    pairs = zip(_arguments(function), map(dictionary, array(function.attributes["arg_attrs"])), strict=True)
    return [(argument, notes) for argument, notes in pairs if FROZEN in notes or CONSTANT in notes]


def _is_computable(op: AnyOp) -> bool:
    """Whether an operator computes tensors of fixed sizes from its arguments alone."""
    if not aten_ops.is_operator(op):
        return False
    schema = aten_ops.schema(op)
    if schema.mutates or schema.random or (schema.fresh and base_name(schema) not in _COPIES) or schema.name.split(".")[0] != "aten":
        return False
    if not len(op.results) or not all(isinstance(r.type, ir.RankedTensorType) for r in op.results):
        return False
    infos = [TensorInfo.of(r.type) for r in op.results]
    return all(isinstance(n, int) for info in infos for n in (*info.sizes, *info.strides, info.offset)) and not _names_a_symbol(op)


def _names_a_symbol(op: AnyOp) -> bool:
    """Whether an argument depends on a size that differs from call to call."""
    return any(e.free_symbols for name in op.attributes for e in expressions(op.attributes[name]))
