"""The kernels of attention on GPUs, as they are launched. Needs no compiler: graphs from the cache launch them, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import torch

from ...runtime.cuda.launching.driver import driver
from ...runtime.cuda.launching.launcher import CudaKernel, Plan
from .attention_blocks import laid_out

_LARGEST_STRIDE = 1 << 24  # a tile's rows times this fit in 32 bits
_ROWS_LAST = 3
_KEPT_CALLS = 256


@dataclass(frozen=True)
class SymbolValues:
    """A function from the values of a graph's symbols to those of a kernel's, as source: its parameters, and what it returns."""

    parameters: str
    values: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "_function", eval(f"lambda {self.parameters}: {self.values}"))

    def __call__(self, *sizes: int) -> Sequence[int]:
        found: Sequence[int] = self._function(*sizes)  # type: ignore[attr-defined]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return SymbolValues, (self.parameters, self.values)


@dataclass
class AttentionLauncher:
    """A kernel. `taken`: which of the call's other tensors it reads; each of `numbers`, of the sizes: the values of the last symbols;
    `masked`: it walks over the blocks of a block mask; `longest`: it takes fewer rows and keys."""

    plan: Plan
    taken: list[int]
    numbers: list[SymbolValues]
    masked: bool
    longest: int
    loaded: dict[int, CudaKernel] = field(default_factory=dict)
    calls: dict[Any, _Call] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.plan, self.taken, self.numbers, self.masked, self.longest)

    def takes(self, tensors: Sequence[Any]) -> bool:
        """Whether positions in the call of these tensors are exact in the kernel."""
        return bool(max(t.shape[2] for t in tensors[:2]) < self.longest)

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


class AttentionKernel(AttentionLauncher):
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


class BackwardKernel(AttentionLauncher):
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
