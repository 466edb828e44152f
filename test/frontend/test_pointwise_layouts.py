"""The order in which PyTorch's iterator takes dimensions, beside the strides of sums."""

import itertools

import pytest
import torch
from mlirind.frontend.decompositions.pointwise_layouts import iteration_order

OPERANDS = {
    "whole": torch.randn(4, 3, 5),
    "turned": torch.randn(5, 3, 4).permute(2, 1, 0),
    "half turned": torch.randn(3, 4, 5).transpose(0, 1),
    "broadcast": torch.randn(4, 1, 5),
    "matrix, turned": torch.randn(5, 3).t()[None],
    "row": torch.randn(5)[None, None],
    "sliced": torch.randn(8, 3, 10)[::2, :, ::2],
}


@pytest.mark.parametrize("names", list(itertools.product(OPERANDS, repeat=2)), ids=" + ".join)
def test_order(names):
    x, y = (OPERANDS[n] for n in names)
    strides = [[0 if n == 1 else s for n, s in zip(t.shape, t.stride(), strict=True)] for t in (x, y)]
    total = x + y
    order = iteration_order(total.shape, strides)
    if not all(n > 1 for n in total.shape):
        pytest.skip("a dimension of size 1 has any stride")
    assert [total.stride(d) for d in order] == sorted(total.stride(), reverse=True)
