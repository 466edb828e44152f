"""Overlap of strided tensors, against the bytes that they touch."""

import itertools
import random

from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.dtypes import TABLE
from mlirind.passes.analysis.memory_overlap import has_internal_overlap, overlaps


def touched(info):
    """Every byte of every element, repeated where elements share it."""
    item = TABLE[info.dtype].bytes
    starts = [
        (info.offset + sum(i * t for i, t in zip(index, info.strides, strict=True))) * item
        for index in itertools.product(*map(range, info.sizes))
    ]
    return [start + byte for start in starts for byte in range(item)]


def view(random):
    """A view of a contiguous 4x5x6 tensor, sliced with steps and permuted, or any strided tensor."""
    dtype = random.choice(["float32", "float32", "int8", "int64"])
    if random.random() < 0.3:
        rank = random.randint(0, 3)
        sizes, strides = (tuple(random.randint(low, high) for _ in range(rank)) for low, high in ((0, 4), (0, 12)))
        return TensorInfo(sizes, dtype, "cpu", strides, random.randint(0, 40))
    sizes, strides, offset = [4, 5, 6], [30, 6, 1], 0
    for d in range(3):
        start, step = random.randrange(sizes[d]), random.choice([1, 1, 2])
        offset += start * strides[d]
        sizes[d] = (random.randint(1, sizes[d] - start) + step - 1) // step
        strides[d] *= step
    order = random.sample(range(3), 3)
    return TensorInfo(tuple(sizes[d] for d in order), dtype, "cpu", tuple(strides[d] for d in order), offset)


def test_random_views():
    """`overlaps` is true for every two views that share a byte, and false for over 90% of the others."""
    choose = random.Random(0)
    apart = told = 0
    for _ in range(3000):
        a, b = view(choose), view(choose)
        bytes_a, bytes_b = touched(a), touched(b)
        common = bool(set(bytes_a) & set(bytes_b))
        assert overlaps(a, b) == overlaps(b, a)
        assert overlaps(a, b) or not common, (a, b)
        assert has_internal_overlap(a) or len(set(bytes_a)) == len(bytes_a), a
        apart += not common
        told += not overlaps(a, b)
    assert told > 0.9 * apart


def test_columns_of_one_matrix():
    """Two neighbouring blocks of columns interleave in memory without a shared element; if one gets another column, they share elements."""
    left, right = TensorInfo((3, 2), "float32", "cpu", (4, 1)), TensorInfo((3, 2), "float32", "cpu", (4, 1), 2)
    wide = TensorInfo((3, 3), "float32", "cpu", (4, 1))
    assert not overlaps(left, right)
    assert overlaps(wide, right)


def test_odd_and_even_elements():
    """x[::2] and x[1::2]."""
    even, odd = TensorInfo((4,), "float32", "cpu", (2,)), TensorInfo((4,), "float32", "cpu", (2,), 1)
    assert not overlaps(even, odd)
    assert overlaps(even, TensorInfo((4,), "float64", "cpu", (1,)))


def test_expanded_tensors_overlap_themselves():
    """A stride of 0, and windows that share elements."""
    assert has_internal_overlap(TensorInfo((2, 3), "float32", "cpu", (0, 1)))
    assert has_internal_overlap(TensorInfo((4, 3), "float32", "cpu", (2, 1)))
    assert not has_internal_overlap(TensorInfo((4, 3), "float32", "cpu", (1, 4)))
