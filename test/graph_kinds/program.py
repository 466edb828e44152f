"""What a program of a kind of graph is, and its comparison with eager."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from eager_comparison import difference
from programs import aliases, negative_zeros
from torch._dynamo.utils import counters as dynamo_counters
from torch.utils._pytree import tree_leaves, tree_map_only

SIZES = (6, 9)  # of the first dimension; a program with symbolic sizes is compiled once for both
DYNAMIC = ("forward, dynamic", "training, dynamic")
TRAINING = ("training", "training, dynamic")
MODES = ("forward", "training", *DYNAMIC)
SETTINGS = {"capture_dynamic_output_shape_ops": True, "capture_scalar_outputs": True}  # of Dynamo: sizes from data do not cut a graph

Maker = Callable[[int], tuple[Any, ...]]


@dataclass(frozen=True)
class GraphProgram:
    """`make`: the arguments for a size. `grad`: arguments of float types require gradients in training. `rtol`: the relative tolerance.

    In the modes `refused` PyTorch itself refuses the program, whatever the backend is. In the modes `recompiled` Dynamo compiles the
    program for each size, because a constant is made of it: by PyTorch, or by a call that is kept whole. `in_suite`: the mode that the
    tests run, if not one in turn."""

    name: str
    fn: Callable[..., Any]
    make: Maker
    grad: bool = True
    rtol: float = 1e-5
    refused: tuple[str, ...] = ()
    recompiled: tuple[str, ...] = ()
    in_suite: str = ""

    def modes(self) -> list[str]:
        return [mode for mode in MODES if self.grad or "training" not in mode]

    def compilations(self, mode: str) -> int:
        """How often Dynamo compiles the program, for one size, or for both if sizes are symbolic."""
        return 2 if mode in self.recompiled else 1


@dataclass
class GraphPrograms:
    """Collects programs: `@programs(make, ...)` before a function whose name is the program's."""

    all: list[GraphProgram] = field(default_factory=list)

    def __call__(self, make: Maker, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.all.append(GraphProgram(fn.__name__, fn, make, **facts))
            return fn

        return add


def rows(n: int) -> tuple[torch.Tensor]:
    """A matrix of n rows."""
    return (torch.randn(n, 4),)


def rows_and_weights(n: int) -> tuple[torch.Tensor, ...]:
    """A matrix of n rows, and a square one."""
    return torch.randn(n, 4), torch.randn(4, 4) / 2


def complex_rows(n: int) -> tuple[torch.Tensor]:
    return (torch.randn(n, 4, dtype=torch.complex64),)


def of_type(dtype: torch.dtype) -> Maker:
    """A maker of a matrix of n rows of a dtype."""
    return lambda n: ((torch.randn(n, 4) * 20).to(dtype),)


def observe(program: GraphProgram, fn: Callable[..., Any], size: int, training: bool) -> dict[str, Any]:
    """What a caller sees of one call: outputs, inputs afterwards, shared memory, signs of zeros, gradients; or the exception."""
    torch.manual_seed(size)
    inputs = program.make(size)
    leaves = [t for t in tree_leaves(inputs) if isinstance(t, torch.Tensor) and (t.is_floating_point() or t.is_complex()) and t.is_leaf]
    for leaf in leaves if training else ():
        leaf.requires_grad_()
    try:
        with torch.set_grad_enabled(training):
            outputs = fn(*inputs)
            # Gradients may have other strides, as with `aot_eager`.
            gradients = [t if t is None else t.contiguous() for t in _gradients(outputs, leaves)] if training else []
    except Exception as error:
        return {"raises": error}
    inputs, outputs = tree_map_only(torch.Tensor, _parts_of_nested, (inputs, outputs))
    tensors = [t for t in tree_leaves((inputs, outputs)) if isinstance(t, torch.Tensor)]
    plain = [t for t in tensors if type(t) is torch.Tensor]
    zeros = [negative_zeros(t) for t in plain if t.layout == torch.strided and t.dtype.itemsize > 1]
    return {"outputs": outputs, "inputs": inputs, "aliases": aliases(plain), "zeros": zeros, "gradients": gradients}


def _parts_of_nested(tensor: torch.Tensor) -> Any:
    """Of a jagged tensor values and offsets, because its ragged size is equal to itself alone."""
    return [tensor.values(), tensor.offsets()] if tensor.is_nested else tensor


def _gradients(outputs: Any, leaves: list[torch.Tensor]) -> list[torch.Tensor | None]:
    """The gradients of the leaves, of a sum of squares of the outputs."""
    outs = [t for t in tree_leaves(outputs) if isinstance(t, torch.Tensor) and t.requires_grad]
    outs = [torch.view_as_real(t) if t.is_complex() else t for t in outs]
    loss = sum((t.float() * 0.5).square().sum() for t in outs)
    return list(torch.autograd.grad(loss, leaves, allow_unused=True))


@dataclass
class Comparison:
    """`difference`: None, or what differs from eager, in words. `compilations`: how many graphs Dynamo has compiled."""

    difference: str | None = None
    compilations: int = 0


def compare(program: GraphProgram, mode: str, backend: Any) -> Comparison:
    """Compares eager with the compiled program in a mode. With symbolic sizes the same compiled function is called with both sizes, else
    twice with the first."""
    training, dynamic = "training" in mode, "dynamic" in mode
    torch._dynamo.reset()
    found = Comparison()
    with torch._dynamo.config.patch(SETTINGS):
        compiled = torch.compile(program.fn, backend=backend, dynamic=dynamic, fullgraph=True)
        for size in SIZES if dynamic else (SIZES[0], SIZES[0]):
            want = observe(program, program.fn, size, training)
            before = dynamo_counters["stats"]["unique_graphs"]  # eager compiles the operators with subgraphs, too
            got = observe(program, compiled, size, training)
            found.compilations += dynamo_counters["stats"]["unique_graphs"] - before
            found.difference = _difference(program, want, got)
            if found.difference:
                found.difference = f"size {size}: {found.difference}"
                break
    return found


def _difference(program: GraphProgram, want: dict[str, Any], got: dict[str, Any]) -> str | None:
    if "raises" not in want and "raises" not in got:
        return difference(want, got, rtol=program.rtol, atol=program.rtol / 10)
    if "raises" not in want:
        return f"raises {type(got['raises']).__name__}: {got['raises']}"
    if "raises" not in got or not isinstance(got["raises"], type(want["raises"])):
        return f"eager raises {want['raises']!r}, compiled {got.get('raises', 'returns')!r}"
    return None
