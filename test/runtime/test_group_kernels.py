"""The code of a `loop.group`: evaluated for parts of all kinds, and compiled by Triton for every target."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from kernel_text import KernelText
from mlirind.dialects.context import compile_context
from mlirind.tools.emit import triton_kernel
from reference.evaluate_tt import evaluate_tt
from tile_kernels import flat, lowered

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100")


def doubled(size: str, symbols: int = 0) -> KernelText:
    """Twice each element."""
    kernel = KernelText(["f32"], ["f32"], [size], symbols=symbols)
    x = kernel.load(0, "d0")
    kernel.store(1, kernel.op(f"arith.addf {x}, {x} : f32"), "d0")
    return kernel


def sums(rows: str, columns: str) -> KernelText:
    """The sum of each row."""
    kernel = KernelText(["f32"], ["f32"], [rows, columns])
    kernel.store(1, *kernel.reduce("add", [kernel.load(0, f"d0 * {columns} + d1")], ["f32"], [1]), "d0")
    return kernel


def moments(columns: str) -> KernelText:
    """The mean of one long row, and the squares of the distances from it."""
    kernel = KernelText(["f32"], ["f32", "f32"], [columns])
    mean, squares = kernel.reduce("welford", [kernel.load(0, "d0")], ["f32"], [0], ["f32", "f32"])
    kernel.store(1, mean, "0")
    kernel.store(2, squares, "0")
    return kernel


def group(kernels: dict[str, KernelText], parts: Sequence[str], buffers: Sequence[int] | None = None) -> str:
    """A module with the kernels and a group of these parts, each with its own buffers if none are given."""
    count = sum(len(kernels[part].types) for part in parts)
    symbols = [f"@{part}" for part in parts]
    functions = [k.text(name).replace("outputs =", 'grouped, device = "cuda:0", outputs =') for name, k in kernels.items()]
    numbers = list(range(count)) if buffers is None else list(buffers)
    head = f'sym_name = "g", parts = [{", ".join(symbols)}], buffers = {numbers}, device = "cuda:0"'
    return "\n".join([*functions, f'"loop.group"() {{{head}}} : () -> ()'])


def run(text: str, tensors: Sequence[torch.Tensor], symbols: Sequence[int] = ()) -> int:
    """Runs a group's functions on the tensors' memory; returns how many they are."""
    with compile_context():
        module = lowered(text)
        functions = [op.operation for op in module.body.operations]
        evaluate_tt(functions, [flat(t) for t in tensors], symbols)
        return len(functions)


def test_lengths_that_share_code_and_lengths_that_do_not():
    sizes = [640, 5, 4096, 16, 37, 640, 1000]
    kernels = {f"k{size}": doubled(str(size)) for size in sizes}
    inputs = [torch.randn(size) for size in sizes]
    outputs = [torch.full_like(x, 7) for x in inputs]
    assert run(group(kernels, [f"k{size}" for size in sizes]), [t for pair in zip(inputs, outputs, strict=True) for t in pair]) == 1
    torch.testing.assert_close(outputs, [2 * x for x in inputs])


def test_parts_may_share_inputs():
    x, a, b = torch.randn(64), torch.zeros(64), torch.zeros(64)
    run(group({"k": doubled("64")}, ["k", "k"], [0, 1, 0, 2]), [x, a, b])
    torch.testing.assert_close([a, b], [2 * x, 2 * x])


def test_symbolic_lengths():
    inputs = [torch.randn(size) for size in (700, 3, 129)]
    outputs = [torch.zeros_like(x) for x in inputs]
    text = group({"k": doubled("s0", 1)}, ["k", "k", "k"])
    run(text, [t for pair in zip(inputs, outputs, strict=True) for t in pair], (700, 3, 129))
    torch.testing.assert_close(outputs, [2 * x for x in inputs])


def test_reductions_with_and_without_splits():
    sizes = [(1, 100000), (3, 40), (2, 70000), (1, 100000)]
    kernels = {f"k{m}_{n}": sums(str(m), str(n)) for m, n in sizes}
    inputs = [torch.randn(size) for size in sizes]
    outputs = [torch.zeros(size[0]) for size in sizes]
    functions = run(group(kernels, [f"k{m}_{n}" for m, n in sizes]), [t for pair in zip(inputs, outputs, strict=True) for t in pair])
    torch.testing.assert_close(outputs, [x.sum(1) for x in inputs], rtol=1e-4, atol=1e-3)
    assert functions == 2  # the splits of all parts, then their merges


def test_reductions_with_several_results():
    inputs = [torch.randn(80000) + 3, torch.randn(200)]
    outputs = [torch.zeros(1) for _ in range(4)]
    text = group({"long": moments("80000"), "short": moments("200")}, ["long", "short"])
    run(text, [inputs[0], *outputs[:2], inputs[1], *outputs[2:]])
    expected = [n for x in inputs for n in (x.mean(), x.var() * (len(x) - 1))]
    torch.testing.assert_close([o[0] for o in outputs], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
def test_triton_compiles_a_group_with_wide_accesses(target):
    pytest.importorskip("triton")
    sizes = [4096, 50000, 37]
    text = group({f"k{size}": doubled(str(size)) for size in sizes}, [f"k{size}" for size in sizes])
    with compile_context():
        module = lowered(text)
        ptx = triton_kernel(module.body.operations[0].operation, target).asm["ptx"]
    assert "ld.global.v4.b32" in ptx and "st.global.v4.b32" in ptx
