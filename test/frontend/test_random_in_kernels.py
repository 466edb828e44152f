"""Option `fallback_random=False`: random numbers of kernels; reproducible, independent, of the right distribution, the same in a
forward, its backward and what a checkpoint computes again."""

import math

import pytest
import torch
import torch.nn.functional as F
from fake_gpu import FakeGpu, backend_on, fake_gpu
from mlirind.dialects.context import compile_context
from mlirind.frontend.backend import mlirind
from mlirind.frontend.calls.random_in_kernels import integers, normal, philox, uniform
from mlirind.frontend.importing.importer import import_graph
from mlirind.options import Options
from mlirind.passes.driver import run_passes
from mlirind.passes.pipeline import GRAPH, HOST, KERNELS
from mlirind.runtime.cuda.launching.kernels import lower_to_tt
from mlirind.runtime.kernel_functions import kernel_functions
from mlirind.runtime.report import collect_reports
from mlirind.tools.emit import triton_kernel
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.checkpoint import checkpoint

OWN = {"fallback_random": False, "fallback": False}


@pytest.fixture(autouse=True)
def fresh(fresh_counters):
    torch.manual_seed(11)


def compiled(function, **options):
    return torch.compile(function, backend=mlirind, options=OWN, **options)


def test_philox_gives_the_published_words():
    words = philox(torch.tensor(0), 1)
    assert [int(w[0]) for w in words] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_kernels_give_what_the_operators_do(dtype, device):
    def draw(seed):
        return uniform(seed, [3, 70], dtype), normal(seed, [500], dtype), integers(seed, [70], torch.int32, -7, 1 << 30)

    for seed in (torch.tensor(0), torch.tensor(-(1 << 60) + 12345)):
        if device == "cpu":
            got = compiled(draw)(seed)
        else:
            torch._dynamo.reset()
            with fake_gpu() as gpu:
                got = torch.compile(draw, backend=backend_on())(seed)
            assert gpu.launches
        want = draw(seed)
        assert torch.equal(got[0], want[0]) and float(got[0].max()) < 1
        torch.testing.assert_close(got[1], want[1])
        assert torch.equal(got[2], want[2])


def every_kind(x):
    drawn = torch.rand_like(x), torch.randn(x.shape[0], 40), torch.rand(50, dtype=torch.bfloat16), torch.randn_like(x)
    whole = torch.randint(-5, 100, (60,)), torch.randint(1000, (60,), dtype=torch.int32)
    return *whole, F.dropout(x, 0.3), torch.bernoulli(x.sigmoid()), torch.ops.aten.bernoulli.p(x, 0.25), *drawn


@pytest.mark.parametrize("dynamic", [False, True])
def test_draws_are_reproducible_and_differ_from_call_to_call(dynamic):
    with collect_reports() as reports:
        call = compiled(every_kind, dynamic=dynamic)
        first, second = call(torch.ones(30, 40)), call(torch.ones(30, 40))
        torch.manual_seed(11)
        again = call(torch.ones(30, 40))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert [(c.target, c.count) for r in reports for c in r.calls] == [("aten.randint.low_generator", 1)]
    for want, got in zip(every_kind(torch.ones(30, 40)), first, strict=True):
        assert (want.shape, want.dtype, want.stride()) == (got.shape, got.dtype, got.stride())


def test_distributions():
    n = 1 << 18
    x = torch.full((n,), 0.3)
    dropped, ones, few, flat, *_ = compiled(
        lambda x: (F.dropout(x, 0.2), torch.bernoulli(x), torch.ops.aten.bernoulli.p(x, 0.01), torch.rand_like(x))
    )(x)
    for sample, p in ((dropped != 0, 0.8), (ones, 0.3), (few, 0.01)):
        assert abs(float(sample.float().mean()) - p) < 5 * math.sqrt(p * (1 - p) / n)
    assert set(dropped.unique().tolist()) == {0.0, float(torch.tensor(0.3) * (1 / 0.8))}
    counts = torch.histc(flat, 64, 0, 1)
    assert float(((counts - n / 64) ** 2 / (n / 64)).sum()) < 63 + 5 * math.sqrt(2 * 63)  # chi-squared
    whole = compiled(lambda: torch.randint(-3, 4, (n,)))()
    counts = torch.bincount(whole + 3)
    assert len(counts) == 7 and float(((counts - n / 7) ** 2 / (n / 7)).sum()) < 6 + 5 * math.sqrt(12)
    gauss = compiled(lambda x: torch.randn_like(x))(x).double()
    for power, want, spread in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(float((gauss**power).mean()) - want) < 5 * math.sqrt(spread / n)
    together = torch.stack([flat[:-1], flat[1:]]) - 0.5  # neighbours are not correlated
    assert abs(float((together[0] * together[1]).mean()) * 12) < 5 / math.sqrt(n)


def test_extreme_probabilities():
    x = torch.randn(100)
    none, all_, p1, p0 = compiled(lambda x: (F.dropout(x, 1.0), F.dropout(x, 0.0), torch.bernoulli(x * 0 + 1), torch.bernoulli(x * 0)))(x)
    assert not none.any() and torch.equal(all_, x) and p1.eq(1).all() and p0.eq(0).all()


def test_the_backward_has_the_mask_of_the_forward():
    x = torch.randn(64, 64, requires_grad=True)
    y = compiled(lambda x: F.dropout(x.sin(), 0.4) * 2)(x)
    y.sum().backward()
    kept = y != 0
    torch.testing.assert_close(x.grad, torch.where(kept, x.cos() * 2 / 0.6, 0.0))
    assert 0 < kept.float().mean() < 1


def test_a_checkpoint_draws_the_same_again():
    w = torch.randn(32, 32, requires_grad=True)

    def block(x, w):
        return F.dropout(torch.tanh(x @ w), 0.5)

    call = compiled(lambda x, w: checkpoint(block, x, w, use_reentrant=False))
    x = torch.randn(8, 32)
    y = call(x, w)
    y.sum().backward()
    slope = torch.where(y != 0, 2.0, 0.0) * (1 - torch.tanh(x @ w) ** 2)
    torch.testing.assert_close(w.grad, x.t() @ slope)


def test_what_is_laid_out_otherwise_is_drawn_by_aten():
    x = torch.randn(6, 8).t()
    with collect_reports() as reports:
        y = compiled(lambda x: F.dropout(x, 0.5))(x)
    assert y.stride() == x.stride() and [c.target for c in reports[0].calls] == ["aten.native_dropout.default"]


def test_triton_compiles_the_kernels():
    pytest.importorskip("triton")
    with FakeTensorMode():
        seed = torch.empty((), dtype=torch.int64, device="cuda:0")
        graph = make_fx(lambda s: [uniform(s, [64, 33], torch.float32), normal(s, [64], torch.bfloat16)])(seed)
    with compile_context():
        module = import_graph(graph).module
        for steps in (GRAPH, KERNELS, HOST):
            run_passes(module, steps, Options(verify_each=False))
        lowered = lower_to_tt(list(kernel_functions(module, "cuda").values()), Options(), FakeGpu())
        functions = [f for found in lowered.functions.values() for f in found]
        cubins = [triton_kernel(f, target).asm["cubin"] for f in functions for target in ("sm_80", "sm_90")]
    assert len(cubins) == 4 and all(cubins)
