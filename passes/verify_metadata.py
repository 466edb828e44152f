"""`verify-metadata`: each result has the type that the operator's meta function gives. Imports torch when it runs."""

from __future__ import annotations

from collections.abc import Iterator

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo
from ..dialects.verify_aten import Broken
from .alias_analysis import functions, shared
from .infer_metadata import Inference, MetaFailed
from .registry import register_pass
from .verify_functional import is_functional
from .verify_ir import report


def verify_metadata(module: ir.Module) -> None:
    """Emits a diagnostic for every broken rule, then raises `InvalidIR` if there was one."""
    report([broken for function in functions(module) if is_functional(function) for broken in _broken(function)])


def _broken(function: ir.OpView) -> Iterator[Broken]:
    inference = Inference(function)
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
        for number, (result, wanted) in enumerate(zip(op.results, types, strict=False)):
            problem = difference(inference, wanted, result.type, offset=result in placed)
            if problem:
                yield op, f"result {number}: {problem}"


def difference(inference: Inference, wanted: ir.Type, found: ir.Type, offset: bool = True) -> str | None:
    """How a type differs from what it should be; None where it does not. A result that nobody asked for may be `none`.

    The offset counts where the result lies in an operand's storage: in memory of its own it says nothing, and PyTorch's own
    functions do not agree on it.
    """
    if wanted == found or isinstance(found, ir.NoneType):
        return None
    if not isinstance(wanted, ir.RankedTensorType) or not isinstance(found, ir.RankedTensorType):
        return f"want {wanted}, found {found}"
    a, b = TensorInfo.of(wanted), TensorInfo.of(found)
    for field in ("dtype", "device", "sizes", "strides", "offset")[: 5 if offset else 4]:
        left, right = getattr(a, field), getattr(b, field)
        if isinstance(left, str):
            same = left == right
        else:
            same = _same(inference, left, right)
        if not same:
            return f"{field}: want {left}, found {right}"
    return None


def _same(inference: Inference, a: Size | tuple[Size, ...], b: Size | tuple[Size, ...]) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(inference, x, y) for x, y in zip(a, b, strict=True))
    return a == b or inference.equal(a, b)


register_pass("verify-metadata", verify_metadata)
