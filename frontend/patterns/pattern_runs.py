"""Runs a pattern's function under a mode that records its calls, with gradients if requested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...torch_internals.modes import python_dispatcher


def run(
    recorder: Any,
    call: Callable[..., list[torch.Tensor]],
    inputs: Sequence[torch.Tensor],
    joint: bool,
    accumulated: Sequence[int] = (),
) -> list[torch.Tensor]:
    """The results of the function, and, if `joint`, the gradients of the inputs that require one: the same as `with_gradients`. The
    recorder's inputs are those of the function, then the gradients of its results, and the gradients of `accumulated` inputs from their
    other uses."""
    recorder.add_inputs(inputs)
    with torch.set_grad_enabled(joint), python_dispatcher():
        if not joint:
            with recorder:
                return call(*inputs)
        given = list(inputs)
        wanted = [i for i, tensor in enumerate(inputs) if tensor.requires_grad]
        with recorder:
            for i in wanted:
                given[i] = given[i].detach().requires_grad_()
            results = call(*given)
        tangents = [torch.empty_like(t.detach()) for t in (*results, *(inputs[i] for i in accumulated))]
        recorder.add_inputs(tangents)
        with recorder:
            outputs = [*results, *(given[i] for i in accumulated)]
            return [*results, *torch.autograd.grad(outputs, [given[i] for i in wanted], tangents)]
