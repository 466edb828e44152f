"""Forward-mode differentiation: a graph that is called with tangents runs as Dynamo captured it, because kernels compute no tangents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch.autograd import forward_ad

from ...torch_internals.aot import tracing_context
from ...torch_internals.dynamo import guard_on_dual_level
from ...torch_internals.modes import dual_level

OUTSIDE, WITHIN = -1, 0  # the level of `forward_ad`; PyTorch has no nested ones


def with_tangents(call: Callable[..., Any], graph_module: fx.GraphModule) -> Callable[..., Any]:
    """The callable for Dynamo. It is guarded on the level, and unchanged if it is compiled outside of `forward_ad.dual_level()`. Within
    one, and where Dynamo takes no guard, each call looks for tangents among its inputs."""
    context, level = tracing_context(), WITHIN if in_dual_level() else OUTSIDE
    if context is not None and guard_on_dual_level(context, level) and level == OUTSIDE:
        return call
    eager: Callable[..., Any] = graph_module.forward

    def eager_for_tangents(*inputs: Any) -> Any:
        return (eager if any(map(has_tangent, inputs)) else call)(*inputs)

    return eager_for_tangents


def has_tangent(value: Any) -> bool:
    """Whether `value` is a tensor with a tangent at the current level."""
    return isinstance(value, torch.Tensor) and forward_ad.unpack_dual(value).tangent is not None


def in_dual_level() -> bool:
    """Whether the thread is within `forward_ad.dual_level()`."""
    level = dual_level()
    if level is not None:
        return level >= WITHIN
    number = torch.zeros((), device="cpu")
    try:
        forward_ad.make_dual(number, number)
    except RuntimeError:
        return False
    return True
