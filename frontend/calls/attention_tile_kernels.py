"""Compiles attention in tiles (`attention_tiles.py`): each kernel is traced from a function of a tile and lowered to one `loop.func`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir

from ...dialects.aten import size_of
from ...dialects.narrowing import array
from ...dialects.requirements import requirements
from ...errors import UnsupportedGraph
from ...lowering.kernel.analysis import read_kernel
from ...options import Options
from ...passes.driver import run_passes
from ...passes.pipeline import GRAPH, HOST, KERNELS
from ...runtime.cpu.attention_tile_code import tile_code, tile_kernel
from ...runtime.cpu.attention_tiles import TileKernel
from ...runtime.host.size_source import size_source
from ...torch_internals.modes import python_dispatcher
from ...torch_internals.tile_products import tile_products
from ..decompositions.table import decomposition_table
from ..importing.importer import import_graph
from .attention_blocks import KERNEL
from .attention_bodies import BodySizes, heads_of_key_head, place_of
from .attention_formulas import Attention, divisors_of, statistics_of
from .attention_tiles import TiledAttention

_DTYPES = (torch.float32, torch.bfloat16, torch.float16)
_LEAST_SCALE = 1e-30  # products of such scales and scores are float32
_POSITIONS = ("batch", "head", "row", "key")


@dataclass(frozen=True)
class TileAttention(Attention):
    """A tile of a call: one head, some rows, some keys. `given`: a vector of positions for each dimension of the scores."""

    given: Sequence[torch.Tensor] = ()

    def positions(self, scores: torch.Tensor) -> list[torch.Tensor]:
        """As `Attention.positions`, in the whole call."""
        return list(self.given)


class TileFunctions:
    """Makes kernels of a call's functions. `tensors`: those of the call, first query and key; `others`: the fake tensors and integers that
    its functions take; `table`: decompositions; `features`: the option `target_features`.

    `places`: where the values of the graph's symbols are found (`attention_bodies.place_of`)."""

    def __init__(self, tensors: Sequence[Any], others: Sequence[Any], table: Any, features: str | None) -> None:
        self.table, self.features = table, features
        self.sizes = sizes = BodySizes()
        self.others = [sizes.like(o) if isinstance(o, torch.Tensor) else sizes.number(o) for o in others]
        self.places = [place_of(symbol, [*tensors, *others]) for symbol in sizes.outer]
        self.length = sizes.made("length", 1037, 1)
        # The values of the graph's symbols come last, as those of the call do.
        self.numbers = [sizes.rows, sizes.keys, self.length, *sizes.outer.values()]

    def changed(self, function: Callable[..., torch.Tensor]) -> TileKernel | None:
        """The kernel that replaces scores in place by `function(scores, positions, others)`. None if the function changes nothing."""
        sizes = self.sizes
        with sizes.mode:
            shape = (1, 1, sizes.rows, sizes.keys)
            scores = torch.empty_strided(shape, (self.length * sizes.rows, self.length * sizes.rows, self.length, 1))
            positions = [torch.empty(n, dtype=torch.int64) for n in shape]
        names = ("scores", *_POSITIONS, *range(len(self.others)))
        given = [scores, *positions, *self.others]
        return self._kernel(lambda *given: [function(given[0], given[1:5], given[5:])], given, names, ("scores",))

    def statistics(self, scale: float) -> TileKernel:
        """The kernel that makes the logarithms and largest scores of rows from the largest scores before scaling, and the sums of the
        exponentials of scores less the largest one."""
        with self.sizes.mode:
            columns = [torch.empty(self.sizes.rows) for _ in range(2)]

        def made(maxima: torch.Tensor, totals: torch.Tensor) -> list[torch.Tensor]:
            return list(statistics_of(maxima if scale == 1 else maxima * scale, totals))

        return _there(self._kernel(made, columns, ("maxima", "totals"), ("logarithms", "largest")))

    def convert(self, dtype: torch.dtype) -> TileKernel:
        """The kernel that divides sums of weighted values by the sums of weights. Outputs have rows that are `length` apart. The trace
        gives these strides to the sums, so the two buffers are exchanged afterwards."""
        with self.sizes.mode:
            sums = torch.empty_strided((self.sizes.rows, self.sizes.keys), (self.length, 1))
            columns = [torch.empty(self.sizes.rows, 1) for _ in range(2)]

        def divided(sums: torch.Tensor, maxima: torch.Tensor, totals: torch.Tensor) -> list[torch.Tensor]:
            return [(sums / divisors_of(maxima, totals)).to(dtype)]

        names = ("sums", "maxima", "totals")
        return _there(self._kernel(divided, [sums, *columns], names, ("out",), exchanged=True))

    def pack_keys(self) -> TileKernel:
        """The kernel that transposes a head's keys, 32 bits each, to rows that are `length` apart. Buffers are exchanged, see `convert`."""
        with self.sizes.mode:
            packed = torch.empty_strided((self.sizes.rows, self.sizes.keys), (self.length, 1))

        return _there(
            self._kernel(
                lambda packed: [packed.t().clone(memory_format=torch.contiguous_format)], [packed], ("sums",), ("out",), exchanged=True
            )
        )

    def pack_values(self) -> TileKernel:
        """The kernel that makes pairs of a head's values of 16 bits: pairs of rows, column by column."""
        with self.sizes.mode:
            values = torch.empty((self.sizes.rows, 2, self.sizes.keys), dtype=torch.int16)

        def paired(values: torch.Tensor) -> list[torch.Tensor]:
            first, second = (values[:, n].to(torch.int32) for n in range(2))
            return [(first & 0xFFFF) | (second << 16)]

        return _there(self._kernel(paired, [values], ("values",), ("pairs",)))

    def _kernel(
        self, function: Callable[..., Any], given: Sequence[Any], names: Sequence[Any], results: Sequence[str], exchanged: bool = False
    ) -> TileKernel | None:
        def call(_numbers: Sequence[Any], given: Sequence[Any]) -> Any:
            return function(*given)

        with torch.no_grad(), python_dispatcher(), self.sizes.mode:
            traced = make_fx(call, decomposition_table=self.table)(self.numbers, list(given))
        traced.graph.eliminate_dead_code()
        if any(True for _ in traced.graph.find_nodes(op="get_attr")):
            raise UnsupportedGraph("a constant that its functions make")
        module = import_graph(traced).module
        self.sizes.check()
        run_passes(module, [*GRAPH, *KERNELS, *HOST], Options(target_features=self.features))
        graph = next(op.operation for op in module.body.operations if op.operation.name == "func.func")
        block = graph.regions[0].blocks[0]
        launches = [op.operation for op in block.operations if op.operation.name in ("host.launch", "host.call", "host.copy")]
        if not launches:
            return None
        functions = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
        if len(launches) != 1 or len(functions) != 1 or launches[0].name != "host.launch" or requirements(graph):
            raise UnsupportedGraph("with functions of several kernels")
        arguments, returned = list(block.arguments), list(block.operations)[-1].operation.operands
        buffers = [_buffer(o, arguments[len(self.numbers) :], list(returned), names, results) for o in launches[0].operands]
        _place_results(functions[0], buffers, exchanged)
        symbols = [size_of(s) for s in array(launches[0].attributes["symbols"])]
        own, outer = self.numbers[:3], self.numbers[3:]
        known = ", ".join([*(str(s.node.expr) for s in own), *(f"{s.node.expr}=0" for s in outer), "*_"])
        values = "".join(f"{size_source(s)}, " for s in symbols)
        return tile_kernel(module, tuple(buffers), len(symbols), f"lambda {known}: ({values})", self.features)


def _there(kernel: TileKernel | None) -> TileKernel:
    assert kernel is not None
    return kernel


def _buffer(
    operand: ir.Value, given: Sequence[ir.Value], returned: Sequence[ir.Value], names: Sequence[Any], results: Sequence[str]
) -> Any:
    """The name of a kernel's buffer, which is an input, a result, or what a result is a view of."""
    if operand in given:
        return names[given.index(operand)]
    if operand in returned:
        return results[returned.index(operand)]
    return next((r for r, v in zip(results, map(_viewed, returned), strict=True) if v == operand), None) or _refuse()


def _viewed(value: ir.Value) -> ir.Value:
    """The buffer that a value is a view of."""
    while isinstance(value, ir.OpResult) and value.owner.name == "host.view":
        value = value.owner.operands[0]
    return value


def _refuse() -> Any:
    raise UnsupportedGraph("with functions that need memory")


def _place_results(function: ir.Operation, buffers: list[Any], exchanged: bool) -> None:
    """Makes a kernel write each score where it reads it. `exchanged`: it reads at the index of its store, and stores at that of its load.
    Raises UnsupportedGraph if the kernel reads scores elsewhere, or again after it wrote them."""
    written, read = ("out", "sums") if exchanged else ("scores", "scores")
    arguments: list[ir.Value] = list(function.regions[0].blocks[0].arguments)
    kernel = read_kernel(function)
    operations = [op.operation for op in function.regions[0].blocks[0].operations]
    stores = [op for op in operations if op.name == "loop.store" and buffers[arguments.index(op.operands[0])] == written]
    if not stores:
        return
    loads = [op for op in operations if op.name == "loop.load" and buffers[arguments.index(op.operands[0])] == read]
    (store,) = stores
    places = {(str(op.attributes["map"]), tuple(arguments.index(v) for v in list(op.operands)[1:] if v in arguments)) for op in loads}
    indices = [v for v in list(store.operands)[2:] if v in arguments]
    same = len(places) == 1 and len(loads[0].operands) == 1 + len(indices) and list(loads[0].operands)[1:] == indices
    once = all(n.phase == 0 for n in kernel.nodes if n.name == "loop.store" and buffers[n.operands[0]] == written)
    again = any(n.phase and n.deps & kernel.reduction_dims for n in kernel.nodes) or kernel.of(("loop.scan",))
    if not same or not once or again:
        raise UnsupportedGraph("with functions that read scores out of order")
    there, here = loads[0].attributes["map"], store.attributes["map"]
    store.attributes["map"] = there
    if exchanged:
        loads[0].attributes["map"] = here


# Kernels that calls share.


def _functions(features: str | None) -> TileFunctions:
    return TileFunctions((), (), decomposition_table(on_cpu=True), features)


@functools.lru_cache(maxsize=64)
def statistics_kernel(scale: float, features: str | None) -> TileKernel:
    """`TileFunctions.statistics`"""
    return _functions(features).statistics(scale)


@functools.cache
def output_kernel(dtype: torch.dtype, features: str | None) -> TileKernel:
    """`TileFunctions.convert`"""
    return _functions(features).convert(dtype)


@functools.cache
def packing_kernels(features: str | None) -> tuple[TileKernel, TileKernel]:
    """The kernels that pack keys and values."""
    return _functions(features).pack_keys(), _functions(features).pack_values()


class TiledBody:
    """The native code of a call's forward. `call(positions, others)`: the functions of a tile; `tensors`: the fake tensors of query, key
    and value; `others`: those and the integers that its functions take; `table`: decompositions. Raises UnsupportedGraph for a call that
    it can't compute. `features`: the option `target_features`.

    `graph_module`: a graph whose `meta` has the `TiledAttention`; `symbols`: where the values of its symbols are found."""

    def __init__(
        self,
        call: Callable[..., TileAttention],
        tensors: Sequence[Any],
        others: Sequence[Any],
        scale: float,
        table: Any,
        features: str | None,
    ) -> None:
        products, (dtype, *rest) = tile_products(), [t.dtype for t in tensors]
        if products is None or dtype not in _DTYPES or rest != [dtype, dtype]:
            raise UnsupportedGraph("without products of tiles")
        heads_of_key_head(tensors)
        self.functions = functions = TileFunctions(tensors, others, table, features)
        self.symbols = functions.places

        def modified(scores: torch.Tensor, positions: Sequence[Any], others: Sequence[Any]) -> torch.Tensor:
            return call(positions, others).modified(scores)

        def masked(scores: torch.Tensor, positions: Sequence[Any], others: Sequence[Any]) -> torch.Tensor:
            return call(positions, others).masked(scores)[0]

        # Where nothing but the mask changes scores, softmax scales them.
        full = functions.changed(modified)
        later = full is None and _LEAST_SCALE < scale < 1 / _LEAST_SCALE
        if not later:
            full = functions.changed(lambda scores, *given: modified(scores * scale, *given))
        partial = functions.changed(masked if later else lambda scores, *given: masked(scores * scale, *given))
        keys, values = packing_kernels(features)
        kernels = {"partial": partial, "full": full, "statistics": statistics_kernel(scale if later else 1.0, features)}
        kernels |= {"convert": output_kernel(dtype, features), "pack_keys": keys, "pack_values": values}
        operands = {torch.float32: "f32", **({torch.bfloat16: "bf16"} if dtype == torch.bfloat16 else {})}
        codes = {operand: tile_code(kernels, weight, features) for operand, weight in operands.items()}
        base = (scale if later else 1.0) / math.log(2)
        graph = fx.Graph()
        graph.output(())
        self.graph_module = fx.GraphModule(torch.nn.Module(), graph)
        self.graph_module.meta[KERNEL] = TiledAttention(codes, base, products)
