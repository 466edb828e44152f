"""Attention on GPUs: one kernel a call, which computes scores block by block of keys (`lowering/tt/attention.py`); its backward is two
(`lowering/tt/attention_backward.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
from ...runtime.cuda.launching.launcher import CudaKernel, Plan
from ...tuning.attention import Tile, attention_tuning
from .attention_blocks import KERNEL, empty_in_order, laid_out
from .attention_bodies import heads_of_key_head
from .attention_codes import Code, GradientFunctions, ScoreFunctions

_DTYPES: dict[torch.dtype, Any] = {torch.bfloat16: ir.BF16Type, torch.float16: ir.F16Type}
_WIDTHS = (16, 32, 64, 128)
_LARGEST_STRIDE = 1 << 24  # a tile's rows times this fit in 32 bits
_ROWS_LAST = 3


@dataclass
class _Launcher:
    """A kernel. `taken`: which of the call's other tensors it reads; each of `numbers`, of the sizes: the values of the last symbols;
    `masked`: it walks over the blocks of a block mask."""

    plan: Plan
    taken: list[int]
    numbers: list[Callable[..., Sequence[int]]]
    masked: bool
    loaded: dict[int, CudaKernel] = field(default_factory=dict)

    @staticmethod
    def of(functions: Sequence[ir.Operation], codes: Sequence[tuple[ScoreCode, Code]], masked: bool) -> dict[str, Any]:
        """The fields, for `codes` in the order in which the functions have their arguments."""
        taken, numbers = [n for _, code in codes for n in code.taken], [code.numbers for _, code in codes]
        return {"plan": Plan.of(functions), "taken": taken, "numbers": numbers, "masked": masked}

    def lists(self, blocks: Sequence[Any], rows: int, keys: int) -> list[torch.Tensor]:
        """The lists of the block mask: first those of key blocks. Raises ValueError if the mask has fewer rows or keys than the call, or
        the call too many."""
        if max(rows, keys) >= EXACT:
            raise ValueError(f"the kernel of attention takes less than {EXACT} rows and keys, not {rows} and {keys}")
        if not self.masked:
            return []
        *lists, block_rows, block_keys = blocks
        found = [b.contiguous() for b in lists if b is not None]
        if found[0].size(2) * block_rows < rows or found[1].size(3) * block_keys < keys:
            raise ValueError("the block mask has fewer rows or keys than the attention")
        return found

    def launch(self, tensors: Sequence[torch.Tensor], others: Sequence[Any], numbers: list[int], sizes: Sequence[int]) -> None:
        """Launches it on the current stream. `tensors`: its own; `numbers`: the values of its own symbols."""
        for values in self.numbers:
            numbers += values(*sizes)
        pointers = [t.data_ptr() for t in tensors]
        pointers += [others[n].data_ptr() for n in self.taken]
        device = tensors[0].device.index or 0
        gpu = driver()
        kernel = self.loaded.get(device)
        if kernel is None:
            kernel = self.loaded[device] = CudaKernel(self.plan, device, gpu)
            given = [*pointers, *[0] * len(self.plan.scratch), *numbers]
            kernel.expected.add(sum(1 << n for n, value in enumerate(given) if value % 16))
        functions = gpu.namespace()
        with functions["_on"](device):
            status = kernel.launch(functions["_stream"](device), *pointers, *numbers)
        if status:
            raise RuntimeError(f"attention: {gpu.error(status)}")


class AttentionKernel(_Launcher):
    """The kernel of the forward."""

    def run(self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], sizes: Sequence[int], orders: Sequence[Any]) -> Any:
        """Output, logarithms and largest scores."""
        query, key, value = (_by_rows(t) for t in tensors)
        batch, heads, rows = query.shape[:3]
        out = _result((*query.shape[:3], value.size(3)), orders[0], query)
        statistics = [torch.empty(query.shape[:3], dtype=torch.float32, device=query.device) for _ in range(2)]
        lists = self.lists(blocks, rows, key.size(2))
        numbers = [batch * heads, heads, heads // key.size(1), rows, key.size(2), *_strides(query, key, value, out), *_mask_strides(lists)]
        self.launch([query, key, value, out, *statistics, *lists], others, numbers, sizes)
        return [_in_order(out, orders[0]), *statistics]


class BackwardKernel(_Launcher):
    """The kernels of the backward."""

    def run(self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], sizes: Sequence[int], orders: Sequence[Any]) -> Any:
        """The gradients of query, key, value, and of the captured tensors: a list with None for what has no gradient. `orders` has for each
        captured tensor with a gradient its number in `others` and the order, else None."""
        query, key, value, out = (_by_rows(t) for t in tensors[:4])
        logarithms, of_out, of_logarithms = tensors[4:]
        of_out = torch.zeros_like(out) if of_out is None else _by_rows(of_out)
        logarithms = logarithms.contiguous()
        of_logarithms = logarithms if of_logarithms is None else of_logarithms.contiguous()
        (batch, heads, rows), key_heads, keys = query.shape[:3], key.size(1), key.size(2)
        results = [_result(t.shape, order, t) for t, order in zip((query, key, value), orders, strict=False)]
        wanted = [place for place in orders[3:] if place is not None]
        sums = [torch.zeros(others[n].shape, dtype=torch.float32, device=query.device) for n, _ in wanted]
        lists = self.lists(blocks, rows, keys)
        numbers = [batch * heads, batch * key_heads, heads, key_heads, heads // key_heads, rows, keys]
        numbers += _strides(query, key, value, out, of_out, *results)
        numbers += [*_mask_strides(lists), *_mask_strides(lists[len(lists) // 2 :])]
        own = [query, key, value, out, of_out, logarithms, of_logarithms, *results, *lists, *sums]
        self.launch(own, others, numbers, sizes)
        found = iter(sums)
        of_captured = [None if place is None else laid_out(next(found), place[1], others[place[0]].dtype) for place in orders[3:]]
        return [*map(_in_order, results, orders), of_captured]


def _by_rows(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy, whose rows are contiguous and not far from each other."""
    return tensor if tensor.stride(3) == 1 and tensor.stride(2) < _LARGEST_STRIDE else tensor.contiguous()


def _result(shape: Sequence[int], order: Sequence[int], like: torch.Tensor) -> torch.Tensor:
    """A tensor for a result whose dimensions lie in this order, unless its rows would not be contiguous: then `_in_order` copies it."""
    return empty_in_order(shape, order if order[-1] == _ROWS_LAST else range(len(shape)), like)


def _in_order(result: torch.Tensor, order: Sequence[int]) -> torch.Tensor:
    return result if order[-1] == _ROWS_LAST else laid_out(result, order, result.dtype)


def _strides(*tensors: torch.Tensor) -> list[int]:
    """From batch to batch, from head to head and from row to row of each tensor."""
    return [n for t in tensors for n in (0 if t.size(0) == 1 else t.stride(0), *t.stride()[1:3])]


def _mask_strides(lists: Sequence[torch.Tensor]) -> list[int]:
    """In lines of the lists: from batch to batch, from head to head; and the length of a line."""
    if not lists:
        return [0, 0, 0]
    counts, indices = lists[:2]
    return [0 if counts.size(0) == 1 else counts.stride(0), 0 if counts.size(1) == 1 else counts.stride(1), indices.size(3)]


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
            fields = _Launcher.of([emit_attention(codes, shape)], _pairs(codes.all(), known), bool(shape.block_rows))
        self.graph_module.meta[KERNEL] = AttentionKernel(**fields)

    def make_backward(self, modified: Any, allowed: Any, gradients: Any, scatter: Any, wanted: Sequence[bool]) -> None:
        """Makes the kernels. `modified(scores, others)`: the scores after modification; `allowed(scores, others)`: the mask, None if it
        allows all scores; `gradients`, `scatter`, `wanted`: see `GradientFunctions`."""
        if self.blocks and any((of_keys is None) != (of_rows is None) for of_keys, of_rows in zip(*_halves(self.blocks[:-2]), strict=True)):
            raise UnsupportedGraph("with a block mask without lists of rows, on GPUs")
        of_query, of_keys = self._shape(self.tuning.of_query), self._shape(self.tuning.of_keys)
        gradient = GradientFunctions(self.functions, gradients, scatter, wanted)
        scores = self._code(modified)
        mask = self.functions.code(lambda given, o: given[INSIDE] if allowed is None else given[INSIDE] & allowed(given[SCORES], o))
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
            fields = _Launcher.of(functions, _pairs(list(dict.fromkeys(codes.all())), found), bool(of_query.block_rows))
        self.graph_module.meta[KERNEL] = BackwardKernel(**fields)

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
