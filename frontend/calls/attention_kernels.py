"""Attention on GPUs: one kernel a call, which computes scores block by block of keys (`lowering/tt/attention.py`); its backward is two
(`lowering/tt/attention_backward.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import fx
from torch_mlir import ir

from ...errors import UnsupportedGraph
from ...lowering.tt.attention import emit_attention
from ...lowering.tt.attention_backward import BackwardShape, emit_attention_backward
from ...lowering.tt.attention_emitter import AttentionShape
from ...lowering.tt.attention_scores import EXACT, INSIDE, SCORES, GradientCodes, Scatter, ScoreCode, ScoreCodes
from ...runtime.cuda.launching.driver import driver
from ...runtime.cuda.launching.plans import plan_of
from ...tuning.attention import Tile, attention_tuning
from .attention_blocks import KERNEL
from .attention_bodies import heads_of_key_head
from .attention_codes import Code, GradientFunctions, ScoreFunctions
from .attention_launches import AttentionKernel, BackwardKernel

_DTYPES: dict[torch.dtype, Any] = {torch.bfloat16: ir.BF16Type, torch.float16: ir.F16Type}
_WIDTHS = (16, 32, 64, 128)


class KernelRequest:
    """A kernel to be made for a call. `tensors`: the fake tensors of query, key and value, and of what the backward takes, or None;
    `blocks`: the fake tensors and sizes of the block mask, or nothing; `others`: the fake tensors and integers that its functions take;
    `table`: decompositions. Raises UnsupportedGraph for a call that it can't compute.

    `graph_module`: a graph whose `meta` has the kernel; `symbols`: where the values of its symbols are found."""

    def __init__(self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], scale: float, table: Any) -> None:
        query, key, value = tensors[:3]
        if query.dtype not in _DTYPES or {key.dtype, value.dtype} != {query.dtype}:
            raise UnsupportedGraph(f"of {query.dtype} on GPUs")
        if query.size(3) not in _WIDTHS or value.size(3) not in _WIDTHS:
            raise UnsupportedGraph(f"of width {query.size(3)} on GPUs")
        if key.size(0) != query.size(0):
            raise UnsupportedGraph("with one batch of keys on GPUs")
        if any(isinstance(n, int) and n >= EXACT for n in (query.size(2), key.size(2))):
            raise UnsupportedGraph("of so many rows or keys on GPUs")
        self.tensors, self.blocks, self.scale = tensors, blocks, scale
        self.tuning = attention_tuning(driver().capability(query.device.index or 0))
        self.functions = ScoreFunctions(tensors, others, table)
        self.symbols = self.functions.places
        graph = fx.Graph()
        graph.output(())
        self.graph_module = fx.GraphModule(torch.nn.Module(), graph)

    def make_forward(self, masked: Any, modified: Any) -> None:
        """Makes the kernel. `masked(scores, others)`: the scores after modification and mask, `modified(scores, others)`: without mask."""
        shape = self._shape(self.tuning.forward)
        codes, known = self._scores(masked, modified, shape)
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            fields = _launcher_fields([emit_attention(codes, shape)], _pairs(codes.all(), known), bool(shape.block_rows))
        self.graph_module.meta[KERNEL] = AttentionKernel(*fields)

    def make_backward(self, modified: Any, allowed: Any, gradients: Any, scatter: Any, wanted: Sequence[bool]) -> None:
        """Makes the kernels. `modified(scores, others)`: the scores after modification; `allowed(scores, others)`: the mask, None if it
        allows all scores; `gradients`, `scatter`, `wanted`: see `GradientFunctions`."""
        if self.blocks and any((of_keys is None) != (of_rows is None) for of_keys, of_rows in zip(*_halves(self.blocks[:-2]), strict=True)):
            raise UnsupportedGraph("with a block mask without lists of rows, on GPUs")
        gradient = GradientFunctions(self.functions, gradients, scatter, wanted)
        scores = self._code(modified)
        mask = self.functions.code(lambda given, o: given[INSIDE] if allowed is None else given[INSIDE] & allowed(given[SCORES], o))
        documents = mask.code is not None and mask.code.reads_by_row_and_key()
        of_query = self._shape(self.tuning.of_query)
        of_keys = self._shape(self.tuning.of_keys_of_documents if documents else self.tuning.of_keys)
        of_scores = self.functions.code(gradient.of_scores, gradient.table([]))
        found, scatters = [scores, mask, of_scores], []
        for number, value, place in gradient.codes():
            assert value.code is not None and place.code is not None
            scatters.append(Scatter(number, value.code, place.code))
            found += [value, place]
        codes = GradientCodes(scores.code, mask.code, of_scores.code, tuple(scatters), sum(wanted))
        shape = BackwardShape(of_query, of_keys, heads_of_key_head(self.tensors) > 1, self.tensors[6] is not None)
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            functions = emit_attention_backward(codes, shape)
            fields = _launcher_fields(functions, _pairs(list(dict.fromkeys(codes.all())), found), bool(of_query.block_rows))
        self.graph_module.meta[KERNEL] = BackwardKernel(*fields)

    def _code(self, function: Any) -> Code:
        return self.functions.code(lambda given, others: function(given[SCORES], others))

    def _scores(self, masked: Any, modified: Any, shape: AttentionShape) -> tuple[ScoreCodes, list[Code]]:
        partial, full = self._code(masked), self._code(modified)
        return ScoreCodes(partial.code, full.code if shape.full_blocks else None, full.code is None), [partial, full]

    def _shape(self, tiles: tuple[Tile, Tile]) -> AttentionShape:
        query, key, value = self.tensors[:3]
        tile = tiles[max(query.size(3), value.size(3)) > 64]
        rows, keys = tile.rows, tile.keys
        sizes: dict[str, Any] = {}
        if self.blocks:
            block_rows, block_keys = self.blocks[-2:]
            rows, keys = _largest_tile(block_rows, rows), _largest_tile(block_keys, keys)
            sizes = {"block_rows": block_rows, "block_keys": block_keys, "full_blocks": self.blocks[2] is not None}
        whole = [isinstance(size, int) and size % step == 0 for size, step in ((query.size(2), rows), (key.size(2), keys))]
        widths = int(query.size(3)), int(value.size(3))
        dtype = _DTYPES[query.dtype].get()
        sizes |= {"whole_rows": whole[0], "whole_keys": whole[1]}
        sizes["sizes"] = tuple(n if isinstance(n, int) else EXACT for n in (*query.shape[:3], key.size(2)))
        return AttentionShape(dtype, *widths, self.scale, rows, keys, tile.warps, tile.stages, **sizes)


def _launcher_fields(functions: Sequence[ir.Operation], codes: Sequence[tuple[ScoreCode, Code]], masked: bool) -> tuple[Any, ...]:
    """The fields of an `AttentionLauncher`, for `codes` in the order in which the functions have their arguments."""
    taken, numbers = [n for _, code in codes for n in code.taken], [code.numbers for _, code in codes]
    return plan_of(functions), taken, numbers, masked, EXACT


def _pairs(codes: Sequence[ScoreCode], known: Sequence[Code]) -> list[tuple[ScoreCode, Code]]:
    """Each code with what is known of it."""
    by_code = {id(k.code): k for k in known if k.code is not None}
    return [(code, by_code[id(code)]) for code in codes]


def _halves(lists: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    return lists[: len(lists) // 2], lists[len(lists) // 2 :]


def _largest_tile(block: int, most: int) -> int:
    """The largest power of two of at most `most` that divides the size of a block."""
    size = next((s for s in (128, 64, 32, 16) if s <= most and block % s == 0), None)
    if size is None:
        raise UnsupportedGraph(f"with blocks of {block} on GPUs")
    return size
