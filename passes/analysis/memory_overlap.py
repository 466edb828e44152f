"""Whether two strided tensors in one storage can have an element in common."""

from __future__ import annotations

import math

from ...dialects.aten import TensorInfo
from ...dialects.dtypes import TABLE, item_size

# Dimensions as (stride, size): strides in bytes, positive; sizes above 1.
_Dims = list[tuple[int, int]]


def is_empty(info: TensorInfo) -> bool:
    """Whether a tensor certainly has no element."""
    return any(isinstance(s, int) and s == 0 for s in info.sizes)


def overlaps(a: TensorInfo, b: TensorInfo) -> bool:
    """Whether elements of `a` and `b`, both in one storage, may share bytes. True if unknown."""
    if is_empty(a) or is_empty(b):
        return False
    first, second = _bytes(a), _bytes(b)
    if first is None or second is None:
        return True
    (start_a, dims_a), (start_b, dims_b) = first, second
    # An element extends over its bytes: one more dimension, of stride 1.
    dims_a, dims_b = dims_a + _element(a), dims_b + _element(b)
    if start_a + _reach(dims_a) < start_b or start_b + _reach(dims_b) < start_a:
        return False
    common = math.gcd(*(stride for stride, _ in dims_a + dims_b)) or 1
    if common > 1 and (start_a - start_b) % common:
        return False
    return not _apart(start_a, dims_a, start_b, dims_b)


def has_internal_overlap(info: TensorInfo) -> bool:
    """Whether two elements of a tensor may have one address. True if unknown."""
    if is_empty(info):
        return False
    position = _bytes(info)
    if position is None:
        return not is_dense(info)
    reach = TABLE[info.dtype].bytes - 1
    for stride, size in sorted(position[1]):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return is_expanded(info)


def is_expanded(info: TensorInfo) -> bool:
    """Whether the elements along some dimension have one address."""
    return any(t == 0 and s != 1 for s, t in zip(info.sizes, info.strides, strict=True))


def has_own_layout(info: TensorInfo) -> bool:
    """Whether a tensor begins at its storage's start and leaves no gap, as one with its own memory."""
    return info.offset == 0 and is_dense(info)


def is_dense(info: TensorInfo) -> bool:
    """Whether each stride is the product of the sizes inside it, for some order of the dimensions."""
    rest = [(s, t) for s, t in zip(info.sizes, info.strides, strict=True) if s != 1]
    expected = 1
    while rest:
        inner = next((d for d in rest if d[1] == expected), None)
        if inner is None:
            return False
        rest.remove(inner)
        expected = expected * inner[0]
    return True


def _bytes(info: TensorInfo) -> tuple[int, _Dims] | None:
    """The first byte and the dimensions of size above 1; None if something is symbolic."""
    item = item_size(info.dtype)
    numbers = (*info.sizes, *info.strides, info.offset)
    if item is None or not all(isinstance(n, int) for n in numbers):
        return None
    dims = [(t * item, s) for s, t in zip(info.sizes, info.strides, strict=True) if s > 1 and t > 0]
    return info.offset * item, dims


def _element(info: TensorInfo) -> _Dims:
    return [(1, TABLE[info.dtype].bytes)] if TABLE[info.dtype].bytes > 1 else []


def _reach(dims: _Dims) -> int:
    return sum(stride * (size - 1) for stride, size in dims)


def _apart(start_a: int, dims_a: _Dims, start_b: int, dims_b: _Dims) -> bool:
    """Whether the two never meet, decided digit by digit: addresses as numbers whose digits have the strides as weights."""
    by_stride = [dict(dims_a), dict(dims_b)]
    if len(by_stride[0]) != len(dims_a) or len(by_stride[1]) != len(dims_b):
        return False
    weights = sorted({stride for stride, _ in dims_a + dims_b}, reverse=True)
    base = min(start_a, start_b)
    digits_a, digits_b = _digits(start_a - base, weights), _digits(start_b - base, weights)
    if digits_a is None or digits_b is None:
        return False
    ranges = [
        [(d, d + sizes.get(w, 1)) for d, w in zip(digits, weights, strict=True)]
        for digits, sizes in zip((digits_a, digits_b), by_stride, strict=True)
    ]
    # The digits of an address are unique if the lower ones never carry.
    reach = 0
    for weight, a, b in reversed(list(zip(weights, *ranges, strict=True))):
        if weight <= reach:
            return False
        reach += weight * (max(a[1], b[1]) - 1)
    return any(a[1] <= b[0] or b[1] <= a[0] for a, b in zip(*ranges, strict=True))


def _digits(number: int, weights: list[int]) -> list[int] | None:
    found = []
    for weight in weights:
        digit, number = divmod(number, weight)
        found.append(digit)
    return found if number == 0 else None
