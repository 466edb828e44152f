"""Finds patterns in a function: PDL collects candidates; then everything that PDL can't compare is compared, such as sizes and dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch_mlir import ir
from torch_mlir.rewrite import FrozenRewritePatternSet, PDLModule, walk_and_apply_patterns

from ....dialects import aten, aten_ops, aten_values
from ....dialects.aten import Size, TensorInfo, memory
from ....dialects.lazy import sympy
from ....dialects.narrowing import array, dictionary, maker, text, texts
from ....errors import UserPassFailed
from ...analysis.refused import Refused
from .pattern_conversion import PERMUTE, PERMUTED, block_of, commutes, input_names, is_open
from .pattern_set import Pattern

# Operators that return the same elements, or permute them.
_COPIES = frozenset(("aten.clone", "aten.alias", "aten.detach"))


@dataclass
class Parsed:
    """A pattern in the current context."""

    pattern: Pattern
    module: ir.Module
    search: ir.OpView
    replace: ir.OpView
    scalars: list[str]
    names: list[str]


@dataclass
class Match:
    """A match: `inputs` by name; `operations` in the order of the search function; `scalars`: the numbers that the pattern leaves open;
    `sizes`: the values of its symbolic sizes."""

    parsed: Parsed = field(repr=False)
    inputs: dict[str, ir.Value]
    operations: list[ir.Operation]
    scalars: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The pattern's name."""
        return self.parsed.pattern.name

    def info(self, name: str) -> TensorInfo:
        """The type of an input."""
        return TensorInfo.of(self.inputs[name].type)

    def results(self) -> list[ir.Value]:
        """The values that will be replaced."""
        return [self.value_of(v) for v in list(block_of(self.parsed.search).operations)[-1].operands]

    def value_of(self, value: ir.Value) -> ir.Value:
        """The value of the graph for a value of the search function."""
        ops = [op.operation for op in block_of(self.parsed.search).operations]
        return self.operations[ops.index(maker(value).operation)].results[ir.OpResult(value).result_number]


class Differs(Refused):
    """An operation differs from the pattern's."""


def parse(pattern: Pattern) -> Parsed:
    """The pattern in the current context; its text is parsed once for each context. Raises UserPassFailed if the text is not valid."""
    known: dict[Any, Parsed] = memory().patterns
    if pattern not in known:
        try:
            module = ir.Module.parse(pattern.text)
        except ir.MLIRError as error:
            reason = error.error_diagnostics[0].message
            raise UserPassFailed(
                f"pattern {pattern.name!r}: its text is not valid here, register it from its functions: {reason}"
            ) from error
        functions = {text(f.attributes["sym_name"]): f for f in module.body.operations if f.operation.name == "func.func"}
        attributes = module.operation.attributes
        scalars = texts(attributes["pattern.scalars"]) if "pattern.scalars" in attributes else []
        search = functions["search"]
        known[pattern] = Parsed(pattern, module, search, functions["replace"], scalars, input_names(search))
    return known[pattern]


class Finder:
    """The patterns of one set, compiled for the current context."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self.parsed = {p.name: parse(p) for p in patterns}
        self.source = ir.Module.create()  # a PDLModule does not keep its source alive
        for parsed in self.parsed.values():
            for op in parsed.module.body.operations:
                if op.operation.name == "pdl.pattern":
                    op.operation.clone(ir.InsertionPoint(self.source.body))
        pdl = PDLModule(self.source)
        pdl.register_constraint_function("collect", self._collect)
        pdl.register_rewrite_function("replace", lambda *_: None)
        self.frozen: FrozenRewritePatternSet = pdl.freeze()
        self.found: list[Match] = []

    def _collect(self, _rewriter: Any, _results: Any, given: list[Any]) -> bool:
        """Notes a candidate, then returns True, which is a failure in MLIR: nothing must be rewritten while the function is walked."""
        parsed = self.parsed[given[0].value]
        count = len(parsed.names)
        self.found.append(Match(parsed, dict(zip(parsed.names, given[1 : 1 + count], strict=True)), given[1 + count :]))
        return True

    def find(self, function: ir.OpView) -> list[Match]:
        """The candidates in a function, ordered by their last operations, larger patterns first."""
        self.found = []
        walk_and_apply_patterns(function.operation, self.frozen)
        found, self.found = self.found, []
        return found


def finder(patterns: Sequence[Pattern]) -> Finder:
    """The finder of these patterns; there is one for each context."""
    known: dict[Any, Finder] = memory().patterns
    key = tuple(patterns)
    if key not in known:
        known[key] = Finder(patterns)
    return known[key]


def compare_match(match: Match, equal: Callable[[Size, Size], bool]) -> None:
    """Compares what PDL has not compared, and fills in `scalars` and `sizes`. Raises `Refused`."""
    _Comparison(match, equal).run()


class _Comparison:
    def __init__(self, match: Match, equal: Callable[[Size, Size], bool]) -> None:
        self.match, self.equal = match, equal
        self.later: list[tuple[str, Any, Any]] = []
        self.dtypes: dict[str, str] = {}
        self.scalars = set(match.parsed.scalars)
        self.device: str | None = None

    def run(self) -> None:
        search = block_of(self.match.parsed.search)
        arguments = list(search.arguments)
        for argument, value in zip(arguments, self.match.inputs.values(), strict=True):
            self._type(argument.type, value.type)
        values: dict[ir.Value, ir.Value] = dict(zip(arguments, self.match.inputs.values(), strict=True))
        for wanted, found in zip(list(search.operations), self.match.operations, strict=False):
            self._call(wanted.operation, found, values)
            for a, b in zip(wanted.results, found.results, strict=True):
                values[a] = b
                if wanted.operation.name != "aten.number":
                    self._type(a.type, b.type)
        for what, expression, found_size in self.later:
            size = substitute_size(expression, self.match.sizes)
            if not self.equal(size, found_size):
                raise Refused(f"{what}: {expression} is {size} here, found {found_size}")
        self._permuted()

    def _call(self, wanted: ir.Operation, found: ir.Operation, values: dict[ir.Value, ir.Value]) -> None:
        """Compares an operation completely, because MLIR's PDL interpreter compares neither the name nor the attributes of an operation
        that lies between two results of the pattern."""
        if wanted.name != found.name:
            raise Differs(f"{found.name} in place of {wanted.name}")
        operands, others = list(wanted.operands), list(found.operands)
        orders = (others, others[::-1]) if commutes(wanted) else (others,)
        if not any(len(o) == len(operands) and all(self._operand(a, b, values) for a, b in zip(operands, o, strict=True)) for o in orders):
            raise Differs(f"other operands of {found.name}")
        for name in wanted.attributes:
            if name not in found.attributes:
                raise Differs(f"{found.name} without {name}")
            if is_open(wanted.attributes[name]):
                self._attribute(wanted.attributes[name], found.attributes[name])
            elif wanted.attributes[name] != found.attributes[name]:
                raise Differs(f"{name} of {found.name} is {found.attributes[name]}, want {wanted.attributes[name]}")

    def _operand(self, wanted: ir.Value, found: ir.Value, values: dict[ir.Value, ir.Value]) -> bool:
        """Whether the operand is the value that stands for `wanted`; a number matches any equal number."""
        if not aten_ops.is_number(wanted):
            return values[wanted] == found
        if not aten_ops.is_number(found):
            return False
        number, other = wanted.owner.attributes["value"], found.owner.attributes["value"]
        if is_open(number):
            self._attribute(number, other)
            return True
        return number == other

    def _type(self, wanted: ir.Type, found: ir.Type) -> None:
        if not isinstance(wanted, ir.RankedTensorType) or not isinstance(found, ir.RankedTensorType):
            if wanted != found:
                raise Refused(f"a result of type {found}")
            return
        a, b = TensorInfo.of(wanted), TensorInfo.of(found)
        if a.rank != b.rank:
            raise Refused(f"{b.rank} dims in place of {a.rank}")
        if self.dtypes.setdefault(a.dtype, b.dtype) != b.dtype:
            raise Refused(f"dtype {b.dtype} where others are {self.dtypes[a.dtype]}")
        if self.device is None and b.rank:
            self.device = b.device
        for x, y in zip(a.sizes, b.sizes, strict=True):
            self._size("a size", x, y)

    def _size(self, what: str, wanted: Any, found: Any) -> None:
        if isinstance(wanted, int):
            if not self.equal(wanted, found):
                raise Refused(f"{what}: want {wanted}, found {found}")
        elif wanted.is_Symbol and wanted.name not in self.match.sizes:
            self.match.sizes[wanted.name] = found
        else:
            self.later.append((what, wanted, found))

    def _attribute(self, wanted: ir.Attribute, found: ir.Attribute) -> None:
        if isinstance(wanted, ir.ArrayAttr):
            if not isinstance(found, ir.ArrayAttr) or len(wanted) != len(found):
                raise Refused(f"{found} in place of {wanted}")
            for a, b in zip(wanted, found, strict=True):
                self._attribute(a, b)
        elif isinstance(wanted, aten.Enum):
            self._device(found)
        elif isinstance(wanted, aten.Expr):
            self._number(aten.size_of(wanted), found)
        elif wanted != found:
            raise Refused(f"{found} in place of {wanted}")

    def _number(self, wanted: Any, found: ir.Attribute) -> None:
        value = aten_values.decode(found)
        if str(wanted) in self.scalars:
            known = self.match.scalars.setdefault(str(wanted), value)
            if known != value or type(known) is not type(value):
                raise Refused(f"{wanted}: {known} and {value}")
        elif isinstance(value, bool) or not isinstance(value, (int, sympy.Expr)):
            raise Refused(f"{value} in place of {wanted}")
        else:
            self._size("an argument", wanted, value)

    def _device(self, found: ir.Attribute) -> None:
        value = aten_values.decode(found)
        if self.device is not None and value not in (None, self.device):
            raise Refused(f"device {value}, the inputs are on {self.device}")

    def _permuted(self) -> None:
        inputs = list(self.match.inputs.values())
        attributes = map(dictionary, array(self.match.parsed.search.attributes["arg_attrs"]))
        for value, known in zip(inputs, attributes, strict=True):
            if PERMUTED not in known:
                continue
            number, *dims = (int(aten.size_of(n)) for n in array(known[PERMUTED]))
            source, order = elements(inputs[number])
            if elements(value) != (source, [order[d] for d in dims]):
                raise Refused(f"{text(known['aten.name'])} is not input {number} permuted {dims}")


def elements(value: ir.Value) -> tuple[ir.Value, list[int]]:
    """The value that has the same elements, and the order of its dims here."""
    order = list(range(TensorInfo.of(value.type).rank))
    while isinstance(value, ir.OpResult):
        op = value.owner
        if op.name == PERMUTE:
            dims = aten_ops.arguments(op)["dims"]
            order = [dims[d] for d in order]
        elif op.name not in _COPIES:
            break
        value = op.operands[0]
    return value, order


def substitute_size(size: Any, sizes: dict[str, Size]) -> Size:
    """A size of the pattern in terms of the graph."""
    if isinstance(size, int):
        return size
    value = size.xreplace({s: sympy.sympify(sizes[s.name]) for s in size.free_symbols if s.name in sizes})
    return int(value) if value.is_Integer else value
