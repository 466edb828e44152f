"""Replaces tensors whose memory does not hold their values by plain ones, for kernels.

No memory: a wrapper of a functorch transform that the tensor outlived, and zeros made by autograd. Other values in memory: tensors with
the negative or the conjugate bit. Dynamo never calls a graph with these if it was compiled for other inputs, but a backward may get them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from ...runner import Runner
from ...torch_internals.aot import mark_boxed
from ...torch_internals.dynamo import examples
from ...torch_internals.tensors import is_functorch_wrapper, is_legacy_batch, is_zerotensor, plain_tensor, unwrap_if_dead
from .forward_mode import has_tangent


def with_plain_inputs(call: Callable[..., Any], graph_module: fx.GraphModule) -> Callable[..., Any]:
    """The callable for Dynamo, unchanged unless it is compiled for inputs without memory."""
    if not isinstance(graph_module, fx.GraphModule):  # what compiled autograd captured, in Dynamo's wrapper
        return call
    seen = examples(graph_module.graph.find_nodes(op="placeholder"))
    odd = [n for n, e in enumerate(seen) if isinstance(e, torch.Tensor) and (is_functorch_wrapper(e) or is_zerotensor(e))]
    if not odd:
        return call
    if unwrap_if_dead is None:
        eager: Callable[..., Any] = graph_module.forward
        return eager

    def with_memory(*inputs: Any) -> Any:
        given = list(inputs)
        for n in odd:
            value = unwrap_if_dead(given[n])
            given[n] = value.clone() if is_zerotensor(value) else value
        return call(*given)

    return with_memory


def tangents_of(backward: fx.GraphModule) -> list[int]:
    """The inputs of a backward graph that are gradients."""
    return [n for n, node in enumerate(backward.graph.find_nodes(op="placeholder")) if node.name.startswith("tangents")]


def with_plain_gradients(run: Runner, tangents: Sequence[int], traced: Runner) -> Runner:
    """The runner of a backward graph, for gradients of any kind, which are the inputs `tangents`. Batches of gradients
    (`torch.autograd.grad(is_grads_batched=True)`) and gradients with tangents go through the graph operator by operator, by `traced`."""

    def call(inputs: list[Any]) -> Any:
        for n in tangents:
            if has_tangent(inputs[n]):
                return traced(inputs)
            if _is_odd(inputs[n]):  # no reference is held here, so that the run can free it
                if is_legacy_batch(inputs[n]):
                    return traced(inputs)
                inputs[n] = plain_tensor(inputs[n])
        return run(inputs)

    return mark_boxed(call)


def _is_odd(value: Any) -> bool:
    if not isinstance(value, torch.Tensor):
        return False
    return bool(is_zerotensor(value) or value.is_neg() or value.is_conj() or is_legacy_batch(value))
