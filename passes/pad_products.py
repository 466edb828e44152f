"""`pad-products`: factors of matrix products get sizes that are multiples of 16 bytes, zeros added, and the result is cut.

On functions marked `aten.pad_products` (option `pad_products`).
"""

from __future__ import annotations

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from . import pattern_set
from .alias_analysis import functions
from .new_calls import call_before
from .pattern_rewriting import pattern_pass
from .registry import register_pass

NAME = "pad-products"
MARK = "aten.pad_products"
# Elements in 16 bytes, which GPUs read at a time and their matrix units want rows to be multiples of.
ALIGNMENT = {"float16": 8, "bfloat16": 8, "float32": 4}


def pad_products(module: ir.Module) -> None:
    """Pads where it is asked for."""
    if any(MARK in f.attributes for f in functions(module)):
        _apply(module)


def mark_padding(module: ir.Module) -> None:
    """Marks the functions of a module: their products are to be padded."""
    for function in functions(module):
        function.attributes[MARK] = ir.UnitAttr.get()


def padded(product: ir.Operation) -> ir.Value | None:
    """a @ b -> (pad(a) @ pad(b))[:m, :n] where rows, columns or what is summed over are no multiples; batches and `addmm` likewise"""
    *summand, a, b = product.operands
    info, alignment = TensorInfo.of(product.result.type), ALIGNMENT.get(TensorInfo.of(a.type).dtype)
    sizes = (*TensorInfo.of(a.type).sizes[-2:], info.sizes[-1])
    if MARK not in product.parent.attributes or alignment is None or not all(isinstance(s, int) and s > 0 for s in sizes):
        return None
    more = [-s % alignment for s in sizes]
    if not any(more):
        return None
    rows, common, columns = more
    arguments = aten_ops.arguments(product)
    names = ("mat1", "mat2") if summand else ("self", "mat2")
    arguments |= dict(zip(names, (_pad(product, a, rows, common), _pad(product, b, common, columns)), strict=True))
    if summand:
        arguments["self"] = _pad_summand(product, summand[0], rows, columns)
    value = call_before(product, aten_ops.pytorch_name(product), arguments)
    for dim, cut in ((-2, rows), (-1, columns)):
        if cut:
            dim += info.rank
            value = call_before(product, "aten.slice.Tensor", {"self": value, "dim": dim, "start": 0, "end": info.sizes[dim], "step": 1})
    if rows or columns:
        value = call_before(product, "aten.clone.default", {"self": value, "memory_format": "contiguous_format"})
    value.set_type(product.result.type)
    return value


def _pad(product: ir.Operation, value: ir.Value, rows: int, columns: int) -> ir.Value:
    """The value with rows and columns of zeros after its own."""
    if not rows and not columns:
        return value
    pad = [0, columns, 0, rows] if TensorInfo.of(value.type).rank > 1 else [0, columns]
    return call_before(product, "aten.constant_pad_nd.default", {"self": value, "pad": pad, "value": 0})


def _pad_summand(product: ir.Operation, value: ir.Value, rows: int, columns: int) -> ir.Value:
    """What is added, a row or of the result's sizes; where it has one row or column, that is broadcast as before."""
    sizes = (1, 1, *TensorInfo.of(value.type).sizes)[-2:]
    return _pad(product, value, rows if sizes[0] != 1 else 0, columns if sizes[1] != 1 else 0)


for _name in ("aten.mm.default", "aten.bmm.default", "aten.addmm.default"):
    pattern_set.add_rewrite(_name, padded, NAME)
_apply = pattern_pass(NAME)
register_pass(NAME, pad_products)
