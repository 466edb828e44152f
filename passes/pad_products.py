"""`pad-products`: pads the factors of matrix products with zeros to sizes that are multiples of 16 bytes, and slices the result.

Always on functions marked `aten.pad_products` (option `pad_products`); on GPUs if it pays, unless they are marked `aten.rounding = "eager"`
(option `rounding`): then the library gets the very sizes that eager gives it.
"""

from __future__ import annotations

from dataclasses import replace

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import TensorInfo
from ..dialects.narrowing import function_of
from .analysis.alias_analysis import functions_with_body
from .analysis.unaligned_products import ALIGNMENT, aligned_regions, padding_pays
from .cse_aten import cse_aten
from .patterns.engine import pattern_set
from .patterns.engine.pattern_rewriting import pattern_pass
from .reassociate_products import rounding_of
from .registry import register_pass
from .rewriting.new_calls import call_before

NAME = "pad-products"
MARK = "aten.pad_products"
PERMUTE = aten_ops.op_name("aten.permute.default")


def pad_products(module: ir.Module) -> None:
    """Pads where the option asks for it, or where it is allowed and pays."""
    if any(MARK in f.attributes or _may_pay(f) for f in functions_with_body(module)):
        _apply(module)
        cse_aten(module)  # a factor of several products is padded once


def mark_padding(module: ir.Module) -> None:
    """Marks the functions of a module, so that their products are padded."""
    for function in functions_with_body(module):
        function.attributes[MARK] = ir.UnitAttr.get()


def padded(product: ir.Operation) -> ir.Value | None:
    """a @ b -> (pad(a) @ pad(b))[:m, :n] if rows, columns or the summed dimension are no multiples; batches and `addmm` likewise"""
    *summand, a, b = product.operands
    info, alignment = TensorInfo.of(product.result.type), ALIGNMENT.get(TensorInfo.of(a.type).dtype)
    sizes = (*TensorInfo.of(a.type).sizes[-2:], info.sizes[-1])
    if alignment is None or not all(isinstance(s, int) and s > 0 for s in sizes):
        return None
    rows, common, columns = (-s % alignment for s in sizes)
    if MARK not in function_of(product).attributes:
        rows = rows if _by_columns(a) else 0  # as many as there are: the distance between rows counts, or between columns
        infos = [TensorInfo.of(v.type) for v in (a, b, product.result)]
        if rounding_of(function_of(product)) == "eager" or not ((rows or common or columns) and padding_pays(*infos)):
            return None
        regions = _in_regions(product) if _is_only_returned(product.result) else None  # padded rows would be copied for the caller
        if regions is not None:
            return None if regions == product.result else regions
    if not (rows or common or columns):
        return None
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


def _in_regions(product: ir.Operation) -> ir.Value | None:
    """The result of the `mm` that `allocate-results` computes in regions: the product itself, or mm([a, 1], [b; c]) for
    addmm(c, a, b) with a row c, whose sum in float32 is rounded once, too. None if there are no regions."""
    *summand, a, b = product.operands
    infos = [TensorInfo.of(v.type) for v in (a, b, product.result)]
    if not summand:
        return product.result if aligned_regions(*infos) else None
    arguments, row = aten_ops.arguments(product), TensorInfo.of(summand[0].type)
    alignment = ALIGNMENT[infos[0].dtype]
    if (arguments["alpha"], arguments["beta"]) != (1, 1) or row.sizes != infos[2].sizes[1:]:
        return None
    (rows, common), columns = infos[0].sizes, infos[1].sizes[1]
    common += alignment
    longer = (replace(infos[0], sizes=(rows, common), strides=(common, 1)), replace(infos[1], sizes=(common, columns), strides=(1, common)))
    if not aligned_regions(*longer, infos[2]):
        return None
    left = call_before(product, "aten.constant_pad_nd.default", {"self": a, "pad": [0, alignment], "value": 1})
    column = call_before(product, "aten.unsqueeze.default", {"self": summand[0], "dim": 1})
    joined = call_before(product, "aten.cat.default", {"tensors": [_transposed(product, b), column], "dim": 1})
    right = call_before(product, "aten.constant_pad_nd.default", {"self": joined, "pad": [0, alignment - 1], "value": 0})
    made = call_before(product, "aten.mm.default", {"self": left, "mat2": _transposed(product, right)})
    made.set_type(product.result.type)
    return made


def _transposed(product: ir.Operation, matrix: ir.Value) -> ir.Value:
    """The matrix of which this one is the transposed, or its transposed."""
    base = matrix.owner if isinstance(matrix, ir.OpResult) else None
    if base is not None and base.name == PERMUTE and list(aten_ops.arguments(base)["dims"]) == [1, 0]:
        return base.operands[0]
    return call_before(product, "aten.permute.default", {"self": matrix, "dims": [1, 0]})


def _may_pay(function: ir.OpView) -> bool:
    """Whether padding is allowed where it pays, and a tensor is on a GPU."""
    if rounding_of(function) == "eager":
        return False
    types = [argument.type for argument in function.regions[0].blocks[0].arguments]
    return any(isinstance(t, ir.RankedTensorType) and TensorInfo.of(t).device.startswith("cuda") for t in types)


def _is_only_returned(value: ir.Value) -> bool:
    """Whether the caller gets a value, or views of it, and nothing else uses it."""
    users = [use.owner.operation for use in value.uses]
    return all(u.name == "func.return" or (_is_view(u) and all(map(_is_only_returned, u.results))) for u in users)


def _is_view(op: ir.Operation) -> bool:
    return bool(aten_ops.is_operator(op) and aten_ops.schema(op).is_view)


def _by_columns(value: ir.Value) -> bool:
    """Whether the elements of a column lie side by side, those of a row do not."""
    above, beside = TensorInfo.of(value.type).strides[-2:]
    return above == 1 and beside != 1


def _pad(product: ir.Operation, value: ir.Value, rows: int, columns: int) -> ir.Value:
    """The value with rows and columns of zeros appended; of a transposed tensor, that tensor is padded."""
    if not rows and not columns:
        return value
    base = value.owner if isinstance(value, ir.OpResult) else None
    if base is not None and base.name == PERMUTE:
        dims = list(aten_ops.arguments(base)["dims"])
        if dims[-2:] == [len(dims) - 1, len(dims) - 2]:
            inner = _pad(product, base.operands[0], columns, rows)
            return call_before(product, "aten.permute.default", {"self": inner, "dims": dims})
    pad = [0, columns, 0, rows] if TensorInfo.of(value.type).rank > 1 else [0, columns]
    return call_before(product, "aten.constant_pad_nd.default", {"self": value, "pad": pad, "value": 0})


def _pad_summand(product: ir.Operation, value: ir.Value, rows: int, columns: int) -> ir.Value:
    """The summand, a row or of the result's sizes, padded; a dimension of size 1 is still broadcast."""
    sizes = (1, 1, *TensorInfo.of(value.type).sizes)[-2:]
    return _pad(product, value, rows if sizes[0] != 1 else 0, columns if sizes[1] != 1 else 0)


for _name in ("aten.mm.default", "aten.bmm.default", "aten.addmm.default"):
    pattern_set.add_rewrite(_name, padded, NAME)
_apply = pattern_pass(NAME)
register_pass(NAME, pad_products)
