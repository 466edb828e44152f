"""The graphs of opaque calls, and the functions of their bodies, as they run. Needs no compiler: graphs from the cache have them, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...torch_internals.fx_graphs import make_graph_module
from ...torch_internals.trees import tree_leaves


@dataclass(frozen=True, eq=False)
class CallGraph:
    """What an opaque call computes. `graph` takes the call's operands, `root` has its subgraphs; `leaves`: the call's results, as positions
    in the flattened result of the graph; `is_flat`: that is a sequence of tensors and numbers already; `form`: the arguments of
    `opaque_operator`."""

    graph: fx.Graph
    root: torch.nn.Module
    leaves: tuple[int, ...]
    is_flat: bool
    form: tuple[Any, ...]

    def function(self) -> Callable[..., Sequence[torch.Tensor]]:
        """The call as a function of its operands."""
        run, leaves, is_flat = make_graph_module(self.root, self.graph), self.leaves, self.is_flat

        def call(*operands: Any) -> list[torch.Tensor]:
            results = run.forward(*operands)
            flat = results if is_flat else tree_leaves(results)
            return [flat[n] for n in leaves]

        return call


@dataclass(frozen=True)
class BodyFit:
    """For which values the code of a subgraph is right: `shapes`: the static shape of each input, or None; `repeating`: by input the
    dimensions of stride 0, of which the code reads one element. The carry of a scan may be an expanded tensor in the first call, and the
    body's result in later ones. `returns_one`: the subgraph returns no tuple."""

    shapes: tuple[tuple[int, ...] | None, ...]
    repeating: tuple[tuple[int, tuple[int, ...]], ...]
    returns_one: bool

    @staticmethod
    def of(graph_module: fx.GraphModule) -> BodyFit:
        """That of a traced subgraph."""
        values = [node.meta.get("val") for node in graph_module.graph.find_nodes(op="placeholder")]
        repeating = tuple((n, _repeated_dims(v)) for n, v in enumerate(values) if _repeated_dims(v))
        (returned,) = graph_module.graph.output_node().args
        return BodyFit(tuple(map(_static_shape, values)), repeating, isinstance(returned, fx.Node))

    def fits(self, values: Sequence[Any]) -> bool:
        """Whether the code is right for these values."""
        shapes = all(shape is None or value.shape == shape for value, shape in zip(values, self.shapes, strict=True))
        return shapes and all(values[n].stride(d) == 0 or values[n].size(d) <= 1 for n, dims in self.repeating for d in dims)


def _static_shape(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, torch.Tensor) or not all(isinstance(s, int) for s in value.shape):
        return None
    return tuple(value.shape)


def _repeated_dims(value: Any) -> tuple[int, ...]:
    """The dimensions that repeat one element."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return ()
    return tuple(d for d, stride in enumerate(value.stride()) if isinstance(stride, int) and stride == 0)
