"""Patterns that are written as PDL, with what they make: checked when they are registered, applied by MLIR, verified afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch_mlir import ir
from torch_mlir.rewrite import GreedyRewriteConfig, PDLModule, apply_patterns_and_fold_greedily

from ..dialects import aten_registry
from ..dialects.aten import memory
from ..dialects.context import compile_context
from ..errors import InvalidIR, MlirindError
from .pattern_set import Pattern

# A pattern that is found in what it makes would go on for ever.
MAX_REWRITES = 10_000


def checked_names(text: str) -> list[str]:
    """The names of the patterns in a text. Raises MlirindError where they are none, or could never be found."""
    with compile_context():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            raise MlirindError(f"no PDL patterns: {error.error_diagnostics[0].message}") from error
        patterns = [op for op in module.body.operations if op.operation.name == "pdl.pattern"]
        if not patterns:
            raise MlirindError("no PDL patterns: the text has no pdl.pattern")
        names = [p.attributes["sym_name"].value if "sym_name" in p.attributes else "" for p in patterns]
        if not all(names):
            raise MlirindError("a pdl.pattern has no name: write `pdl.pattern @name : benefit(1) {`")
        for name, pattern in zip(names, patterns, strict=True):
            for op in _searched(pattern.operation):
                _check(name, op)
        return names


def _searched(pattern: ir.Operation) -> Iterator[ir.Operation]:
    """The `pdl.operation`s that are looked for."""
    for op in pattern.regions[0].blocks[0].operations:
        if op.operation.name == "pdl.operation":
            yield op.operation


def _check(name: str, op: ir.Operation) -> None:
    """Whether an operator with these arguments can occur."""
    if "opName" not in op.attributes:
        return
    op_name = op.attributes["opName"].value
    if op_name == "aten.number" or not op_name.startswith("aten."):
        return
    schema = aten_registry.schema(op_name)
    if schema is None:
        raise MlirindError(f"pattern {name!r} could never be found: there is no operator {op_name}")
    attributes = {a.name for a in schema.arguments if not a.is_tensor} | {"operandSegmentSizes", "resultSegmentSizes"}
    for attribute in op.attributes["attributeValueNames"]:
        if attribute.value not in attributes and not attribute.value.startswith("aten."):
            raise MlirindError(f"pattern {name!r} could never be found: {op_name} has no argument {attribute.value!r}")


def apply_pdl(module: ir.Module, patterns: Sequence[Pattern]) -> None:
    """Applies them until nothing is found. Raises InvalidIR where one goes on for ever or makes what does not verify."""
    config = GreedyRewriteConfig()
    config.max_num_rewrites = MAX_REWRITES
    config.enable_folding = False
    for pattern in patterns:
        _source, frozen = _frozen(pattern)
        try:
            apply_patterns_and_fold_greedily(module, frozen, config)
        except Exception as error:
            raise InvalidIR(f"pattern {pattern.name!r} is found in what it makes: stopped after {MAX_REWRITES} times") from error
        if not module.operation.verify():
            raise InvalidIR(f"pattern {pattern.name!r} makes operations that are wrong")


def _frozen(pattern: Pattern) -> Any:
    """The pattern in the current context; its source must live as long."""
    known = memory().patterns
    if pattern not in known:
        source = ir.Module.parse(pattern.text)
        known[pattern] = (source, PDLModule(source).freeze())
    return known[pattern]
