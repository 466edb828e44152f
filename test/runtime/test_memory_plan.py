"""Buffers in the memory of dead ones: values as without, on both hosts, and eager's; what the plan may not touch it does not."""

import mlirind
import pytest
import torch
from mlirind.frontend.counters import counters
from mlirind.runtime.host import described_callables
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from torch import nn

WEIGHT = torch.linspace(-1, 1, 1 << 14).reshape(128, 128) / 16  # so large that a product with it is no kernel
FIRST = torch.linspace(-2, 2, 2048).reshape(16, 128)


def chain(x):
    y = (x @ WEIGHT).relu()
    y = (y @ WEIGHT).tanh() + x
    return (y @ WEIGHT).exp()


def rows(x):
    return torch.softmax(x @ WEIGHT, -1) @ WEIGHT, torch.nn.functional.layer_norm(x @ WEIGHT, (128,))


def long_rows(x):
    wide = (x @ WEIGHT).repeat(1, 256)
    return torch.log_softmax(wide.flip(1), -1).sum(0), torch.softmax(wide.flip(0) * 2, -1)[:, :9]


def two_outputs(x):
    y = x @ WEIGHT
    return y * 2, y - y.amax(1, keepdim=True), y.flip(1)


def other_types(x):
    at = (x @ WEIGHT).abs().to(torch.int32)
    return (at * 3 + at.flip(0)).float() @ WEIGHT, (at > 1).float() @ WEIGHT


def views(x):
    y = x @ WEIGHT
    return WEIGHT @ y.t().contiguous(), y[2:].exp() @ WEIGHT, (y @ WEIGHT).t()


def kept_by_an_operator(x):
    y = x @ WEIGHT
    z = torch.ops.mlirind_memory.same(y)
    return (y * 2) @ WEIGHT, z + 1


def batch_norm(x):
    return nn.functional.batch_norm((x @ WEIGHT).t()[None], None, None, training=True).relu() @ torch.ones(x.shape[0], 3)


@torch.library.custom_op("mlirind_memory::same", mutates_args=())
def same(x: torch.Tensor) -> torch.Tensor:
    """Keeps what it is given, and gives a copy."""
    KEPT.append(x)
    return x.clone()


@same.register_fake
def _(x):
    return torch.empty_like(x)


KEPT: list[torch.Tensor] = []
FUNCTIONS = [chain, rows, long_rows, two_outputs, other_types, views, kept_by_an_operator, batch_norm]


def results(function, dynamic, **options):
    torch._dynamo.reset()
    call = torch.compile(function, backend=find_backend("mlirind"), options={"verify_each": True, **options}, dynamic=dynamic)
    with collect_reports() as reports:
        found = [call(x) for x in (FIRST, torch.linspace(-1, 3, 1536).reshape(12, 128))]
    assert not counters.fallbacks
    return [t for result in found for t in (result if isinstance(result, tuple) else (result,))], reports


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_equal_with_and_without(function, dynamic):
    KEPT.clear()
    with_reuse, reports = results(function, dynamic)
    kept = [t.clone() for t in KEPT]
    without, plain = results(function, dynamic, reuse_memory=False)
    python, _ = results(function, dynamic, host="python")
    for a, b, c in zip(with_reuse, without, python, strict=True):
        assert torch.equal(a, b) and torch.equal(a, c)
        assert a.stride() == b.stride() == c.stride()
    for a, b in zip(KEPT, kept, strict=False):
        assert torch.equal(a, b)
    assert all(r.memory.peak <= r.memory.without[0] for r in reports)
    assert all((r.memory.peak, r.memory.allocations) == r.memory.without for r in plain)


def test_allocations_are_saved():
    """The chain of three products and their kernels needs two buffers: a product, and where it goes to."""
    _, (report, *_) = results(chain, False)
    assert report.memory.allocations == 2 and report.memory.without[1] == 6
    assert report.memory.peak == 2 * 16 * 128 * 4


def test_what_an_operator_kept_stays_as_it_was():
    """A custom operator may hold on to a tensor: nothing is written to it afterwards."""
    KEPT.clear()
    results(kept_by_an_operator, False)
    torch.testing.assert_close(KEPT[0], FIRST @ WEIGHT)


def test_results_share_no_memory():
    found, _ = results(two_outputs, False)
    assert len({t.untyped_storage().data_ptr() for t in found}) == len(found)
    assert all(t.untyped_storage().nbytes() == t.numel() * t.element_size() for t in found)


def test_explain_says_the_peak():
    printed = str(mlirind.explain(chain, FIRST))
    assert "memory: 16384 bytes of buffers at the peak (16384 without reuse), 2 allocations (6)" in printed
    assert "what ATen's operators allocate inside is not counted" in printed


def layers():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64), nn.LayerNorm(64), nn.Sigmoid())


@pytest.mark.parametrize("host", ["native", "python"])
def test_saved_tensors_are_written_unless_others_hold_them(host):
    """The backward takes the memory of saved tensors; what a hook keeps of them stays as it was."""
    module, x = layers(), torch.linspace(-1, 1, 512 * 64).reshape(512, 64)
    want = torch.autograd.grad(module(x).square().sum(), list(module.parameters()))
    options = {"host": host, "verify_each": True, "fallback": False}
    with collect_reports() as reports:
        call = torch.compile(module, backend=find_backend("mlirind"), options=options, dynamic=False)
        torch.testing.assert_close(torch.autograd.grad(call(x).square().sum(), list(module.parameters())), want, rtol=1e-4, atol=1e-4)
    backward = reports[-1]
    assert "backward" in backward.name and backward.memory.allocations < backward.memory.without[1]
    held: list[torch.Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: held.append(t) or t, lambda t: t):
        loss = call(x).square().sum()
    copies = [t.clone() for t in held]
    torch.testing.assert_close(torch.autograd.grad(loss, list(module.parameters())), want, rtol=1e-4, atol=1e-4)
    assert all(torch.equal(a, b) for a, b in zip(held, copies, strict=True))


def test_nobody_else_holds_saved_tensors(monkeypatch):
    """In a plain training step nothing is copied for want of a sole holder."""
    copied: list[torch.Tensor] = []
    monkeypatch.setattr(described_callables.torch, "clone", lambda t: copied.append(t) or t.contiguous())
    module, x = layers(), torch.ones(512, 64)
    call = torch.compile(module, backend=find_backend("mlirind"), dynamic=False)
    for _ in range(2):
        call(x).square().sum().backward()
    assert not [t for t in copied if t.is_floating_point()]
