"""Converts a search function and its replacement, as functions of `aten`, to the text of a pattern: both functions, and PDL for the first.

PDL compares the operators, how they are connected, and every literal. What PDL can't express is compared with the search function when PDL
has found a candidate (`pattern_matching.py`): sizes as expressions, dtypes, devices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from torch_mlir import ir

from ....dialects import aten, aten_ops
from ....dialects.aten import TensorInfo, expressions
from ....dialects.narrowing import array, dictionary, text
from ....errors import MlirindError

# Operators whose two operands may be exchanged (`add` if alpha is 1).
COMMUTATIVE = frozenset(
    aten_ops.op_name(f"aten.{name}.Tensor") for name in ("add", "mul", "eq", "ne", "bitwise_and", "bitwise_or", "bitwise_xor")
) | {aten_ops.op_name(f"aten.{name}.default") for name in ("maximum", "minimum", "logical_and", "logical_or", "logical_xor")}
# This many operators are tried in both orders; each doubles the number of PDL patterns.
_SWAPPED = 4
# On an argument that is another argument permuted: the number of that one, and the dims.
PERMUTED = "pattern.permuted"
PERMUTE = "aten.permute"
# Names of values in a PDL pattern other than its inputs.
_OWN_NAME = re.compile(r"name|op\d+|type\d+_\d+|literal\d+")
_LEFT_OUT = ("aten.stage", "aten.symbols", "aten.outputs", "aten.io_aliases", "aten.io_writes", "aten.io_order", "aten.deterministic")


def convert(name: str, search: str, replace: str, scalars: Sequence[str]) -> str:
    """The text of the pattern's module, from the texts of two modules with one function each."""
    found, made = functions = [_function(role, text) for role, text in (("search", search), ("replace", replace))]
    _inputs_instead_of_permutes(found[1], made[1])
    _check(name, found[1], scalars)
    _check_results(name, found[1], made[1])
    parts = [_indented(str(f)) for _, f in functions]
    parts.insert(1, _indented("\n".join(_pdl(name, found[1]))))
    attributes = f" attributes {{pattern.scalars = {ir.ArrayAttr.get([ir.StringAttr.get(s) for s in scalars])}}}" if scalars else ""
    text = _with_type_names("\n".join([f"module @{name}{attributes} {{", *parts, "}"]))
    try:
        ir.Module.parse(text).operation.verify()
    except ir.MLIRError as error:
        raise MlirindError(f"pattern {name!r} could not be found by PDL: {error.error_diagnostics[0].message}") from error
    return text


def _function(role: str, text: str) -> tuple[ir.Module, ir.OpView]:
    """The function of a module, and the module, which keeps it alive."""
    module = ir.Module.parse(text)
    function = module.body.operations[0]
    function.attributes["sym_name"] = ir.StringAttr.get(role)
    for left_out in [n for n in _LEFT_OUT if n in function.attributes]:
        del function.attributes[left_out]
    for op in block_of(function).operations:
        for note in [n for n in op.attributes if n.startswith("aten.")]:
            del op.attributes[note]
    return module, function


def _with_type_names(text: str) -> str:
    """The text with a name for each tensor type, to keep lines readable."""
    names: dict[str, str] = {}
    parts, end = [], 0
    while (start := text.find("tensor<", end)) >= 0:
        parts.append(text[end:start])
        end, depth = start + len("tensor<"), 1
        while depth:
            depth += (text[end] == "<") - (text[end] == ">")
            end += 1
        parts.append(names.setdefault(text[start:end], f"!t{len(names)}"))
    definitions = [f"{name} = {type_}" for type_, name in names.items()]
    return "\n".join([*definitions, "".join([*parts, text[end:]])])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def block_of(function: ir.OpView | ir.Operation) -> ir.Block:
    """The body of a function."""
    return function.regions[0].blocks[0]


def input_names(function: ir.OpView | ir.Operation) -> list[str]:
    """The names of a pattern's inputs."""
    return [text(dictionary(a)["aten.name"]) for a in array(function.attributes["arg_attrs"])]


def _inputs_instead_of_permutes(search: ir.OpView, replace: ir.OpView) -> None:
    """Makes a permute of an input an input itself, related to the other: the graph may have the permute elsewhere. An input that is only
    used permuted is replaced by the permuted one, which the replacement permutes back."""
    block = block_of(search)
    attributes = list(map(dictionary, array(search.attributes["arg_attrs"])))
    for number, argument in enumerate(list(block.arguments)):
        permutes = [use.owner.operation for use in argument.uses if use.owner.operation.name == PERMUTE]
        if not permutes:
            continue
        dims = [aten_ops.arguments(p)["dims"] for p in permutes]
        base = list(range(len(dims[0])))
        if len(permutes) == len(list(argument.uses)):
            base = dims[0]
            _permute_back(block_of(replace), number, permutes[0].result.type, base)
            argument.set_type(permutes[0].result.type)
        for permute, order in zip(permutes, dims, strict=True):
            if order == base:
                permute.result.replace_all_uses_with(argument)
            else:
                related = block.add_argument(permute.result.type, permute.location)
                permute.result.replace_all_uses_with(related)
                relation = [number, *(base.index(d) for d in order)]
                entries: dict[str, ir.Attribute] = {PERMUTED: ir.ArrayAttr.get([aten.size_attr(r) for r in relation])}
                entries["aten.name"] = ir.StringAttr.get(f"{text(attributes[number]['aten.name'])}_{len(block.arguments)}")
                attributes.append(ir.DictAttr.get(entries))
            permute.erase()
    search.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
    for function in (search, replace):
        body = block_of(function)
        results = [v.type for v in list(body.operations)[-1].operands]
        signature = ir.FunctionType.get([a.type for a in body.arguments], results)
        function.attributes["function_type"] = ir.TypeAttr.get(signature)


def _permute_back(block: ir.Block, number: int, type_: ir.Type, dims: list[int]) -> None:
    argument = block.arguments[number]
    before = argument.type
    back = aten_ops.create(
        "aten.permute.default",
        {"self": argument, "dims": [dims.index(d) for d in range(len(dims))]},
        [before],
        ip=ir.InsertionPoint.at_block_begin(block),
    )
    argument.replace_all_uses_except(back.result, back)
    argument.set_type(type_)


def _check(name: str, search: ir.OpView, scalars: Sequence[str]) -> None:
    """Raises if the pattern could not work."""
    block = block_of(search)
    *ops, ending = list(block.operations)
    if not ops:
        raise MlirindError(f"pattern {name!r}: the search function computes nothing")
    for argument, input_name in zip(block.arguments, input_names(search), strict=True):
        if not list(argument.uses):
            raise MlirindError(f"pattern {name!r}: the search function does not use {input_name!r}")
    for value in ending.operands:
        if isinstance(value, ir.BlockArgument):
            raise MlirindError(f"pattern {name!r}: the search function returns an input, or a permute of one, as it is")
    parts = _parts(ops)
    if len(parts) > 1:
        one, other = (", ".join(dict.fromkeys(aten_ops.pytorch_name(op) for op in part if aten_ops.is_operator(op))) for part in parts[:2])
        raise MlirindError(
            f"pattern {name!r}: the search function has parts that have no tensor in common ({one} and {other}): "
            "make each a pattern of its own"
        )
    computed = (e for op in ops for a in op.attributes for e in expressions(op.attributes[a]) if not e.is_Symbol)
    for expression in computed:
        if used := {str(s) for s in expression.free_symbols}.intersection(scalars):
            raise MlirindError(
                f"pattern {name!r}: the search function computes {expression} of {', '.join(sorted(used))}: operators must take "
                "a number of scalars= unchanged; make the computed number a parameter too"
            )
    present = {str(s) for op in ops for a in op.attributes for e in expressions(op.attributes[a]) for s in e.free_symbols}
    for scalar in scalars:
        if scalar not in present:
            raise MlirindError(f"pattern {name!r}: no operator of the search function takes {scalar!r} as it is")


def _parts(ops: Sequence[ir.OpView]) -> list[list[ir.OpView]]:
    """The operators in connected groups: PDL goes from one operator to the next (and crashes if it can't)."""
    groups: list[tuple[set[ir.Value], list[ir.OpView]]] = []
    for op in ops:
        values = {*op.operands, *op.results}
        joined = [g for g in groups if not g[0].isdisjoint(values)]
        groups = [g for g in groups if g not in joined]
        groups.append((values.union(*(g[0] for g in joined)), [*(o for g in joined for o in g[1]), op]))
    return [group for _, group in groups]


def _check_results(name: str, search: ir.OpView, replace: ir.OpView) -> None:
    """Raises if the replacement can never be used, because its results differ for the examples already."""
    found, made = ([v.type for v in list(block_of(f).operations)[-1].operands] for f in (search, replace))
    if len(found) != len(made):
        raise MlirindError(f"pattern {name!r}: the replacement gives {len(made)} results, the search function {len(found)}")
    for number, (a, b) in enumerate(zip(found, made, strict=True)):
        if not isinstance(a, ir.RankedTensorType) or not isinstance(b, ir.RankedTensorType):
            continue
        one, other = TensorInfo.of(a), TensorInfo.of(b)
        if (one.dtype, one.rank) != (other.dtype, other.rank):
            raise MlirindError(
                f"pattern {name!r}: result {number} of the replacement is {other.dtype} of {other.rank} dims, "
                f"that of the search function {one.dtype} of {one.rank}"
            )


def is_open(attribute: ir.Attribute) -> bool:
    """Whether an attribute depends on the match: it holds an expression or a device."""
    if isinstance(attribute, ir.ArrayAttr):
        return any(map(is_open, attribute))
    if isinstance(attribute, aten.Enum):
        return attribute.kind.maybe_downcast().value == "device"
    return isinstance(attribute, aten.Expr)


def _pdl(name: str, search: ir.OpView) -> Iterator[str]:
    """The lines of the PDL patterns: one pattern for each order of the operands of commutative operators."""
    *ops, _ = list(block_of(search).operations)
    swappable = [n for n, op in enumerate(ops) if _order_matters(op)][:_SWAPPED]
    for variant, choice in enumerate(product((False, True), repeat=len(swappable))):
        swapped = {n for n, chosen in zip(swappable, choice, strict=True) if chosen}
        label = f"{name}_pattern" if name in ("search", "replace") else name
        label = label if variant == 0 else f"{label}_{variant}"
        yield from _PdlText(name, search, swapped).lines(label)


def commutes(op: ir.Operation) -> bool:
    """Whether the two operands of a call may be exchanged."""
    return op.name in COMMUTATIVE and ("alpha" not in op.attributes or op.attributes["alpha"] == aten.size_attr(1))


def _order_matters(op: ir.OpView) -> bool:
    """Whether the operands in the other order would be a different match."""
    if not commutes(op.operation):
        return False
    one, other = op.operands
    if one == other or any(map(aten_ops.is_number, (one, other))):
        return False
    return not all(isinstance(v, ir.BlockArgument) and len(list(v.uses)) == 1 for v in (one, other))


class _PdlText:
    """One PDL pattern. `collect` receives the pattern's name, the inputs, and the operations in the order of the search function."""

    def __init__(self, name: str, search: ir.OpView, swapped: set[int]) -> None:
        self.name, self.swapped = name, swapped
        self.block = block_of(search)
        names = [f"{n}_input" if _OWN_NAME.fullmatch(n) else n for n in input_names(search)]
        self.values: dict[ir.Value, str] = {a: f"%{n}" for a, n in zip(self.block.arguments, names, strict=True)}
        self.inputs = list(self.values.values())
        self.constants: dict[str, str] = {}

    def lines(self, label: str) -> Iterator[str]:
        *ops, _ = list(self.block.operations)
        body = [line for number, op in enumerate(ops) for line in self._operation(number, op)]
        yield f"pdl.pattern @{label} : benefit({len(ops)}) {{"
        yield from (f"  {name} = pdl.operand" for name in self.inputs)
        yield from (f"  {name} = pdl.attribute = {text}" for text, name in self.constants.items())
        yield from body
        given = ["%name", *self.inputs, *(f"%op{n}" for n in range(len(ops)))]
        types = ["!pdl.attribute", *["!pdl.value"] * len(self.inputs), *["!pdl.operation"] * len(ops)]
        yield f'  %name = pdl.attribute = "{self.name}"'
        yield f'  pdl.apply_native_constraint "collect"({", ".join(given)} : {", ".join(types)})'
        yield f'  pdl.rewrite %op{len(ops) - 1} with "replace"'
        yield "}"

    def _operation(self, number: int, op: ir.OpView) -> Iterator[str]:
        operands = [self.values[v] for v in op.operands]
        if number in self.swapped:
            operands.reverse()
        attributes = [f'"{n}" = {self._constant(op.attributes[n])}' for n in sorted(op.attributes) if not is_open(op.attributes[n])]
        types = [f"%type{number}_{i}" for i in range(len(op.results))]
        yield from (f"  {t} = pdl.type" for t in types)
        text = f'  %op{number} = pdl.operation "{op.operation.name}"'
        if operands:
            text += f"({', '.join(operands)} : {', '.join(['!pdl.value'] * len(operands))})"
        if attributes:
            text += f" {{{', '.join(attributes)}}}"
        yield f"{text} -> ({', '.join(types)} : {', '.join(['!pdl.type'] * len(types))})"
        for index, result in enumerate(op.results):
            if any(use.owner.operation.name != "func.return" for use in result.uses):
                self.values[result] = f"%op{number}.r{index}"
                yield f"  %op{number}.r{index} = pdl.result {index} of %op{number}"

    def _constant(self, attribute: ir.Attribute) -> str:
        return self.constants.setdefault(str(attribute), f"%literal{len(self.constants)}")


def operators(search: ir.OpView | ir.Operation) -> frozenset[str]:
    """The ops that a graph must have for the pattern to be in it."""
    return frozenset(op.operation.name for op in block_of(search).operations if op.operation.name != "func.return")


def tensor_device(value: ir.Value) -> str:
    """The device of a tensor."""
    return TensorInfo.of(value.type).device
