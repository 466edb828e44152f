"""Checks a small program: everything that a caller can see of a compiled function must be what eager shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from eager_comparison import difference
from torch.utils._pytree import tree_leaves

# Where tensors are made (`--device`). Programs that are compiled say it: Dynamo of torch 2.11 forgets it for some constructors.
HERE = torch.get_default_device()
ON_GPU = HERE.type != "cpu"


@dataclass(frozen=True)
class Program:
    """A function and a maker of its positional arguments."""

    name: str
    fn: Callable[..., Any]
    make_inputs: Callable[[], tuple[Any, ...]]


@dataclass
class Programs:
    """Collects programs: `@programs(make_inputs)` before a function whose name is the program's."""

    all: list[Program] = field(default_factory=list)

    def __call__(self, make_inputs: Callable[[], tuple[Any, ...]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.all.append(Program(fn.__name__, fn, make_inputs))
            return fn

        return add


def counting(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """0, 1, 2, ... in the given sizes."""
    return torch.arange(torch.Size(sizes).numel(), dtype=dtype).reshape(sizes)


def observe(fn: Callable[..., Any], make_inputs: Callable[[], tuple[Any, ...]], grad: bool = False) -> dict[str, Any]:
    """What a caller sees of one call: outputs, inputs afterwards, who shares memory with whom, signs of zeros; with `grad`
    the gradients of the inputs; or the exception."""
    torch.manual_seed(0)
    inputs = make_inputs()
    torch.manual_seed(1)
    try:
        with torch.set_grad_enabled(grad):
            outputs = fn(*inputs)
    except Exception as error:
        return {"raises": error}
    tensors = [t for t in tree_leaves((inputs, outputs)) if isinstance(t, torch.Tensor)]
    seen = {"outputs": outputs, "inputs": inputs, "aliases": aliases(tensors), "zeros": [negative_zeros(t) for t in tensors]}
    if grad:
        loss = sum((t.float() * 0.5).square().sum() for t in tree_leaves(outputs) if isinstance(t, torch.Tensor) and t.requires_grad)
        loss.backward()
        seen["gradients"] = [t.grad for t in tree_leaves(inputs) if isinstance(t, torch.Tensor)]
    return seen


def aliases(tensors: list[torch.Tensor]) -> list[list[str]]:
    """For each tensor and each before it: the same object, the same memory, or not."""
    return [[_relation(tensors[a], tensors[b]) for b in range(a)] for a in range(len(tensors))]


def _relation(a: torch.Tensor, b: torch.Tensor) -> str:
    if a is b:
        return "same"
    if a.layout != torch.strided or b.layout != torch.strided or not a.numel() or not b.numel():
        return "no"
    return "shares" if torch._C._is_alias_of(a, b) else "no"


def negative_zeros(tensor: torch.Tensor) -> torch.Tensor | None:
    """Where a floating point tensor holds -0.0."""
    if not tensor.is_floating_point():
        return None
    return (tensor.detach() == 0) & torch.signbit(tensor.detach())


def check(
    backend: Any,
    fn: Callable[..., Any],
    make_inputs: Callable[[], tuple[Any, ...]],
    grad: bool = False,
    rtol: float = 1e-5,
    **compile_options: Any,
) -> None:
    """Asserts that `fn`, compiled, shows what eager shows: in the first call, which compiles, and in the second."""
    want = observe(fn, make_inputs, grad)
    compiled = torch.compile(fn, backend=backend, **compile_options)
    for call in ("first", "second"):
        got = observe(compiled, make_inputs, grad)
        if "raises" in want:
            assert "raises" in got, f"{call} call: eager raises {want['raises']!r}"
            assert isinstance(got["raises"], type(want["raises"])), f"{call} call: want {want['raises']!r} got {got['raises']!r}"
            continue
        assert "raises" not in got, f"{call} call raises {got['raises']!r}"
        found = difference(want, got, rtol=rtol)
        assert found is None, f"{call} call: {found}"
