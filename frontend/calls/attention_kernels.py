"""Attention on GPUs: one kernel a call, which computes scores block by block of keys (`lowering/tt/attention.py`).

The functions that modify and mask scores are traced and lowered to a `loop.func` over all scores, whose code the kernel takes in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir

from ...dialects.aten import size_of
from ...dialects.narrowing import array
from ...errors import UnsupportedGraph
from ...lowering.kernel.analysis import ExprTree, read_kernel
from ...lowering.tt.attention import AttentionShape, emit_attention
from ...lowering.tt.attention_scores import ScoreCode, ScoreCodes
from ...lowering.tt.support import why_unsupported
from ...options import Options
from ...passes.driver import run_passes
from ...passes.pipeline import GRAPH, HOST, KERNELS
from ...runtime.cuda.launching.driver import driver
from ...runtime.cuda.launching.launcher import CudaKernel, Plan
from ...runtime.host.size_source import size_source
from ...torch_internals.modes import python_dispatcher
from ..importing.importer import import_graph
from .attention_blocks import KERNEL, empty_in_order
from .attention_bodies import BodySizes, place_of

_DTYPES: dict[torch.dtype, Any] = {torch.bfloat16: ir.BF16Type, torch.float16: ir.F16Type}
_WIDTHS = (16, 32, 64, 128)
_LARGEST_STRIDE = 1 << 24  # a tile's rows times this fit in 32 bits


@dataclass
class AttentionKernel:
    """A kernel. `taken`: which of `others` it reads; each of `numbers`, of the sizes: the values of the last symbols; `masked`: it walks
    over the blocks of a block mask."""

    plan: Plan
    taken: list[int]
    numbers: list[Callable[..., Sequence[int]]]
    masked: bool
    loaded: dict[int, CudaKernel] = field(default_factory=dict)

    def run(self, tensors: Sequence[Any], blocks: Sequence[Any], others: Sequence[Any], sizes: Sequence[int], orders: Sequence[Any]) -> Any:
        """Launches it on the current stream."""
        query, key, value = (_by_rows(t) for t in tensors)
        batch, heads, rows = query.shape[:3]
        out = empty_in_order((*query.shape[:3], value.size(3)), orders[0], query)
        statistics = [torch.empty(query.shape[:3], dtype=torch.float32, device=query.device) for _ in range(2)]
        lists = [b.contiguous() for b in blocks[:4] if b is not None] if self.masked else []
        if lists and (lists[0].size(2) * blocks[4] < rows or lists[1].size(3) * blocks[5] < key.size(2)):
            raise ValueError("the block mask has fewer rows or keys than the attention")
        numbers = [batch * heads, heads, heads // key.size(1), rows, key.size(2)]
        for tensor in (query, key, value, out):
            numbers += [0 if tensor.size(0) == 1 else tensor.stride(0), *tensor.stride()[1:3]]
        numbers += _mask_strides(lists)
        numbers += [n for values in self.numbers for n in values(*sizes)]
        pointers = [t.data_ptr() for t in (query, key, value, out, *statistics, *lists, *(others[n] for n in self.taken))]
        self._launch(query.device.index or 0, pointers, numbers)
        return [out, *statistics]

    def _launch(self, device: int, pointers: Sequence[int], numbers: Sequence[int]) -> None:
        gpu = driver()
        kernel = self.loaded.get(device)
        if kernel is None:
            kernel = self.loaded[device] = CudaKernel(self.plan, device, gpu)
            kernel.expected.add(sum(1 << n for n, value in enumerate([*pointers, *numbers]) if value % 16))
        functions = gpu.namespace()
        with functions["_on"](device):
            status = kernel.launch(functions["_stream"](device), *pointers, *numbers)
        if status:
            raise RuntimeError(f"attention: {gpu.error(status)}")


def _by_rows(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy, whose rows are contiguous and not far from each other."""
    return tensor if tensor.stride(3) == 1 and tensor.stride(2) < _LARGEST_STRIDE else tensor.contiguous()


def _mask_strides(lists: Sequence[torch.Tensor]) -> list[int]:
    """In lines of the lists: from batch to batch, from head to head; and the length of a line."""
    if not lists:
        return [0, 0, 0]
    counts, indices = lists[:2]
    return [0 if counts.size(0) == 1 else counts.stride(0), 0 if counts.size(1) == 1 else counts.stride(1), indices.size(3)]


class KernelRequest:
    """A kernel to be made for a call. `tensors`: fake tensors of query, key and value; `blocks`: the fake tensors and sizes of the block
    mask, or nothing; `others`: the fake tensors and integers that its functions take; `masked(scores, others)`: the scores after
    modification and mask, `modified(scores, others)`: without mask; `table`: decompositions. Raises UnsupportedGraph for a call that it
    can't compute.

    `graph_module`: the graph of the functions, whose `meta` has the kernel; `symbols`: where the values of its symbols are found."""

    def __init__(
        self, tensors: Sequence[torch.Tensor], blocks: Sequence[Any], others: Sequence[Any], scale: float, functions: Any, table: Any
    ) -> None:
        query, key, value = tensors
        if query.dtype not in _DTYPES or {key.dtype, value.dtype} != {query.dtype}:
            raise UnsupportedGraph(f"of {query.dtype} on GPUs")
        if query.size(3) not in _WIDTHS or value.size(3) not in _WIDTHS:
            raise UnsupportedGraph(f"of width {query.size(3)} on GPUs")
        if key.size(0) != query.size(0):
            raise UnsupportedGraph("with one batch of keys on GPUs")
        shape = self._shape(tensors, blocks, scale)
        self._symbols(tensors, others)
        self.graph_module, modified = (self._traced(f, table, query.device) for f in functions)
        self.sizes.check()
        partial, full = _Code.of(self, self.graph_module), _Code.of(self, modified)
        codes = ScoreCodes(partial.code, full.code if shape.full_blocks else None, full.code is None)
        parts = [part for part, code in ((partial, codes.partial), (full, codes.full)) if code is not None]
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            plan = Plan.of([emit_attention(codes, shape)])
        self.graph_module.meta[KERNEL] = AttentionKernel(
            plan, [n for p in parts for n in p.taken], [p.numbers for p in parts], bool(shape.block_rows)
        )

    def _shape(self, tensors: Sequence[torch.Tensor], blocks: Sequence[Any], scale: float) -> AttentionShape:
        query, key, value = tensors
        # Measured on an H200 (docs/design/flex_attention.md).
        rows, keys, warps = (128, 128, 8) if max(query.size(3), value.size(3)) > 64 else (64, 64, 4)
        sizes: dict[str, Any] = {}
        if blocks:
            block_rows, block_keys = blocks[4:]
            rows, keys = _largest_tile(block_rows, rows), _largest_tile(block_keys, keys)
            sizes = {"block_rows": block_rows, "block_keys": block_keys, "full_blocks": blocks[2] is not None}
        whole = [isinstance(size, int) and size % step == 0 for size, step in ((query.size(2), rows), (key.size(2), keys))]
        widths = int(query.size(3)), int(value.size(3))
        dtype = _DTYPES[query.dtype].get()
        return AttentionShape(dtype, *widths, scale, rows, keys, warps, 3, whole_rows=whole[0], whole_keys=whole[1], **sizes)

    def _symbols(self, tensors: Sequence[torch.Tensor], others: Sequence[Any]) -> None:
        """Makes the symbols of the graphs: the scores' sizes and strides, which no pass can merge, and those of `others`."""
        self.sizes = sizes = BodySizes()
        query, key = tensors[:2]
        self.scores = list(map(sizes.number, (*query.shape[:3], key.size(2))))
        self.strides = [sizes.made(f"stride_{n}", hint, 1) for n, hint in enumerate((5 * 131 * 1037 + 7, 131 * 1037 + 3, 1037))]
        self.others = [sizes.like(o) if isinstance(o, torch.Tensor) else sizes.number(o) for o in others]
        self.symbols = [place_of(symbol, [*tensors, *others]) for symbol in sizes.outer]
        self.numbers = [*self.strides, *sizes.outer.values()]
        self.names = [str(s.node.expr) for s in self.numbers]

    def _traced(self, function: Callable[..., torch.Tensor], table: Any, device: torch.device) -> fx.GraphModule:
        """The graph of a function, of the symbols, the scores and `others`."""

        def call(_numbers: Sequence[Any], scores: torch.Tensor, others: Sequence[Any]) -> list[torch.Tensor]:
            return [function(scores, others)]

        with torch.no_grad(), python_dispatcher(), self.sizes.mode:
            scores = torch.empty_strided(self.scores, [*self.strides, 1], dtype=torch.float32, device=device)
            traced: fx.GraphModule = make_fx(call, decomposition_table=table)(self.numbers, scores, self.others)
        traced.graph.eliminate_dead_code()
        if any(True for _ in traced.graph.find_nodes(op="get_attr")):
            raise UnsupportedGraph("a constant that its functions make")
        return traced


@dataclass
class _Code:
    """The code of a graph of scores; which of `others` it loads; the values of its symbols, from those of the graph."""

    code: ScoreCode | None
    taken: list[int]
    numbers: Callable[..., Sequence[int]]

    @staticmethod
    def of(request: KernelRequest, graph_module: fx.GraphModule) -> _Code:
        """Raises UnsupportedGraph if it is more than one kernel."""
        module = import_graph(graph_module).module
        run_passes(module, [*GRAPH, *KERNELS, *HOST], Options())
        graph = next(op.operation for op in module.body.operations if op.operation.name == "func.func")
        launches = [op.operation for op in graph.regions[0].blocks[0].operations if op.operation.name in ("host.launch", "host.call")]
        if not launches:  # the functions change nothing
            return _Code(None, [], lambda *_: ())
        functions = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
        if len(launches) != 1 or len(functions) != 1 or launches[0].name != "host.launch":
            raise UnsupportedGraph("with functions of several kernels on GPUs")
        reason = why_unsupported(functions[0])
        if reason is not None:
            raise UnsupportedGraph(f"with a function that GPUs have no code for: {reason}")
        return _Code._read(request, functions[0], launches[0], list(graph.regions[0].blocks[0].arguments))

    @staticmethod
    def _read(request: KernelRequest, function: ir.Operation, launch: ir.Operation, arguments: list[ir.Value]) -> _Code:
        kernel = read_kernel(function)
        symbols = [size_of(s) for s in array(launch.attributes["symbols"])]
        first = len(arguments) - len(request.others) - 1
        given = [arguments.index(o) - first if o in arguments else -1 for o in launch.operands]
        loaded = {node.operands[0] for node in kernel.of(("loop.load",))}
        stores = kernel.of(("loop.store",))
        if len(stores) != 1 or any(given[n] < 0 for n in loaded):
            raise UnsupportedGraph("with functions that can't be taken into a kernel")
        load = next((n for n in kernel.of(("loop.load",)) if given[n.operands[0]] == 0), None)
        if load is None:
            raise UnsupportedGraph("with functions that don't read scores")
        taken = sorted(loaded - {load.operands[0]})
        strides = {str(s): n for n, s in enumerate(symbols)}
        dims = _dims(kernel.index_expr(load), [strides.get(name) for name in request.names[:3]])
        code = ScoreCode(kernel, load.operands[0], dims, stores[0].operands[1], tuple(taken))
        known = ", ".join([*request.names[3:], *(f"{name}=0" for name in request.names[:3])])
        values = "".join(f"{size_source(s)}, " for s in symbols)
        return _Code(code, [given[n] - 1 for n in taken], eval(f"lambda {known}: ({values})"))


def _dims(expr: ExprTree, strides: Sequence[int | None]) -> tuple[int | None, ...]:
    """The dimensions of batch, head, row and key in the offset of a score. The first three are those that the strides, which are symbols,
    multiply; nothing multiplies that of the key. None where the size is 1, so that there is no dimension."""
    terms, found = [expr], dict[int | None, int]()
    while terms:
        kind, *parts = terms.pop()
        if kind == "add":
            terms += parts
        elif kind == "dim":
            found[-1] = parts[0]
        elif kind == "mul" and {parts[0][0], parts[1][0]} == {"dim", "symbol"}:
            dim, symbol = parts if parts[0][0] == "dim" else reversed(parts)
            found[symbol[1]] = dim[1]
        elif kind != "constant":
            raise UnsupportedGraph("with scores that are read out of order")
    return (*(None if s is None else found.get(s) for s in strides), found.get(-1))


def _largest_tile(block: int, most: int) -> int:
    """The largest power of two of at most `most` that divides the size of a block."""
    size = next((s for s in (128, 64, 32, 16) if s <= most and block % s == 0), None)
    if size is None:
        raise UnsupportedGraph(f"with blocks of {block} on GPUs")
    return size
