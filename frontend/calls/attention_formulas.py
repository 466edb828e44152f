"""What `flex_attention` and its backward compute, written with PyTorch's operators, in the precision and order of eager's dense form.

The functions that modify and mask scores take scalars; `torch.vmap` applies them to all scores at once, as eager does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

_INFINITY = float("inf")
_LN2 = math.log(2)


@dataclass(frozen=True)
class Attention:
    """A call's functions and numbers. `modify(score, b, h, i, j, *captured)` is the score's modification, `allow(b, h, i, j,
    *mask_captured)` the mask, `modify_backward(score, b, h, i, j, gradient, *captured)` gives the gradients of all arguments of
    `modify`."""

    modify: Callable[..., Any]
    allow: Callable[..., Any]
    scale: float
    captured: Sequence[Any]
    mask_captured: Sequence[Any]
    modify_backward: Callable[..., Any] | None = None

    def scores(self, query: torch.Tensor, key: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The scores, the modified and masked scores, and the mask."""
        plain = _heads_product(_exact(query), _exact(key).transpose(-2, -1)) * self.scale
        positions = [_along(p, dim).expand(plain.shape) for dim, p in enumerate(_positions(plain))]
        modified = _everywhere(self.modify, 5, len(self.captured))(plain, *positions, *self.captured)
        allowed = _everywhere(self.allow, 4, len(self.mask_captured))(*positions, *self.mask_captured)
        return plain, torch.where(allowed, modified, -_INFINITY).to(plain.dtype), allowed

    def score_gradients(self, scores: torch.Tensor, gradient: torch.Tensor) -> tuple[torch.Tensor, list[Any]]:
        """The gradients of the scores, before their modification, and of the captured tensors."""
        assert self.modify_backward is not None
        function = _gradients(self.modify_backward, len(self.captured))
        of_scores, _, _, _, _, *of_captured = function(scores, *_positions(scores), gradient, *self.captured)
        return of_scores, of_captured


def attention(call: Attention, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The output, and for each row the base-2 logarithm of the sum of exponentials, and the largest score divided by log(2). The output of
    a row without an allowed score is 0."""
    _, scores, _ = call.scores(query, key)
    largest = scores.amax(-1, keepdim=True)
    empty = largest == -_INFINITY
    exponentials = torch.exp(scores - torch.where(empty, 0.0, largest))
    sums = exponentials.sum(-1, keepdim=True)
    logarithms = torch.where(largest.abs() == _INFINITY, largest, largest + torch.log(sums))
    weights = exponentials / torch.where(empty, 1.0, sums)
    return _heads_product(weights.to(query.dtype), value.to(query.dtype)), logarithms.squeeze(-1) / _LN2, largest.squeeze(-1) / _LN2


def attention_backward(
    call: Attention,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    out: torch.Tensor,
    logarithms: torch.Tensor,
    of_out: torch.Tensor | None,
    of_logarithms: torch.Tensor | None,
) -> tuple[Any, ...]:
    """The gradients of query, key, value, and of the captured tensors."""
    plain, scores, allowed = call.scores(query, key)
    of_out = torch.zeros_like(out) if of_out is None else of_out
    weights = _weights(scores, logarithms.unsqueeze(-1))
    of_value = _summed_product(weights.to(query.dtype), of_out, value)
    of_weights = _heads_product(_exact(of_out), _exact(value).transpose(-2, -1))
    subtracted = (_exact(out) * _exact(of_out)).sum(-1, keepdim=True)
    if of_logarithms is not None:
        subtracted = subtracted - of_logarithms.unsqueeze(-1) / _LN2
    of_scores, of_captured = call.score_gradients(plain, weights * (of_weights - subtracted))
    of_scores = torch.where(allowed, (of_scores * call.scale).to(query.dtype), 0.0).to(query.dtype)
    return _heads_product(of_scores, key), _summed_product(of_scores, query, key), of_value, of_captured


def _weights(scores: torch.Tensor, logarithms: torch.Tensor) -> torch.Tensor:
    """The softmax of the scores. PyTorch's meta function declares the logarithms as float32 even if the scores are float64: then these
    are not exact enough."""
    if scores.dtype == logarithms.dtype:
        return torch.where(logarithms == -_INFINITY, 0.0, torch.exp(scores - logarithms * _LN2))
    return torch.where(logarithms == -_INFINITY, 0.0, torch.softmax(scores, -1))


def scatter_to_zeros(shape: Sequence[Any], indices: Sequence[torch.Tensor], values: torch.Tensor) -> torch.Tensor:
    """`flex_lib::zeros_and_scatter`: the gradient of a captured tensor that a modification reads at `indices`. Values of equal indices are
    summed first, along dimensions in which no index varies."""
    indices = [i.expand(values.shape) for i in indices]
    constant = [d for d in range(values.dim()) if all(i.stride(d) == 0 or i.shape[d] == 1 for i in indices)]
    if constant:
        values = values.sum(constant)
        for dim in reversed(constant):
            indices = [i.select(dim, 0) for i in indices]
    zeros = torch.zeros(tuple(shape), dtype=values.dtype, device=values.device)
    return torch.ops.aten.index_put.default(zeros, indices, values, True)


def _exact(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in the dtype that eager computes scores in."""
    return tensor.to(torch.float64 if tensor.dtype == torch.float64 else torch.float32)


def _heads_product(of_queries: torch.Tensor, of_keys: torch.Tensor) -> torch.Tensor:
    """The product for each query head with that of its key head: query heads of one key head are rows of one product."""
    batch, heads, rows, width = of_queries.shape
    groups = heads // of_keys.size(1)
    of_keys = of_keys.expand(batch, *of_keys.shape[1:])
    if groups == 1:
        return of_queries @ of_keys
    product = of_queries.reshape(batch, heads // groups, groups * rows, width) @ of_keys
    return product.view(batch, heads, rows, product.size(-1))


def _summed_product(weights: torch.Tensor, of_queries: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """`weights` transposed times `of_queries`, summed over the query heads of each key head, and over the batch if `like` has one batch."""
    batch, heads, rows, columns = weights.shape
    groups = heads // like.size(1)
    if groups > 1:
        weights = weights.reshape(batch, heads // groups, groups * rows, columns)
        of_queries = of_queries.reshape(batch, heads // groups, groups * rows, of_queries.size(-1))
    product = weights.transpose(-2, -1) @ of_queries
    return product.sum(0, keepdim=True) if batch > 1 and like.size(0) == 1 else product


def _positions(scores: torch.Tensor) -> list[torch.Tensor]:
    return [torch.arange(size, device=scores.device) for size in scores.shape]


def _along(positions: torch.Tensor, dim: int) -> torch.Tensor:
    """A vector as a tensor of four dimensions that varies along `dim`."""
    return positions.view([-1 if d == dim else 1 for d in range(4)])


def _everywhere(function: Callable[..., Any], given: int, captured: int) -> Callable[..., torch.Tensor]:
    """`function` of scalars as a function of tensors with an element for each score. All its operators then have one domain, that of the
    softmax, so that they become one kernel. `given`: the number of its arguments before the captured ones."""
    for _ in range(4):
        function = torch.vmap(function, in_dims=(*(0 for _ in range(given)), *(None for _ in range(captured))))
    return function


def _gradients(function: Callable[..., Any], captured: int) -> Callable[..., Any]:
    """The gradients of `modify`, a function of scalars, as a function of tensors: all scores, a vector of positions for each dimension, and
    the gradient of each score. Indices of captured tensors then vary only along the dimensions that they depend on (`scatter_to_zeros`)."""
    unbatched = [None for _ in range(captured)]
    for dim in (3, 2, 1, 0):
        positions = [0 if d == dim else None for d in range(4)]
        function = torch.vmap(function, in_dims=(0, *positions, 0, *unbatched), out_dims=[0, None, None, None, None, *unbatched])
    return function
