"""Lowering of small matrix products to one kernel, which fuses with operations on its result. Larger products stay library calls."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...tuning.products import is_small_product
from ..emission.promotion import is_float, opmath
from ..emission.scalar import Scalar
from .registry import LoweredCall, lowers


def _product(call: LoweredCall, names: Sequence[str], bias: str | None = None) -> Sequence[ir.Value] | None:
    """A kernel over batches, rows, columns and the summed dimension; None if the product is not one of small float matrices."""
    a, b = (call[name] for name in names)
    *batch, rows, common = call.info(a).sizes
    columns = call.info(b).sizes[-1]
    result = call.result()
    if not is_float(result.dtype) or not is_small_product(result.device, [rows, columns, common, *batch]):
        return None
    inputs = [a, b] if bias is None else [a, b, call[bias]]
    builder = call.kernel(inputs, [*batch, rows, columns, common])
    *where, i, j, k = builder.dims
    wide = opmath(result.dtype)
    left, right = builder.load(0, [*where, i, k]).to(wide), builder.load(1, [*where, k, j]).to(wide)
    (total,) = builder.reduce("add", [left * right], [len(where) + 2], contract=True)
    position = [*where, i, j]
    if bias is not None:
        info = call.info(call[bias])
        added = builder.load(2, builder.broadcast(info, position, result.sizes)).to(wide)
        total = _scaled(total, call["alpha"]) + _scaled(added, call["beta"])
    builder.store(0, total, position)
    return builder.finish()


def _scaled(value: Scalar, factor: float) -> Scalar:
    return value if factor == 1 else value * factor


@lowers("aten.mm.default")
def _mm(call: LoweredCall) -> Sequence[ir.Value] | None:
    """sum over k of a[i, k] b[k, j]"""
    return _product(call, ["self", "mat2"])


@lowers("aten.bmm.default")
def _bmm(call: LoweredCall) -> Sequence[ir.Value] | None:
    """sum over k of a[n, i, k] b[n, k, j]"""
    return _product(call, ["self", "mat2"])


@lowers("aten.addmm.default")
def _addmm(call: LoweredCall) -> Sequence[ir.Value] | None:
    """alpha mm(a, b) + beta self"""
    if not all(isinstance(call[n], (int, float)) and call[n] != 0 for n in ("alpha", "beta")):
        return None
    return _product(call, ["mat1", "mat2"], "self")
