"""Why neighbouring kernels are not fused, for the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...dialects.narrowing import AnyOp, text, texts
from ...passes.recording import FusionRefusal, KernelKey
from .fusion_graph import FusionNode, Graph
from .fusion_groups import Group, Grouping

NOT_FUSIBLE = "a scan, or a kernel that writes a part of a tensor, is not fused"


def refusals(graph: Graph, grouping: Grouping, kernels: Mapping[Group, AnyOp]) -> list[FusionRefusal]:
    """A refusal for each pair of kernels that was tried, and for each kernel that reads another's result and can't be fused. `kernels`: the
    kernel that was written for each group."""
    found: dict[tuple[Group, Group], str] = {}
    for later, earlier, reason in [*grouping.refusals, *_not_fusible(graph, grouping)]:
        pair = (grouping.group_of[later], grouping.group_of[earlier])
        if pair[0] is not pair[1] and all(group in kernels for group in pair):
            found[pair] = reason
    return [FusionRefusal(_key(kernels[later]), _key(kernels[earlier]), reason) for (later, earlier), reason in found.items()]


def _not_fusible(graph: Graph, grouping: Grouping) -> Iterator[tuple[FusionNode, FusionNode, str]]:
    for node in graph.nodes:
        for source in node.sources.values():
            maker = graph.kernel_of(source.value)
            if maker is not None and not (grouping.group_of[node].fusible and grouping.group_of[maker[0]].fusible):
                yield node, maker[0], NOT_FUSIBLE


def _key(kernel: AnyOp) -> KernelKey:
    attributes = kernel.attributes
    return str(kernel.location), tuple(texts(attributes["computes"])) if "computes" in attributes else (text(attributes["kernel_name"]),)
