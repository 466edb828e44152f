"""Tensors between pages that nobody may touch: an access outside of one ends the process. For tests, in a process of its own.

    python test/guarded_memory.py [end | start | beyond]

Runs every kind of kernel, with each tensor of each graph (inputs, temporaries, results) right before such a page (`end`) or right behind
one (`start`), and compares with eager. `beyond` reads one element too far, and has to die.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import mlirind.runtime.host.runner_names as runner_names
import torch
from eager_comparison import difference
from gpu.test_programs import PROGRAMS
from mlirind.frontend.backend import mlirind
from torch.utils._pytree import tree_leaves

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

PAGE, NO_ACCESS = mmap.PAGESIZE, 0
OPTIONS = {"host": "python", "fallback": False}
SIZES = [(16, 64), (33, 100), (5, 1), (1, 4097)]
GRADIENTS = ["pointwise", "sum", "softmax", "layer norm", "views", "gather"]

_mprotect = ctypes.CDLL(None, use_errno=True).mprotect
_mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def guarded_empty(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype, at_end: bool) -> torch.Tensor:
    """As `torch.empty_strided`; filled with ones, bit by bit."""
    elements = 0 if 0 in sizes else 1 + sum((s - 1) * t for s, t in zip(sizes, strides, strict=True))
    size = elements * dtype.itemsize
    pages = max(-(-size // PAGE), 1)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    start = (pages + 1) * PAGE - size if at_end else PAGE
    if size == 0:
        return torch.empty_strided(tuple(sizes), tuple(strides), dtype=dtype)
    raw = torch.frombuffer(memory, dtype=torch.uint8, offset=start, count=size)
    raw.fill_(255)
    for guard in (first, first + (pages + 1) * PAGE):
        if _mprotect(guard, PAGE, NO_ACCESS):
            raise OSError(ctypes.get_errno(), "mprotect")
    return raw.view(dtype).as_strided(tuple(sizes), tuple(strides))


def guarded(tensor: torch.Tensor, at_end: bool) -> torch.Tensor:
    """A copy of a tensor."""
    copy = guarded_empty(tensor.shape, tensor.stride(), tensor.dtype, at_end)
    return copy.copy_(tensor.detach()).requires_grad_(tensor.requires_grad)


def loss_of(program: Callable[..., Any]) -> Callable[..., Any]:
    """A number to take gradients of."""
    return lambda x, y: sum(t.float().square().mean() for t in tree_leaves(program(x, y)) if t.requires_grad)


def cases(at_end: bool) -> list[tuple[str, Callable[..., Any], tuple[int, int], torch.dtype, bool, bool]]:
    """Name, function, sizes, dtype, whether for gradients, whether sizes are symbolic; at the start, where little can go wrong, fewer."""
    if not at_end:
        return [(n, p, (33, 100), torch.float32, False, False) for n, p in PROGRAMS.items()]
    found: list[Any] = [(n, p, s, torch.float32, False, False) for n, p in PROGRAMS.items() for s in SIZES]
    found += [(n, p, (33, 100), torch.bfloat16, False, False) for n, p in PROGRAMS.items() if n != "scan"]
    found += [(n, p, (33, 100), torch.float32, False, True) for n, p in PROGRAMS.items()]
    return found + [(n, loss_of(PROGRAMS[n]), (33, 100), torch.float32, True, False) for n in GRADIENTS]


def run(at_end: bool) -> None:
    """All cases."""
    runner_names.NAMESPACE["_empty_cpu"] = lambda sizes, strides, dtype: guarded_empty(sizes, strides, dtype, at_end)
    for name, function, sizes, dtype, train, dynamic in cases(at_end):
        print(name, sizes, dtype, "gradients" if train else "", "symbolic" if dynamic else "", flush=True)
        torch._dynamo.reset()
        torch.manual_seed(0)
        inputs = [torch.randn(sizes).to(dtype).requires_grad_(train) for _ in range(2)]
        compiled = torch.compile(function, backend=mlirind, options=OPTIONS, dynamic=dynamic)
        mine = [guarded(t, at_end) for t in inputs]
        want, got = function(*inputs), compiled(*mine)
        if train:
            want, got = (torch.autograd.grad(r, i, allow_unused=True) for r, i in ((want, inputs), (got, mine)))
        tolerance = 4e-2 if dtype == torch.bfloat16 else 1e-3
        found = difference(want, got, tolerance, tolerance)
        assert found is None, found
    print("done")


def beyond() -> None:
    """Reads the element behind a tensor."""
    tensor = guarded_empty((100,), (1,), torch.float32, True)
    assert math.isnan(float(tensor[99]))
    print(ctypes.c_float.from_address(tensor.data_ptr() + 400).value)


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else "end"
    beyond() if what == "beyond" else run(what == "end")
