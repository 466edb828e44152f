"""mode="reduce-overhead" on a GPU: what a caller sees is eager's, whatever is held of earlier calls."""

from __future__ import annotations

import dataclasses

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.backend import mlirind
from mlirind.runtime.cuda.capturing import capture_rules
from mlirind.runtime.cuda.capturing.static_buffers import StaticBufferRunner
from mlirind.tuning.gpu import TUNING


@pytest.fixture(autouse=True)
def all_are_recorded(monkeypatch):
    """Small graphs too."""
    monkeypatch.setattr(capture_rules, "TUNING", dataclasses.replace(TUNING, replay_us=0))


@pytest.fixture
def replays(monkeypatch):
    """How often a capture was replayed."""
    counted = []
    real = StaticBufferRunner._replay
    monkeypatch.setattr(StaticBufferRunner, "_replay", lambda *args: counted.append(1) or real(*args))
    return counted


def compiled(function, **options):
    return torch.compile(function, backend=mlirind, mode="reduce-overhead", **options)


def test_results_are_new_tensors_that_keep_their_values(replays):
    function = compiled(lambda x: (x.sin() @ x).softmax(1))
    kept = []
    for n in range(8):
        x = torch.randn(32, 32, device="cuda", generator=torch.Generator("cuda").manual_seed(n))
        kept.append((function(x), (x.sin() @ x).softmax(1)))
    for got, want in kept:
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    assert len({got.data_ptr() for got, _ in kept}) == len(kept) and len(replays) >= 5


def test_results_that_are_dropped_cost_no_copy(replays):
    function = compiled(lambda x: x * 2 + 1)
    places = set()
    for n in range(6):
        x = torch.full((1000,), float(n), device="cuda")
        y = function(x)
        torch.testing.assert_close(y, x * 2 + 1)
        places.add(y.data_ptr()) if n > 2 else None
        del y
    assert len(replays) >= 4 and len(places) == 1


def test_views_among_results_and_of_inputs():
    def function(x):
        y = x.sin()
        return y, y[1:], x.t(), x

    call = compiled(function)
    for n in range(5):
        x = torch.randn(4, 5, device="cuda")
        y, part, turned, same = call(x)
        torch.testing.assert_close(y, x.sin())
        assert same is x and turned.data_ptr() == x.data_ptr() and torch.equal(turned, x.t())
        assert part.data_ptr() == y[1:].data_ptr(), n
        y.add_(1)
        torch.testing.assert_close(part, x.sin()[1:] + 1)


def test_written_inputs(replays):
    function = compiled(lambda x, y: x.add_(y).sum())
    for _ in range(5):
        x, y = torch.randn(6, device="cuda"), torch.randn(6, device="cuda")
        want = x + y
        torch.testing.assert_close(function(x, y), want.sum())
        torch.testing.assert_close(x, want)
    assert replays


def test_training(replays):
    torch.manual_seed(0)
    model, other = (
        torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.BatchNorm1d(32), torch.nn.GELU(), torch.nn.Linear(32, 4)).cuda() for _ in "ab"
    )
    other.load_state_dict(model.state_dict())
    call = compiled(model)
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.05) for m in (model, other)]
    for step in range(8):
        x, target = torch.randn(64, 16, device="cuda"), torch.randint(4, (64,), device="cuda")
        losses = []
        for forward, optimizer in ((call, optimizers[0]), (other, optimizers[1])):
            optimizer.zero_grad(set_to_none=step % 2 == 0)
            losses.append(F.cross_entropy(forward(x), target))
            losses[-1].backward()
            optimizer.step()
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-5)
    for a, b in zip(model.state_dict().values(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-5)
    assert replays


def test_a_saved_result_that_is_written_to_is_noticed(replays):
    weight = torch.randn(8, device="cuda", requires_grad=True)
    function = compiled(lambda w: (w * 2).exp())
    for _ in range(4):
        y = function(weight)
        y.sum().backward()
    y = function(weight)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    assert replays


def test_gradients_over_several_forwards(replays):
    weight = torch.randn(8, 8, device="cuda", requires_grad=True)
    function = compiled(lambda x, w: (x @ w).tanh())
    for _ in range(4):
        xs = [torch.randn(5, 8, device="cuda") for _ in range(3)]
        loss = sum(function(x, weight).square().sum() for x in xs)
        (got,) = torch.autograd.grad(loss, weight)
        (want,) = torch.autograd.grad(sum((x @ weight).tanh().square().sum() for x in xs), weight)
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)


def test_random_numbers_differ_from_call_to_call():
    function = compiled(lambda x: F.dropout(x, 0.5))
    seen = [function(torch.ones(1000, device="cuda")) for _ in range(5)]
    assert all(set(s.unique().tolist()) == {0.0, 2.0} for s in seen)
    assert len({tuple(s.tolist()) for s in seen}) == 5


def test_sizes_that_change_and_what_cannot_be_recorded():
    function = compiled(lambda x: (x * 2).sum(0), dynamic=True)
    for rows in (4, 7, 4, 7, 4, 7):
        x = torch.randn(rows, 3, device="cuda")
        torch.testing.assert_close(function(x), (x * 2).sum(0))
    function = compiled(lambda x, c: (x.nonzero(), x * c))
    for _ in range(3):
        x, c = torch.ones(4, device="cuda"), torch.tensor(3.0)
        assert function(x, c)[0].flatten().tolist() == [0, 1, 2, 3]


def test_another_stream_runs_without_the_capture():
    function = compiled(lambda x: x.cos() + 1)
    x = torch.randn(100, device="cuda")
    for _ in range(3):
        function(x)
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
        torch.testing.assert_close(function(x), x.cos() + 1)
    torch.cuda.synchronize()


class Layer(torch.nn.Module):
    """Attention, whose forward saves random numbers for the backward that are on the CPU until it is recorded, and two products."""

    def __init__(self):
        super().__init__()
        self.norm, self.input, self.output = torch.nn.LayerNorm(32), torch.nn.Linear(32, 96), torch.nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = self.input(self.norm(x)).view(2, -1, 3, 2, 16).permute(2, 0, 3, 1, 4)
        return x + self.output(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape))


def test_layers_that_share_a_graph(replays):
    """Each is recorded for itself, forward and backward."""
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(Layer() for _ in range(4)).cuda()
    calls = [compiled(layer) for layer in layers]
    parameters, steps = list(layers.parameters()), []
    for _ in range(10):
        x = torch.randn(2, 16, 32, device="cuda", requires_grad=True)
        results = []
        for functions in (layers, calls):
            y = x
            for function in functions:
                y = function(y)
            results.append([y.detach(), *torch.autograd.grad(y.square().mean(), [x, *parameters])])
            del y
        torch.testing.assert_close(results[1], results[0], rtol=1e-3, atol=1e-4)
        steps.append(len(replays))
    assert steps[-1] - steps[-2] == 8, steps
