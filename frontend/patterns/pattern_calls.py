"""Calls a pattern's function, with its gradients if requested: to trace it, or to record its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...torch_internals.modes import python_dispatcher
from .pattern_scalars import open_number

# A pattern's function, on tensors alone.
TensorFunction = Callable[..., list[torch.Tensor]]


def on_tensors(function: Callable[..., Any], names: Sequence[str], scalars: Mapping[str, Any], known: dict[float, str]) -> TensorFunction:
    """The function with the tensor parameters `names`; `known` receives the numbers that stand for open ones."""

    def call(*tensors: torch.Tensor) -> list[torch.Tensor]:
        given = {s: open_number(value, s, known) for s, value in scalars.items()}
        result = function(**dict(zip(names, tensors, strict=True)), **given)
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        if not all(r is None or isinstance(r, torch.Tensor) for r in results):
            raise TypeError(f"it returns {type(result).__name__} {str(result)[:60]!r}: let it return a tensor, or a tuple of tensors")
        return results

    return call


def with_gradients(call: TensorFunction, inputs: Sequence[torch.Tensor], accumulated: Sequence[int]) -> TensorFunction:
    """The function with its gradients: returns the results, the gradient of each input that requires one, and the tangents, which are
    empty: one for each result, and for the `accumulated` inputs the gradients from their other uses."""

    def joint(*arguments: torch.Tensor) -> list[torch.Tensor]:
        given, wanted = _tracked(inputs, arguments)
        results = call(*given)
        outputs = [*results, *(given[i] for i in accumulated)]
        tangents = _tangents(outputs)
        return [*results, *torch.autograd.grad(outputs, wanted, tangents), *tangents]

    return joint


def run_recorded(recorder: Any, call: TensorFunction, inputs: Sequence[torch.Tensor], joint: bool) -> list[torch.Tensor]:
    """The results of the function, and, if `joint`, the gradients of the inputs that require one. `recorder`: a dispatch mode; its inputs
    are those of the function, then the gradients of its results."""
    recorder.add_inputs(inputs)
    with torch.set_grad_enabled(joint), python_dispatcher():
        with recorder:
            given, wanted = _tracked(inputs, inputs) if joint else (inputs, [])
            results = call(*given)
        if not joint:
            return results
        tangents = _tangents(results)
        recorder.add_inputs(tangents)
        with recorder:
            return [*results, *torch.autograd.grad(results, wanted, tangents)]


def _tracked(inputs: Sequence[torch.Tensor], arguments: Sequence[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The arguments that stand for the inputs, as new leaves if they need a gradient; and these leaves."""
    given = [a.detach().requires_grad_() if i.requires_grad else a for i, a in zip(inputs, arguments, strict=True)]
    return given, [g for g, i in zip(given, inputs, strict=True) if i.requires_grad]


def _tangents(outputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [torch.empty_like(output.detach()) for output in outputs]
