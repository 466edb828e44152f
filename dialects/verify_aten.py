"""The rules of the `aten` level that declarations can't express: layouts agree with shapes, arguments with schemas, stages hold."""

import difflib
from collections.abc import Iterable, Iterator

from torch_mlir import ir

from . import aten_ops
from .aten import Complex, Enum, Expr, Layout, NoneValue, Operand, size_of, stage_of
from .aten_schema import Argument, Schema
from .narrowing import dense_integers, dictionary, entries, integers
from .requirements import is_condition

Broken = tuple[ir.Operation, str]

DEVICES = frozenset({"cpu", "cuda", "meta", "mps", "xpu", "hpu", "mtia"})
STAGES = ("functional", "mutating", "host")
_SEGMENTS = frozenset({"operandSegmentSizes", "resultSegmentSizes"})
_ENUMERATIONS = frozenset({"dtype", "layout", "memory_format", "device"})
_NUMBERS = (ir.IntegerAttr, ir.FloatAttr, ir.BoolAttr, Complex, Expr)
_CLASSES: dict[str, tuple[type, ...]] = {
    "int": (ir.IntegerAttr, Expr), "float": (ir.FloatAttr, Expr), "bool": (ir.BoolAttr,), "str": (ir.StringAttr,), "complex": (Complex,),
    "Scalar": _NUMBERS, "generator": (),
}  # fmt: skip


def verify_function(function: ir.Operation) -> Iterator[Broken]:
    """Checks a graph's function and all operations in it."""
    symbols = _symbols(function)
    block = function.regions[0].blocks[0] if len(function.regions[0].blocks) else None
    if block is None:
        return
    for argument in block.arguments:
        problem = layout_problem(argument.type, symbols)
        if problem:
            yield function, f"argument {argument.arg_number}: {problem}"
    yield from ((function, problem) for problem in _attributes(function, symbols))
    functional = stage_of(function) == "functional"
    for view in block.operations:
        op = view.operation
        for number, result in enumerate(op.results):
            problem = layout_problem(result.type, symbols)
            if problem:
                yield op, f"result {number}: {problem}"
        if aten_ops.is_operator(op):
            yield from verify_operator(op)
            if functional:
                yield from _mutation(op)
        elif op.name == "func.return":
            yield from _outputs(function, op)


def _attributes(function: ir.Operation, symbols: frozenset[str] | None) -> Iterator[str]:
    """The errors in what a graph requires, and in its stage."""
    for condition in entries(function, "aten.requires"):
        problem = condition_problem(condition, symbols)
        if problem:
            yield f"aten.requires: {problem}"
    stage = stage_of(function)
    if stage is not None and stage not in STAGES:
        yield f'aten.stage = "{stage}" is none of {", ".join(STAGES)}'


def _symbols(function: ir.Operation) -> frozenset[str] | None:
    """The symbols that a function declares; None if it declares none."""
    if "aten.symbols" not in function.attributes:
        return None
    return frozenset(named.name for named in _named(dictionary(function.attributes["aten.symbols"])))


def _named(attribute: ir.DictAttr) -> Iterator[ir.NamedAttribute]:
    yield from (attribute[i] for i in range(len(attribute)))


def layout_problem(type_: ir.Type, symbols: frozenset[str] | None) -> str | None:
    """The error in the layout of a tensor type; None if it is right, or if the type is no tensor."""
    if not isinstance(type_, ir.RankedTensorType):
        return None
    layout, shape = type_.encoding, list(type_.shape)
    dynamic = [s == ir.ShapedType.get_dynamic_size() for s in shape]
    if layout is None:
        return 'a tensor with symbolic sizes has a layout: #aten.layout<"cpu", STRIDES, OFFSET, SIZES>' if any(dynamic) else None
    if not isinstance(layout, Layout):
        return "the encoding of a tensor is #aten.layout"
    device, strides, offset, sizes = (getattr(layout, f).maybe_downcast() for f in ("device", "strides", "offset", "sizes"))
    if device.value.split(":")[0] not in DEVICES:
        return f"there is no device {device.value!r}"
    if len(strides) != len(shape):
        return f"{len(strides)} strides for {len(shape)} dimensions"
    listed = [] if isinstance(sizes, ir.UnitAttr) else list(sizes) if isinstance(sizes, ir.ArrayAttr) else None
    if listed is None:
        return "sizes are an array or unit"
    problem = _sizes_problem(listed, shape, dynamic)
    return problem or next(filter(None, (_size_problem(s, symbols) for s in [*strides, offset, *listed])), None)


def _sizes_problem(sizes: list[ir.Attribute], shape: list[int], dynamic: list[bool]) -> str | None:
    if not any(dynamic):
        return "sizes are unit where no size is symbolic" if sizes else None
    if len(sizes) != len(shape):
        return f"{len(sizes)} sizes for {len(shape)} dimensions"
    for size, extent, is_dynamic in zip(sizes, shape, dynamic, strict=True):
        if is_dynamic != isinstance(size, Expr):
            return "sizes are expressions exactly where the shape is dynamic"
        if not is_dynamic and ir.IntegerAttr(size).value != extent:
            return f"a size of {ir.IntegerAttr(size).value} where the shape has {extent}"
    return None


def _size_problem(size: ir.Attribute, symbols: frozenset[str] | None) -> str | None:
    if isinstance(size, ir.IntegerAttr):
        return "a negative size, stride or offset" if size.value < 0 else None
    if not isinstance(size, Expr):
        return "a size, stride or offset is an integer or #aten.expr"
    return _unknown_symbol(size, symbols)


def condition_problem(condition: ir.Attribute, symbols: frozenset[str] | None) -> str | None:
    """The error in a requirement of a graph; None if it is right."""
    if not isinstance(condition, Expr) or not is_condition(size_of(condition)):
        return f"{condition} is no comparison of sizes"
    return _unknown_symbol(condition, symbols)


def _unknown_symbol(attribute: Expr, symbols: frozenset[str] | None) -> str | None:
    expression = size_of(attribute)
    used = set() if isinstance(expression, int) or symbols is None else {s.name for s in expression.free_symbols}
    unknown = used - (symbols or set())
    return f"the symbol {sorted(unknown)[0]} is not among aten.symbols" if unknown else None


def verify_operator(op: ir.Operation) -> Iterator[Broken]:
    """Checks an operator's operands and attributes against its schema."""
    schema = aten_ops.schema(op)
    for argument in schema.arguments:
        if argument.is_tensor and not argument.optional_elements:
            continue
        attribute = op.attributes[argument.name]
        if not (_present(attribute) if argument.is_tensor else fits(attribute, argument)):
            yield op, f"{argument.name} = {attribute} is no {_spelled(argument)}"
    yield from ((op, f"has {name}, {problem}") for name, problem in unknown_attributes(op, schema).items())
    yield from ((op, message) for message in _operands(op, schema))
    for result in op.results:
        if not isinstance(result.type, (ir.RankedTensorType, ir.NoneType, ir.IndexType)):
            yield op, "results are tensors, index or none"


def unknown_attributes(op: ir.Operation, schema: Schema) -> dict[str, str]:
    """The names of an operator's attributes that are neither arguments nor have a dialect's prefix, each with what is wrong."""
    known = {a.name for a in schema.arguments} | _SEGMENTS
    unknown = [name for name in op.attributes if "." not in name and name not in known]
    return {name: f"which is no argument of {schema.name}{did_you_mean(name, known - _SEGMENTS)}" for name in unknown}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the known names that are similar to a wrong one; empty if there is none."""
    close = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.6)
    return f": did you mean {' or '.join(close)}?" if close else ""


def fits(attribute: ir.Attribute, argument: Argument) -> bool:
    """Whether an attribute is a value of the argument."""
    if isinstance(attribute, NoneValue):
        return argument.optional
    if isinstance(attribute, ir.ArrayAttr):
        return argument.is_list and all(_fits_one(a, argument) for a in attribute)
    return _fits_one(attribute, argument)


def _fits_one(attribute: ir.Attribute, argument: Argument) -> bool:
    if argument.kind in _ENUMERATIONS:
        return isinstance(attribute, Enum) and attribute.kind.maybe_downcast().value == argument.kind
    if isinstance(attribute, NoneValue):
        return argument.optional_elements
    # A BoolAttr is no integer argument, although MLIR counts it as an IntegerAttr.
    return type(attribute) in _CLASSES[argument.kind]


def _present(attribute: ir.Attribute) -> bool:
    return isinstance(attribute, ir.ArrayAttr) and all(isinstance(a, ir.BoolAttr) for a in attribute)


def _spelled(argument: Argument) -> str:
    return f"{argument.kind}{'?' * argument.optional_elements}{'[]' * argument.is_list}{'?' * argument.optional}"


def _operands(op: ir.Operation, schema: Schema) -> Iterator[str]:
    if any(not isinstance(v.type, ir.RankedTensorType) for v in op.operands):
        yield "operands are tensors"
    if not schema.needs_operand_segments:
        return
    sizes = iter(dense_integers(op.attributes["operandSegmentSizes"]))
    for argument in schema.tensors:
        count = sum(next(sizes) for _ in range(argument.groups))
        if argument.optional and count > 1:
            yield f"{count} tensors for {argument.name}"
        if argument.optional_elements:
            wanted = sum(integers(op.attributes[argument.name]))
            if count != wanted:
                yield f"{count} tensors for {argument.name}, whose attribute counts {wanted}"


def _mutation(op: ir.Operation) -> Iterator[Broken]:
    """In a functional graph only `copy_` writes, and only to arguments of the graph."""
    schema = aten_ops.schema(op)
    if schema.mutates and (schema.name != "aten.copy_.default" or not isinstance(op.operands[0], ir.BlockArgument)):
        yield op, "writes to a value in a functional graph"


def _outputs(function: ir.Operation, op: ir.Operation) -> Iterator[Broken]:
    for output in entries(function, "aten.outputs"):
        index = output.index.maybe_downcast().value if isinstance(output, Operand) else 0
        if index and index >= len(op.operands):
            yield op, f"aten.outputs names operand {index} of {len(op.operands)}"
