"""Nested values, as PyTorch's functions take and return them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .entries import private


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, (list, tuple)) else [value]


tree_leaves = private(
    "torch.utils._pytree.tree_leaves", "the tensors in nested values", "only lists, tuples and dicts are searched", _leaves
)
treespec_dumps: Callable[[Any], str] | None = private(
    "torch.utils._pytree.treespec_dumps", "a library says how its arguments and results are nested", "mlirind.aot_compile raises"
)
