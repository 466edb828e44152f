"""The graph that computes a part of attention: some query rows and some keys of some heads, all of which are symbols of its own.

`attention_blocks.py` runs it for each part, so one compilation serves all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy
import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from ...bridge.symbols import symbol_facts
from ...errors import UnsupportedGraph
from ...torch_internals.dynamo import ConstantSource
from ...torch_internals.fake_tensors import FakeTensorMode
from ...torch_internals.modes import python_dispatcher
from .attention_formulas import exact_dtype

# The traced sizes of a part; the code is right for others too. They differ from each other and from usual sizes of tensors.
_BATCHES, _KEY_HEADS, _ROWS, _KEYS = 3, 5, 131, 1031
# Operators whose results have the dtype and device of their argument, but not its values.
_CONSTANTS = frozenset(
    getattr(torch.ops.aten, name).default for name in ("new_ones", "new_zeros", "new_full", "ones_like", "zeros_like", "full_like")
)


class BodySizes:
    """The symbols of a body. Each symbol of the graph becomes one of the body; those of a part are new."""

    def __init__(self) -> None:
        self.shape_env = ShapeEnv(specialize_zero_one=False, duck_shape=False)
        self.mode = FakeTensorMode(shape_env=self.shape_env)
        self._ranges: dict[sympy.Symbol, Any] = {}
        self.starts = [self.made(name, 0) for name in ("batch", "head", "row", "key")]
        self.batches, self.key_heads = self.made("batches", _BATCHES, 1), self.made("key_heads", _KEY_HEADS, 1)
        self.rows, self.keys = self.made("rows", _ROWS, 1), self.made("keys", _KEYS, 1)
        self.outer: dict[sympy.Symbol, torch.SymInt] = {}

    def made(self, name: str, hint: int, lowest: int = 0) -> torch.SymInt:
        """A new symbol."""
        source = ConstantSource(f"mlirind_{name}")
        sign = True if lowest >= 0 else None
        symbol = self.shape_env.create_symbol(hint, source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None, positive=sign)
        self.shape_env.constrain_symbol_range(symbol, lowest, 2**63 - 1)
        self._ranges[symbol] = self.shape_env.var_to_range[symbol]
        made: torch.SymInt = self.shape_env.create_symintnode(symbol, hint=hint, source=source)
        return made

    def number(self, value: Any) -> Any:
        """A size or number of the graph in the body's symbols."""
        if isinstance(value, (torch.SymFloat, torch.SymBool)):
            raise UnsupportedGraph("attention with a number that is computed from sizes, but no integer")
        if not isinstance(value, torch.SymInt):
            return value
        expression = value.node.expr
        for symbol in sorted(expression.free_symbols, key=str):
            if symbol not in self.outer:
                lowest, _, seen = symbol_facts(value.node.shape_env, {symbol.name})[symbol.name]
                self.outer[symbol] = self.made(symbol.name, seen, lowest)
        renamed = expression.xreplace({symbol: made.node.expr for symbol, made in self.outer.items()})
        return self.shape_env.create_symintnode(renamed, hint=value.node.hint)

    def check(self) -> None:
        """Raises UnsupportedGraph if tracing fixed a size. Tracing also assumed that sizes differ and that none is 1. Only strides that
        nothing reads depend on this, because functions of scalars do not see a part's sizes. So the symbols get their ranges back."""
        equal = [str(guard.expr) for guard in self.shape_env.guards if isinstance(guard.expr, sympy.Eq)]
        if equal or self.shape_env.replacements:
            raise UnsupportedGraph(f"attention whose parts are not of any size: {equal}")
        self.shape_env.var_to_range.update(self._ranges)

    def like(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor like one of the graph."""
        shape, strides = list(map(self.number, tensor.shape)), list(map(self.number, tensor.stride()))
        with self.mode:
            return torch.empty_strided(shape, strides, dtype=tensor.dtype, device=tensor.device)

    def rows_of_call(self, shape: Sequence[Any], length: Any, dtype: torch.dtype) -> torch.Tensor:
        """Some rows of each matrix of a contiguous tensor whose matrices have `length` rows."""
        with self.mode:
            return torch.empty_strided(shape, (length * shape[2], shape[2], 1), dtype=dtype)

    def contiguous(self, shape: Sequence[Any], dtype: torch.dtype) -> torch.Tensor:
        """A tensor that lies row by row."""
        with self.mode:
            return torch.empty(tuple(shape), dtype=dtype)


class AttentionBody:
    """The body of a call. `tensors`: the fake tensors of query, key, value and what the backward takes, or None; `others`: the fake tensors
    and integers that its functions take; `compute(starts, sizes, tensors, others)`: the results of a part, `PartialAttention`'s.

    `graph_module` takes the part's four starts, its batches, key heads and rows, the values of the graph's symbols, the tensors that are
    not None, and `others`. `symbols` says where the values of the graph's symbols are found (`attention_blocks._Walk`)."""

    def __init__(self, tensors: Sequence[torch.Tensor | None], others: Sequence[Any], compute: Callable[..., Any], table: Any) -> None:
        sizes = BodySizes()
        parts = _parts(sizes, tensors)
        taken = [sizes.like(o) if isinstance(o, torch.Tensor) else sizes.number(o) for o in others]
        outer = dict(sizes.outer)
        self.symbols = [place_of(symbol, [*tensors, *others]) for symbol in outer]

        def part(numbers: Sequence[Any], _sizes: Sequence[Any], parts: Sequence[Any], taken: Sequence[Any]) -> Any:
            given = iter(parts)
            batches, key_heads, rows = numbers[4:]
            of_rows = (batches, heads_of_key_head(tensors) * key_heads, rows)
            return compute(numbers[:4], of_rows, [None if t is None else next(given) for t in tensors], taken)

        numbers = [*sizes.starts, sizes.batches, sizes.key_heads, sizes.rows]
        with torch.no_grad(), python_dispatcher(), sizes.mode:
            given = [p for p in parts if p is not None]
            self.graph_module = make_fx(part, decomposition_table=table)(numbers, list(outer.values()), given, taken)
        self.graph_module.graph.eliminate_dead_code()
        if any(True for _ in self.graph_module.graph.find_nodes(op="get_attr")):
            raise UnsupportedGraph("a constant that its functions make")
        sizes.check()


def _parts(sizes: BodySizes, tensors: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
    """The tensors of a part, as `attention_blocks._Walk.taken` makes them."""
    heads, groups = sizes.batches * sizes.key_heads, heads_of_key_head(tensors)
    made: list[torch.Tensor | None] = []
    for number, tensor in enumerate(tensors):
        if tensor is None:
            made.append(None)
        elif tensor.dim() == 3:
            made.append(sizes.contiguous((sizes.batches, groups * sizes.key_heads, sizes.rows), tensor.dtype))
        elif number in (1, 2):
            shape = (heads, sizes.keys, sizes.number(tensor.size(3)))
            made.append(sizes.rows_of_call(shape, sizes.number(tensor.size(2)), exact_dtype(tensor.dtype)))
        else:
            made.append(sizes.contiguous((heads, groups * sizes.rows, sizes.number(tensor.size(3))), exact_dtype(tensor.dtype)))
    return made


def heads_of_key_head(tensors: Sequence[torch.Tensor | None]) -> int:
    """The number of query heads of a key head."""
    query, key = tensors[:2]
    assert query is not None and key is not None
    groups = query.size(1) // key.size(1)
    if isinstance(groups, torch.SymInt) and not groups.node.expr.is_number:
        _refuse("a number of heads that is no multiple of that of keys")
    return int(groups)


def _refuse(why: str) -> Any:
    raise UnsupportedGraph(f"attention with {why}")


def place_of(symbol: sympy.Symbol, values: Sequence[Any]) -> tuple[int, str, int]:
    """Which value says what a symbol is: its number, "size", "stride" or "value", and the dimension of a size or stride."""
    for number, kind, dim, size in _sizes(values):
        if isinstance(size, torch.SymInt) and size.node.expr == symbol:
            return number, kind, dim
    raise UnsupportedGraph(f"attention whose operands don't say what {symbol} is")


def _sizes(values: Sequence[Any]) -> Iterator[tuple[int, str, int, Any]]:
    """The sizes and strides of tensors, and numbers, each with its place."""
    for number, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            yield from ((number, "size", dim, size) for dim, size in enumerate(value.shape))
            yield from ((number, "stride", dim, stride) for dim, stride in enumerate(value.stride()))
        else:
            yield number, "value", 0, value


def reads_arguments(graph: fx.Graph) -> bool:
    """Whether a graph's result depends on the values of its arguments."""
    todo, seen = list(graph.output_node().all_input_nodes), set()
    while todo:
        node = todo.pop()
        if node.op == "placeholder":
            return True
        if node not in seen and node.target not in _CONSTANTS:
            seen.add(node)
            todo += node.all_input_nodes
    return False
