"""Attention on the CPU in native code (`lowering/cpu/attention_tiles.mlir`), as it runs, also in processes without the compiler."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...disk_cache.container import DamagedEntry
from ...runtime.cpu.attention_tiles import TileCode
from ...runtime.cpu.attention_words import BLOCK, CALL, PADDING, TILE
from ...torch_internals.tile_products import TileProducts, tile_products
from .attention_blocks import WITHOUT_KEYS, empty_in_order, laid_out
from .attention_plans import TileLayout, TilePlan, TilePlans

_LINE = 64  # bytes of a line of the cache
_ROWS_LAST = 3


@dataclass(frozen=True)
class _Operands:
    """Query, key and value as products take them. `keys`, `values`: memory for packed ones; the values themselves if they need none."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor


def _operands(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> _Operands:
    """Packed keys are blocks of `PADDING` of them, with a line for each word of 32 bits of a key. Packed values of half types are pairs of
    rows, column by column. Values are padded to a whole block with rows of zeros."""
    rows_last = query if query.stride(3) == 1 and query.stride(2) >= query.size(3) else _dense(query)
    key, value = _dense(key), _dense(value)
    batch, heads, keys, width = value.shape
    padded = -(-keys // PADDING) * PADDING
    packed = torch.empty(*key.shape[:2], padded, key.size(3) * key.element_size() // 4, dtype=torch.float32)
    if value.dtype == torch.float32 and keys == padded:
        return _Operands(rows_last, key, value, packed, value)
    values = value.new_empty(batch, heads, padded, width)
    if value.dtype == torch.float32:
        values[:, :, :keys], values[:, :, keys:] = value, 0
        return _Operands(rows_last, key, value, packed, values)
    values[:, :, keys - keys % 2 :] = 0
    if keys % 2:
        values[:, :, keys - 1 : keys + 1].view(batch, heads, width, 2)[..., 0] = value[:, :, keys - 1]
    return _Operands(rows_last, key, value, packed, values)


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy, with the strides of a contiguous one, also where a dimension has one element, and at a multiple of 32 bits."""
    strides = [math.prod(max(1, size) for size in tensor.shape[dim + 1 :]) for dim in range(tensor.dim())]
    fits = list(tensor.stride()) == strides and tensor.storage_offset() * tensor.element_size() % 4 == 0
    return tensor if fits else tensor.clone(memory_format=torch.contiguous_format)


class TiledAttention:
    """The code of a call's forward, and how it runs. `codes`: by the dtype of products' operands; `base`: see `CALL`."""

    def __init__(self, codes: dict[torch.dtype, TileCode], base: float, products: TileProducts) -> None:
        self.codes, self.base, self.products = codes, base, products
        self.plans = {dtype: TilePlans(code.kernels) for dtype, code in codes.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.codes, self.base)

    def run(
        self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], sizes: Sequence[int], orders: Sequence[Any]
    ) -> list[torch.Tensor] | None:
        """Output, logarithms and largest scores; None if a kernel failed."""
        dtype = torch.bfloat16 if self.packs(tensors[0]) else torch.float32
        operands = _operands(*(t.to(dtype) for t in tensors))
        query, key, value = operands.query, operands.key, operands.value
        order = orders[0] if orders[0][-1] == _ROWS_LAST else range(4)
        out = empty_in_order((*query.shape[:3], value.size(3)), order, tensors[0])
        results = [out, *(torch.empty(query.shape[:3], dtype=torch.float32) for _ in range(2))]
        shapes = tuple(query.shape), tuple(key.shape), tuple(value.shape)
        strides = query.stride(), out.stride()
        layout = TileLayout(*shapes, dtype.itemsize, *strides, out.element_size(), dtype != torch.float32, tuple(sizes))
        plan = self.plans[dtype].plan(layout, blocks)
        for batch, head, rows in plan.empty:
            for result, number in zip(results, WITHOUT_KEYS, strict=True):
                result[batch, head, rows].fill_(number)
        if plan.tiles.size(0) and not self._run(dtype, operands, results, plan, others):
            return None
        return [out if order is orders[0] else laid_out(out, orders[0], out.dtype), *results[1:]]

    def _run(self, dtype: torch.dtype, operands: _Operands, results: Sequence[torch.Tensor], plan: TilePlan, others: Sequence[Any]) -> bool:
        """Computes the results of rows that see keys. Returns False if a kernel failed."""
        in_order = [operands.query, operands.keys, operands.values, *results, *[plan.positions] * 4]
        tiles = plan.tiles + _addresses(in_order, len(TILE))
        blocks = plan.blocks + _addresses([operands.key, operands.keys, operands.value, operands.values], len(BLOCK))
        threads = max(1, min(torch.get_num_threads(), max(tiles.size(0), blocks.size(0))))
        scores, width = plan.rows * plan.length, operands.value.size(3)
        weights = 4 * scores
        maxima = weights + dtype.itemsize * scores
        totals = maxima + 4 * -(-plan.rows // _LINE) * _LINE
        sums = 2 * totals - maxima
        one = -(-(sums + 4 * plan.rows * width) // _LINE) * _LINE
        scratch = torch.empty(threads * one + _LINE, dtype=torch.uint8)
        words = {
            "THREADS": threads,
            "BLOCKS": blocks.data_ptr(),
            "BLOCK_COUNT": blocks.size(0),
            "NEXT_BLOCK": 0,
            "TILES": tiles.data_ptr(),
            "TILE_COUNT": tiles.size(0),
            "NEXT": 0,
            "SCRATCH": -(-scratch.data_ptr() // _LINE) * _LINE,
            "SCRATCH_BYTES": one,
            "FAILED": 0,
            "PRODUCT": self.products.product[dtype],
            "RELEASE": self.products.release,
            "PACKED": dtype != torch.float32,
            "WIDTH": operands.query.size(3),
            "VALUE_WIDTH": width,
            "QUERY_ROW": operands.query.stride(2),
            "KEY_BYTES": operands.keys.size(3) * 4,
            "VALUE_BYTES": width * dtype.itemsize,
            "WEIGHT_BYTES": dtype.itemsize,
            "WEIGHTS": weights,
            "MAXIMA": maxima,
            "TOTALS": totals,
            "SUMS": sums,
            "BASE": struct.unpack("<i", struct.pack("<f", self.base))[0],
        }
        taken = [o.data_ptr() if isinstance(o, torch.Tensor) else 0 for o in others]
        call = torch.tensor([*(int(words[name]) for name in list(CALL)[:-1]), *taken])
        self.codes[dtype].run(call.data_ptr())
        return int(call[CALL["FAILED"]]) == 0

    def packs(self, query: torch.Tensor) -> bool:
        """Whether products have bfloat16 operands: pairs of them."""
        return query.dtype == torch.bfloat16 and query.size(3) % 2 == 0 and self.products.packs()


def _addresses(tensors: Sequence[torch.Tensor], length: int) -> torch.Tensor:
    """The addresses of tensors, and zeros."""
    return torch.tensor([t.data_ptr() for t in tensors] + [0] * (length - len(tensors)))


def _loaded(codes: dict[torch.dtype, TileCode], base: float) -> TiledAttention:
    products = tile_products()
    if products is None:
        raise DamagedEntry("this PyTorch lacks products of tiles")
    return TiledAttention(codes, base, products)
