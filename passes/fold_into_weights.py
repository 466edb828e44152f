"""`fold-into-weights`: folds frozen values that scale and shift the channels of a product into its frozen weight and bias.

Only under `freezing=True`, because it changes rounding. It folds a batch norm after a convolution; and a sum, difference, product or
quotient with a frozen value or a number, after a convolution or a linear layer. Views that keep the channels in one dim may stand in
between. The new weights are computed in float64 and rounded once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from ..dialects import aten_ops
from ..dialects.aten import Size, TensorInfo
from ..dialects.dtypes import FLOATS
from ..dialects.narrowing import AnyOp
from .analysis.alias_analysis import functions_with_body
from .analysis.frozen_values import FrozenValues
from .analysis.infer_metadata import TypeInference
from .analysis.node_identity import identity
from .refresh_metadata import set_types
from .registry import register_pass
from .rewrite_limit import may_rewrite

CONVOLUTION, ADDMM, MM = "aten.convolution.default", "aten.addmm.default", "aten.mm.default"
_PRODUCTS = frozenset(aten_ops.op_name(n) for n in (CONVOLUTION, ADDMM, MM))
BATCH_NORM = aten_ops.op_name("aten._native_batch_norm_legit_no_training.default")
ADD, SUB, MUL, DIV = (aten_ops.op_name(f"aten.{n}.Tensor") for n in ("add", "sub", "mul", "div"))
PERMUTE, VIEW = (aten_ops.op_name(f"aten.{n}.default") for n in ("permute", "view"))


def fold_into_weights(module: ir.Module) -> None:
    """product(x, w, b) * s + t -> product(x, w * s, b * s + t), for frozen w, b, s and t"""
    for function in functions_with_body(module):
        frozen = FrozenValues(function)
        if frozen.parameters:
            _Folding(function, frozen).run()


@dataclass
class _Affine:
    """An operation on each channel: `x * scale + shift`. Numbers, or frozen float64 vectors of one element or one for each channel."""

    scale: Any = None
    shift: Any = None


@dataclass
class _Product:
    """A convolution or linear layer; `weight_dim`: the dim of the weight along which the output channels lie."""

    op: ir.Operation
    weight: ir.Value
    bias: ir.Value | None
    weight_dim: int
    channels: int


class _Folding:
    def __init__(self, function: ir.OpView, frozen: FrozenValues) -> None:
        self.block, self.frozen = function.regions[0].blocks[0], frozen
        self.inference = TypeInference(function)
        self.start = _hoisted(self.block, frozen)
        self.exact: dict[ir.Value, ir.Value] = {}  # rounded values, and what they were before

    def run(self) -> None:
        """Folds in order: a folded product may be folded into again."""
        for view in list(self.block.operations):
            op = view.operation
            if not len(op.results) or op.results[0] in self.frozen:
                continue
            if op.name == BATCH_NORM:
                self._batch_norm(op)
            elif op.name in (ADD, SUB, MUL, DIV):
                self._binary(op)

    # The operations to fold.

    def _batch_norm(self, op: ir.Operation) -> None:
        """(x - mean) / sqrt(var + eps) * weight + bias"""
        given = aten_ops.arguments(op)
        vectors = [given[n] for n in ("running_mean", "running_var", "weight", "bias")]
        found = self._product(given["input"], 1)
        if found is None or not all(v is None or v in self.frozen for v in vectors) or any(list(r.uses) for r in list(op.results)[1:]):
            return
        if op.results[0].type != given["input"].type:
            return
        with ir.InsertionPoint(self.start), op.location:
            mean, variance, weight, bias = (self._double(v) for v in vectors)
            scale = self._call("rsqrt.default", self=self._call("add.Tensor", self=variance, other=given["eps"]))
            if weight is not None:
                scale = self._call("mul.Tensor", self=scale, other=weight)
            shift = self._call("neg.default", self=self._call("mul.Tensor", self=mean, other=scale))
            if bias is not None:
                shift = self._call("add.Tensor", self=shift, other=bias)
        self._fold(op, given["input"], found, _Affine(scale, shift))

    def _binary(self, op: ir.Operation) -> None:
        given = aten_ops.arguments(op)
        for value, other in (("self", "other"), ("other", "self")):
            x, constant = given[value], given[other]
            if not isinstance(x, ir.Value) or isinstance(constant, ir.Value) and constant not in self.frozen:
                continue
            if op.results[0].type != x.type or TensorInfo.of(x.type).dtype not in FLOATS:
                continue
            if not isinstance(constant, ir.Value) and not _is_plain(constant):
                continue
            dim = self._channel_dim(x, constant)
            found = None if dim is None else self._product(x, dim)
            if found is None:
                continue
            with ir.InsertionPoint(self.start), op.location:
                affine = self._affine(op.name, given, self._vector(constant), value == "self")
            if affine is not None:
                self._fold(op, x, found, affine)
            return

    def _affine(self, name: str, given: dict[str, Any], constant: Any, is_first: bool) -> _Affine | None:
        """The affine form of `x op constant`, or `constant op x`."""
        if name == MUL:
            return _Affine(scale=constant)
        if name == DIV:
            return _Affine(scale=self._arithmetic("reciprocal", constant)) if is_first else None
        if is_first:
            factor = given["alpha"] if name == ADD else -given["alpha"]
            return _Affine(shift=self._arithmetic("mul", constant, factor))
        if given["alpha"] != 1:
            return None
        return _Affine(shift=constant) if name == ADD else _Affine(scale=-1, shift=constant)

    # The products to fold into.

    def _product(self, value: ir.Value, dim: int) -> _Product | None:
        """The product that `value` is, or is a view of, if its channels are along `dim` and nothing else uses it."""
        while True:
            if not isinstance(value, ir.OpResult) or len(list(value.uses)) != 1:
                return None
            op = value.owner
            if op.name in _PRODUCTS:
                return self._frozen_product(op.operation) if dim == 1 else None
            if op.name not in (PERMUTE, VIEW):
                return None
            before = _dim_before(op, dim)
            if before is None:
                return None
            dim = before
            value = op.operands[0]

    def _frozen_product(self, op: ir.Operation) -> _Product | None:
        given = aten_ops.arguments(op)
        if op.name == aten_ops.op_name(CONVOLUTION):
            weight, bias, dim = given["weight"], given["bias"], 1 if given["transposed"] else 0
            if given["transposed"] and given["groups"] != 1:
                return None
        else:
            weight, bias, dim = given["mat2"], given["self"] if op.name == aten_ops.op_name(ADDMM) else None, 1
            if bias is not None and (given["alpha"], given["beta"]) != (1, 1):
                return None
        channels = TensorInfo.of(op.results[0].type).sizes[1]
        if weight not in self.frozen.parameters or not (bias is None or bias in self.frozen) or not isinstance(channels, int):
            return None
        if bias is not None and TensorInfo.of(bias.type).sizes != (channels,):
            return None
        return _Product(op, weight, bias, dim, channels)

    def _channel_dim(self, x: ir.Value, constant: Any) -> int | None:
        """The dim of `x` along which a constant differs; the product's channel dim if it is one number."""
        sizes = TensorInfo.of(constant.type).sizes if isinstance(constant, ir.Value) else ()
        rank = TensorInfo.of(x.type).rank
        long = [d + rank - len(sizes) for d, size in enumerate(sizes) if size != 1]
        if len(sizes) > rank or len(long) > 1:
            return None
        return long[0] if long else self._dim_of_channels(x)

    def _dim_of_channels(self, value: ir.Value) -> int | None:
        """The dim of a product's channels, or of a view of them."""
        if not isinstance(value, ir.OpResult):
            return None
        op = value.owner
        if op.name in _PRODUCTS:
            return 1
        if op.name not in (PERMUTE, VIEW):
            return None
        below = self._dim_of_channels(op.operands[0])
        if below is None:
            return None
        return next((d for d in range(TensorInfo.of(value.type).rank) if _dim_before(op, d) == below), None)

    # New weights.

    def _fold(self, op: ir.Operation, x: ir.Value, product: _Product, affine: _Affine) -> None:
        """Replaces `product` by one with other weights; its result `x` is then what `op` returned."""
        if not may_rewrite("fold into weights", op):
            return
        old = product.op
        with ir.InsertionPoint(self.start), op.location:
            weight = product.weight
            if affine.scale is not None:
                weight = self._rounded(self._arithmetic("mul", self._double(weight), self._along(affine.scale, product)), weight)
            bias = self._bias(product, affine)
        given = aten_ops.arguments(old)
        if old.name == aten_ops.op_name(CONVOLUTION):
            name, given = CONVOLUTION, {**given, "weight": weight, "bias": bias}
        elif bias is None:
            name, given = MM, {**given, "mat2": weight}
        else:
            name, given = ADDMM, {"self": bias, "mat1": given.get("mat1", given["self"]), "mat2": weight}
        new = aten_ops.create(name, given, [old.results[0].type], old.location, ir.InsertionPoint(old), identity(old, op))
        old.results[0].replace_all_uses_with(new.results[0])
        x = new.results[0] if x == old.results[0] else x
        self.start = new if old == self.start else self.start
        old.erase()
        op.results[0].replace_all_uses_with(x)
        op.erase()

    def _bias(self, product: _Product, affine: _Affine) -> ir.Value | None:
        """bias * scale + shift"""
        if product.bias is None and affine.shift is None:
            return None
        like = product.weight if product.bias is None else product.bias
        bias: Any = affine.shift
        if product.bias is not None:
            bias = self._double(product.bias)
            bias = bias if affine.scale is None else self._arithmetic("mul", bias, affine.scale)
            bias = bias if affine.shift is None else self._arithmetic("add", bias, affine.shift)
        if not isinstance(bias, ir.Value):
            info = TensorInfo.of(like.type)
            return self._call("full.default", size=[product.channels], fill_value=float(bias), dtype=info.dtype, device=info.device)
        if TensorInfo.of(bias.type).sizes != (product.channels,):
            ones = self._call("new_ones.default", self=bias, size=[product.channels])
            bias = self._call("mul.Tensor", self=ones, other=bias)
        return self._rounded(bias, like)

    def _along(self, scale: Any, product: _Product) -> Any:
        """A vector in the shape that multiplies the weight's channels."""
        if not isinstance(scale, ir.Value):
            return scale
        rank = TensorInfo.of(product.weight.type).rank
        sizes = [TensorInfo.of(scale.type).sizes[0] if d == product.weight_dim else 1 for d in range(rank)]
        return self._call("view.default", self=scale, size=sizes)

    def _vector(self, constant: Any) -> Any:
        """A frozen value that differs along one dim, as a vector."""
        if not isinstance(constant, ir.Value):
            return constant
        value = self._call("clone.default", self=self._double(constant), memory_format="contiguous_format")
        return self._call("view.default", self=value, size=[math.prod(TensorInfo.of(constant.type).sizes)])

    def _double(self, value: ir.Value | None) -> Any:
        if value is None or value in self.exact:
            return None if value is None else self.exact[value]
        return self._call("_to_copy.default", self=value, dtype="float64")

    def _rounded(self, value: ir.Value, like: ir.Value) -> ir.Value:
        rounded = self._call("_to_copy.default", self=value, dtype=TensorInfo.of(like.type).dtype)
        self.exact[rounded] = value
        return rounded

    def _arithmetic(self, name: str, x: Any, *others: Any) -> Any:
        """An operation on numbers or float64 tensors."""
        if not any(isinstance(v, ir.Value) for v in (x, *others)):
            return {"mul": lambda: x * others[0], "reciprocal": lambda: 1 / x}[name]()
        if name == "reciprocal":
            return self._call("reciprocal.default", self=x)
        if not isinstance(x, ir.Value):
            x, others = others[0], (x,)
        return self._call(f"{name}.Tensor", self=x, other=others[0])

    def _call(self, name: str, /, **arguments: Any) -> ir.Value:
        """A call on frozen values, at the start of the graph."""
        like = next((v.type for v in arguments.values() if isinstance(v, ir.Value)), TensorInfo((), "float64", "cpu", ()).type())
        op = aten_ops.create(f"aten.{name}", arguments, [like])
        set_types(op, self.inference)
        for made in (*(v.owner.operation for v in op.operands if aten_ops.is_number(v)), op):
            self.frozen.note(made.operation)
        return op.results[0]


def _hoisted(block: ir.Block, frozen: FrozenValues) -> ir.Operation:
    """Moves the operations that compute frozen values to the start of the block; returns the first operation after them."""
    start = None
    for op in [v.operation for v in block.operations]:
        if not len(op.results) or op.results[0] not in frozen:
            start = start or op
        elif start is not None:
            op.move_before(start)
    assert start is not None
    return start


def _is_plain(number: Any) -> bool:
    """Whether it is a finite number other than 0."""
    return isinstance(number, (int, float)) and math.isfinite(number) and number != 0


def _dim_before(view: AnyOp, dim: int) -> int | None:
    """The dim of a view's operand that is `dim` of its result; None if that is split or merged."""
    if view.name == PERMUTE:
        dims: list[int] = aten_ops.arguments(view)["dims"]
        return dims[dim]
    after, before = (TensorInfo.of(v.type).sizes for v in (view.results[0], view.operands[0]))
    inner = _product_of(after[dim + 1 :])
    for number, size in enumerate(before):
        if size == after[dim] and size != 1 and _product_of(before[number + 1 :]) == inner:
            return number
    return None


def _product_of(sizes: tuple[Size, ...]) -> Size:
    return math.prod(sizes)


register_pass("fold-into-weights", fold_into_weights)
