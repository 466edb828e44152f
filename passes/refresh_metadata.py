"""`refresh-metadata`: infers the types of calls marked `aten.stale` from their operands, and of their users, as far as types change.

A pass that changes a call's operands marks the call. Only marked calls, and users of results whose types changed, are inferred again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from ..dialects.narrowing import function_type
from .analysis.alias_analysis import functions_with_body, shared
from .analysis.infer_metadata import TypeInference
from .registry import register_pass
from .verify.verify_metadata import difference

STALE = "aten.stale"


def mark_stale(op: ir.Operation) -> None:
    """Marks `op`, so that `refresh-metadata` infers its results."""
    op.attributes[STALE] = ir.UnitAttr.get()


def refresh_metadata(module: ir.Module) -> None:
    """Refreshes every function of the module."""
    for function in functions_with_body(module):
        refresh(function)


def refresh(function: ir.OpView) -> int:
    """Infers the stale calls of a function; returns their number."""
    inference = TypeInference(function)
    stale: set[ir.Value] = set()  # results of calls to be inferred, each call by its first result
    inferred = 0
    for view in _operators(function):
        op = view.operation
        if STALE in op.attributes:
            del op.attributes[STALE]
        elif not len(op.results) or op.results[0] not in stale:
            continue
        inferred += 1
        for value in retype_results(view, inference):
            stale.update(use.owner.results[0] for use in value.uses if len(use.owner.results))
    ending = list(function.regions[0].blocks[0].operations)[-1]
    arguments = function_type(function).inputs
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(arguments, [v.type for v in ending.operands]))
    return inferred


def _operators(op: ir.OpView | ir.Operation) -> Iterator[ir.OpView]:
    """The calls inside an operation, in order, with those in regions of others."""
    for inner in (o for region in op.regions for block in region for o in block.operations):
        if aten_ops.is_operator(inner):
            yield inner
        yield from _operators(inner)


def retype_results(view: ir.OpView, inference: TypeInference) -> Iterator[ir.Value]:
    """Sets the results' types to those inferred from the operands; returns the results whose type changed. Raises `MetaFailed`."""
    aten_ops.renew_runs(view.operation)
    placed = {result for result, _, _ in shared(view)}
    for result, wanted in zip(view.operation.results, inference.types(view.operation), strict=True):
        if difference(inference, wanted, result.type, result in placed) is None:
            continue
        result.set_type(_beginning(wanted, result in placed))
        yield result


def set_types(op: ir.Operation, inference: TypeInference) -> None:
    """Sets the result types of a new call. Raises `MetaFailed` if the operator refuses its operands."""
    placed = {result for result, _, _ in shared(op.opview)}
    for result, wanted in zip(op.results, inference.types(op), strict=True):
        result.set_type(_beginning(wanted, result in placed))


def _beginning(type_: ir.Type, placed: bool) -> ir.Type:
    """The type; with offset 0 if the result has its own memory."""
    if placed or not isinstance(type_, ir.RankedTensorType):
        return type_
    return replace(TensorInfo.of(type_), offset=0).type()


register_pass("refresh-metadata", refresh_metadata)
