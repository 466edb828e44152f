"""Applies patterns: a candidate is replaced if the caller can't see a difference.

A candidate is refused if an interior value is used elsewhere, if a write stands between its operations, if the replacement's operators
refuse the operands or return another dtype or other sizes, or if the caller's tensors would share memory differently. A copy restores
strides that the replacement would change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from torch_mlir import ir

from ....dialects import aten_ops
from ....dialects.locations import at_position
from ....dialects.narrowing import AnyOp
from ....errors import MlirindError
from ...analysis.alias_analysis import STRIDED_VIEWS, Aliases, Timeline, base_name, functions_with_body
from ...analysis.infer_metadata import TypeInference
from ...analysis.node_identity import same_region
from ...analysis.refused import Refused
from ...rewrite_limit import LIMIT_REACHED, may_rewrite
from .call_rewriting import replace_call
from .candidates import Candidate
from .pattern_conversion import block_of
from .pattern_log import is_heard, tell
from .pattern_matching import Differs, finder, parse
from .pattern_near_misses import near_miss
from .pattern_needs import Present
from .pattern_set import Deferred, Pattern, from_text, patterns, possible, rewrites
from .pdl_patterns import apply_pdl
from .text_candidates import TextCandidate

log = logging.getLogger(__name__)

CLONE, PERMUTE = (aten_ops.op_name(f"aten.{n}.default") for n in ("clone", "permute"))
# A function is searched again at most this often; otherwise a pattern that finds its own replacement would never end.
ROUNDS = 8
_pattern_passes: set[str] = set()


def pattern_pass(name: str) -> Callable[[ir.Module], None]:
    """The pass that applies the patterns registered for `name`."""

    def run(module: ir.Module) -> None:
        own = [p for p in patterns(name) if isinstance(p, Pattern) and not p.converted]
        for function in functions_with_body(module):
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
            replace_call(op, rewrite, before, lambda: Round(function))


def apply(function: ir.OpView, wanted: Sequence[Pattern | Deferred]) -> int:
    """Replaces matches until none is found; returns their number."""

    def find() -> list[Candidate]:
        to_find = possible(wanted, Present(block_of(function)))
        return [TextCandidate(m) for m in finder(to_find).find(function)] if to_find else []

    replaced, refused = replace_candidates(function, find)
    if is_heard(log):
        _log_what_stays(function, wanted, set(replaced), refused)
    return len(replaced)


def replace_candidates(function: ir.OpView, find: Callable[[], Sequence[Candidate]]) -> tuple[list[str], list[tuple[Candidate, Refused]]]:
    """Replaces the candidates that `find()` returns, until none is replaced. Returns the names of the replaced ones, and those that were
    refused at last."""
    replaced: list[str] = []
    for _ in range(ROUNDS):
        found = find()
        if not found:
            return replaced, []
        round_ = Round(function)
        names = round_.apply(found)
        replaced += names
        if not names:
            return replaced, round_.refused
    log.warning("pattern %s is found in its own replacement: stopped after %d rounds", " and ".join(sorted(set(names))), ROUNDS)
    return replaced, []


def _log_what_stays(
    function: ir.OpView, wanted: Sequence[Pattern | Deferred], matched: set[str], refused: Sequence[tuple[Candidate, Refused]]
) -> None:
    """Logs each refused match, and where each user's pattern without a match comes closest."""
    known = matched | {candidate.name for candidate, reason in refused if not isinstance(reason, Differs)}
    missed: set[str] = set()
    for pattern in wanted:
        if not (texts := _as_texts(pattern)) or known.intersection(p.name for p in texts):
            continue
        miss = near_miss(parse(texts[0]).search, function)
        if miss is not None:
            tell(log, f"pattern {pattern.name} is not in the graph: {miss}")
            missed.update(p.name for p in texts)
    log_refused([(candidate, reason) for candidate, reason in refused if candidate.name not in missed])


def log_refused(refused: Sequence[tuple[Candidate, Refused]]) -> None:
    """Logs each refused candidate with the reason, once. Positions are read from source files, so only for a log that is on."""
    if not is_heard(log):
        return
    reasons = ((c.name, at_position(c.operations[-1].location), str(reason)) for c, reason in refused)
    for name, position, reason in dict.fromkeys(reasons):
        tell(log, f"pattern {name} matches{position} and is refused: {reason}")


def _as_texts(pattern: Pattern | Deferred) -> list[Pattern]:
    """The pattern's texts, traced for the log if they are not traced yet. Empty if it can't be traced."""
    if isinstance(pattern, Pattern):
        return [pattern]
    try:
        return [from_text(text, pattern.pass_name) for text in pattern.trace()]
    except MlirindError as error:
        tell(log, f"pattern {pattern.name} can't be traced: {error}")
        return []


class Round:
    """One walk over a function: candidates that don't share an operation, in order. Operations are erased at the end only."""

    def __init__(self, function: ir.OpView) -> None:
        self.function, self.block = function, block_of(function)
        self.inference = TypeInference(function)
        self.aliases = Aliases(function)
        self.timeline = Timeline(self.block, self.aliases)
        # By first result: an operation's hash changes with its operands.
        self.positions = {op.results[0]: n for n, op in enumerate(self.block.operations) if len(op.results)}
        self.consumed: set[int] = set()
        self.replaced: list[ir.Operation] = []
        self.refused: list[tuple[Candidate, Refused]] = []

    def apply(self, found: Sequence[Candidate]) -> list[str]:
        """Replaces the candidates that are not refused; returns their names."""
        applied = []
        for candidate in sorted(found, key=lambda c: (-len(c.operations), self.position(c.operations[-1]))):
            positions = {self.position(op) for op in candidate.operations if len(list(op.operands)) or len(op.results) > 1}
            if positions & self.consumed:
                continue
            where = at_position(candidate.operations[-1].location)
            try:
                self._replace(candidate)
            except Refused as reason:
                self.refused.append((candidate, reason))
                continue
            tell(log, f"pattern {candidate.name} replaces {len(candidate.operations)} operations{where}")
            self.consumed |= positions
            self.replaced += candidate.operations
            applied.append(candidate.name)
        self._erase()
        return applied

    def position(self, op: AnyOp) -> int:
        """The position of an operation before anything was replaced."""
        return self.positions[op.results[0]]

    def _replace(self, candidate: Candidate) -> None:
        candidate.compare(self.inference.equal)
        if not same_region(candidate.operations):
            raise Refused("a part of it is in a checkpointed region")
        self._uses(candidate)
        if not candidate.accepted():
            raise Refused("its check says no")
        if not may_rewrite(f"pattern {candidate.name}", candidate.operations[-1]):
            raise Refused(LIMIT_REACHED)
        candidate.replacement(self).run()

    def _uses(self, candidate: Candidate) -> None:
        """Refuses a candidate if an interior value, or an exclusive input, is used elsewhere."""
        results = candidate.results()
        inside: set[ir.Value] = {op.results[0] for op in candidate.operations}
        for op in candidate.operations:
            if not _computes(op):
                continue
            for value in op.results:
                if value not in results and any(not _is_in(use.owner, inside) for use in value.uses):
                    raise Refused(f"an interior value is used elsewhere: {op.name}")
        for name, exclusive in candidate.exclusive.items():
            if any(not _is_in(use.owner, inside) for use in exclusive.uses):
                raise Refused(f"{name} is used elsewhere")

    def _erase(self) -> None:
        # Each once: matches may share a constant.
        once = {self.position(op): op for op in self.replaced}
        for _, op in sorted(once.items(), reverse=True):
            if all(next(iter(r.uses), None) is None for r in op.results):
                op.erase()


def _is_in(user: ir.OpView, inside: set[ir.Value]) -> bool:
    return len(user.operation.results) > 0 and user.operation.results[0] in inside


def _computes(op: ir.Operation) -> bool:
    """Whether computing the operation twice costs something: it is neither a constant nor a view."""
    if op.name == "aten.number" or not len(op.operands):
        return False
    return base_name(aten_ops.schema(op)) not in STRIDED_VIEWS
