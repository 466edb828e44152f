"""Requirements of eager's kernels that PyTorch's meta functions don't check. A call that violates one stays a call of ATen, which raises
as eager does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from torch_mlir import ir

from ...dialects.aten import Size
from ...dialects.lazy import sympy
from ...dialects.requirements import at_least, equal
from ...passes.analysis.possible_errors import has_dims
from ...passes.registry import add_rule
from .eager_dtypes import do_not_fit
from .positions import without_dim

if TYPE_CHECKING:
    from .registry import LoweredCall


Shapes = Callable[["LoweredCall"], bool]
_SHAPES: dict[str, Shapes] = {}


def broken(call: LoweredCall) -> str | None:
    """The requirement that the call's arguments violate, or None."""
    base = call.short_name

    def dtype(name: str) -> str | None:
        value = call.arguments.get(name)
        return call.info(value).dtype if isinstance(value, ir.Value) else None

    if do_not_fit(base, dtype):
        return "tensors of dtypes that do not fit"
    if not has_dims(call.arguments, [*call.op.operands, *call.op.results]):
        return "a dimension out of range"
    if base in _SHAPES and not _SHAPES[base](call):
        return "tensors of sizes that do not fit"
    return None


def shapes(*bases: str) -> Callable[[Shapes], Shapes]:
    """Registers the decorated check for operators `bases`. It returns whether the sizes of a call's tensors fit; it calls `call.require`
    for symbolic sizes."""
    return add_rule(_SHAPES, *bases)


def _equal(call: LoweredCall, a: Iterable[Size], b: Iterable[Size]) -> bool:
    a, b = list(a), list(b)
    return len(a) == len(b) and all(call.require(equal(x, y)) for x, y in zip(a, b, strict=True))


def _sizes(call: LoweredCall, name: str) -> Sequence[Size]:
    return call.info(call[name]).sizes


def _broadcasts(call: LoweredCall, name: str, wanted: Sequence[Size]) -> bool:
    return call[name] is None or call.require_broadcast(_sizes(call, name), wanted)


@shapes("addmm")
def _addmm(call: LoweredCall) -> bool:
    """self can be broadcast to the product"""
    product = [_sizes(call, "mat1")[0], _sizes(call, "mat2")[1]]
    return _equal(call, call.result().sizes, product) and _broadcasts(call, "self", product)


@shapes("index_add", "index_copy")
def _lines_from_source(call: LoweredCall) -> bool:
    """source has the sizes of self, except along dim: there it has as many as index has elements; eager's index_add checks no index of
    a self without elements"""
    if call.short_name == "index_add" and not _has_elements(call):
        return False
    index, own, source = _sizes(call, "index"), list(_sizes(call, "self")), list(_sizes(call, "source"))
    if len(index) > 1 or len(own) != len(source) or not own:
        return not own or len(own) == len(source)  # a 0-dim self is declined by the rule
    own[call["dim"]] = index[0] if index else 1
    return _equal(call, own, source)


@shapes("index_fill")
def _index_fill(call: LoweredCall) -> bool:
    """index has at most one dimension, a tensor value has none"""
    value = call["value"]
    return len(_sizes(call, "index")) <= 1 and not (isinstance(value, ir.Value) and call.info(value).rank)


@shapes("index_select")
def _index_select(call: LoweredCall) -> bool:
    """index has at most one dimension; eager checks it even if nothing is selected, of a self without elements"""
    return len(_sizes(call, "index")) <= 1 and _has_elements(call)


def _has_elements(call: LoweredCall) -> bool:
    return all(call.require(at_least(size, 1)) for size in _sizes(call, "self"))


@shapes("gather")
def _gather(call: LoweredCall) -> bool:
    """index is not larger than self in every dimension except dim"""
    return _covers(call, "self", but=call["dim"])


@shapes("scatter", "scatter_add", "scatter_reduce")
def _scatter(call: LoweredCall) -> bool:
    """index is not larger than src in every dimension, and not larger than self in every dimension except dim"""
    source = call.arguments.get("src")
    return _covers(call, "self", but=call["dim"]) and (not isinstance(source, ir.Value) or _covers(call, "src", but=None))


def _covers(call: LoweredCall, name: str, but: int | None) -> bool:
    """Whether the tensor `name` is at least as large as index in every dimension except `but`. Different ranks fit only if one is 0."""
    sizes, index = _sizes(call, name), _sizes(call, "index")
    if len(sizes) != len(index):
        return not sizes or not index
    return all(call.require(at_least(s, i)) for d, (s, i) in enumerate(zip(sizes, index, strict=True)) if d != but)


@shapes("select_scatter")
def _select_scatter(call: LoweredCall) -> bool:
    """index is in range, and src has the sizes of self without dim"""
    sizes, dim, index = _sizes(call, "self"), call["dim"], call["index"]
    low = index if isinstance(index, int) and index >= 0 else index + sizes[dim]
    in_range = call.require(at_least(low, 0)) and call.require(at_least(sizes[dim], index + 1))
    return in_range and _equal(call, _sizes(call, "src"), without_dim(sizes, dim))


@shapes("slice_scatter")
def _slice_scatter(call: LoweredCall) -> bool:
    """src has the sizes of self, except along dim: there it has the size of the slice"""
    sizes, dim, step = list(_sizes(call, "self")), call["dim"], call["step"]
    size = sizes[dim]
    if not isinstance(step, int) or step < 1:
        return not isinstance(step, int)  # a symbolic step is declined by the rule
    start = _bounded(call, 0 if call["start"] is None else call["start"], size)
    end = _bounded(call, size if call["end"] is None else call["end"], size)
    if start is None or end is None:
        return False
    sizes[dim] = _largest(call, (end - start + step - 1) // step, 0)
    return _equal(call, _sizes(call, "src"), sizes)


def _bounded(call: LoweredCall, bound: Size, size: Size) -> Size | None:
    """A slice's start or end, clamped to [0, size]; a negative one counts from the end. A symbol keeps the sign that it has for the
    traced call, by requirement; None if that sign is unknown."""
    if not call.require(at_least(bound, 0)):
        if not call.require(at_least(-1, bound)):
            return None
        bound = _largest(call, bound + size, 0)
    return _least(call, bound, size)


def _least(call: LoweredCall, a: Size, b: Size) -> Size:
    if call.is_at_least(b - a, 0):
        return a
    return b if call.is_at_least(a - b, 0) else sympy.Min(a, b)


def _largest(call: LoweredCall, a: Size, b: Size) -> Size:
    if call.is_at_least(a - b, 0):
        return a
    return b if call.is_at_least(b - a, 0) else sympy.Max(a, b)


@shapes("diagonal_scatter")
def _diagonal_scatter(call: LoweredCall) -> bool:
    """src has the sizes of self without the two dims, and last the length of the diagonal"""
    sizes, offset, dims = _sizes(call, "self"), call["offset"], (call["dim1"], call["dim2"])
    rows, columns = (sizes[d] for d in dims)
    source = _sizes(call, "src")
    rest = [s for d, s in enumerate(sizes) if d not in dims]
    if not source or not _equal(call, source[:-1], rest):
        return False
    if not isinstance(offset, int):
        return True  # the rule declines
    length = _least(call, rows + min(offset, 0), columns - max(offset, 0))
    return call.require(equal(source[-1], _largest(call, length, 0)))


@shapes("binary_cross_entropy")
def _binary_cross_entropy(call: LoweredCall) -> bool:
    """target has the sizes of self, and weight can be broadcast to them"""
    sizes = _sizes(call, "self")
    return _equal(call, _sizes(call, "target"), sizes) and _broadcasts(call, "weight", sizes)


@shapes("as_strided_scatter")
def _as_strided_scatter(call: LoweredCall) -> bool:
    """src has the sizes of the argument `size`"""
    return _equal(call, _sizes(call, "src"), call["size"])


@shapes("_softmax_backward_data", "_log_softmax_backward_data")
def _softmax_backward(call: LoweredCall) -> bool:
    """grad_output and output have equal sizes"""
    return _equal(call, _sizes(call, "grad_output"), _sizes(call, "output"))


@shapes("embedding_dense_backward")
def _embedding_backward(call: LoweredCall) -> bool:
    """grad_output has the sizes of indices, followed by the size of a row"""
    return _equal(call, _sizes(call, "grad_output"), [*_sizes(call, "indices"), call.result().sizes[1]])


@shapes("native_layer_norm")
def _layer_norm(call: LoweredCall) -> bool:
    """normalized_shape equals the input's last sizes; weight and bias have these sizes too"""
    shape = call["normalized_shape"]
    input_sizes = _sizes(call, "input")
    if len(shape) > len(input_sizes) or not _equal(call, input_sizes[len(input_sizes) - len(shape) :], shape):
        return False
    return all(call[n] is None or _equal(call, _sizes(call, n), shape) for n in ("weight", "bias"))


@shapes("_adaptive_avg_pool2d")
def _adaptive_average_2d(call: LoweredCall) -> bool:
    """There are pixels"""
    return all(call.require(at_least(size, 1)) for size in _sizes(call, "self")[-2:])


@shapes("_adaptive_avg_pool3d")
def _adaptive_average_3d(call: LoweredCall) -> bool:
    """Only the first dimension may be empty"""
    return all(call.require(at_least(size, 1)) for size in _sizes(call, "self")[1:])


@shapes("native_group_norm")
def _group_norm(call: LoweredCall) -> bool:
    """N, C and HxW are the input's sizes; the groups have equal sizes; weight and bias have one element per channel"""
    samples, channels, *rest = _sizes(call, "input")
    sizes = [call["N"], call["C"], call["HxW"]]
    if not _equal(call, sizes, [samples, channels, math.prod(rest)]):
        return False
    whole = not isinstance(channels, int) or call["group"] > 0 and channels % call["group"] == 0
    return whole and _has_channels(call, channels, "weight", "bias")


@shapes("_native_batch_norm_legit_functional", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training",
        "_batch_norm_with_update_functional", "_batch_norm_no_update")  # fmt: skip
def _batch_norm(call: LoweredCall) -> bool:
    """weight, bias and statistics have one element per channel; in training the input is not empty"""
    sizes = _sizes(call, "input")
    if len(sizes) < 2 or any(s == 0 for s in sizes):
        return len(sizes) >= 2 and not call.arguments.get("training", True)
    return _has_channels(call, sizes[1], "weight", "bias", "running_mean", "running_var")


@shapes("cat", "stack")
def _joined(call: LoweredCall) -> bool:
    """the tensors have equal sizes except along `dim`, or are empty ones of size [0] in a `cat`"""
    sizes, tensors = call.result().sizes, [call.info(t).sizes for t in call["tensors"]]
    wanted = without_dim(sizes, call["dim"])
    if call.short_name == "stack":
        return all(_equal(call, t, wanted) for t in tensors)
    return all(_equal(call, without_dim(t, call["dim"]), wanted) for t in tensors if len(t) == len(sizes))


def _has_channels(call: LoweredCall, channels: Size, *names: str) -> bool:
    tensors = [v for n in names if isinstance(v := call.arguments.get(n), ir.Value)]
    return all(_equal(call, call.info(v).sizes, [channels]) for v in tensors)
