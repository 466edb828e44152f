"""The tiles of a call of attention on the CPU as words, but for the addresses of its tensors: equal calls have one plan."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ...runtime.cpu.attention_tiles import TileKernel
from ...runtime.cpu.attention_words import BLOCK, CHUNK, PADDING, SPAN, TILE
from ...tuning.cpu import TUNING
from .attention_blocks import Spans

_KEPT = 8  # plans of a call


@dataclass(frozen=True)
class TileLayout:
    """What a plan depends on apart from the block mask. Keys and values are contiguous, `bytes_` each; strides are in elements. `packs`:
    values are packed; `sizes`: the values of the graph's symbols."""

    query: tuple[int, ...]
    key: tuple[int, ...]
    value: tuple[int, ...]
    bytes_: int
    query_strides: tuple[int, ...]
    out_strides: tuple[int, ...]
    out_bytes: int
    packs: bool
    sizes: tuple[int, ...]

    @property
    def blocks(self) -> int:
        """The blocks of a head's keys."""
        return -(-self.key[2] // PADDING)

    @property
    def key_words(self) -> int:
        """The words of 32 bits of a key."""
        return self.key[3] * self.bytes_ // 4


@dataclass(frozen=True, eq=False)
class TilePlan:
    """`tiles` and `blocks`: a line each, relative to the tensors; `empty`: the batch, head and rows that see no keys; `rows`, `length`: the
    most rows of a tile, and scores of a row of a chunk; `positions`: counts from 0. `pool`: what words point to."""

    tiles: torch.Tensor
    blocks: torch.Tensor
    empty: Sequence[tuple[int, int, slice]]
    rows: int
    length: int
    positions: torch.Tensor
    pool: torch.Tensor


class TilePlans:
    """The last plans of a call's code. `kernels`: those of the code."""

    def __init__(self, kernels: Mapping[str, TileKernel | None]) -> None:
        self.kernels = kernels
        self.known: tuple[tuple[Any, list[torch.Tensor], TilePlan], ...] = ()

    def plan(self, layout: TileLayout, mask: Sequence[Any]) -> TilePlan:
        """The plan for this layout and block mask (`Spans`), whose tensors are compared with those of known plans."""
        tensors = [t for t in mask if isinstance(t, torch.Tensor)]
        key = layout, [(t.dtype, t.shape) if isinstance(t, torch.Tensor) else t for t in mask]
        for known, kept, plan in self.known:
            if known == key and all(map(torch.equal, kept, tensors)):
                return plan
        plan = _Planner(self.kernels, layout, Spans(mask, layout.query[2], layout.key[2])).plan()
        self.known = ((key, [t.clone() for t in tensors], plan), *self.known[: _KEPT - 1])
        return plan


@dataclass(eq=False)
class _Planner:
    """Makes a plan. `pool`: words that others point to; `pointers`: the places in it of words that point to it."""

    kernels: Mapping[str, TileKernel | None]
    layout: TileLayout
    spans: Spans
    pool: list[int] = field(default_factory=list)
    pointers: list[int] = field(default_factory=list)
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    most_rows: int = 0
    most_keys: int = 0

    def plan(self) -> TilePlan:
        batch, heads, rows = self.layout.query[:3]
        groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for place in itertools.product(range(batch), range(heads)):
            groups.setdefault(self.spans.mask_of(*place), []).append(place)
        empty: list[tuple[int, int, slice]] = []
        tables = [torch.empty(0, len(TILE), dtype=torch.int64)]
        for mask, places in groups.items():
            lines, without_keys = self._lines(mask)
            table = torch.tensor(lines, dtype=torch.int64).view(-1, len(TILE))
            tables.append((torch.tensor([self._head(*p) for p in places]).unsqueeze(1) + table).flatten(0, 1))
            empty += [(*place, part) for place in places for part in without_keys]
        tiles, blocks = torch.cat(tables), torch.tensor(self._blocks(), dtype=torch.int64).view(-1, len(BLOCK))
        pool = torch.tensor(self.pool, dtype=torch.int64)
        for table, pointing in ((tiles, ("CHUNKS", "STATISTICS_NUMBERS", "CONVERT_NUMBERS")), (blocks, ("KEY_NUMBERS", "VALUE_NUMBERS"))):
            columns = [(TILE if table is tiles else BLOCK)[name] for name in pointing]
            table[:, columns] = _pointers(table[:, columns], pool)
        if self.pointers:
            pool[self.pointers] = _pointers(pool[self.pointers], pool)
        positions = torch.arange(max(batch, heads, rows, self.layout.blocks * PADDING))
        return TilePlan(tiles, blocks, empty, self.most_rows, self.most_keys, positions, pool)

    def _head(self, batch: int, head: int) -> list[int]:
        """What is added to the lines of the tiles of this head."""
        layout = self.layout
        (_, heads, rows, _), (key_batch, key_heads, _, _) = layout.query, layout.key
        of_keys = (batch if key_batch > 1 else 0) * key_heads + head // (heads // key_heads)
        query = (batch * layout.query_strides[0] + head * layout.query_strides[1]) * layout.bytes_
        key = of_keys * layout.blocks * PADDING * layout.key_words * 4
        value = of_keys * layout.blocks * PADDING * layout.value[3] * layout.bytes_
        out = (batch * layout.out_strides[0] + head * layout.out_strides[1]) * layout.out_bytes
        statistics = 4 * (batch * heads + head) * rows
        words = [query, key, value, out, statistics, statistics, 8 * batch, 8 * head]
        return words + [0] * (len(TILE) - len(words))

    def _lines(self, mask: tuple[int, int]) -> tuple[list[list[int]], list[slice]]:
        """The tiles of a head with this mask, relative to the head, and its rows without keys. The last rows may see most keys: first."""
        lines, without_keys = [], []
        layout = self.layout
        step = tile_rows(layout.query)
        for start in reversed(range(0, layout.query[2], step)):
            rows = slice(start, min(start + step, layout.query[2]))
            first, keys, spans = self.spans.tile(mask, rows, PADDING)
            if not keys:
                without_keys.append(rows)
                continue
            count = rows.stop - start
            self.most_rows = max(self.most_rows, count)
            query, out = start * layout.query_strides[2] * layout.bytes_, start * layout.out_strides[2] * layout.out_bytes
            key, value = first * layout.key_words * 4, first * layout.value[3] * layout.bytes_
            chunks, place = self._chunks(count, keys, spans)
            statistics = self._numbers("statistics", count, 1, 1)
            convert = self._numbers("convert", count, layout.value[3], layout.out_strides[2])
            of_rows = [query, key, value, out, 4 * start, 4 * start, 0, 0, 8 * start, 8 * first]
            lines.append([*of_rows, count, chunks, place, statistics, convert])
        return lines, without_keys

    def _chunks(self, rows: int, keys: int, spans: Sequence[tuple[bool, int, int]]) -> tuple[int, int]:
        """The number of the chunks of these spans, and their place in the pool."""
        words: list[int] = []
        for start in range(0, keys, TUNING.tile_keys):
            count = min(TUNING.tile_keys, keys - start)
            length = -(-count // PADDING) * PADDING
            self.most_keys = max(self.most_keys, length)
            words += [start, count, length, length, *self._spans(rows, length, start, _within(spans, start, start + count))]
        place = self._place(words)
        self.pointers += range(place + CHUNK["SPANS"], place + len(words), len(CHUNK))
        return len(words) // len(CHUNK), place

    def _spans(self, rows: int, length: int, start: int, spans: Iterator[tuple[bool, int, int]]) -> tuple[int, int]:
        """The number of those of these spans whose scores change, and their place in the pool."""
        words: list[int] = []
        for full, offset, keys in spans:
            name = "full" if full else "partial"
            if self.kernels[name] is not None:
                words += [full, offset - start, offset, self._numbers(name, rows, keys, length)]
        place = self._place(words)
        self.pointers += range(place + SPAN["NUMBERS"], place + len(words), len(SPAN))
        return len(words) // len(SPAN), place

    def _blocks(self) -> list[list[int]]:
        """The blocks of keys and values of all heads."""
        layout, lines = self.layout, []
        keys, key, value = layout.key[2], layout.key_words * 4, layout.value[3] * layout.bytes_
        for head, first in itertools.product(range(math.prod(layout.key[:2])), range(0, keys, PADDING)):
            count = min(PADDING, keys - first)
            source, target = head * keys + first, head * layout.blocks * PADDING + first
            of_keys = self._numbers("pack_keys", layout.key_words, count, PADDING)
            of_values = self._numbers("pack_values", count // 2, layout.value[3], 1) if layout.packs and count > 1 else 0
            lines.append([source * key, target * key, source * value, target * value, of_keys, of_values])
        return lines

    def _numbers(self, name: str, rows: int, keys: int, length: int) -> int:
        """The place in the pool of a kernel's numbers for these sizes."""
        kernel = self.kernels[name]
        assert kernel is not None
        key = (name, rows, keys, length)
        if key not in self.numbers:
            self.numbers[key] = self._place(kernel.numbers(rows, keys, length, *self.layout.sizes))
        return self.numbers[key]

    def _place(self, words: Sequence[int]) -> int:
        """The place in the pool of these words. No place is 0."""
        self.pool += [0] * (not self.pool)
        place = len(self.pool)
        self.pool += words
        return place


def _pointers(places: torch.Tensor, pool: torch.Tensor) -> torch.Tensor:
    """Places in the pool as addresses; 0 stays 0."""
    return torch.where(places == 0, 0, places * 8 + pool.data_ptr())


def _within(spans: Sequence[tuple[bool, int, int]], start: int, stop: int) -> Iterator[tuple[bool, int, int]]:
    """The parts of spans between two keys."""
    for full, offset, keys in spans:
        first, end = max(offset, start), min(offset + keys, stop)
        if first < end:
            yield full, first, end - first


def tile_rows(query: Sequence[int]) -> int:
    """The rows of a tile, for a query of this shape: fewer if there were few tiles."""
    batch, heads, rows = query[:3]
    count = TUNING.tile_rows
    while count > TUNING.tile_least_rows and batch * heads * -(-rows // count) < TUNING.tiles:
        count //= 2
    return count
