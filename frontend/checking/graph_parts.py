"""A part of a graph as a graph of its own: some of its operations, with what the others would give them as arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch_mlir import ir

from ...dialects import aten
from ...dialects.aten import size_attr
from ...dialects.host import DONATED
from ...dialects.narrowing import AnyOp, dense_integers, entries
from ...lowering.launch.convert_to_host import graph_function
from ...passes.analysis.alias_analysis import io_groups
from ...passes.verify.verify_functional import EPILOGUE_OP

ALIASES, OUTPUTS, WRITES = "aten.io_aliases", "aten.outputs", "aten.io_writes"
# Operations that only make numbers and sizes: they stay where something reads them.
_NUMBERS = frozenset({"aten.number", "aten.sym_value"})


@dataclass(frozen=True)
class Place:
    """A value of a graph: result `result` of operation `operation`, both counted from 0; argument `result` if `operation` is -1."""

    operation: int
    result: int


@dataclass
class PartialGraph:
    """A part as a module, in the current context. `arguments`: the values of the whole graph that its arguments are."""

    module: ir.Module
    arguments: list[Place] = field(default_factory=list)


def returned_places(function: ir.OpView) -> list[Place]:
    """The values that the caller gets, each once."""
    block = function.regions[0].blocks[0]
    return list(dict.fromkeys(_operands(list(block.operations)[-1].operation, _numbers(block))))


def removable(function: ir.OpView) -> list[int]:
    """The operations that a part can do without: all but the return, numbers and sizes."""
    operations = list(function.regions[0].blocks[0].operations)[:-1]
    return [n for n, op in enumerate(operations) if op.operation.name not in _NUMBERS]


def frontier(function: ir.OpView, kept: Collection[int], returned: Collection[Place]) -> list[Place]:
    """What a part has to return: its operations' results that are among `returned`, or that other operations read."""
    block = function.regions[0].blocks[0]
    numbers = _numbers(block)
    found = [place for place in returned if place.operation in kept]
    for number, op in enumerate(block.operations):
        if number not in kept:
            found += [place for place in _operands(op.operation, numbers) if place.operation in kept]
    return list(dict.fromkeys(found))


def graph_part(text: str, kept: Collection[int], returned: Sequence[Place]) -> PartialGraph:
    """The part of the graph in `text` with the operations `kept`, which returns the values `returned`. Results of other operations become
    arguments, arguments that nothing reads are dropped. Must be called with the compiler's context."""
    module = ir.Module.parse(text)
    function = graph_function(module)
    block = function.regions[0].blocks[0]
    operations = [view.operation for view in block.operations]
    values: dict[Place, ir.Value] = {Place(n, r): value for n, op in enumerate(operations) for r, value in enumerate(op.results)}
    values |= {Place(-1, n): argument for n, argument in enumerate(block.arguments)}
    notes = entries(function, "arg_attrs") or [ir.DictAttr.get({})] * len(block.arguments)
    part = PartialGraph(module, [Place(-1, n) for n in range(len(block.arguments))])
    aliases = _with_places(function, _operands(operations[-1], _numbers(block)))
    _return(operations[-1], [values[place] for place in returned])
    gone = [n for n in range(len(operations) - 1) if n not in kept and operations[n].name not in _NUMBERS]
    for number in gone:
        for result, value in enumerate(operations[number].results):
            argument = block.add_argument(value.type, operations[number].location)
            value.replace_all_uses_with(argument)
            part.arguments.append(Place(number, result))
            notes.append(ir.DictAttr.get({"aten.name": ir.StringAttr.get(f"value_{number}_{result}")}))
    for number in reversed(gone):
        operations[number].erase()
    _drop_unread(block)
    _drop_arguments(block, part, notes)
    _describe(function, block, part, notes, list(returned), aliases)
    return part


def _return(ending: AnyOp, values: Sequence[ir.Value]) -> None:
    ir.Operation.create("func.return", operands=list(values), loc=ending.location, ip=ir.InsertionPoint(ending))
    ending.erase()


def _drop_unread(block: ir.Block) -> None:
    """Erases numbers and sizes that nothing reads."""
    for view in reversed(list(block.operations)):
        op = view.operation
        if op.name in _NUMBERS and not any(list(r.uses) for r in op.results):
            op.erase()


def _drop_arguments(block: ir.Block, part: PartialGraph, notes: list[ir.Attribute]) -> None:
    """Drops tensors that nothing reads; integers may give the graph's symbols their values."""
    for number in reversed(range(len(block.arguments))):
        argument = block.arguments[number]
        if isinstance(argument.type, ir.RankedTensorType | ir.NoneType) and not list(argument.uses):
            block.erase_argument(number)
            del part.arguments[number], notes[number]


def _with_places(function: ir.OpView, outputs: Sequence[Place]) -> list[list[Place]]:
    """The groups of arguments and results that share storage. `outputs`: what the function returns."""
    return [[Place(-1, n) if n >= 0 else outputs[-1 - n] for n in group] for group in io_groups(function)]


def _describe(
    function: ir.OpView,
    block: ir.Block,
    part: PartialGraph,
    notes: Sequence[ir.Attribute],
    returned: Sequence[Place],
    aliases: Sequence[Sequence[Place]],
) -> None:
    """Gives the function the attributes that fit its arguments and results."""
    attributes = function.attributes
    types = [a.type for a in block.arguments], [v.type for v in list(block.operations)[-1].operation.operands]
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
    attributes["arg_attrs"] = ir.ArrayAttr.get(notes)
    attributes[OUTPUTS] = ir.ArrayAttr.get([aten.Operand.get(size_attr(n)) for n in range(len(returned))])
    arguments = {place: n for n, place in enumerate(part.arguments)}
    if ALIASES in attributes:
        numbers = [
            [arguments[p] for p in group if p in arguments] + [-1 - n for n, p in enumerate(returned) if p in group] for group in aliases
        ]
        attributes[ALIASES] = _numbers_attribute(numbers)
    if WRITES in attributes:
        copies = [op.operation.operands[0] for op in block.operations if op.operation.name == EPILOGUE_OP]
        attributes[WRITES] = ir.ArrayAttr.get([size_attr(v.arg_number) for v in copies if isinstance(v, ir.BlockArgument)])
    if DONATED in attributes:
        donated = {Place(-1, n) for n in dense_integers(attributes[DONATED])}
        attributes[DONATED] = ir.DenseI64ArrayAttr.get([n for n, place in enumerate(part.arguments) if place in donated])


def _numbers_attribute(groups: Sequence[Sequence[int]]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.ArrayAttr.get([size_attr(n) for n in group]) for group in groups if len(group) > 1])


def _numbers(block: ir.Block) -> Callable[[AnyOp], int]:
    known = {view.operation: number for number, view in enumerate(block.operations)}
    return lambda op: known[op.operation]


def _place(value: ir.Value, number: Callable[[AnyOp], int]) -> Place:
    if isinstance(value, ir.BlockArgument):
        return Place(-1, value.arg_number)
    result: Any = value
    return Place(number(result.owner), result.result_number)


def _operands(op: ir.Operation, number: Callable[[AnyOp], int]) -> list[Place]:
    return [_place(value, number) for value in op.operands]
