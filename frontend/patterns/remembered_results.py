"""A cache of operators' results on tensors without data: PyTorch's meta functions are slow, and patterns repeat calls often."""

from __future__ import annotations

import functools
from typing import Any

import torch

from ...torch_internals.operators import schema_of

# The dtypes, sizes and strides of calls' results, by the calls' arguments.
_RESULTS: dict[Any, tuple[torch.dtype, tuple[int, ...], tuple[int, ...]]] = {}
_MOST = 10_000


def result_of(operator: Any, args: Any, kwargs: Any) -> Any:
    """The result of a call. Cached for calls that return new memory."""
    key = None if _gives_views(operator) else _key(operator, args, kwargs)
    if key is None:
        return operator(*args, **kwargs)
    known = _RESULTS.get(key)
    if known is None:
        result = operator(*args, **kwargs)
        if isinstance(result, torch.Tensor) and not result.storage_offset():
            if len(_RESULTS) == _MOST:
                _RESULTS.clear()
            _RESULTS[key] = (result.dtype, tuple(result.shape), result.stride())
        return result
    dtype, sizes, strides = known
    return torch.empty_strided(sizes, strides, dtype=dtype, device="meta")


@functools.cache
def _gives_views(operator: Any) -> bool:
    schema = schema_of(operator)
    return len(schema.returns) != 1 or any(a.alias_info is not None for a in (*schema.arguments, *schema.returns))


def _key(operator: Any, args: Any, kwargs: Any) -> Any:
    """The cache key: what the result's metadata depends on; of numbers only the type, if an operator is pointwise. None if more matters."""
    found: list[Any] = []
    by_type = torch.Tag.pointwise in operator.tags
    for value in (*args, *kwargs.items()):
        if isinstance(value, torch.Tensor):
            if not value.dim():
                return None  # it may be a number, which is weaker in type promotion
            found.append((value.dtype, tuple(value.shape), value.stride()))
        elif by_type and type(value) in (int, float):
            found.append(type(value))
        elif isinstance(value, (int, float, bool, str, type(None), torch.dtype)):
            found.append((type(value), value))
        elif isinstance(value, (list, tuple)) and all(isinstance(v, (int, str, type(None), torch.dtype)) for v in value):
            found.append((type(value), *((type(v), v) for v in value)))
        else:
            return None
    return (operator, *found)
