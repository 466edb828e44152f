"""`verify-metadata`: each result has the type that the operator's meta function gives, or, if a marked call writes it, the operand's
layout. Imports torch when it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import Size, TensorInfo
from ...dialects.verify_aten import Broken
from ..analysis.alias_analysis import functions_with_body, marked, shared
from ..analysis.infer_metadata import MetaFailed, TypeInference
from ..analysis.memory_overlap import is_empty
from ..registry import register_pass
from .verify_functional import is_functional
from .verify_ir import report


def verify_metadata(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    report([broken for function in functions_with_body(module) if is_functional(function) for broken in _broken(function)])


def _broken(function: ir.OpView) -> Iterator[Broken]:
    inference = TypeInference(function)
    for view in function.regions[0].blocks[0].operations:
        op = view.operation
        if not aten_ops.is_operator(op):
            continue
        try:
            types = inference.types(op)
        except MetaFailed as failed:
            yield op, f"the operator refuses its operands: {failed}"
            continue
        if len(types) != len(op.results):
            yield op, f"has {len(op.results)} results, the operator gives {len(types)}"
        placed = {result for result, _, _ in shared(view)}
        in_place = {result: operand.type for result, operand in marked(view)}
        for number, (result, inferred) in enumerate(zip(op.results, types, strict=False)):
            wanted = _laid_as(inferred, in_place[result]) if result in in_place else inferred
            problem = difference(inference, wanted, result.type, result in placed)
            if problem:
                yield op, f"result {number}: {problem}"


def _laid_as(inferred: ir.Type, operand: ir.Type) -> ir.Type:
    """The type with the layout of the operand that is written."""
    a, b = TensorInfo.of(inferred), TensorInfo.of(operand)
    return replace(a, strides=b.strides, offset=b.offset).type() if a.rank == b.rank else inferred


def difference(inference: TypeInference, wanted: ir.Type, found: ir.Type, placed: bool = True) -> str | None:
    """How a type differs from the inferred one; None if it does not.

    A result that is not needed may be `none`. `placed`: the result lies in an operand's storage; in memory of its own the offset is
    not compared. Strides of dimensions of size 1, and of tensors without elements, are not compared: PyTorch's functions differ in them.
    """
    if wanted == found or isinstance(found, ir.NoneType):
        return None
    if not isinstance(wanted, ir.RankedTensorType) or not isinstance(found, ir.RankedTensorType):
        return f"want {wanted}, found {found}"
    a, b = TensorInfo.of(wanted), TensorInfo.of(found)
    for field in ("dtype", "device"):
        if getattr(a, field) != getattr(b, field):
            return f"{field}: want {getattr(a, field)}, found {getattr(b, field)}"
    if not _same(inference, a.sizes, b.sizes):
        return f"sizes: want {a.sizes}, found {b.sizes}"
    placed = placed and not is_empty(a)
    if placed and not _same(inference, (a.offset,), (b.offset,)):
        return f"offset: want {a.offset}, found {b.offset}"
    if not _same(inference, *(_seen_strides(t) for t in (a, b))):
        return f"strides: want {a.strides}, found {b.strides}"
    return None


def _seen_strides(info: TensorInfo) -> tuple[Size, ...]:
    """The strides that distinguish elements."""
    return () if is_empty(info) else tuple(t for s, t in zip(info.sizes, info.strides, strict=True) if s != 1)


def _same(inference: TypeInference, a: tuple[Size, ...], b: tuple[Size, ...]) -> bool:
    return len(a) == len(b) and all(x == y or inference.equal(x, y) for x, y in zip(a, b, strict=True))


register_pass("verify-metadata", verify_metadata)
