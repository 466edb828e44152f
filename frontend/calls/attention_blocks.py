"""Attention in blocks, as it runs: a compiled body computes some query rows with the keys that the block mask lets them see.

No tensor holds the scores of all rows. A body gets all keys that its rows may see at once, so each softmax is that of whole rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...tuning.cpu import TUNING
from ..counters import counters

WITHOUT_KEYS = (0.0, -float("inf"), -float("inf"))  # the results of a row that sees no keys
Body = Callable[..., Sequence[torch.Tensor]]
# In the `meta` of the graph of a kernel's functions: the kernel, and a function that computes the same with all scores.
KERNEL, DENSE = "mlirind_attention_kernel", "mlirind_dense_attention"


def blocked_attention(
    body: Body, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], symbols: Sequence[Any], orders: Sequence[Any]
) -> list[torch.Tensor]:
    """The output, the base-2 logarithms of the sums, and the largest scores.

    `body(batch, head, row, key, batches, key heads, rows, *sizes, query, key, value, *others)` gives these for a part of the rows; the
    first four arguments say where the part begins. `tensors`: query, key and value. `blocks`: the block mask (`Spans`). `others`:
    captured tensors and numbers. `symbols`: see `_Walk`. `orders`: the order of each result's dimensions in memory, the outermost first."""
    walk = _Walk(tensors, blocks, others, symbols)
    query, _, value = tensors
    out = empty_in_order((*query.shape[:3], value.size(3)), orders[0], query)
    logarithms, largest = (torch.empty(query.shape[:3], dtype=torch.float32) for _ in range(2))
    for tile in walk.tiles():
        parts = tile.of_rows(out), tile.of_rows(logarithms), tile.of_rows(largest)
        if tile.keys.start >= tile.keys.stop:
            for part, number in zip(parts, WITHOUT_KEYS, strict=True):
                part.fill_(number)
            continue
        for part, result in zip(parts, body(*tile.numbers(), *walk.sizes, *walk.taken(tile), *others), strict=True):
            part.copy_(result.view(part.shape))
    return [out, logarithms, largest]


def attention_kernel(
    scores: Any, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], symbols: Sequence[Any], orders: Sequence[Any]
) -> list[torch.Tensor]:
    """As `blocked_attention`, by one kernel on a GPU: the `AttentionKernel` in the `meta` of the graph `scores`. A call that it can't take
    is computed with all scores, and counted."""
    if not scores.meta[KERNEL].takes(tensors):
        counters.dense_attention["of so many rows or keys on GPUs"] += 1
        return _with_all_scores(scores, tensors, others, orders)
    results: list[torch.Tensor] = scores.meta[KERNEL].run(tensors, blocks, others, sizes_at(symbols, tensors, others), orders)
    return results


def tiled_attention(
    scores: Any, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], symbols: Sequence[Any], orders: Sequence[Any]
) -> list[torch.Tensor]:
    """As `blocked_attention`, in native code on the CPU: the `TiledAttention` in the `meta` of the graph `scores`. If a kernel fails, all
    scores are computed by PyTorch, whose operator raises the exception."""
    with torch.no_grad():
        found: list[torch.Tensor] | None = scores.meta[KERNEL].run(tensors, blocks, others, sizes_at(symbols, tensors, others), orders)
    return _with_all_scores(scores, tensors, others, orders) if found is None else found


def _with_all_scores(scores: Any, tensors: Sequence[Any], others: Sequence[Any], orders: Sequence[Any]) -> list[Any]:
    """The results of the function in the `meta` of the graph `scores` that computes all scores."""
    with torch.no_grad():
        return _in_order(scores.meta[DENSE](tensors, others), tensors, others, orders)


def _in_order(results: Sequence[Any], tensors: Sequence[Any], others: Sequence[Any], orders: Sequence[Any]) -> list[Any]:
    """The results with their dtypes and orders of dimensions; the gradients of captured tensors in a list of their own."""
    is_forward = len(results) == 3
    dtypes = [tensors[0].dtype, torch.float32, torch.float32] if is_forward else [t.dtype for t in tensors[:3]]
    first = [laid_out(r, order, dtype) for r, order, dtype in zip(results[:3], orders[:3], dtypes, strict=True)]
    if is_forward:
        return first
    of_captured = zip(results[3], orders[3:], strict=True)
    return [*first, [None if place is None else laid_out(r, place[1], others[place[0]].dtype) for r, place in of_captured]]


def attention_backward_kernel(
    scores: Any, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], symbols: Sequence[Any], orders: Sequence[Any]
) -> list[Any]:
    """As `blocked_attention_backward`, by the `BackwardKernel` in the `meta` of the graph `scores`."""
    return attention_kernel(scores, tensors, blocks, others, symbols, orders)


def blocked_attention_backward(
    body: Body, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], symbols: Sequence[Any], orders: Sequence[Any]
) -> list[Any]:
    """The gradients of query, key, value, and of the captured tensors: a list with None for what has no gradient.

    As `blocked_attention`, with `tensors` query, key, value, output, logarithms, and the gradients of the last two or None. The body gives
    the gradient of its rows, and what they add to the other gradients. `orders` has for each captured tensor with a gradient its number in
    `others` and the order, else None."""
    walk = _Walk(tensors, blocks, others, symbols)
    of_query = empty_in_order(tensors[0].shape, orders[0], tensors[0])
    of_key, of_value = (torch.zeros_like(t) for t in (walk.tensors[1], walk.tensors[2]))
    of_captured: list[torch.Tensor] = []
    for tile in walk.tiles():
        part = tile.of_rows(of_query)
        if tile.keys.start >= tile.keys.stop:
            part.fill_(0.0)
            continue
        rows, keys, values, *captured = body(*tile.numbers(), *walk.sizes, *walk.taken(tile), *others)
        part.copy_(rows.view(part.shape))
        walk.of_keys(of_key, tile).add_(keys)
        walk.of_keys(of_value, tile).add_(values)
        of_captured = captured if not of_captured else [total.add_(c) for total, c in zip(of_captured, captured, strict=True)]
    wanted = [place for place in orders[3:] if place is not None]
    sums = iter(of_captured or [torch.zeros_like(others[n]) for n, _ in wanted])
    of_others = [None if place is None else laid_out(next(sums), place[1], others[place[0]].dtype) for place in orders[3:]]
    return [of_query, *(laid_out(walk.of_call(t), orders[n], tensors[n].dtype) for n, t in ((1, of_key), (2, of_value))), of_others]


@dataclass(frozen=True)
class _Tile:
    """A part of the scores."""

    batches: slice
    heads: slice
    rows: slice
    keys: slice
    key_heads: slice

    def numbers(self) -> tuple[int, ...]:
        """The first batch, query head, row and key, and the numbers of batches, key heads and rows."""
        starts = (part.start for part in (self.batches, self.heads, self.rows, self.keys))
        return *starts, *(part.stop - part.start for part in (self.batches, self.key_heads, self.rows))

    def of_rows(self, tensor: torch.Tensor) -> torch.Tensor:
        """A view of the tile's rows of a tensor (batch, head, row, ...)."""
        return tensor[self.batches, self.heads, self.rows]


class _Walk:
    """The tiles of a call. `sizes`: the values of the body's symbols; `symbols` says for each which of `tensors` and `others` has it, as
    "size", "stride" or "value", and of which dimension."""

    def __init__(self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], symbols: Sequence[Any]) -> None:
        query, key = tensors[:2]
        self.batch, self.heads, self.rows = query.shape[:3]
        self.key_batch, self.key_heads, self.keys = key.shape[:3]
        self.spans = Spans(blocks, self.rows, self.keys)
        self.sizes = sizes_at(symbols, tensors, others)
        self.tensors = [t if t is None or t.dim() == 3 else self._exact(t, is_keys=n in (1, 2)) for n, t in enumerate(tensors)]

    def _exact(self, tensor: torch.Tensor, is_keys: bool) -> torch.Tensor:
        """The tensor in the dtype of the scores; keys and values with one dimension for batches and heads."""
        exact = tensor.to(torch.float64 if tensor.dtype == torch.float64 else torch.float32)
        return exact.flatten(0, 1).contiguous() if is_keys else exact

    def of_call(self, tensor: torch.Tensor) -> torch.Tensor:
        """Keys or values in four dimensions."""
        return tensor.view(self.key_batch, self.key_heads, *tensor.shape[1:])

    def of_keys(self, tensor: torch.Tensor, tile: _Tile) -> torch.Tensor:
        """A view of the tile's keys of a tensor of keys or values."""
        batches, heads = tile.batches if self.key_batch > 1 else slice(0, 1), tile.key_heads
        first, count = batches.start * self.key_heads + heads.start, (batches.stop - batches.start) * (heads.stop - heads.start)
        return tensor[first : first + count, tile.keys]

    def taken(self, tile: _Tile) -> list[Any]:
        """The tile's parts of the tensors, as the body takes them."""
        return [self._part(t, tile, is_keys=n in (1, 2)) for n, t in enumerate(self.tensors) if t is not None]

    def _part(self, tensor: torch.Tensor, tile: _Tile, is_keys: bool) -> torch.Tensor:
        if is_keys:
            return self.of_keys(tensor, tile)
        part = tile.of_rows(tensor).contiguous()
        return part if part.dim() == 3 else part.view(-1, self.heads // self.key_heads * part.size(2), part.size(3))

    def tiles(self) -> Iterator[_Tile]:
        """The tiles, each of few enough scores, if it can be, to stay in the cache between the products."""
        groups = self.heads // max(1, self.key_heads)
        rows = min(TUNING.attention_rows, self.rows)
        rows = max(1, min(rows, max(TUNING.attention_least_rows, TUNING.attention_scores // max(1, groups * self.keys))))
        heads = max(1, min(self.key_heads, TUNING.attention_scores // max(1, groups * rows * self.keys)))
        at_once = TUNING.attention_scores // max(1, self.heads * rows * self.keys) if self.spans.one_batch else 1
        batches = max(1, min(self.batch, at_once)) if heads == self.key_heads and self.batch == self.key_batch else 1
        for batch in _cut(self.batch, batches):
            for key_heads in _cut(self.key_heads, heads):
                head = slice(key_heads.start * groups, key_heads.stop * groups)
                firsts, ends = self.spans.of(batch, head)
                for row in _cut(self.rows, rows):
                    keys = self.spans.keys_of(firsts, ends, row)
                    yield _Tile(batch, head, row, keys, key_heads)


def sizes_at(symbols: Sequence[Any], tensors: Sequence[Any], others: Sequence[Any]) -> list[int]:
    """The numbers that symbols stand for: sizes or strides of tensors, or values among `others`."""
    values = [*tensors, *others]
    return [_number(values[n], kind, dim) for n, kind, dim in symbols]


def _number(value: Any, kind: str, dim: int) -> int:
    number: int = value if kind == "value" else value.size(dim) if kind == "size" else value.stride(dim)
    return number


class Spans:
    """The keys that rows may see: from the first to the last block that the block mask lists. `blocks`: for each batch, head and block of
    rows the number of listed blocks and which they are; the same for full blocks, or None; rows and keys of a block. Empty: rows see all
    keys."""

    def __init__(self, blocks: Sequence[Any], rows: int, keys: int) -> None:
        self.keys, self.known = keys, False
        self.one_batch = True
        if not blocks:
            return
        counts, indices, full_counts, full_indices, self.block_rows, self.block_keys = blocks
        if counts.size(2) * self.block_rows < rows or indices.size(3) * self.block_keys < keys:
            return  # a mask of fewer rows or keys: it says nothing about the others
        self.known, self.one_batch = True, counts.size(0) == 1
        self.firsts, self.ends = _ends(counts, indices)
        self.full = torch.zeros(indices.shape, dtype=torch.bool)
        self.lists: dict[tuple[int, int], tuple[list[int], list[int], list[list[bool]]]] = {}
        if full_counts is not None:
            self.full = _listed(full_counts, full_indices)
            firsts, ends = _ends(full_counts, full_indices)
            self.firsts, self.ends = torch.minimum(self.firsts, firsts), torch.maximum(self.ends, ends)

    def of(self, batches: slice, heads: slice) -> tuple[list[int], list[int]]:
        """For each block of rows the first block of keys, and the end of the last one, of these batches and heads."""
        if not self.known:
            return [], []
        part = [slice(None) if size == 1 else chosen for size, chosen in zip(self.firsts.shape[:2], (batches, heads), strict=True)]
        return self.firsts[part[0], part[1]].amin((0, 1)).tolist(), self.ends[part[0], part[1]].amax((0, 1)).tolist()

    def aligned(self, size: int) -> bool:
        """Whether all spans of keys begin and end at multiples of `size`."""
        return self.keys % size == 0 and (not self.known or self.block_keys % size == 0)

    def mask_of(self, batch: int, head: int) -> tuple[int, int]:
        """The batch and head of the mask of a head's scores."""
        return (min(batch, self.firsts.size(0) - 1), min(head, self.firsts.size(1) - 1)) if self.known else (0, 0)

    def tile(self, mask: tuple[int, int], rows: slice, pair: int) -> tuple[int, int, list[tuple[bool, int, int]]]:
        """For rows of heads with this mask the first key that some may see, the number of keys to the last one, and spans of them: whether
        all scores are allowed, the first key, counted from the first of all, and the number of keys. The first key of all is a multiple of
        `pair`."""
        if not self.known:
            return 0, self.keys, [(False, 0, self.keys)]
        firsts, ends, full = self._lists(mask)
        blocks = slice(rows.start // self.block_rows, (rows.stop - 1) // self.block_rows + 1)
        start, stop = min(firsts[blocks]), max(ends[blocks])
        if start >= stop:
            return 0, 0, []
        first, end = start * self.block_keys, min(stop * self.block_keys, self.keys)
        spans: list[tuple[bool, int, int]] = [(False, 0, first % pair)] if first % pair else []
        first -= first % pair
        for block in range(start, stop):
            begin, stays = block * self.block_keys, all(lines[block] for lines in full[blocks])
            count = min(begin + self.block_keys, end) - begin
            if spans and spans[-1][0] == stays:
                spans[-1] = (stays, spans[-1][1], spans[-1][2] + count)
            else:
                spans.append((stays, begin - first, count))
        return first, end - first, spans

    def _lists(self, mask: tuple[int, int]) -> tuple[list[int], list[int], list[list[bool]]]:
        """For each block of rows the first block of keys, the end of the last one, and for each block of keys whether it is full."""
        if mask not in self.lists:
            found: tuple[Any, Any, Any] = self.firsts[mask].tolist(), self.ends[mask].tolist(), self.full[mask].tolist()
            self.lists[mask] = found
        return self.lists[mask]

    def keys_of(self, firsts: list[int], ends: list[int], rows: slice) -> slice:
        """The keys that some of the rows may see."""
        if not self.known:
            return slice(0, self.keys)
        blocks = slice(rows.start // self.block_rows, (rows.stop - 1) // self.block_rows + 1)
        return slice(min(firsts[blocks]) * self.block_keys, min(max(ends[blocks]) * self.block_keys, self.keys))


def _ends(counts: torch.Tensor, indices: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The first listed block of each block of rows, and the end of the last one; the number of blocks and 0 if none is listed."""
    blocks = indices.size(3)
    listed = torch.arange(blocks) < counts.unsqueeze(-1)
    return torch.where(listed, indices, blocks).amin(-1), torch.where(listed, indices + 1, 0).amax(-1)


def _listed(counts: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """Whether each block of keys is listed for each block of rows."""
    blocks = indices.size(3)
    listed = torch.arange(blocks) < counts.unsqueeze(-1)
    places = torch.where(listed, indices, blocks).to(torch.int64)
    return torch.zeros(*indices.shape[:3], blocks + 1, dtype=torch.bool).scatter_(3, places, True)[..., :blocks]


def _cut(size: int, step: int) -> Iterator[slice]:
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))


def empty_in_order(sizes: Sequence[int], order: Sequence[int], like: torch.Tensor) -> torch.Tensor:
    """A tensor with the dtype and device of `like`, whose dimensions lie in memory in this order, the outermost first."""
    back = [order.index(d) for d in range(len(order))]
    return torch.empty([sizes[d] for d in order], dtype=like.dtype, device=like.device).permute(back)


def laid_out(tensor: torch.Tensor, order: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """The tensor with this dtype and order of dimensions in memory."""
    back = [order.index(d) for d in range(len(order))]
    return tensor.to(dtype).permute(*order).contiguous().permute(*back)
