"""A graph's own constant tensors, which native code takes as its last inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...runner import Runner
from ...torch_internals.aot import mark_boxed


def with_constants(runner: Runner, constants: Sequence[torch.Tensor]) -> Runner:
    """The runner with the graph's constant tensors, which are its last arguments."""
    if not constants:
        return mark_boxed(runner)

    def run(inputs: list[Any]) -> Sequence[Any]:
        inputs.extend(constants)
        return runner(inputs)

    return mark_boxed(run)
