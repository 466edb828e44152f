"""`raise-matmul`: near a softmax, a bmm between views that merge and split batch dimensions becomes a matmul on the unmerged values.

A softmax that takes half types and returns float32, one operator on GPUs, becomes a conversion and a softmax. So attention has one form on
every device, whatever the order of batch, heads and copies. `lower-matmul` undoes it where no pattern matched.
"""

from __future__ import annotations

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo, contiguous_strides
from ..dialects.narrowing import AnyOp
from .analysis.alias_analysis import Aliases, functions_with_body
from .analysis.node_identity import identity
from .registry import register_pass
from .rewrite_limit import may_rewrite
from .working_on import works_on_operation

BMM, SOFTMAX, PERMUTE, CLONE = (aten_ops.op_name(f"aten.{n}.default") for n in ("bmm", "_softmax", "permute", "clone"))
_VIEWS = (aten_ops.op_name("aten.view.default"), aten_ops.op_name("aten._unsafe_view.default"))
# Operators that return the weights, or the gradients of the scores.
_WEIGHTS = (SOFTMAX, aten_ops.op_name("aten._softmax_backward_data.default"))
# Operators that may stand between these and a product.
_BETWEEN = tuple(aten_ops.op_name(f"aten.{n}") for n in ("permute.default", "mul.Tensor", "div.Tensor", "where.self", "masked_fill.Scalar"))
_COPY_OR_VIEW = (*_VIEWS, PERMUTE, CLONE)


def raise_matmul(module: ir.Module) -> None:
    """view(bmm(x, y), [b, h, m, n]) -> matmul(view(x, [b, h, m, k]), view(y, [b, h, k, n])); softmax(half) -> softmax(float(half))"""
    for function in functions_with_body(module):
        ops = [v.operation for v in function.regions[0].blocks[0].operations]
        names = {op.name for op in ops}
        if SOFTMAX not in names or BMM not in names:
            continue
        softmaxes, products = ([op for op in ops if op.name == name] for name in (SOFTMAX, BMM))
        for softmax in softmaxes:
            _widen(softmax)
        raising = _Raising(function)
        # No bmm is erased before its turn; other erased operations must not be touched.
        for bmm in products:
            raising.run(bmm)


@works_on_operation
def _widen(softmax: ir.Operation) -> None:
    """_softmax(x, dim, half_to_float=True) -> _softmax(_to_copy(x, float32), dim, False)"""
    arguments, info = aten_ops.arguments(softmax), TensorInfo.of(softmax.operands[0].type)
    if not arguments["half_to_float"] or info.strides != contiguous_strides(info.sizes):
        return
    if not may_rewrite("softmax of float32", softmax):
        return
    type_ = TensorInfo(info.sizes, "float32", info.device, info.strides).type()
    with ir.InsertionPoint(softmax), softmax.location:
        wide = aten_ops.create("aten._to_copy.default", {"self": arguments["self"], "dtype": "float32"}, [type_], extra=identity(softmax))
        arguments |= {"self": wide.result, "half_to_float": False}
        made = aten_ops.create("aten._softmax.default", arguments, [softmax.result.type], extra=identity(softmax))
    softmax.result.replace_all_uses_with(made.result)
    softmax.erase()


class _Raising:
    """The products of one function; a value that is split into two dimensions is split once."""

    def __init__(self, function: ir.OpView) -> None:
        self.aliases = Aliases(function)
        self.split: dict[tuple[ir.Value, tuple[Size, ...]], ir.Value] = {}

    @works_on_operation
    def run(self, bmm: ir.Operation) -> None:
        """Raises one product if a view splits its first dimension; its other users get a view that merges the dimensions again. If
        attention has batch and heads as one dimension, it keeps that form as a whole, even if its gradients are split."""
        if any(map(_is_of_merged_attention, bmm.operands)):
            return
        info = TensorInfo.of(bmm.result.type)
        views = [op for op in (use.owner.operation for use in bmm.result.uses) if op.name in _VIEWS and _splits(op, info)]
        if not views or not may_rewrite("product of more dimensions", bmm):
            return
        type_ = views[0].result.type
        batch, extra = TensorInfo.of(type_).sizes[:2], identity(views[0], bmm)
        with ir.InsertionPoint(bmm), bmm.location:
            operands = {n: self._split(v, batch) for n, v in zip(("self", "other"), bmm.operands, strict=True)}
            matmul = aten_ops.create("aten.matmul.default", operands, [type_], extra=extra).result
            for view in views:
                if view.result.type == type_:
                    view.result.replace_all_uses_with(matmul)
                    view.erase()
            if list(bmm.result.uses):
                arguments = {"self": matmul, "size": list(info.sizes)}
                merged = aten_ops.create("aten.view.default", arguments, [bmm.result.type], extra=identity(bmm))
                bmm.result.replace_all_uses_with(merged.result)
        _erase_dead(bmm)

    def _split(self, value: ir.Value, batch: tuple[Size, ...]) -> ir.Value:
        """The value with its first dimension split into two; takes the value from before a merge, without copies."""
        key = value, batch
        if key not in self.split:
            self.split[key] = self._make_split(value, batch)
        return self.split[key]

    def _make_split(self, value: ir.Value, batch: tuple[Size, ...]) -> ir.Value:
        info = TensorInfo.of(value.type)
        made = value.owner if isinstance(value, ir.OpResult) else None
        if made is not None and made.name in _VIEWS and TensorInfo.of(made.operands[0].type).sizes == (*batch, *info.sizes[1:]):
            return _source(made.operands[0], self.aliases)
        if made is not None and made.name == PERMUTE and aten_ops.arguments(made)["dims"] == [0, 2, 1]:
            return _permuted(self._split(made.operands[0], batch), [0, 1, 3, 2])
        strides = (info.strides[0] * batch[1], *info.strides)
        type_ = TensorInfo((*batch, *info.sizes[1:]), info.dtype, info.device, strides, info.offset).type()
        return aten_ops.create("aten.view.default", {"self": value, "size": [*batch, *info.sizes[1:]]}, [type_]).result


def _is_of_merged_attention(value: ir.Value) -> bool:
    """Whether a value is computed from the weights, or their gradients, of a softmax on three dimensions."""
    while isinstance(value, ir.OpResult):
        op = value.owner
        if op.name in _WEIGHTS:
            return TensorInfo.of(op.results[0].type).rank == 3
        if op.name not in _BETWEEN:
            return False
        value = op.operands[1 if op.name == _BETWEEN[3] else 0]
    return False


def _splits(view: ir.Operation, product: TensorInfo) -> bool:
    """Whether a view of a product splits its first dimension into two."""
    sizes = TensorInfo.of(view.result.type).sizes
    return len(sizes) == 4 and sizes[2:] == product.sizes[1:]


def _source(value: ir.Value, aliases: Aliases) -> ir.Value:
    """`value` without the clones that made it, as far as their sources are never written."""
    while isinstance(value, ir.OpResult) and value.owner.name == CLONE and aliases.root(value.owner.operands[0]) not in aliases.written:
        value = value.owner.operands[0]
    return value


def _permuted(value: ir.Value, dims: list[int]) -> ir.Value:
    """permute(value, dims), composed with a permute that makes `value`"""
    if isinstance(value, ir.OpResult) and value.owner.name == PERMUTE:
        first = aten_ops.arguments(value.owner)["dims"]
        value, dims = value.owner.operands[0], [first[d] for d in dims]
    if dims == list(range(len(dims))):
        return value
    info = TensorInfo.of(value.type)
    sizes, strides = (tuple(t[d] for d in dims) for t in (info.sizes, info.strides))
    type_ = TensorInfo(sizes, info.dtype, info.device, strides, info.offset).type()
    return aten_ops.create("aten.permute.default", {"self": value, "dims": dims}, [type_]).result


def _erase_dead(op: AnyOp) -> None:
    """Erases an operation, and the copies and views that are unused then."""
    sources = [v.owner for v in op.operands if isinstance(v, ir.OpResult)]
    op.erase()
    for source in dict.fromkeys(sources):
        if source.name in _COPY_OR_VIEW and not list(source.result.uses):
            _erase_dead(source)


register_pass("raise-matmul", raise_matmul)
