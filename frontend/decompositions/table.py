"""The operators that AOTAutograd decomposes: PyTorch's core ATen table, without those that have a lowering rule or are better
undecomposed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from ...lowering.rules import RULES
from ...torch_internals.operators import core_aten_decompositions
from ..calls.random_in_kernels import random_decompositions
from .conditions import eager_takes, is_conditional
from .convolution_biases import convolution_bias_decompositions
from .foreach import foreach_decompositions
from .half_losses import half_loss_decompositions
from .half_sums import half_sum_decompositions
from .kernel_layouts import kernel_layout_decompositions
from .kernel_values import kernel_value_decompositions
from .long_lists import long_list_decompositions
from .losses import loss_decompositions
from .pointwise_layouts import pointwise_layout_decompositions
from .resampling import stays_whole

aten = torch.ops.aten

# Whole, because ATen's kernel is faster or rounds once where the decomposition rounds at every step.
KEPT = (
    aten._scaled_dot_product_flash_attention_for_cpu,
    aten.baddbmm,
    aten.mv,
    aten.dot,
    aten.vdot,
    aten.linspace,
    aten.logspace,
    # The decomposition has another order of roundings, and accepts integers.
    aten.hann_window,
    # The decomposition does not check whether the elements are in range.
    aten.multilabel_margin_loss_forward,
    # The decomposition draws other random numbers than eager.
    aten.bernoulli,
    # The decomposition adds to zeros, so that -0.0 becomes 0.0.
    aten.unfold_backward,
    # The decomposition's results have other strides.
    aten.max_unpool2d,
    aten.max_unpool3d,
    # With the decomposition PyTorch refuses to trace the training of a scan whose body returns a value that its backward reads.
    aten.detach,
)


@functools.cache
def decomposition_table(fallback_random: bool = True, on_cpu: bool = False) -> dict[Any, Callable[..., Any]]:
    """The decompositions by operator overload. `fallback_random`: random draws are PyTorch's; `on_cpu`: all tensors are there."""
    table = {**core_aten_decompositions(), **foreach_decompositions()}
    for packet in KEPT:
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)
    chosen = {o: function for o, function in table.items() if str(o) not in RULES and not (on_cpu and stays_whole(o))}
    chosen |= {**half_loss_decompositions(chosen), **half_sum_decompositions(), **kernel_value_decompositions(), **loss_decompositions()}
    chosen |= {**long_list_decompositions(), **kernel_layout_decompositions(), **pointwise_layout_decompositions()}
    chosen |= {} if on_cpu else convolution_bias_decompositions()
    chosen = {operator: _checked(operator, function) if is_conditional(operator) else function for operator, function in chosen.items()}
    return {**chosen, **({} if fallback_random else random_decompositions())}


def _checked(operator: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The decomposition if eager accepts the call's arguments; else the operator itself, which raises when the graph runs."""

    @functools.wraps(function)
    def decomposition(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs) if eager_takes(operator, args, kwargs) else NotImplemented

    return decomposition
