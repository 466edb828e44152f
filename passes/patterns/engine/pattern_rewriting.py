"""Applies patterns: a match is replaced if only the time can tell the difference.

A match is refused if an interior value is used elsewhere, if a write stands between its operations, if the replacement's operators refuse
the operands or return another dtype or other sizes, or if the caller's tensors would share memory differently. A copy restores strides
that the replacement would change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from torch_mlir import ir

from ....dialects import aten, aten_ops, aten_values
from ....dialects.aten import TensorInfo, contiguous_strides
from ....dialects.lazy import sympy
from ....dialects.locations import at_position
from ....dialects.narrowing import AnyOp, maker
from ....errors import MlirindError, UserPassFailed
from ...analysis.alias_analysis import STRIDED_VIEWS, Aliases, Timeline, base_name, functions
from ...analysis.infer_metadata import Inference, MetaFailed
from ...analysis.kept_memory import keep_apart, keep_memory
from ...analysis.node_identity import inherit, same_region
from ...refresh_metadata import set_types
from ...verify.verify_metadata import difference
from .call_rewriting import replace_call
from .pattern_conversion import block_of, is_open
from .pattern_matching import Differs, Match, Refused, compare, finder, parse, substitute
from .pattern_near_misses import near_miss
from .pattern_needs import Present
from .pattern_set import Deferred, Pattern, from_text, is_built_in, patterns, possible, rewrites
from .pdl_patterns import apply_pdl

log = logging.getLogger(__name__)

CLONE, PERMUTE = (aten_ops.op_name(f"aten.{n}.default") for n in ("clone", "permute"))
# A function is searched again at most this often; otherwise a pattern that finds its own replacement would never end.
ROUNDS = 8
_pattern_passes: set[str] = set()


def pattern_pass(name: str) -> Callable[[ir.Module], None]:
    """The pass that applies the patterns registered for `name`."""

    def run(module: ir.Module) -> None:
        own = [p for p in patterns(name) if isinstance(p, Pattern) and not p.converted]
        for function in functions(module):
            _rewrite(function, name)
            apply(function, [p for p in patterns(name) if p not in own])
        if own:
            apply_pdl(module, own)

    _pattern_passes.add(name)
    return run


def is_pattern_pass(name: str) -> bool:
    """Whether a pass applies the patterns registered for its name."""
    return name in _pattern_passes


def _rewrite(function: ir.OpView, name: str) -> None:
    """Applies the Python functions registered for a pass, each once to every call of its operator."""
    for rewrite in rewrites(name):
        block = block_of(function)
        calls = [v.operation for v in block.operations if v.operation.name == rewrite.op_name]
        before: set[ir.Value] = {v.operation.results[0] for v in block.operations if len(v.operation.results)} if calls else set()
        for op in calls:
            replace_call(op, rewrite, before, lambda: _Round(function))


def apply(function: ir.OpView, wanted: Sequence[Pattern | Deferred]) -> int:
    """Replaces matches until none is found; returns their number."""
    total = 0
    matched: set[str] = set()
    for _ in range(ROUNDS):
        present = Present(block_of(function))
        to_find = possible(wanted, present)
        found = finder(to_find).find(function) if to_find else []
        round_ = _Round(function)
        applied = round_.apply(found) if found else []
        total += len(applied)
        matched.update(applied)
        if not applied:
            if log.isEnabledFor(logging.DEBUG):
                _log_what_stays(function, wanted, matched, round_.refused)
            return total
    log.warning("pattern %s is found in its own replacement: stopped after %d rounds", " and ".join(sorted(set(applied))), ROUNDS)
    return total


def _log_what_stays(
    function: ir.OpView, wanted: Sequence[Pattern | Deferred], matched: set[str], refused: Sequence[tuple[Match, Refused]]
) -> None:
    """Logs each refused match, and where each user's pattern without a match comes closest."""
    known = matched | {match.name for match, reason in refused if not isinstance(reason, Differs)}
    missed: set[str] = set()
    for pattern in wanted:
        if is_built_in(pattern) or not (texts := _as_texts(pattern)) or known.intersection(p.name for p in texts):
            continue
        miss = near_miss(parse(texts[0]).search, function)
        if miss is not None:
            log.debug("pattern %s is not in the graph: %s", pattern.name, miss)
            missed.update(p.name for p in texts)
    for name, position, reason in dict.fromkeys((m.name, at_position(m.operations[-1].location), str(reason)) for m, reason in refused):
        if name not in missed:
            log.debug("pattern %s matches%s and is refused: %s", name, position, reason)


def _as_texts(pattern: Pattern | Deferred) -> list[Pattern]:
    """The pattern's texts, traced for the log if they are not traced yet. Empty if it can't be traced."""
    if isinstance(pattern, Pattern):
        return [pattern]
    try:
        return [from_text(text, pattern.pass_name) for text in pattern.trace()]
    except MlirindError as error:
        log.debug("pattern %s can't be traced: %s", pattern.name, error)
        return []


class _Round:
    """One walk over a function: matches that don't share an operation, in order. Operations are erased at the end only."""

    def __init__(self, function: ir.OpView) -> None:
        self.function, self.block = function, block_of(function)
        self.inference = Inference(function)
        self.aliases = Aliases(function)
        self.timeline = Timeline(self.block, self.aliases)
        # By first result: an operation's hash changes with its operands.
        self.positions = {op.results[0]: n for n, op in enumerate(self.block.operations) if len(op.results)}
        self.consumed: set[int] = set()
        self.replaced: list[ir.Operation] = []
        self.refused: list[tuple[Match, Refused]] = []

    def apply(self, found: list[Match]) -> list[str]:
        """Applies the matches that are not refused; returns the names of their patterns."""
        applied = []
        for match in sorted(found, key=lambda m: (-len(m.operations), self.position(m.operations[-1]))):
            positions = {self.position(op) for op in match.operations if len(list(op.operands)) or len(op.results) > 1}
            if positions & self.consumed:
                continue
            where = at_position(match.operations[-1].location)
            try:
                self._match(match)
            except Refused as reason:
                self.refused.append((match, reason))
                continue
            log.debug("pattern %s replaces %d operations%s", match.name, len(match.operations), where)
            self.consumed |= positions
            self.replaced += match.operations
            applied.append(match.name)
        self._erase()
        return applied

    def position(self, op: AnyOp) -> int:
        """The position of an operation before anything was replaced."""
        return self.positions[op.results[0]]

    def _match(self, match: Match) -> None:
        compare(match, self.inference.equal)
        if not same_region(match.operations):
            raise Refused("a part of it is in a checkpointed region")
        results = match.results()
        self._uses(match, results)
        check = match.parsed.pattern.check
        if check is not None and not _checked(check, match):
            raise Refused("its check says no")
        _Replacement(self, match, results).run()

    def _uses(self, match: Match, results: list[ir.Value]) -> None:
        """Refuses a match if an interior value, or an exclusive input, is used elsewhere."""
        inside: set[ir.Value] = {op.results[0] for op in match.operations}
        for op in match.operations:
            if not _computes(op):
                continue
            for value in op.results:
                if value not in results and any(not _is_in(use.owner, inside) for use in value.uses):
                    raise Refused(f"an interior value is used elsewhere: {op.name}")
        for name in match.parsed.pattern.exclusive:
            if any(not _is_in(use.owner, inside) for use in match.inputs[name].uses):
                raise Refused(f"{name} is used elsewhere")

    def _erase(self) -> None:
        # Each once: matches may share a constant.
        once = {self.position(op): op for op in self.replaced}
        for _, op in sorted(once.items(), reverse=True):
            if all(next(iter(r.uses), None) is None for r in op.results):
                op.erase()


def _checked(check: Callable[[Match], bool], match: Match) -> bool:
    try:
        return bool(check(match))
    except Exception as error:
        hint = ": a size that is not known is an expression, check isinstance(size, int) first" if "Relational" in str(error) else ""
        raise UserPassFailed(f"pattern {match.name!r}: its extra_check raised {type(error).__name__}: {error}{hint}") from error


def _is_in(user: ir.OpView, inside: set[ir.Value]) -> bool:
    return len(user.operation.results) > 0 and user.operation.results[0] in inside


def _computes(op: ir.Operation) -> bool:
    """Whether computing the operation twice costs something: it is neither a constant nor a view."""
    if op.name == "aten.number" or not len(op.operands):
        return False
    return base_name(aten_ops.schema(op)) not in STRIDED_VIEWS


class _Replacement:
    """The operations that replace one match, each as late as the first result that needs it allows."""

    def __init__(self, round_: _Round, match: Match, results: list[ir.Value]) -> None:
        self.round, self.match, self.results = round_, match, results
        self.block = block_of(match.parsed.replace)
        self.values: dict[ir.Value, ir.Value] = dict(zip(self.block.arguments, match.inputs.values(), strict=False))
        self.made: list[ir.Operation] = []
        self.loosened: list[ir.Operation] = []
        self.device = next((TensorInfo.of(v.type).device for v in match.inputs.values() if TensorInfo.of(v.type).rank), "cpu")

    def run(self) -> None:
        """Makes the operations; they stay if no result is refused."""
        try:
            new = self._make()
            for old, value in zip(self.results, new, strict=True):
                keep_memory(self.round, self.made, self.match.operations, old, value)
            keep_apart(self.round, self.made, list(zip(self.results, new, strict=True)))
        except Refused:
            self._undo()
            raise
        except MetaFailed as failed:
            self._undo()
            raise Refused(f"the replacement does not take the operands: {failed}") from failed
        for old, value in zip(self.results, new, strict=True):
            old.replace_all_uses_with(value)
        for op in self.loosened:
            set_types(op, self.round.inference)

    def _undo(self) -> None:
        for op in reversed(self.made):
            op.erase()

    def _make(self) -> list[ir.Value]:
        outputs = list(list(self.block.operations)[-1].operands)
        order = sorted(range(len(outputs)), key=lambda n: self.round.position(maker(self.results[n])))
        new: dict[int, ir.Value] = {}
        for number in order:
            old = self.results[number]
            made, owner = len(self.made), maker(old)
            with ir.InsertionPoint(owner), _location(self.match):
                value = self._value(outputs[number], owner)
                new[number] = self._as_before(value, old)
            for op in self.made[made:]:
                inherit(op, owner)
        return [new[n] for n in range(len(outputs))]

    def _value(self, value: ir.Value, before: AnyOp) -> ir.Value:
        """The graph's value for a value of the replacement; makes what it needs."""
        if value not in self.values:
            template = maker(value)
            for operand in template.operands:
                self._value(operand, before)
            self._operation(template)
        found = self.values[value]
        self._available(found, before)
        return found

    def _available(self, value: ir.Value, before: AnyOp) -> None:
        """Refuses if an input is made too late, or was overwritten since it was read."""
        if isinstance(value, ir.BlockArgument) or value in self.round.positions:
            position = self.round.position(before)
            if not isinstance(value, ir.BlockArgument) and self.round.positions[maker(value).results[0]] >= position:
                raise Refused("an input is made after a result is used")
            first = min(self.round.position(op) for op in self.match.operations)
            if self.round.timeline.written_between(value, first, position):
                raise Refused("an input is written between the operations")

    def _operation(self, template: AnyOp) -> None:
        attributes = {n: self._attribute(template.attributes[n], n, template) for n in template.attributes}
        operands = [self.values[v] for v in template.operands]
        types = [r.type for r in template.results]
        op = ir.Operation.create(template.name, results=types, operands=operands, attributes=attributes)
        self.made.append(op)
        if aten_ops.is_operator(op):
            set_types(op, self.round.inference)
        self.values.update(zip(template.results, op.results, strict=True))

    def _attribute(self, attribute: ir.Attribute, name: str, template: AnyOp) -> ir.Attribute:
        if not is_open(attribute):
            return attribute
        if isinstance(attribute, ir.ArrayAttr):
            return ir.ArrayAttr.get([self._attribute(a, name, template) for a in attribute])
        if isinstance(attribute, aten.Enum):
            return aten.Enum.get(ir.StringAttr.get("device"), ir.StringAttr.get(self.device))
        value = self._number(aten.size_of(attribute))
        if template.name == "aten.number":
            return aten_values.encode_number(value)
        argument = next(a for a in aten_ops.schema(template).arguments if a.name == name)
        return aten_values.encode(value, argument)

    def _number(self, expression: Any) -> Any:
        names = {str(s) for s in expression.free_symbols}
        if not names & set(self.match.parsed.scalars):
            return substitute(expression, self.match.sizes)
        if expression.is_Symbol:
            return self.match.scalars[str(expression)]
        values = {**self.match.sizes, **self.match.scalars}
        given = [values[n] for n in sorted(names)]
        if not all(isinstance(v, (int, float)) for v in given):
            raise Refused(f"{expression} of symbolic numbers")
        try:
            return float(sympy.lambdify(sorted(names), expression, "math")(*given))
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            raise Refused(f"{expression}: {error}") from error

    def _as_before(self, value: ir.Value, old: ir.Value) -> ir.Value:
        """The value with the strides of the old one. Refuses if sizes, dtype or device differ."""
        if isinstance(old.type, ir.NoneType) or difference(self.round.inference, old.type, value.type, False) is None:
            return self._typed(value, old)
        wanted = TensorInfo.of(old.type)
        if isinstance(value.type, ir.RankedTensorType) and replace(TensorInfo.of(value.type), strides=wanted.strides) == wanted:
            if self._strides_are_free(old):
                return value
            value = self._copied(value, wanted)
        problem = difference(self.round.inference, old.type, value.type, False)
        if problem is not None:
            raise Refused(f"the replacement's {problem}")
        return self._typed(value, old)

    def _copied(self, value: ir.Value, wanted: TensorInfo) -> ir.Value:
        """A copy with the strides of `wanted`, if these are dense for some order of the dims."""
        order = _memory_order(wanted)
        if order is None:
            return value
        if order == list(range(len(order))):
            return self._call("aten.clone.default", {"self": value, "memory_format": "contiguous_format"})
        value = self._call("aten.permute.default", {"self": value, "dims": order})
        value = self._call("aten.clone.default", {"self": value, "memory_format": "contiguous_format"})
        return self._call("aten.permute.default", {"self": value, "dims": [order.index(d) for d in range(len(order))]})

    def _strides_are_free(self, old: ir.Value) -> bool:
        """Whether all users of a value are contiguous copies, permuted or not: its strides are not visible after them."""
        users = [use.owner.operation for use in old.uses]
        permutes = [op for op in users if op.name == PERMUTE]
        copies = [op for op in users if op.name != PERMUTE] + [use.owner.operation for op in permutes for use in op.result.uses]
        if not all(op.name == CLONE and aten_ops.arguments(op)["memory_format"] == "contiguous_format" for op in copies):
            return False
        # A copy that the caller gets must not become a view of a value that may be saved for the backward.
        if any(self.round.aliases.escapes(op.result) for op in copies):
            return False
        self.loosened += permutes
        return True

    def _typed(self, value: ir.Value, old: ir.Value) -> ir.Value:
        """Equal types may have different texts; users keep theirs, so new values take it over."""
        if value.type != old.type and isinstance(value, ir.OpResult) and value.owner in self.made:
            value.set_type(old.type)
        if value.type != old.type:
            raise Refused(f"an input of type {value.type} for a result of type {old.type}")
        return value

    def _call(self, name: str, arguments: dict[str, Any]) -> ir.Value:
        op = aten_ops.create(name, arguments, [arguments["self"].type])
        self.made.append(op)
        set_types(op, self.round.inference)
        return op.results[0]


def _location(match: Match) -> ir.Location:
    return ir.Location.fused([op.location for op in match.operations])


def _memory_order(info: TensorInfo) -> list[int] | None:
    """The dims from the outermost to the innermost in memory, if the tensor is dense for some order of its dims."""
    if any(not isinstance(s, int) for s in info.strides):
        order = list(range(info.rank))
    else:
        order = sorted(range(info.rank), key=lambda d: (-info.strides[d], d))
    sizes = tuple(info.sizes[d] for d in order)
    return order if tuple(info.strides[d] for d in order) == contiguous_strides(sizes) else None
