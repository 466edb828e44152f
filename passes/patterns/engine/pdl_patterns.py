"""Patterns written as PDL with their rewrite: checked at registration, applied by MLIR, verified afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch_mlir import ir
from torch_mlir.rewrite import GreedyRewriteConfig, PDLModule, apply_patterns_and_fold_greedily

from ....dialects import aten_registry, narrowing
from ....dialects.aten import memory
from ....dialects.context import compile_context
from ....errors import MlirindError, UserPassFailed
from .pattern_set import Pattern

# A pattern that finds its own result would never end.
MAX_REWRITES = 10_000


def checked_names(text: str) -> list[str]:
    """The names of the patterns in a text. Raises MlirindError if it has none, or one that could never be found."""
    with compile_context():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            raise MlirindError(f"no PDL patterns: {error.error_diagnostics[0].message}") from error
        patterns = [op for op in module.body.operations if op.operation.name == "pdl.pattern"]
        if not patterns:
            raise MlirindError("no PDL patterns: the text has no pdl.pattern")
        names = [narrowing.text(p.attributes["sym_name"]) if "sym_name" in p.attributes else "" for p in patterns]
        if not all(names):
            raise MlirindError("a pdl.pattern has no name: write `pdl.pattern @name : benefit(1) {`")
        for name, pattern in zip(names, patterns, strict=True):
            for op, is_made in _walk(pattern.operation):
                _check(name, op, is_made)
        return names


def _walk(pattern: ir.Operation) -> Iterator[tuple[ir.Operation, bool]]:
    """The operations of a pattern, each with True if it belongs to the rewrite."""
    for op in pattern.regions[0].blocks[0].operations:
        yield op.operation, False
        for block in (block for region in op.regions for block in region):
            yield from ((made.operation, True) for made in block.operations)


def _check(name: str, op: ir.Operation, is_made: bool) -> None:
    """Raises if an operation of a pattern can't work: an operator has other arguments, or a function does not exist."""
    native = op.name in ("pdl.apply_native_constraint", "pdl.apply_native_rewrite") or op.name == "pdl.rewrite" and "name" in op.attributes
    if native:
        raise MlirindError(
            f"pattern {name!r} calls the native function {op.attributes['name']}: there are none; write the rewrite as a region, "
            "or use register_replacement with extra_check, or register_rewrite"
        )
    if op.name != "pdl.operation" or "opName" not in op.attributes:
        return
    op_name = narrowing.text(op.attributes["opName"])
    if op_name == "aten.number" or not op_name.startswith("aten."):
        return
    schema = aten_registry.schema_by_name(op_name)
    if schema is None:
        raise MlirindError(f"pattern {name!r} could never be {'applied' if is_made else 'found'}: there is no operator {op_name}")
    arguments = {a.name for a in schema.arguments if not a.is_tensor}
    given = narrowing.texts(op.attributes["attributeValueNames"])
    for attribute in given:
        if attribute not in arguments | {"operandSegmentSizes", "resultSegmentSizes"} and not attribute.startswith("aten."):
            raise MlirindError(f"pattern {name!r} could never be found: {op_name} has no argument {attribute!r}")
    missing = sorted(arguments - set(given))
    if is_made and missing:
        raise MlirindError(f"pattern {name!r} makes {op_name} without {', '.join(missing)}: every argument is written, defaults too")


def apply_pdl(module: ir.Module, patterns: Sequence[Pattern]) -> None:
    """Applies the patterns until none is found. Raises UserPassFailed if one never ends, or makes IR that does not verify."""
    config = GreedyRewriteConfig()
    config.max_num_rewrites = MAX_REWRITES
    config.enable_folding = False
    for pattern in patterns:
        _source, frozen = _frozen(pattern)
        try:
            apply_patterns_and_fold_greedily(module, frozen, config)
        except Exception as error:
            raise UserPassFailed(f"pattern {pattern.name!r} is found in what it makes: stopped after {MAX_REWRITES} times") from error
        if not module.operation.verify():
            raise UserPassFailed(f"pattern {pattern.name!r} makes operations that are wrong")


def _frozen(pattern: Pattern) -> Any:
    """The pattern in the current context; its source must live as long as it does."""
    known = memory().patterns
    if pattern not in known:
        source = ir.Module.parse(pattern.text)
        known[pattern] = (source, PDLModule(source).freeze())
    return known[pattern]
