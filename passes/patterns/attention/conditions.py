"""When attention that is written out equals the fused operator.

For a row that a mask excludes completely (-inf in every column) eager's softmax gives NaN, the fused operator zeros: without gradients a
guard restores the NaN. With gradients the operators are the CPU's. They compute a row's weights from the logarithm of its sum, which is
lost beside the value of a mask: no row may be masked completely, except by masks whose numbers `fuse-attention` knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from torch_mlir import ir

from ....dialects.aten import Size, TensorInfo
from ....dialects.narrowing import function_of
from ....dialects.size_bounds import lowest_size
from ...analysis.constant_values import constant_array
from ...analysis.possible_values import possible_values
from ...analysis.refused import Refused
from ...analysis.uniform_values import uniform_value

if TYPE_CHECKING:
    from .written_attention import WrittenAttention

# In float32 a masked score this low is equal to the mask's value, whatever the score was.
LOWEST = -1e30
# The masks with which these were compared with eager: batch and heads as one dimension, without and with gradients; the gradients of a
# softmax of half types in float32.
MERGED_MASKS = ("unmasked", "added", "added_to_product", "filled")
MERGED_MASKS_WITH_GRADIENTS = ("unmasked", "added", "added_to_product")
HALF_MASKS_WITH_GRADIENTS = ("unmasked", "added")
# Masks whose booleans say which scores are masked, not which are kept.
DROPPING = ("dropped", "filled")


def compare_forms(attention: WrittenAttention, equal: Callable[[Size, Size], bool]) -> None:
    """Compares sizes, dtypes and ranks, and how the forms are combined. Raises `Refused`."""
    for one, other in _sizes(attention):
        if len(one) != len(other) or not all(map(equal, one, other)):
            raise Refused(f"sizes {one} where {other} are wanted")
    q = TensorInfo.of(attention.q.type)
    for value in _of_one_dtype(attention):
        if not isinstance(value, ir.Value) or TensorInfo.of(value.type).dtype != q.dtype:
            raise Refused(f"an operand is not {q.dtype}")
    if any(TensorInfo.of(value.type).rank for value in _numbers(attention)):
        raise Refused("the scale, or the number of masked scores, has dims")
    if not (_is_covered_with_gradients(attention) if attention.gradients is not None else _is_covered(attention)):
        raise Refused("this combination of scale, mask and dtype is not replaced")


def _sizes(attention: WrittenAttention) -> Iterator[tuple[Sequence[Size], Sequence[Size]]]:
    """Pairs of sizes that must be equal."""
    (*batch, rows, width), k, v = (TensorInfo.of(value.type).sizes for value in (attention.q, attention.k, attention.v))
    columns, out = k[-1], v[-1]
    yield k, (*batch, width, columns)
    yield v, (*batch, columns, out)
    for step in attention.scores:  # a mask must not broadcast them
        yield TensorInfo.of(step.result.type).sizes, (*batch, rows, columns)
    if attention.gradients is not None:
        yield TensorInfo.of(attention.gradients.tangent.type).sizes, (*batch, rows, width)
        yield (out,), (width,)


def _of_one_dtype(attention: WrittenAttention) -> list[Any]:
    """The values that must have the dtype of q."""
    values = [attention.k, attention.v, *_numbers(attention)]
    if attention.mask is not None and attention.mask_name != "filled":
        values.append(attention.mask.of["fill" if "fill" in attention.mask.of else "mask"])
    if attention.gradients is not None:
        values.append(attention.gradients.tangent)
    return values


def _numbers(attention: WrittenAttention) -> list[ir.Value]:
    """The tensors that stand for numbers: a scale, or the number of masked scores."""
    numbers = [step.of.get(role) for step, role in ((attention.scale, "scale"), (attention.mask, "fill")) if step is not None]
    return [n for n in numbers if isinstance(n, ir.Value)]


def _mask_rank(attention: WrittenAttention) -> int:
    """The mask's number of dimensions; without a mask that of the scores."""
    return attention.rank if attention.mask is None else TensorInfo.of(attention.mask.value("mask").type).rank


def _is_covered(attention: WrittenAttention) -> bool:
    """Whether the forms of an attention without gradients are combined in a way that was compared with eager."""
    by_tensor, half, rank = attention.scaled_by_tensor, attention.half is not None, _mask_rank(attention)
    if attention.merged:
        return rank == 3 and not half and not by_tensor and attention.mask_name in MERGED_MASKS
    return (rank == 4 and not (by_tensor and half)) or (rank == 2 and not by_tensor and not half)


def _is_covered_with_gradients(attention: WrittenAttention) -> bool:
    """The same with gradients; the operators take masks of these ranks only."""
    by_tensor, half, rank = attention.scaled_by_tensor, attention.half is not None, _mask_rank(attention)
    if attention.merged:
        return rank == 3 and not half and not by_tensor and attention.mask_name in MERGED_MASKS_WITH_GRADIENTS
    if half and (by_tensor or attention.half != "bfloat16" or attention.mask_name not in HALF_MASKS_WITH_GRADIENTS):
        return False
    return rank in (2, 4)


def is_equal(attention: WrittenAttention) -> bool:
    """Whether the fused operator gives the same, as far as the graph shows, and has a kernel of its own for the operands."""
    if not _has_kernel(attention) or not _fills(attention):
        return False
    return attention.gradients is None or _gradients_are_equal(attention)


def _has_kernel(attention: WrittenAttention) -> bool:
    """Whether the rows of q, k and v are dense, and of a dtype for which there is a fused kernel."""
    q, k, v = (TensorInfo.of(value.type) for value in (attention.q, attention.k, attention.v))
    return [q.strides[-1], k.strides[-2], v.strides[-1]] == [1, 1, 1] and q.dtype != "float64"


def _fills(attention: WrittenAttention) -> bool:
    """Whether the number of masked scores, if there is one, is so low that adding a score does not change it."""
    if attention.mask is None or "fill" not in attention.mask.of:
        return True
    number = attention.mask.of["fill"]
    number = uniform_value(number) if isinstance(number, ir.Value) else number
    return isinstance(number, (int, float)) and number <= LOWEST


def _gradients_are_equal(attention: WrittenAttention) -> bool:
    if TensorInfo.of(attention.q.type).device != "cpu" or _may_be_empty(attention):
        return False
    if attention.mask is None:
        return True
    mask = attention.mask.value("mask")
    if every_row_has_a_column(mask, attention.mask_name not in DROPPING):
        return True
    return "fill" not in attention.mask.of and is_lowest_or_zero(mask)


def _may_be_empty(attention: WrittenAttention) -> bool:
    """Whether there may be no heads, rows or keys: the operators with gradients divide by these numbers."""
    function = function_of(attention.result.op)
    sizes = [*TensorInfo.of(attention.q.type).sizes[-3:-1], TensorInfo.of(attention.v.type).sizes[-2]]
    return any(lowest_size(size, function) < 1 for size in sizes)


def every_row_has_a_column(mask: ir.Value, kept: bool = True) -> bool:
    """Whether the graph shows that a mask leaves some column of every row unmasked. The mask is added, or its booleans are `kept` there."""
    value = constant_array(mask)
    if value is None or not value.size:
        return False
    if TensorInfo.of(mask.type).dtype == "bool":
        return bool((value == kept).any(-1).all())
    return bool((value.max(-1) == 0).all())


def is_finite(value: Any) -> bool:
    """Whether the graph shows that no element of a value is infinite or NaN."""
    found = possible_values(value)
    return found is not None and all(abs(number) < float("inf") for number in found)


def is_lowest_or_zero(value: Any) -> bool:
    """Whether the graph shows that each element of a value is 0, or one number so low that adding a score does not change it."""
    found = possible_values(value)
    if found is None:
        return False
    low = min(found)
    return found <= {0.0, low} and (low == 0 or -float("inf") < low <= LOWEST)
