"""Attention on the CPU in native code (`lowering/cpu/attention_tiles.mlir`), as it runs, also in processes without the compiler."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...disk_cache.container import DamagedEntry
from ...runtime.cpu.attention_tiles import TileCode, TileKernel
from ...runtime.cpu.attention_words import CALL, PADDING, SOFTMAX, SPAN, TILE
from ...torch_internals.tile_products import TileProducts, tile_products
from ...tuning.cpu import TUNING
from .attention_blocks import WITHOUT_KEYS, Spans, empty_in_order, laid_out

_LINE = 64  # bytes of a line of the cache
_ROWS_LAST = 3


@dataclass(frozen=True)
class Packing:
    """The kernels that pack keys and values."""

    keys: TileKernel
    values: TileKernel

    def keys_of(self, key: torch.Tensor, padded: int) -> torch.Tensor:
        """(batch, head, width, keys) with `padded` keys, in float32; of half types with pairs of numbers in place of numbers."""
        words = _dense(key).view(torch.float32)
        batch, heads, keys, width = words.shape
        packed = words.new_empty(batch, heads, width, padded)
        packed[..., keys:] = 0
        numbers = self.keys.numbers(width, keys, padded)
        for source, target in _heads(words, packed):
            self.keys.run(*(target if name == "out" else source for name in self.keys.buffers), *numbers)
        return packed

    def values_of(self, value: torch.Tensor, padded: int) -> torch.Tensor:
        """(batch, head, keys, width) with `padded` keys; of half types pairs of rows lie column by column."""
        value = _dense(value)
        batch, heads, keys, width = value.shape
        if value.dtype == torch.float32 and keys == padded:
            return value
        packed = value.new_empty(batch, heads, padded, width)
        packed[:, :, keys - keys % 2 :] = 0
        if value.dtype == torch.float32:
            packed[:, :, :keys] = value
            return packed
        numbers = self.values.numbers(keys // 2, width, 1)
        for source, target in _heads(value, packed):
            self.values.run(*(target if name == "pairs" else source for name in self.values.buffers), *numbers)
        if keys % 2:
            packed[:, :, keys - 1 : keys + 1].view(batch, heads, width, 2)[..., 0] = value[:, :, keys - 1]
        return packed


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy, with the strides of a contiguous one, also where a dimension has one element, and at a multiple of 32 bits."""
    strides = [math.prod(max(1, size) for size in tensor.shape[dim + 1 :]) for dim in range(tensor.dim())]
    fits = list(tensor.stride()) == strides and tensor.storage_offset() * tensor.element_size() % 4 == 0
    return tensor if fits else tensor.clone(memory_format=torch.contiguous_format)


def _heads(source: torch.Tensor, target: torch.Tensor) -> Iterator[tuple[int, int]]:
    """The addresses of each head in two contiguous tensors."""
    for number in range(source.size(0) * source.size(1)):
        one, other = (t.data_ptr() + number * t.stride(1) * t.element_size() for t in (source, target))
        yield one, other


@dataclass(frozen=True)
class _Operands:
    """Query, key and value as products take them (`Packing`)."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor


class TiledAttention:
    """The code of a call's forward, and how it runs. `codes`: by the dtype of products' operands."""

    def __init__(self, codes: dict[torch.dtype, TileCode], packing: Packing, products: TileProducts) -> None:
        self.codes, self.packing, self.products = codes, packing, products

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.codes, self.packing)

    def run(
        self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], sizes: Sequence[int], orders: Sequence[Any]
    ) -> list[torch.Tensor] | None:
        """Output, logarithms and largest scores; None if a kernel failed."""
        dtype = torch.bfloat16 if self.packs(tensors[0]) else torch.float32
        query, key, value = (t.to(dtype) for t in tensors)
        spans = Spans(blocks, query.size(2), key.size(2))
        padded = spans.keys if spans.aligned(PADDING) else -(-spans.keys // PADDING) * PADDING + PADDING
        rows_last = query if query.stride(3) == 1 and query.stride(2) >= query.size(3) else _dense(query)
        operands = _Operands(rows_last, self.packing.keys_of(key, padded), self.packing.values_of(value, padded))
        order = orders[0] if orders[0][-1] == _ROWS_LAST else range(4)
        out = empty_in_order((*query.shape[:3], value.size(3)), order, tensors[0])
        logarithms, largest = (torch.empty(query.shape[:3], dtype=torch.float32) for _ in range(2))
        if not _Tiles(self.codes[dtype], operands, (out, logarithms, largest), spans, sizes).run(self.products, others):
            return None
        return [out if order is orders[0] else laid_out(out, orders[0], out.dtype), logarithms, largest]

    def packs(self, query: torch.Tensor) -> bool:
        """Whether products have bfloat16 operands: pairs of them."""
        return query.dtype == torch.bfloat16 and query.size(3) % 2 == 0 and self.products.packs()


def _loaded(codes: dict[torch.dtype, TileCode], packing: Packing) -> TiledAttention:
    products = tile_products()
    if products is None:
        raise DamagedEntry("this PyTorch lacks products of tiles")
    return TiledAttention(codes, packing, products)


class _Tiles:
    """The tiles of a call as words. Tiles of heads with one mask have equal lines, to which the addresses of each head are added."""

    def __init__(self, code: TileCode, operands: _Operands, results: Sequence[torch.Tensor], spans: Spans, sizes: Sequence[int]) -> None:
        self.code, self.operands, self.results, self.spans, self.sizes = code, operands, results, spans, sizes
        self.batch, self.heads, self.rows = operands.query.shape[:3]
        self.positions = torch.arange(max(self.batch, self.heads, self.rows, spans.keys))
        self.step = _tile_rows(spans.keys)
        self.pool: list[int] = []  # words that tiles and spans point to
        self.pointers: list[int] = []  # the places in the pool of words that point to it
        self.known: dict[tuple[Any, ...], int] = {}
        self.most_rows, self.most_keys = 0, 0

    def run(self, products: TileProducts, others: Sequence[Any]) -> bool:
        """Computes the results. Returns False if a kernel failed."""
        groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for place in itertools.product(range(self.batch), range(self.heads)):
            groups.setdefault(self.spans.mask_of(*place), []).append(place)
        tables = []
        for mask, heads in groups.items():
            lines = torch.tensor(self._lines(mask, heads), dtype=torch.int64).view(-1, len(TILE))
            tables.append((torch.tensor([self._head(*h) for h in heads]).unsqueeze(1) + lines).flatten(0, 1))
        tiles, pool = torch.cat(tables), torch.tensor(self.pool, dtype=torch.int64)
        if not tiles.size(0):
            return True
        if self.pointers:
            pool[self.pointers] = pool[self.pointers] * 8 + pool.data_ptr()
        pointing = [TILE["SPANS"], *range(TILE["MAXIMUM_NUMBERS"], len(TILE))]
        tiles[:, pointing] = tiles[:, pointing] * 8 + pool.data_ptr()
        return self._run(products, tiles, others)

    def _run(self, products: TileProducts, tiles: torch.Tensor, others: Sequence[Any]) -> bool:
        threads = max(1, min(torch.get_num_threads(), tiles.size(0)))
        scores, width, dtype = self.most_rows * self.most_keys, self.operands.value.size(3), self.operands.query.dtype
        weights = 4 * scores
        columns = weights + dtype.itemsize * scores
        sums = columns + 8 * -(-self.most_rows // _LINE) * _LINE
        one = -(-(sums + 4 * self.most_rows * width) // _LINE) * _LINE
        scratch = torch.empty(threads * one + _LINE, dtype=torch.uint8)
        out = self.results[0]
        words = {
            "THREADS": threads,
            "TILES": tiles.data_ptr(),
            "TILE_COUNT": tiles.size(0),
            "NEXT": 0,
            "SCRATCH": -(-scratch.data_ptr() // _LINE) * _LINE,
            "SCRATCH_BYTES": one,
            "FAILED": 0,
            "PRODUCT": products.product[dtype],
            "RELEASE": products.release,
            "PACKED": dtype != torch.float32,
            "WIDTH": self.operands.query.size(3),
            "VALUE_WIDTH": width,
            "QUERY_ROW": self.operands.query.stride(2),
            "KEY_ROW": self.operands.key.size(3),
            "VALUE_BYTES": width * dtype.itemsize,
            "WEIGHT_BYTES": dtype.itemsize,
            "WEIGHTS": weights,
            "MAXIMA": columns,
            "DIVISORS": (columns + sums) // 2,
            "SUMS": sums,
            "SUM_ROW": out.stride(2) if self.code.kernels["convert"] is None else width,
            "DIRECT": self.code.kernels["convert"] is None,
        }
        taken = [o.data_ptr() if isinstance(o, torch.Tensor) else 0 for o in others]
        call = torch.tensor([*(int(words[name]) for name in list(CALL)[:-1]), *taken])
        self.code.run(call.data_ptr())
        return int(call[CALL["FAILED"]]) == 0

    def _head(self, batch: int, head: int) -> list[int]:
        """The addresses of a head's rows, keys, results and positions; zeros for the other words of a tile."""
        query, key, value = self.operands.query, self.operands.key, self.operands.value
        of_keys = batch if key.size(0) > 1 else 0, head // (self.heads // key.size(1))
        out, *statistics = self.results
        places = [(query, (batch, head)), (key, of_keys), (value, of_keys), *((r, (batch, head)) for r in (out, *statistics))]
        first = self.positions.data_ptr()
        addresses = [t.data_ptr() + t.element_size() * (b * t.stride(0) + h * t.stride(1)) for t, (b, h) in places]
        words = [*addresses, first + 8 * batch, first + 8 * head, first, first]
        return words + [0] * (len(TILE) - len(words))

    def _lines(self, mask: tuple[int, int], heads: Sequence[tuple[int, int]]) -> list[list[int]]:
        """For each tile of a head with this mask what is added to the head's words: the last rows, which may see most keys, first. Fills
        the results of rows that see none."""
        lines, (out, logarithms, largest) = [], self.results
        query, value = self.operands.query, self.operands.value
        for start in reversed(range(0, self.rows, self.step)):
            rows = slice(start, min(start + self.step, self.rows))
            first, keys, spans = self.spans.tile(mask, rows, self.operands.query.dtype.itemsize)
            if not keys:
                self._fill(heads, rows)
                continue
            count, padded = rows.stop - start, -(-keys // PADDING) * PADDING
            self.most_rows, self.most_keys = max(self.most_rows, count), max(self.most_keys, padded)
            place, known = self._span_words(count, padded, spans)
            converted = self._numbers(self.code.kernels["convert"], count, value.size(3), out.stride(2))
            offsets = [start * query.stride(2) * query.element_size(), first * 4, first * value.size(3) * value.element_size()]
            offsets += [start * t.stride(2) * t.element_size() for t in (out, logarithms, largest)]
            line = [*offsets, 0, 0, 8 * start, 8 * first, count, keys, padded, place, known]
            lines.append([*line, *(self._numbers(self.code.kernels[name], count, padded, padded) for name in SOFTMAX), converted])
        return lines

    def _fill(self, heads: Sequence[tuple[int, int]], rows: slice) -> None:
        """Writes the results of rows that see no keys."""
        for result, number in zip(self.results, WITHOUT_KEYS, strict=True):
            for batch, head in heads:
                result[batch, head, rows].fill_(number)

    def _span_words(self, rows: int, length: int, spans: Sequence[tuple[bool, int, int]]) -> tuple[int, int]:
        """The place in the pool of the words of these spans whose scores change, and how many they are."""
        words: list[int] = []
        for full, offset, keys in spans:
            kernel = self.code.kernels["full" if full else "partial"]
            if kernel is not None:
                words += [full, offset, self._numbers(kernel, rows, keys, length)]
        place = len(self.pool)
        self.pointers += range(place + SPAN["NUMBERS"], place + len(words), len(SPAN))
        self.pool += words
        return place, len(words) // len(SPAN)

    def _numbers(self, kernel: TileKernel | None, rows: int, keys: int, length: int) -> int:
        """The place in the pool of a kernel's numbers for these sizes."""
        if kernel is None:
            return 0
        key = (id(kernel), rows, keys, length)
        if key not in self.known:
            self.known[key] = len(self.pool)
            self.pool += kernel.numbers(rows, keys, length, *self.sizes)
        return self.known[key]


def _tile_rows(keys: int) -> int:
    """The rows of a tile: a power of two."""
    rows = TUNING.tile_scores // max(1, keys)
    return min(TUNING.tile_rows, max(TUNING.tile_least_rows, 1 << max(0, rows.bit_length() - 1)))
