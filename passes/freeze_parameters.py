"""`freeze-parameters`: moves the computation of values that depend on frozen arguments alone to a function `@frozen`; the graph gets its
results as arguments.

Views stay in the graph, because they cost nothing. Results that the caller gets stay too: each call must return memory of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from torch_mlir import ir

from ..dialects import aten, aten_ops
from ..dialects.aten import TensorInfo
from ..dialects.narrowing import array, dictionary, function_type, maker
from .analysis.alias_analysis import STRIDED_VIEWS, base_name, functions_with_body
from .analysis.frozen_values import CONSTANT, FrozenValues
from .registry import register_pass

FUNCTION = "frozen"
# On that function: the numbers of the graph's arguments that it takes.
ARGUMENTS = "aten.frozen_arguments"
# Elements of the largest tensor that is kept, unless the parameters themselves have more.
LARGEST = 1 << 22


def freeze_parameters(module: ir.Module) -> None:
    """Moves the computation of frozen values out of every function that has frozen arguments."""
    for function in list(functions_with_body(module)):
        frozen = FrozenValues(function)
        if frozen.parameters:
            _freeze(module, function, frozen)


def _freeze(module: ir.Module, function: ir.OpView, frozen: FrozenValues) -> None:
    wanted = list(_wanted(function, frozen))
    block = function.regions[0].blocks[0]
    if wanted:
        _move(module, function, block, wanted)
    for view in reversed(list(block.operations)):
        op = view.operation
        if len(op.results) and op.results[0] in frozen and not any(list(r.uses) for r in op.results):
            op.erase()


def _move(module: ir.Module, function: ir.OpView, block: ir.Block, wanted: list[ir.Value]) -> None:
    """Makes the function, and makes its results arguments of the graph."""
    operations = _needed(block, wanted)
    arguments = [a for a in block.arguments if any(a == v for op in operations for v in op.operands)]
    notes = list(map(dictionary, array(function.attributes["arg_attrs"])))
    _function(module, operations, arguments, [notes[a.arg_number] for a in arguments], wanted)
    for number, value in enumerate(wanted):
        argument = block.add_argument(value.type, maker(value).location)
        value.replace_all_uses_with(argument)
        name = ir.StringAttr.get(f"frozen_{number}")
        notes.append(ir.DictAttr.get({"aten.name": name, CONSTANT: name}))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(notes)
    results = function_type(function).results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([a.type for a in block.arguments], results))


def _wanted(function: ir.OpView, frozen: FrozenValues) -> Iterator[ir.Value]:
    """The frozen values that become arguments."""
    block = function.regions[0].blocks[0]
    largest = max(LARGEST, *(_elements(a) for a in block.arguments if a in frozen.parameters))
    used: set[ir.Value] = set()
    found = []
    for view in reversed(list(block.operations)):
        op = view.operation
        if not len(op.results) or op.results[0] not in frozen:
            used.update(op.operands)
            continue
        results = [r for r in op.results if r in used]
        if results and all(_is_worth_it(r, frozen, largest) for r in results):
            found += results
        elif results:
            used.update(op.operands)
    yield from reversed(found)


def _is_worth_it(value: ir.Value, frozen: FrozenValues, largest: int) -> bool:
    """Whether a value is computed, from parameters, and is neither a result of the caller nor too large to keep."""
    if value not in frozen.parameters or frozen.aliases.escapes(value) or _elements(value) > largest:
        return False
    return base_name(aten_ops.schema(maker(value))) not in STRIDED_VIEWS


def _elements(value: ir.Value) -> int:
    sizes = TensorInfo.of(value.type).sizes
    return math.prod(s for s in sizes if isinstance(s, int))


def _needed(block: ir.Block, wanted: list[ir.Value]) -> list[ir.Operation]:
    """The operations that the values depend on, in order."""
    waiting = list(wanted)
    needed: set[ir.Value] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, ir.OpResult) and value.owner.results[0] not in needed:
            needed.add(value.owner.results[0])
            waiting += list(value.owner.operands)
    return [v.operation for v in block.operations if len(v.operation.results) and v.operation.results[0] in needed]


def _function(
    module: ir.Module, operations: list[ir.Operation], arguments: list[ir.BlockArgument], notes: list[ir.DictAttr], wanted: list[ir.Value]
) -> None:
    """Makes the function of these operations; `notes`: the attributes of its arguments."""
    types, results = ([v.type for v in values] for values in (arguments, wanted))
    attributes = {
        "sym_name": ir.StringAttr.get(FUNCTION),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, results)),
        "arg_attrs": ir.ArrayAttr.get([ir.DictAttr.get({e.name: e.attr for e in n if e.name == "aten.name"}) for n in notes]),
        "aten.stage": ir.StringAttr.get("functional"),
        ARGUMENTS: ir.ArrayAttr.get([aten.size_attr(a.arg_number) for a in arguments]),
    }
    made = ir.Operation.create("func.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module.body))
    block = made.regions[0].blocks.append(*types)
    values: dict[ir.Value, ir.Value] = dict(zip(arguments, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        for op in operations:
            clone = op.clone()
            for number, operand in enumerate(op.operands):
                clone.operands[number] = values[operand]
            values.update(zip(op.results, clone.results, strict=True))
        ir.Operation.create("func.return", operands=[values[v] for v in wanted])


register_pass("freeze-parameters", freeze_parameters)
