"""Ordered calls in `host`: calls of the operators themselves. The sequence has an order and needs no tokens."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import NoneValue, Operand, size_attr, size_of
from ...dialects.host import ORDER
from ...dialects.narrowing import array
from ...passes.analysis.node_identity import NODE
from ...passes.verify.verify_order import takes_token, token_of


def order_attributes(op: ir.OpView) -> dict[str, ir.Attribute]:
    """The attributes that identify the graph's ordered call of a `host.call`."""
    return {ORDER: op.attributes[NODE]} if aten_ops.schema(op).ordered and NODE in op.attributes else {}


def original(name: str) -> str:
    """The operator that a form with a token stands for."""
    from ...bridge.ordered_forms import form_named, originals

    form_named(name)
    return str(originals[name])


def drop_tokens(function: ir.OpView) -> list[ir.BlockArgument]:
    """Removes the tokens from a graph's results: its caller gets None for each. Returns the arguments that are tokens."""
    block = function.regions[0].blocks[0]
    forms = [op for op in block.operations if takes_token(op)]
    taken = [token for op in forms if (token := token_of(op)) is not None]
    tokens = {*taken, *(op.results[0] for op in forms)}
    *_, ending = block.operations
    values = list(ending.operands)
    kept = [n for n, v in enumerate(values) if v not in tokens]
    if len(kept) < len(values):
        entries = list(array(function.attributes["aten.outputs"])) if "aten.outputs" in function.attributes else _all(len(values))
        function.attributes["aten.outputs"] = ir.ArrayAttr.get([_entry(e, kept) for e in entries])
        ir.Operation.create("func.return", operands=[values[n] for n in kept], loc=ending.location, ip=ir.InsertionPoint(ending))
        ending.operation.erase()
    return [token for token in taken if isinstance(token, ir.BlockArgument)]


def retype_tokens(function: ir.OpView, tokens: Sequence[ir.BlockArgument]) -> None:
    """Changes the type of the token arguments, which are unused by now, to what a call passes: `none`."""
    block = function.regions[0].blocks[0]
    for token in tokens:
        token.set_type(ir.NoneType.get())
    *_, ending = block.operations
    types = ir.FunctionType.get([a.type for a in block.arguments], [v.type for v in ending.operands])
    function.attributes["function_type"] = ir.TypeAttr.get(types)


def _all(count: int) -> list[ir.Attribute]:
    return [Operand.get(size_attr(n)) for n in range(count)]


def _entry(entry: ir.Attribute, kept: Sequence[int]) -> ir.Attribute:
    """An output by its operand's present position; None for a removed one."""
    if not isinstance(entry, Operand):
        return entry
    number = int(size_of(entry.index))
    return Operand.get(size_attr(kept.index(number))) if number in kept else NoneValue.get()
