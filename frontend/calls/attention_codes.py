"""The functions of `flex_attention` as code for kernels: each is traced as a function of all scores and lowered to one `loop.func`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir

from ...dialects.aten import size_of
from ...dialects.narrowing import array
from ...errors import UnsupportedGraph
from ...lowering.kernel.analysis import ExprTree, Kernel, Node, read_kernel
from ...lowering.tt.attention_scores import GRADIENT, INSIDE, SCORES, ScoreCode
from ...lowering.tt.support import why_unsupported
from ...options import Options
from ...passes.driver import run_passes
from ...passes.pipeline import GRAPH, HOST, KERNELS
from ...passes.snapshots import without_snapshots
from ...runtime.host.size_source import size_source
from ...torch_internals.modes import python_dispatcher
from ..importing.importer import import_graph
from .attention_bodies import BodySizes, place_of
from .attention_launches import SymbolValues

# A function of all scores: of the tensors by name (`SCORES`, ...), and of what the call's functions take.
ScoreFunction = Callable[[Mapping[str, torch.Tensor], Sequence[Any]], torch.Tensor]
_GIVEN = {SCORES: torch.float32, GRADIENT: torch.float32, INSIDE: torch.bool}


@dataclass(frozen=True)
class Code:
    """The code of a function, None if it returns what it is given; which of the call's other tensors it loads; the values of its symbols,
    from those of the graph."""

    code: ScoreCode | None
    taken: tuple[int, ...]
    numbers: SymbolValues


class ScoreFunctions:
    """Makes code of a call's functions. `tensors`: those of the call, first query and key; `others`: the fake tensors and integers that its
    functions take; `table`: decompositions.

    `places`: where the values of the graph's symbols are found (`attention_bodies.place_of`)."""

    def __init__(self, tensors: Sequence[Any], others: Sequence[Any], table: Mapping[Any, Callable[..., Any]]) -> None:
        self.table = dict(table)
        self.sizes = sizes = BodySizes()
        query, key = tensors[:2]
        self.device = query.device
        self.shape = list(map(sizes.number, (*query.shape[:3], key.size(2))))
        # Symbols, so that no pass can merge dimensions.
        self.strides = [sizes.made(f"stride_{n}", hint, 1) for n, hint in enumerate((5 * 131 * 1037 + 7, 131 * 1037 + 3, 1037))]
        self.others = [sizes.like(o) if isinstance(o, torch.Tensor) else sizes.number(o) for o in others]
        self.places = [place_of(symbol, [*tensors, *others]) for symbol in sizes.outer]
        self.numbers = [*self.strides, *sizes.outer.values()]
        self.names = [str(s.node.expr) for s in self.numbers]

    def traced(
        self, function: Callable[..., Sequence[torch.Tensor]], table: Mapping[Any, Callable[..., Any]] | None = None
    ) -> fx.GraphModule:
        """The graph of a function that returns a list. Its inputs: symbols, the tensors of all scores, and `others`."""

        def call(_numbers: Sequence[Any], given: Sequence[torch.Tensor], others: Sequence[Any]) -> list[torch.Tensor]:
            return list(function(dict(zip(_GIVEN, given, strict=True)), others))

        with torch.no_grad(), python_dispatcher(), self.sizes.mode:
            given = [torch.empty_strided(self.shape, [*self.strides, 1], dtype=dtype, device=self.device) for dtype in _GIVEN.values()]
            traced: fx.GraphModule = make_fx(call, decomposition_table={**self.table, **(table or {})})(self.numbers, given, self.others)
        traced.graph.eliminate_dead_code()
        if any(True for _ in traced.graph.find_nodes(op="get_attr")):
            raise UnsupportedGraph("a constant that its functions make")
        return traced

    def code(self, function: ScoreFunction, table: Mapping[Any, Callable[..., Any]] | None = None) -> Code:
        """The code of a function. Raises UnsupportedGraph if it is more than one kernel."""
        module = import_graph(self.traced(lambda given, others: [function(given, others)], table)).module
        self.sizes.check()
        with without_snapshots():
            run_passes(module, [*GRAPH, *KERNELS, *HOST], Options())
        graph = next(op.operation for op in module.body.operations if op.operation.name == "func.func")
        launches = [op.operation for op in graph.regions[0].blocks[0].operations if op.operation.name in ("host.launch", "host.call")]
        if not launches:
            return Code(None, (), SymbolValues("*_", "()"))
        functions = [op.operation for op in module.body.operations if op.operation.name == "loop.func"]
        if len(launches) != 1 or len(functions) != 1 or launches[0].name != "host.launch":
            raise UnsupportedGraph("with functions of several kernels on GPUs")
        reason = why_unsupported(functions[0])
        if reason is not None:
            raise UnsupportedGraph(f"with a function that GPUs have no code for: {reason}")
        return self._read(functions[0], launches[0], list(graph.regions[0].blocks[0].arguments))

    def _read(self, function: ir.Operation, launch: ir.Operation, arguments: list[ir.Value]) -> Code:
        kernel = read_kernel(function)
        symbols = [size_of(s) for s in array(launch.attributes["symbols"])]
        first = len(arguments) - len(self.others) - len(_GIVEN)
        given = [arguments.index(o) - first if o in arguments else -1 for o in launch.operands]
        loaded = {node.operands[0] for node in kernel.of(("loop.load",))}
        stores = kernel.of(("loop.store",))
        if len(stores) != 1 or any(given[n] < 0 for n in loaded) or "accumulate" in stores[0].attributes:
            raise UnsupportedGraph("with functions that can't be taken into a kernel")
        inputs = tuple((n, list(_GIVEN)[given[n]]) for n in sorted(loaded) if given[n] < len(_GIVEN))
        others = tuple(sorted(loaded - {n for n, _ in inputs}))
        strides = {str(s): n for n, s in enumerate(symbols)}
        found = {self._dims(kernel, load, strides) for load in kernel.of(("loop.load",)) if load.operands[0] in dict(inputs)}
        if len(found) != 1:
            raise UnsupportedGraph("with functions that don't read scores, or in several orders")
        code = ScoreCode(kernel, inputs, next(iter(found)), stores[0].operands[1], others)
        known = ", ".join([*self.names[3:], *(f"{name}=0" for name in self.names[:3])])
        values = "".join(f"{size_source(s)}, " for s in symbols)
        return Code(code, tuple(given[n] - len(_GIVEN) for n in others), SymbolValues(known, f"({values})"))

    def _dims(self, kernel: Kernel, load: Node, strides: Mapping[str, int]) -> tuple[int | None, ...]:
        return _dims(kernel.index_expr(load), [strides.get(name) for name in self.names[:3]])


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


@dataclass(frozen=True)
class Additions:
    """What a function adds to captured tensors' gradients, as the function is run: `values` to the elements `indices` of a tensor of this
    shape."""

    shape: Sequence[Any]
    indices: Sequence[torch.Tensor]
    values: torch.Tensor

    def value(self, inside: torch.Tensor) -> torch.Tensor:
        """What each score adds, in float32."""
        if self.values.shape != inside.shape or self.values.dtype not in (torch.float32, torch.bfloat16, torch.float16):
            raise UnsupportedGraph("with captured tensors of which a score reads several elements, or of float64")
        return torch.where(inside, self.values.to(torch.float32), 0.0)

    def place(self, inside: torch.Tensor) -> torch.Tensor:
        """The element's number. As in eager, a negative index counts from the end."""
        total: Any = 0
        for index, size in zip(self.indices, self.shape, strict=True):
            total = total * size + torch.where(index < 0, index + size, index)
        return torch.where(inside, total.to(torch.int64), 0)


class GradientFunctions:
    """The gradients of a call's scores and captured tensors, as functions of all scores. `gradients(scores, gradient, others)` returns the
    gradient of the scores before their modification, and those of the captured tensors; `scatter`: the operator that it calls for
    captured tensors; `wanted`: which of these have gradients.

    `sources`: for each wanted gradient the numbers of the additions that it is the sum of."""

    def __init__(self, functions: ScoreFunctions, gradients: Callable[..., Any], scatter: Any, wanted: Sequence[bool]) -> None:
        self.functions, self.gradients, self.scatter = functions, gradients, scatter
        self.sources: list[list[int]] = []
        if any(wanted):
            if torch.are_deterministic_algorithms_enabled():
                raise UnsupportedGraph("with captured tensors' gradients under deterministic algorithms, on GPUs")
            self.sources = self._find_sources(wanted)

    def codes(self) -> Iterator[tuple[int, Code, Code]]:
        """The code of the values and places of each addition, with the number of the gradient among the wanted ones."""
        for number, sources in enumerate(self.sources):
            for source in sources:
                yield number, self._code(source, Additions.value), self._code(source, Additions.place)

    def of_scores(self, given: Mapping[str, torch.Tensor], others: Sequence[Any]) -> torch.Tensor:
        """The gradient of the scores before their modification."""
        result: torch.Tensor = self.gradients(given[SCORES], given[GRADIENT], others)[0]
        return result.to(torch.float32)

    def table(self, found: list[Additions]) -> dict[Any, Callable[..., Any]]:
        """A decomposition that lists the additions; each returns a tensor filled with its number."""

        def scatter(shape: Sequence[Any], indices: Sequence[torch.Tensor], values: torch.Tensor) -> torch.Tensor:
            found.append(Additions(shape, [i.expand(values.shape) for i in indices], values))
            return torch.full(tuple(shape), len(found) - 1, dtype=values.dtype, device=values.device)

        return {} if self.scatter is None else {self.scatter: scatter}

    def _code(self, number: int, part: Callable[[Additions, torch.Tensor], torch.Tensor]) -> Code:
        found: list[Additions] = []

        def function(given: Mapping[str, torch.Tensor], others: Sequence[Any]) -> torch.Tensor:
            found.clear()
            self.gradients(given[SCORES], given[GRADIENT], others)
            return part(found[number], given[INSIDE])

        return self.functions.code(function, self.table(found))

    def _find_sources(self, wanted: Sequence[bool]) -> list[list[int]]:
        def function(given: Mapping[str, torch.Tensor], others: Sequence[Any]) -> list[torch.Tensor]:
            of_captured = self.gradients(given[SCORES], given[GRADIENT], others)[1]
            return [g for g, keep in zip(of_captured, wanted, strict=True) if keep]

        traced = self.functions.traced(function, self.table([]))
        return [list(_sources(node)) for node in traced.graph.output_node().args[0]]


def _sources(node: Any) -> Iterator[int]:
    """The numbers of the additions whose sum a node is."""
    if node is None:
        return
    target = node.target
    if target is torch.ops.aten.full.default:
        yield int(node.args[1])
    elif target is torch.ops.aten.add.Tensor and not node.kwargs:
        yield from _sources(node.args[0])
        yield from _sources(node.args[1])
    else:
        raise UnsupportedGraph("with captured tensors' gradients that are no sums over scores")
