"""Native functions that launch kernels on a GPU: identical to the Python function, what fails raises, nothing leaks."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.backend import mlirind
from mlirind.runtime import build

STRICT = {"fallback": False}


@pytest.fixture
def native(monkeypatch):
    """How many graphs became native functions."""
    made = []
    real = build.make_native_runner
    monkeypatch.setattr(build, "make_native_runner", lambda *args: made.append(real(*args)) or made[-1])
    return made


def compiled(function, host="native", **options):
    return torch.compile(function, backend=mlirind, options={**STRICT, "host": host}, **options)


def attention(x, w):
    q, k, v = (x @ w).view(2, 16, 4, 3, 32).permute(3, 0, 2, 1, 4)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 16, 128)


PROGRAMS = {
    "attention": attention,
    "norm and product": lambda x, w: F.layer_norm(F.gelu(x @ w), (384,)).softmax(-1),
    "several launches": lambda x, w: (w.sum(0) + w.t().contiguous().mean(1)) * x.amax(),
    "operators": lambda x, w: torch.sort(x, -1)[0].cumsum(1) @ w,
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_both_hosts_are_identical(name, dtype, native):
    results = []
    for host in ("native", "python"):
        torch._dynamo.reset()
        torch.manual_seed(0)
        x = torch.randn(2, 16, 128, device="cuda", dtype=dtype, requires_grad=True)
        w = torch.randn(128, 384, device="cuda", dtype=dtype, requires_grad=True)
        out = compiled(PROGRAMS[name], host)(x, w)
        results.append([out, *torch.autograd.grad(out.float().square().sum(), (x, w))])
    assert len(native) == 2
    for a, b in zip(*results, strict=True):
        assert torch.equal(a, b) and a.stride() == b.stride()


def test_memory_that_is_not_there(native):
    x = torch.randn(64, 64, device="cuda")
    large = compiled(lambda x: x.sum() + torch.empty(1 << 45, device="cuda"))
    for _ in range(3):
        with pytest.raises(torch.OutOfMemoryError):
            large(x)
    torch.testing.assert_close(compiled(torch.sin)(x), x.sin())
    assert len(native) == 2


def test_many_calls_keep_memory_flat(native):
    call = compiled(PROGRAMS["norm and product"])
    x, w = torch.randn(2, 16, 128, device="cuda"), torch.randn(128, 384, device="cuda")
    call(x, w)
    before = torch.cuda.memory_allocated()
    for _ in range(10_000):
        call(x, w)
    torch.cuda.synchronize()
    assert native and torch.cuda.memory_allocated() == before


def test_sizes_that_are_and_are_not_multiples_of_16(native):
    call = compiled(lambda x: torch.softmax(x, -1) * x.sum(0), dynamic=True)
    for rows, columns in ((64, 512), (33, 512), (64, 511), (2, 16), (5, 7), (128, 1024)):
        x = torch.randn(rows, columns + 1, device="cuda")
        for y in (x[:, :-1].contiguous(), x[:, 1:]):
            torch.testing.assert_close(call(y), torch.softmax(y, -1) * y.sum(0), rtol=1e-4, atol=1e-5)
    assert native


def test_a_profiler_sees_the_kernels(native):
    x = torch.randn(64, 64, device="cuda")
    call = compiled(lambda x: x.sin() + 1)
    call(x)
    with torch.profiler.profile() as profile:
        torch.testing.assert_close(call(x), x.sin() + 1)
    assert any("sin_add" in event.key for event in profile.key_averages()) and native
