"""What the partition of a joint graph saves for the backward, and what it recomputes."""

from __future__ import annotations

import contextlib
import math
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from ...dialects.locations import SourcePosition
from ...passes.recording import PassRecord
from ..importing.locations import frames
from .joint_nodes import is_view_node


@dataclass(frozen=True)
class SavedTensor:
    """A value that the forward saves for the backward: its node, sizes, bytes (symbolic sizes: those while tracing), the operator that
    makes it, behind its views, and the line of the program."""

    name: str
    dtype: str
    sizes: tuple[str, ...]
    bytes: int
    is_input: bool
    operator: str = ""
    position: SourcePosition | None = None

    def __str__(self) -> str:
        note = ", an input" if self.is_input else ""
        return f"{self.name}: {self.dtype}[{', '.join(self.sizes)}], {self.bytes} bytes{note}"


@dataclass(frozen=True)
class PartitionReport:
    """One joint graph. `recomputed`: operators that run in both graphs. `unchanged`: the reason why no pass ran on it, or None."""

    saved: tuple[SavedTensor, ...]
    recomputed: dict[str, int]
    unchanged: str | None = None
    stages: dict[str, str] = field(default_factory=dict, repr=False)
    passes: tuple[PassRecord, ...] = field(default=(), repr=False)

    @staticmethod
    def of(
        forward: fx.GraphModule,
        backward: fx.GraphModule,
        num_fwd_outputs: int,
        unchanged: str | None,
        stages: dict[str, str],
        passes: Sequence[PassRecord] = (),
    ) -> PartitionReport:
        """Reads the two graphs of a partition."""
        kept = forward.graph.output_node().args[0][num_fwd_outputs:]
        saved = [_saved(n) for n in dict.fromkeys(kept) if isinstance(n, fx.Node) and isinstance(n.meta.get("val"), torch.Tensor)]
        first = {n.name for n in forward.graph.nodes if n.op == "call_function"}
        again = [n for n in backward.graph.nodes if n.op == "call_function" and n.name in first]
        recomputed = Counter(str(n.target) for n in again if isinstance(n.target, torch._ops.OpOverload))
        return PartitionReport(tuple(saved), dict(recomputed), unchanged, stages, tuple(passes))

    @property
    def bytes(self) -> int:
        """The bytes of the saved tensors that the forward makes; inputs live anyway."""
        return sum(s.bytes for s in self.saved if not s.is_input)

    def __str__(self) -> str:
        made = [s for s in self.saved if not s.is_input]
        inputs = len(self.saved) - len(made)
        lines = [f"partition: the forward saves {len(made)} tensors of {self.bytes} bytes, and {inputs} of its inputs"]
        lines += [f"  joint graph as it came: {self.unchanged}"] if self.unchanged else []
        lines += [f"  saved {s}" for s in sorted(made, key=lambda s: -s.bytes)]
        lines += [f"  computed again {name} x{count}" for name, count in self.recomputed.items()]
        return "\n".join(lines)


def _saved(node: fx.Node) -> SavedTensor:
    value = node.meta["val"]
    name = str(value.dtype).removeprefix("torch.")
    is_input, made_by = node.op == "placeholder", _maker(node)
    where = next(reversed(frames((node if made_by.op == "placeholder" else made_by).meta)), None)
    target = "" if is_input else "a view of an input" if made_by.op == "placeholder" else str(made_by.target)
    return SavedTensor(node.name, name, tuple(map(str, value.shape)), node_bytes(node), is_input, target, where)


def _maker(node: fx.Node) -> fx.Node:
    """The operator that makes a node's value, behind its views and, if it has several results, behind the choice of one; or an input."""
    while node.args and isinstance(node.args[0], fx.Node) and (node.target is operator.getitem or is_view_node(node)):
        node = node.args[0]
    return node


def node_bytes(node: fx.Node) -> int:
    """The bytes of a node's tensor (symbolic sizes: those while tracing)."""
    value = node.meta["val"]
    element_size: int = value.element_size()
    return element_size * math.prod(map(_seen, value.shape))


def _seen(size: Any) -> int:
    """The value of a size while tracing."""
    if isinstance(size, int):
        return size
    hint = size.node.hint if size.node.has_hint() else None
    return int(hint) if hint is not None else 1


partition_collectors: list[list[PartitionReport]] = []


@contextlib.contextmanager
def collect_partitions() -> Iterator[list[PartitionReport]]:
    """A list that receives the report of every partition made inside, in any thread."""
    found: list[PartitionReport] = []
    partition_collectors.append(found)
    try:
        yield found
    finally:
        partition_collectors.remove(found)


def record_partition(report: PartitionReport) -> None:
    """Gives a report to all collectors."""
    for collector in partition_collectors:
        collector.append(report)
