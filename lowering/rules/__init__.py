"""The lowering rules, one operator family a file."""

from . import (
    activation,
    activation_backward,
    advanced_index,
    arithmetic,
    calls,
    comparison,
    creation,
    gather,
    index_write,
    scatter,
    transcendental,
)
from .registry import RULES

__all__ = [
    "RULES",
    "activation",
    "activation_backward",
    "advanced_index",
    "arithmetic",
    "calls",
    "comparison",
    "creation",
    "gather",
    "index_write",
    "scatter",
    "transcendental",
]
