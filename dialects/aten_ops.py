"""The operators of `aten`: one op for each operator overload of PyTorch's registry.

Tensor arguments are operands. `operandSegmentSizes` says which optional ones are absent and how long lists are; it exists if there is a
list, or more than one optional tensor. Every other argument is an attribute of the argument's name, defaults and None included.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from torch_mlir import ir
from torch_mlir.dialects import irdl

from ..errors import UnsupportedGraph
from . import aten_effects, aten_registry, aten_table
from .aten import TensorInfo, memory
from .aten_names import mangle
from .aten_schema import Argument, Schema
from .aten_values import decode, encode, encode_number
from .narrowing import AnyOp, dense_integers
from .segments import run_sizes
from .symbolic_floats import is_float_expression

_NUMBER_DTYPES = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


def load(context: ir.Context) -> None:
    """Adds the operators to `context`, which has the `aten` dialect."""
    with context, ir.Location.unknown():
        irdl.load_dialects(ir.Module.parse(aten_registry.bytecode()))
        ordered = aten_registry.ordered()
        for name in aten_registry.names():
            if name not in ordered:
                aten_effects.attach(name)
        for added in aten_registry.added.values():
            _declare(added)


def declare(operator: Any) -> Schema | None:
    """Makes a `torch._ops.OpOverload` usable in the current context; returns None if the dialect can't express its schema."""
    found = aten_registry.add_schema(operator)
    if found is not None and found.op_name in aten_registry.added:
        _declare(found)
    return found


def _declare(added: Schema) -> None:
    # Declaring an op twice aborts the process.
    assert ir.Context.current is not None
    if ir.Context.current.is_registered_operation(added.op_name):
        return
    irdl.load_dialects(ir.Module.parse(aten_table.irdl_bytecode([added])))
    if not added.ordered:
        aten_effects.attach(added.op_name)


def op_name(name: str) -> str:
    """`aten.add.Tensor` -> `aten.add_tensor`."""
    return mangle(name)


def pytorch_name(op: AnyOp) -> str:
    """`aten.add_tensor` -> `aten.add.Tensor`."""
    return schema(op).name


def schema(op: AnyOp) -> Schema:
    """The schema of an op that stands for an operator of PyTorch."""
    found = aten_registry.schema_by_name(op.operation.name)
    assert found is not None, op.operation.name
    return found


def is_operator(op: AnyOp) -> bool:
    """Whether an op stands for an operator of PyTorch."""
    return aten_registry.schema_by_name(op.operation.name) is not None


def arguments(op: AnyOp) -> dict[str, Any]:
    """The arguments by name: `ir.Value`, None or a list of these for tensors, plain Python values for the rest. A Python number in a
    tensor's position (`aten.number`) is returned as the number."""
    op = op.operation
    found = schema(op)
    attributes = op.attributes
    values = memory().values
    result: dict[str, Any] = {}
    tensors = _operand_arguments(op, found, attributes)
    for argument in found.arguments:
        if argument.is_tensor:
            result[argument.name] = next(tensors)
            continue
        value = _decoded(attributes[argument.name], values)
        result[argument.name] = list(value) if type(value) is list else value
    return result


def tensors(op: AnyOp) -> dict[str, Any]:
    """The tensors among the `arguments`."""
    op = op.operation
    found = schema(op)
    return dict(zip((a.name for a in found.tensors), _operand_arguments(op, found, op.attributes), strict=True))


def _operand_arguments(op: ir.Operation, found: Schema, attributes: Any) -> Iterator[Any]:
    """The values of the tensor arguments, in order."""
    operands = [_number(v) if is_number(v) else v for v in op.operands]
    if found.one_operand_each:
        yield from operands
        return
    if found.needs_operand_segments:
        sizes = _list_sizes(found.tensors, attributes["operandSegmentSizes"])
    else:
        rest = len(operands) - len(found.tensors) + 1
        sizes = [rest if a.variadic else 1 for a in found.tensors]
    start = 0
    for argument, size in zip(found.tensors, sizes, strict=True):
        part = operands[start : start + size]
        start += size
        if argument.optional_elements:
            values = iter(part)
            yield [next(values) if present.value else None for present in attributes[argument.name]]
        elif argument.is_list:
            yield part
        else:
            yield part[0] if part else None


def _list_sizes(arguments: Sequence[Argument], segments: Sequence[int]) -> list[int]:
    """The number of operands or results of each argument or return: the sum of its groups."""
    groups = iter(segments)
    return [sum(next(groups) for _ in range(argument.groups)) for argument in arguments]


def listed(value: Any) -> list[Any]:
    """The value if it is a list, else a list of that one value."""
    return value if isinstance(value, list) else [value]


def is_number(value: ir.Value) -> TypeGuard[ir.OpResult]:
    """Whether a value is a Python number in a tensor's position."""
    return isinstance(value, ir.OpResult) and value.owner.name == "aten.number"


def _number(value: ir.OpResult) -> Any:
    return _decoded(value.owner.attributes["value"], memory().values)


def _decoded(attribute: ir.Attribute, values: dict[Any, Any]) -> Any:
    """The Python value of an attribute; `values` caches it."""
    value = values.get(attribute, values)
    if value is values:
        value = values[attribute] = decode(attribute)
    return value


def create_number(value: Any, loc: ir.Location | None = None, ip: ir.InsertionPoint | None = None) -> ir.Value:
    """An `aten.number`: a Python number in a tensor's position."""
    dtype = next((d for t, d in _NUMBER_DTYPES.items() if isinstance(value, t)), None) or (
        "float64" if is_float_expression(value) else "int64"
    )
    type_ = TensorInfo((), dtype, "cpu", ()).type()
    return ir.Operation.create("aten.number", [type_], attributes={"value": encode_number(value)}, loc=loc, ip=ip).result


def results(op: AnyOp) -> list[Any]:
    """The results: for each of the schema's returns a value, or a list of values."""
    op = op.operation
    returns = schema(op).returns
    values = list(op.results)
    if not any(r.is_list for r in returns):
        return values
    if len(returns) == 1:
        return [values]
    sizes = _list_sizes(returns, dense_integers(op.attributes["resultSegmentSizes"]))
    found: list[Any] = []
    for returned, size in zip(returns, sizes, strict=True):
        found.append(values[:size] if returned.is_list else values[0])
        values = values[size:]
    return found


def create(
    name: str,
    arguments: Mapping[str, Any],
    result_types: Sequence[ir.Type | Sequence[ir.Type]],
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
    extra: Mapping[str, ir.Attribute] | None = None,
) -> ir.Operation:
    """Creates the op of `name` (PyTorch's, "aten.add.Tensor"). Arguments as `arguments` gives them, defaults filled in.

    `result_types`: one entry per return, a sequence of types for a list. `extra`: discardable attributes. Raises `UnsupportedGraph` for
    None in place of a tensor that the schema wants.
    """
    found = aten_registry.schema_by_name(mangle(name))
    assert found is not None, f"{name}: unknown operator"
    unknown = sorted(arguments.keys() - found.argument_names)
    assert not unknown, f"{name} has no argument {', '.join(unknown)}; it has {', '.join(a.name for a in found.arguments)}"
    known = memory().attributes
    operands: list[ir.Value] = []
    sizes: list[int] = []
    attributes: dict[str, ir.Attribute] = dict(extra or {})
    for argument in found.arguments:
        value = arguments[argument.name] if argument.name in arguments else _default(name, argument)
        if not argument.is_tensor:
            attributes[argument.name] = _attribute(known, value, argument)
            continue
        if value is None and not argument.optional:
            raise UnsupportedGraph(f"{name} is given no tensor for {argument.name}")
        values = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
        if argument.optional_elements:
            attributes[argument.name] = ir.ArrayAttr.get([ir.BoolAttr.get(v is not None) for v in values])
            values = [v for v in values if v is not None]
        group = [v if isinstance(v, ir.Value) else create_number(v, loc, ip) for v in values]
        operands += group
        sizes += run_sizes([v.type for v in group]) if argument.is_list else [len(group)]
    if found.needs_operand_segments:
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
    types = _result_types(found, result_types, attributes)
    return ir.Operation.create(found.op_name, results=types, operands=operands, attributes=attributes, loc=loc, ip=ip)


def renew_runs(op: ir.Operation) -> None:
    """Computes the segment sizes of lists of operands and results again, after types have changed."""
    found = schema(op)
    for name, needed, parts, values in (
        ("operandSegmentSizes", found.needs_operand_segments, found.tensors, op.operands),
        ("resultSegmentSizes", found.needs_result_segments, found.returns, op.results),
    ):
        if not needed or not any(part.is_list for part in parts):
            continue
        types, sizes = [v.type for v in values], []
        for part, count in zip(parts, _list_sizes(parts, dense_integers(op.attributes[name])), strict=True):
            sizes += run_sizes(types[:count]) if part.is_list else [count]
            types = types[count:]
        op.attributes[name] = ir.DenseI32ArrayAttr.get(sizes)


def _default(name: str, argument: Argument) -> Any:
    if argument.has_default or argument.optional:
        return argument.default
    raise TypeError(f"{name}: argument {argument.name!r} is missing")


def _result_types(found: Schema, given: Sequence[Any], attributes: dict[str, ir.Attribute]) -> list[ir.Type]:
    if not any(r.is_list for r in found.returns):
        return list(given)
    parts = [list(g) if isinstance(g, (list, tuple)) else [g] for g in given]
    if found.needs_result_segments:
        sizes = [run_sizes(p) if r.is_list else [1] for r, p in zip(found.returns, parts, strict=True)]
        attributes["resultSegmentSizes"] = ir.DenseI32ArrayAttr.get([size for group in sizes for size in group])
    return [t for part in parts for t in part]


def _attribute(known: dict[Any, ir.Attribute], value: Any, argument: Argument) -> ir.Attribute:
    """The attribute of a value, cached if equal Python values have equal attributes."""
    kind = type(value)
    if kind in (list, tuple):
        if any(type(v) is not int for v in value):
            return encode(value, argument)
        value = tuple(value)
    elif kind not in (int, bool, str, type(None)):
        return encode(value, argument)
    key = (argument.kind, kind is bool, value)
    attribute = known.get(key)
    if attribute is None:
        attribute = known[key] = encode(value, argument)
    return attribute
