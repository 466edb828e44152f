"""The bytes that are live at each operation while kernels are fused: fusion must not raise the peak.

A fused kernel runs when the last of its inputs exists, and its other inputs are held until then. Gradients that are summed over a whole
backward would all be held, where each single sum replaces two of them by one. Results that only members read are no longer tensors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import accumulate

from torch_mlir import ir

from ...dialects.host import DONATED
from ...dialects.narrowing import dense_entries
from ...dialects.size_hints import size_hints
from ...tuning.kernels import TUNING
from ..memory.buffer_lives import guessed_bytes
from ..memory.range_maxima import RangeMaxima
from .fusion_graph import FusionNode, Graph

# The numbers of the first and last operation during which a tensor is live; None if it is no tensor.
Span = tuple[int, int] | None


class LiveTensors:
    """Which tensors are live when. `at`: the number of the operation at which a node runs, as decided so far."""

    def __init__(self, graph: Graph, function: ir.OpView) -> None:
        root = graph.storages.root
        self.at = {node: node.index for node in graph.nodes}
        self._touched: dict[FusionNode, set[ir.Value]] = {}  # the tensors that a node reads or makes, views taken away
        self._users: dict[ir.Value, list[FusionNode]] = {}
        self._makers: dict[ir.Value, FusionNode] = {}
        for node in graph.nodes:
            read = {root(v) for v in node.op.operands}
            for value in read:
                self._users.setdefault(value, []).append(node)
            made = [r for r in node.op.results if root(r) == r and isinstance(r.type, ir.RankedTensorType)]
            self._makers.update(dict.fromkeys(made, node))
            self._touched[node] = {*read, *made}
        arguments = function.regions[0].blocks[0].arguments
        donated = [arguments[n] for n in dense_entries(function, DONATED)]
        hints = size_hints(function)
        self._sizes = {v: guessed_bytes(v.type, hints) for v in (*self._makers, *donated)}
        self._spans: dict[ir.Value, Span] = {value: self._span(value) for value in self._sizes}
        self._live = RangeMaxima(self._bytes_over_time(len(graph.nodes)))
        self.limit = self._live.largest(0, len(graph.nodes), TUNING.free_peak_bytes)

    def ready(self, nodes: Collection[FusionNode]) -> int:
        """The number of the operation at which nodes that become one kernel can run."""
        needed = (self.at[b] for node in nodes for b in node.before if b not in nodes)
        return max([min(n.index for n in nodes), *needed])

    def allows(self, nodes: Iterable[FusionNode], at: int, gone: Iterable[ir.Value]) -> bool:
        """Whether nodes can run at `at`, with the results `gone` no longer tensors, without raising the peak; if so, records it."""
        before = {node: self.at[node] for node in nodes if self.at[node] != at}
        self.at.update(dict.fromkeys(before, at))
        touched = set[ir.Value]().union(*(self._touched[node] for node in before))
        spans: dict[ir.Value, Span] = {v: self._span(v) for v in touched if self._spans.get(v) is not None}
        spans.update((v, None) for v in gone if self._spans.get(v) is not None)
        old = {v: self._spans[v] for v in spans}
        if self._move(spans):
            return True
        self._move(old)
        self.at.update(before)
        return False

    def only_read_by(self, value: ir.Value, nodes: Collection[FusionNode]) -> bool:
        """Whether only these nodes read a result."""
        return all(user in nodes for user in self._users.get(value, ()))

    def _span(self, value: ir.Value) -> Span:
        maker = self._makers.get(value)
        start = 0 if maker is None else self.at[maker]
        return start, max([start, *(self.at[user] for user in self._users.get(value, ()))])

    def _bytes_over_time(self, count: int) -> list[int]:
        """The live bytes at each of `count` operations."""
        changes = [0] * (count + 1)
        for value, span in self._spans.items():
            if span is not None:
                changes[span[0]] += self._sizes[value]
                changes[span[1] + 1] -= self._sizes[value]
        return list(accumulate(changes[:-1]))

    def _move(self, spans: dict[ir.Value, Span]) -> bool:
        """Whether the peak stays the same if tensors get other spans."""
        grown: list[range] = []
        for value, span in spans.items():
            size = self._sizes[value]
            for part in _difference(self._spans[value], span):
                self._live.add(part.start, part.stop, -size)
            for part in _difference(span, self._spans[value]):
                self._live.add(part.start, part.stop, size)
                grown.append(part)
            self._spans[value] = span
        return all(self._live.largest(part.start, part.stop) <= self.limit for part in grown)


def _difference(span: Span, other: Span) -> list[range]:
    """The operations of a span that are not in another."""
    if span is None:
        return []
    first, last = span[0], span[1] + 1
    if other is None or other[1] < first or other[0] >= last:
        return [range(first, last)]
    return [part for part in (range(first, other[0]), range(other[1] + 1, last)) if part]
