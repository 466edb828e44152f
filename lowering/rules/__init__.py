"""The lowering rules, one operator family a file."""

from . import (  # noqa: F401  (each registers its rules)
    activation,
    activation_backward,
    advanced_index,
    arithmetic,
    average_pool,
    batch_norm,
    calls,
    comparison,
    concatenation,
    creation,
    gather,
    index_write,
    layer_norm,
    losses,
    matmul,
    max_pool,
    padding,
    random,
    rearrangement,
    reduction,
    region_scatter,
    scan,
    scatter,
    softmax,
    transcendental,
)
from .registry import RULES

__all__ = ["RULES"]
