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
_LEAST = -64.0  # its exponential, 1.6e-28, divided by 2^24 is no denormal


@dataclass(frozen=True)
class Attention:
    """A call's functions and numbers. `modify(score, b, h, i, j, *captured)` is the score's modification, `allow(b, h, i, j,
    *mask_captured)` the mask, `modify_backward(score, b, h, i, j, gradient, *captured)` gives the gradients of all arguments of
    `modify`; `dtype`: that of the query."""

    modify: Callable[..., Any]
    allow: Callable[..., Any]
    scale: float
    dtype: torch.dtype
    captured: Sequence[Any]
    mask_captured: Sequence[Any]
    modify_backward: Callable[..., Any] | None = None

    def scores(self, query: torch.Tensor, key: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The scores, the modified and masked scores, and the mask."""
        plain = self.as_scores(self.product(_exact(query), _exact(key).transpose(-2, -1))) * self.scale
        return plain, *self.masked(plain)

    def masked(self, plain: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The scores after modification and mask, and the mask."""
        allowed = self.allowed(plain)
        return torch.where(allowed, self.modified(plain), -_INFINITY).to(plain.dtype), allowed

    def allowed(self, scores: torch.Tensor) -> torch.Tensor:
        """The mask."""
        return _everywhere(self.allow, 4, len(self.mask_captured))(*self._all_positions(scores), *self.mask_captured)

    def modified(self, plain: torch.Tensor) -> torch.Tensor:
        """The scores after modification."""
        modified = _everywhere(self.modify, 5, len(self.captured))(plain, *self._all_positions(plain), *self.captured)
        return modified.to(plain.dtype)

    def _all_positions(self, scores: torch.Tensor) -> list[torch.Tensor]:
        return [_along(p, dim).expand(scores.shape) for dim, p in enumerate(self.positions(scores))]

    def score_gradients(self, scores: torch.Tensor, gradient: torch.Tensor) -> tuple[torch.Tensor, list[Any]]:
        """The gradients of the scores, before their modification, and of the captured tensors."""
        assert self.modify_backward is not None
        function = _gradients(self.modify_backward, len(self.captured))
        of_scores, _, _, _, _, *of_captured = function(scores, *self.positions(scores), gradient, *self.captured)
        return of_scores, of_captured

    def gradients_by_score(self, scores: torch.Tensor, gradient: torch.Tensor) -> tuple[torch.Tensor, list[Any]]:
        """As `score_gradients`, from operators that all have the domain of the scores."""
        assert self.modify_backward is not None
        function = _everywhere(self.modify_backward, 6, len(self.captured), [0, None, None, None, None, *(None for _ in self.captured)])
        results: Any = function(scores, *self._all_positions(scores), gradient, *self.captured)
        return results[0], list(results[5:])

    def positions(self, scores: torch.Tensor) -> list[torch.Tensor]:
        """A vector of positions for each dimension of the scores."""
        return [torch.arange(size, device=scores.device) for size in scores.shape]

    def rounded(self, tensor: torch.Tensor) -> torch.Tensor:
        """An operand of a product that eager computes in the query's dtype."""
        return tensor.to(self.dtype)

    def operand(self, tensor: torch.Tensor) -> torch.Tensor:
        """One of the call's tensors as an operand of such a product."""
        return tensor.to(self.dtype)

    def as_scores(self, product: torch.Tensor) -> torch.Tensor:
        """A product's rows in the dimensions of the scores: batch, query head, row, and one more."""
        return product

    def product(self, of_queries: torch.Tensor, of_keys: torch.Tensor) -> torch.Tensor:
        """The product for each query head with that of its key head: query heads of one key head are rows of one product."""
        batch, heads, rows, width = of_queries.shape
        groups = heads // of_keys.size(1)
        of_keys = of_keys.expand(batch, *of_keys.shape[1:])
        if groups == 1:
            return of_queries @ of_keys
        product = of_queries.reshape(batch, heads // groups, groups * rows, width) @ of_keys
        return product.view(batch, heads, rows, product.size(-1))

    def summed_product(self, weights: torch.Tensor, of_queries: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        """`weights` transposed times `of_queries`, summed over the query heads of each key head, and over the batch if `like` has one
        batch."""
        batch, heads, rows, columns = weights.shape
        groups = heads // like.size(1)
        if groups > 1:
            weights = weights.reshape(batch, heads // groups, groups * rows, columns)
            of_queries = of_queries.reshape(batch, heads // groups, groups * rows, of_queries.size(-1))
        product = weights.transpose(-2, -1) @ of_queries
        return product.sum(0, keepdim=True) if batch > 1 and like.size(0) == 1 else product


@dataclass(frozen=True)
class PartialAttention(Attention):
    """A part of a call: some query rows and some keys of some heads. Its tensors have three dimensions: batches times key heads; keys, or
    the rows of all query heads of a key head; elements. Their dtype is that of the scores, so that parts of gradients are added before
    they are rounded to half types. The logarithms have the first three dimensions of the scores. `starts`: the first batch, query head,
    row and key; `sizes`: the numbers of batches, query heads and rows."""

    starts: Sequence[Any] = ()
    sizes: Sequence[Any] = ()

    def positions(self, scores: torch.Tensor) -> list[torch.Tensor]:
        """As `Attention.positions`, in the whole call."""
        return [p + start for p, start in zip(super().positions(scores), self.starts, strict=True)]

    def rounded(self, tensor: torch.Tensor) -> torch.Tensor:
        """As `Attention.rounded`, converted back."""
        return tensor.to(self.dtype).to(exact_dtype(self.dtype))

    def operand(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor: its values are those of the half type."""
        return tensor

    def as_scores(self, product: torch.Tensor) -> torch.Tensor:
        """As `Attention.as_scores`."""
        return product.view(*self.sizes, product.size(-1))

    def product(self, of_queries: torch.Tensor, of_keys: torch.Tensor) -> torch.Tensor:
        """As `Attention.product`, in three dimensions."""
        return torch.bmm(self._by_key_heads(of_queries, of_keys), of_keys)

    def summed_product(self, weights: torch.Tensor, of_queries: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        """As `Attention.summed_product`, for each batch."""
        return torch.bmm(self._by_key_heads(weights, like).transpose(-2, -1), of_queries)

    def _by_key_heads(self, of_queries: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        batches, heads, rows = self.sizes
        return of_queries.view(like.size(0), batches * heads * rows // like.size(0), of_queries.size(-1))


def attention(call: Attention, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The output, and for each row the base-2 logarithm of the sum of exponentials, and the largest score divided by log(2). The output of
    a row without an allowed score is 0."""
    _, scores, _ = call.scores(query, key)
    weights, logarithms, largest = normalized(scores)
    return call.product(call.rounded(weights), call.operand(value)), logarithms, largest


def normalized(scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The softmax of modified and masked scores, and for each row the base-2 logarithm of the sum of exponentials, and the largest score
    divided by log(2). The weights of a row without an allowed score are 0."""
    largest = scores.amax(-1, keepdim=True)
    exponentials = _exponential(scores - torch.where(largest == -_INFINITY, 0.0, largest))
    sums = exponentials.sum(-1, keepdim=True)
    return exponentials / divisors_of(largest, sums), *(s.squeeze(-1) for s in statistics_of(largest, sums))


def divisors_of(largest: torch.Tensor, sums: torch.Tensor) -> torch.Tensor:
    """What exponentials are divided by: their sums; 1 for rows without an allowed score."""
    return torch.where(largest == -_INFINITY, 1.0, sums)


def statistics_of(largest: torch.Tensor, sums: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """For each row the base-2 logarithm of the sum of the exponentials of scores, from the sum of those of scores less the largest one; and
    the largest score divided by log(2)."""
    logarithms = torch.where(largest.abs() == _INFINITY, largest, largest + torch.log(sums))
    return logarithms / _LN2, largest / _LN2


def _exponential(scores: torch.Tensor) -> torch.Tensor:
    """The exponentials of scores less the largest one, or less the logarithm of the sum. Those that no sum in float32 can show are 0: on
    CPUs an operation that gives a denormal takes a hundred cycles."""
    if scores.dtype != torch.float32:
        return torch.exp(scores)
    return torch.exp(torch.where(scores < _LEAST, -_INFINITY, scores))


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
    of_value = call.summed_product(call.rounded(weights), of_out, value)
    of_weights = call.as_scores(call.product(_exact(of_out), _exact(value).transpose(-2, -1)))
    subtracted = call.as_scores((_exact(out) * _exact(of_out)).sum(-1, keepdim=True))
    if of_logarithms is not None:
        subtracted = subtracted - of_logarithms.unsqueeze(-1) / _LN2
    of_scores, of_captured = call.score_gradients(plain, weights * (of_weights - subtracted))
    of_scores = call.rounded(torch.where(allowed, call.rounded(of_scores * call.scale), 0.0))
    return call.product(of_scores, key), call.summed_product(of_scores, query, key), of_value, of_captured


def _weights(scores: torch.Tensor, logarithms: torch.Tensor) -> torch.Tensor:
    """The softmax of the scores. PyTorch's meta function declares the logarithms as float32 even if the scores are float64: then these
    are not exact enough."""
    if scores.dtype == logarithms.dtype:
        return torch.where(logarithms == -_INFINITY, 0.0, _exponential(scores - logarithms * _LN2))
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


def exact_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype that eager computes scores in, for a query of this dtype."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def _exact(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in the dtype that eager computes scores in."""
    return tensor.to(exact_dtype(tensor.dtype))


def _along(positions: torch.Tensor, dim: int) -> torch.Tensor:
    """A vector as a tensor of four dimensions that varies along `dim`."""
    return positions.view([-1 if d == dim else 1 for d in range(4)])


def _everywhere(function: Callable[..., Any], given: int, captured: int, out_dims: Any = 0) -> Callable[..., torch.Tensor]:
    """`function` of scalars as a function of tensors with an element for each score. All its operators then have one domain, that of the
    softmax, so that they become one kernel. `given`: the number of its arguments before the captured ones; `out_dims`: as in
    `torch.vmap`."""
    for _ in range(4):
        function = torch.vmap(function, in_dims=(*(0 for _ in range(given)), *(None for _ in range(captured))), out_dims=out_dims)
    return function


def _gradients(function: Callable[..., Any], captured: int) -> Callable[..., Any]:
    """The gradients of `modify`, a function of scalars, as a function of tensors: all scores, a vector of positions for each dimension, and
    the gradient of each score. Indices of captured tensors then vary only along the dimensions that they depend on (`scatter_to_zeros`)."""
    unbatched = [None for _ in range(captured)]
    for dim in (3, 2, 1, 0):
        positions = [0 if d == dim else None for d in range(4)]
        function = torch.vmap(function, in_dims=(0, *positions, 0, *unbatched), out_dims=[0, None, None, None, None, *unbatched])
    return function
