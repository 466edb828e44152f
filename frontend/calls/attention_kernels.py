"""Attention on GPUs: one kernel a call, which computes scores block by block of keys (`lowering/tt/attention.py`); its backward is two
(`lowering/tt/attention_backward.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
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
from ...runtime.cuda.launching.plans import plan_of
from ...tuning.attention import Tile, attention_tuning
from .attention_blocks import KERNEL, laid_out
from .attention_bodies import heads_of_key_head
from .attention_codes import Code, GradientFunctions, ScoreFunctions

_DTYPES: dict[torch.dtype, Any] = {torch.bfloat16: ir.BF16Type, torch.float16: ir.F16Type}
_WIDTHS = (16, 32, 64, 128)
_LARGEST_STRIDE = 1 << 24  # a tile's rows times this fit in 32 bits
_ROWS_LAST = 3
_KEPT_CALLS = 256


@dataclass
class _Launcher:
    """A kernel. `taken`: which of the call's other tensors it reads; each of `numbers`, of the sizes: the values of the last symbols;
    `masked`: it walks over the blocks of a block mask."""

    plan: Plan
    taken: list[int]
    numbers: list[Callable[..., Sequence[int]]]
    masked: bool
    loaded: dict[int, CudaKernel] = field(default_factory=dict)
    calls: dict[Any, _Call] = field(default_factory=dict)

    @staticmethod
    def of(functions: Sequence[ir.Operation], codes: Sequence[tuple[ScoreCode, Code]], masked: bool) -> dict[str, Any]:
        """The fields, for `codes` in the order in which the functions have their arguments."""
        taken, numbers = [n for _, code in codes for n in code.taken], [code.numbers for _, code in codes]
        return {"plan": plan_of(functions), "taken": taken, "numbers": numbers, "masked": masked}

    @staticmethod
    def takes(tensors: Sequence[Any]) -> bool:
        """Whether positions in the call of these tensors are exact in the kernel."""
        return bool(max(t.shape[2] for t in tensors[:2]) < EXACT)

    def keep(self, signature: Any, call: _Call) -> _Call:
        """The call, which later calls with the same sizes and strides find."""
        if len(self.calls) >= _KEPT_CALLS:
            self.calls.clear()
        self.calls[signature] = call
        return call

    def lists(self, blocks: Sequence[Any], rows: int, keys: int) -> list[torch.Tensor]:
        """The lists of the block mask: first those of key blocks. Raises ValueError if the mask has fewer rows or keys than the call."""
        if not self.masked:
            return []
        *lists, block_rows, block_keys = blocks
        found = [b.contiguous() for b in lists if b is not None]
        if found[0].size(2) * block_rows < rows or found[1].size(3) * block_keys < keys:
            raise ValueError("the block mask has fewer rows or keys than the attention")
        return found

    def call(self, tensors: Sequence[Any], lists: list[torch.Tensor], shapes: Sequence[Any], sizes: Sequence[int]) -> _Call:
        """The call for tensors of these sizes and strides. `tensors`, `lists`: those that it reads; `shapes`: of each result its sizes and
        the order of its dimensions."""
        device = tensors[0].device.index or 0
        results = [_shape_in_order(*shape) for shape in shapes]
        symbols = [*self.symbols(tensors, lists, results), *(n for values in self.numbers for n in values(*sizes))]
        gpu = driver()
        kernel = self.loaded.get(device)
        if kernel is None:
            kernel = self.loaded[device] = CudaKernel(self.plan, device, gpu)
        # Buffers begin at multiples of 16, except those of views.
        kernel.expected.add(self.plan.mask(0, sum(1 << n for n, value in enumerate(symbols) if value % 16)))
        functions = gpu.namespace()
        names = (functions[f"_{name}"] for name in ("device", "on", "stream", "empty_cuda"))
        return _Call(kernel.bound(symbols), results, device, gpu.error, *names)

    def symbols(self, tensors: Sequence[Any], lists: list[torch.Tensor], results: Sequence[Any]) -> list[int]:
        """The values of the kernel's own symbols. `results`: sizes and strides of each."""
        raise NotImplementedError


@dataclass
class _Call:
    """A kernel for tensors of some sizes and strides: its launch, its results' sizes and strides, and what launches need of the GPU."""

    launch: Callable[..., int]
    results: Sequence[tuple[Sequence[int], Sequence[int]]]
    number: int
    error: Callable[[int], str]
    device: Callable[[], int]
    on: Callable[[int], AbstractContextManager[Any]]
    stream: Callable[[int], int]
    empty: Callable[..., torch.Tensor]

    def run(self, before: Sequence[Any], dtypes: Sequence[torch.dtype], after: Sequence[Any]) -> list[torch.Tensor]:
        """The results, of these dtypes. The kernel's tensors are `before`, the results, and `after`."""
        if self.device() != self.number:
            with self.on(self.number):
                return self.run(before, dtypes, after)
        results = [self.empty(*shape, dtype) for shape, dtype in zip(self.results, dtypes, strict=True)]
        status = self.launch(self.stream(self.number), *[t.data_ptr() for t in (*before, *results, *after)])
        if status:
            raise RuntimeError(f"attention: {self.error(status)}")
        return results


class AttentionKernel(_Launcher):
    """The kernel of the forward."""

    def run(self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], sizes: Sequence[int], orders: Sequence[Any]) -> Any:
        """Output, logarithms and largest scores."""
        query, key, value = tensors = [_by_rows(t) for t in tensors]
        lists = self.lists(blocks, query.shape[2], key.shape[2])
        signature = (*_layouts(tensors), *_layouts(lists), *sizes)
        call = self.calls.get(signature)
        if call is None:
            rows = query.shape[:3]
            shapes = [((*rows, value.size(3)), _rows_last(orders[0])), (rows, range(3)), (rows, range(3))]
            call = self.keep(signature, self.call(tensors, lists, shapes, sizes))
        dtypes = (query.dtype, torch.float32, torch.float32)
        out, *statistics = call.run(tensors, dtypes, [*lists, *(others[n] for n in self.taken)])
        return [_in_order(out, orders[0]), *statistics]

    def symbols(self, tensors: Sequence[Any], lists: list[torch.Tensor], results: Sequence[Any]) -> list[int]:
        """`attention.SYMBOLS`"""
        query, key, value = tensors
        batch, heads, rows = query.shape[:3]
        numbers = [batch * heads, heads, heads // key.size(1), rows, key.size(2)]
        return [*numbers, *_strides(*_layouts([query, key, value]), *results[0]), *_mask_strides(lists)]


class BackwardKernel(_Launcher):
    """The kernels of the backward."""

    def run(self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], sizes: Sequence[int], orders: Sequence[Any]) -> Any:
        """The gradients of query, key, value, and of the captured tensors: a list with None for what has no gradient. `orders` has for each
        captured tensor with a gradient its number in `others` and the order, else None."""
        query, key, value, out, logarithms, of_out, of_logarithms = tensors
        of_out = torch.zeros_like(out) if of_out is None else of_out
        query, key, value, out, of_out = matrices = [_by_rows(t) for t in (query, key, value, out, of_out)]
        logarithms = logarithms.contiguous()
        of_logarithms = logarithms if of_logarithms is None else of_logarithms.contiguous()
        lists = self.lists(blocks, query.shape[2], key.shape[2])
        signature = (*_layouts(matrices), *_layouts(lists), *sizes)
        call = self.calls.get(signature)
        if call is None:
            shapes = [(t.shape, _rows_last(order)) for t, order in zip(matrices, orders[:3], strict=False)]
            call = self.keep(signature, self.call(matrices, lists, shapes, sizes))
        wanted = [place for place in orders[3:] if place is not None]
        sums = [torch.zeros(others[n].shape, dtype=torch.float32, device=query.device) for n, _ in wanted]
        before, after = [*matrices, logarithms, of_logarithms], [*lists, *sums, *(others[n] for n in self.taken)]
        results = call.run(before, (query.dtype,) * 3, after)
        found = iter(sums)
        of_captured = [None if place is None else laid_out(next(found), place[1], others[place[0]].dtype) for place in orders[3:]]
        return [*map(_in_order, results, orders), of_captured]

    def symbols(self, tensors: Sequence[Any], lists: list[torch.Tensor], results: Sequence[Any]) -> list[int]:
        """`attention_backward.SYMBOLS`"""
        query, key = tensors[:2]
        (batch, heads, rows), (key_heads, keys) = query.shape[:3], key.shape[1:3]
        numbers = [batch * heads, batch * key_heads, heads, key_heads, heads // key_heads, rows, keys]
        numbers += _strides(*_layouts(tensors), *(part for result in results for part in result))
        return [*numbers, *_mask_strides(lists), *_mask_strides(lists[len(lists) // 2 :])]


def _by_rows(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy, whose rows are contiguous and not far from each other."""
    return tensor if tensor.stride(3) == 1 and tensor.stride(2) < _LARGEST_STRIDE else tensor.contiguous()


def _rows_last(order: Sequence[int]) -> Sequence[int]:
    """The order in which a result's dimensions lie for the kernel, which writes contiguous rows; `_in_order` copies it if need be."""
    return order if order[-1] == _ROWS_LAST else range(len(order))


def _shape_in_order(sizes: Sequence[int], order: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes, and the strides of a tensor whose dimensions lie in this order, the outermost first."""
    strides, step = [0] * len(order), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(1, sizes[dim])
    return tuple(sizes), tuple(strides)


def _in_order(result: torch.Tensor, order: Sequence[int]) -> torch.Tensor:
    return result if order[-1] == _ROWS_LAST else laid_out(result, order, result.dtype)


def _layouts(tensors: Sequence[torch.Tensor]) -> list[Sequence[int]]:
    """The sizes and the strides of each tensor."""
    return [part for t in tensors for part in (t.shape, t.stride())]


def _strides(*layouts: Sequence[int]) -> list[int]:
    """From batch to batch, from head to head and from row to row of each tensor, from their sizes and strides."""
    pairs = zip(layouts[::2], layouts[1::2], strict=True)
    return [n for sizes, strides in pairs for n in (0 if sizes[0] == 1 else strides[0], *strides[1:3])]


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
