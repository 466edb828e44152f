"""Resampling on the CPU is one call of ATen, with static and symbolic sizes, forward and backward."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.decompositions.resampling import whole_resampling
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from mlirind.torch_internals import python_kernels
from mlirind.torch_internals.aot import aot_module_simplified, boxed_function

MODES = {
    "nearest": (3, 4, 5),
    "nearest-exact": (3, 4, 5),
    "linear": (3,),
    "bilinear": (4,),
    "bicubic": (4,),
    "trilinear": (5,),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("mode", "rank"), [(mode, rank) for mode, ranks in MODES.items() for rank in ranks])
def test_it_is_one_call(mode: str, rank: int, dynamic: bool) -> None:
    def resampled(x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(x * 2, scale_factor=1.7, mode=mode)

    torch._dynamo.reset()
    x = torch.randn(2, 3, *[6, 5, 7][: rank - 2])
    ours, eagers = x.clone().requires_grad_(), x.clone().requires_grad_()
    with collect_reports() as reports:
        got = torch.compile(resampled, backend=find_backend("mlirind"), dynamic=dynamic)(ours)
    want = resampled(eagers)
    assert torch.equal(got, want) and got.stride() == want.stride()
    got.square().sum().backward()
    want.square().sum().backward()
    torch.testing.assert_close(ours.grad, eagers.grad, rtol=1e-6, atol=1e-6)
    assert [c.target.split(".")[1].lstrip("_").startswith("upsample_") for c in reports[0].calls] == [True]


@pytest.mark.parametrize(("mode", "rank"), [("nearest", 3), ("bilinear", 4), ("trilinear", 5)])
def test_to_a_size_that_is_an_argument(mode: str, rank: int) -> None:
    def resampled(x: torch.Tensor, n: int) -> torch.Tensor:
        return F.interpolate(x, size=[n + d for d in range(rank - 2)], mode=mode)

    torch._dynamo.reset()
    compiled = torch.compile(resampled, backend=find_backend("mlirind"), dynamic=True)
    for size, n in ((4, 7), (5, 3)):
        x = torch.randn(2, 3, *[size] * (rank - 2))
        torch.testing.assert_close(compiled(x, n), resampled(x, n))


@pytest.mark.parametrize(("mode", "rank"), [(mode, rank) for mode, ranks in MODES.items() for rank in ranks])
def test_one_compilation_for_all_sizes(mode: str, rank: int) -> None:
    """Forward and backward; the gradient's strides are those of PyTorch's kernels."""
    layout = {4: torch.channels_last, 5: torch.channels_last_3d}.get(rank, torch.contiguous_format)

    def resampled(x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(x, scale_factor=[1.5, 2, 0.7][: rank - 2], mode=mode)

    torch._dynamo.reset()
    compiled = torch.compile(resampled, backend=find_backend("mlirind"), dynamic=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for size in (5, 8):
            x = torch.randn(2, 4, *[size] * (rank - 2)).to(memory_format=layout)
            ours, eagers = x.clone().requires_grad_(), x.clone().requires_grad_()
            got, want = compiled(ours), resampled(eagers)
            assert torch.equal(got, want) and got.stride() == want.stride()
            got.square().sum().backward()
            want.square().sum().backward()
            torch.testing.assert_close(ours.grad, eagers.grad, rtol=1e-5, atol=1e-5)


_tracing = threading.Lock()  # FX's own tracer is the process's


def traced_operators(whole: bool) -> set[str]:
    """The operators of ATen that AOTAutograd traces of a program."""
    found: set[str] = set()

    def compiler(graph: torch.fx.GraphModule, _: object) -> object:
        found.update(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
        return boxed_function(graph.forward)

    with _tracing:
        program = torch.fx.symbolic_trace(lambda x: (F.interpolate(x, scale_factor=2.0, mode="bilinear"),))
    with whole_resampling() if whole else contextlib.nullcontext(), _tracing:
        aot_module_simplified(program, [torch.randn(1, 2, 4, 4)], fw_compiler=compiler)
    return found


def test_other_threads_see_nothing_of_it() -> None:
    """Two threads trace by turns, one of them with the operator whole all the time; the other gets what PyTorch gives, then and later."""
    decomposed, both = traced_operators(whole=False), threading.Barrier(2, timeout=60)
    assert not any("upsample" in name for name in decomposed)

    def trace(whole: bool) -> list[set[str]]:
        found = []
        with whole_resampling() if whole else contextlib.nullcontext():
            for _ in range(4):
                both.wait()
                found.append(traced_operators(whole))
        return found

    with ThreadPoolExecutor(2) as threads:
        ours, others = threads.map(trace, (True, False))
    assert ours == [{"aten.upsample_bilinear2d.default"}] * 4 and others == [decomposed] * 4
    with whole_resampling(), ThreadPoolExecutor(1) as threads:
        assert threads.submit(traced_operators, False).result() == decomposed
    assert traced_operators(whole=False) == decomposed


def test_an_error_ends_it() -> None:
    with pytest.raises(ValueError, match="inside"), whole_resampling():
        raise ValueError("inside")
    assert not any("upsample" in name for name in traced_operators(whole=False))


def test_an_operator_without_a_decomposition_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a PyTorch without the key gives: no error, and the operator as that PyTorch traces it."""
    operator = torch.ops.aten.upsample_bilinear2d.vec
    monkeypatch.setattr(python_kernels, "_wrapped", set())
    kernels = dict(operator.py_kernels)
    try:
        operator.py_kernels.clear()
        operator._dispatch_cache.clear()
        assert traced_operators(whole=True) == {"aten.upsample_bilinear2d.default"}
    finally:
        operator.py_kernels.update(kernels)
        operator._dispatch_cache.clear()
    assert not any("upsample" in name for name in traced_operators(whole=False))


@pytest.mark.parametrize("shrink", [F.hardshrink, F.softshrink])
def test_gradients_of_shrinks_with_symbolic_sizes(shrink: Callable[..., torch.Tensor]) -> None:
    """PyTorch's meta functions of these gradients take fixed sizes alone."""
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: shrink(x, 0.5) * 2, backend=find_backend("mlirind"), dynamic=True)
    for sizes in ((4, 5), (3, 7)):
        ours = torch.randn(sizes).requires_grad_()
        theirs = ours.detach().clone().requires_grad_()
        compiled(ours).sum().backward()
        (shrink(theirs, 0.5) * 2).sum().backward()
        assert torch.equal(ours.grad, theirs.grad)
