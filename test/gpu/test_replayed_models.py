"""Option `replay` on a GPU: what a caller sees is eager's, whatever moves, is held, or is written between the calls."""

from __future__ import annotations

import pytest
import torch
from mlirind.frontend.backend import mlirind
from mlirind.runtime.cuda.capturing.by_address import ByAddressRunner
from mlirind.tools import model_zoo
from mlirind.tools.model_check import cudnn_flags


@pytest.fixture
def replays(monkeypatch):
    """The graphs that were replayed, once for each time."""
    counted = []
    real = ByAddressRunner._replay
    monkeypatch.setattr(ByAddressRunner, "_replay", lambda self, *args: counted.append(self.name) or real(self, *args))
    return counted


def compiled(function, replay=True):
    return torch.compile(function, backend=mlirind, options={"replay": replay, "fallback": False}, dynamic=False)


def layers(x, w):
    for _ in range(3):
        x = (x @ w).softmax(-1) * 2
    return x, x[1:], x.sum(0)


@pytest.mark.parametrize("name", list(model_zoo.MODELS))
@cudnn_flags(allow_tf32=False)
def test_forward(name, replays):
    module = model_zoo.build(name, torch.float32, False, "cuda")
    keywords = model_zoo.make_inputs(name, torch.float32, False, 1, device="cuda")
    call, kept = compiled(module), []
    moved = next(n for n, value in keywords.items() if value.is_floating_point() or n.endswith("ids"))
    with torch.no_grad():
        for n in range(7):
            keywords[moved].copy_(keywords[moved].flip(-1))
            kept.append((call(**keywords).logits, module(**keywords).logits))
            if n == 5:
                keywords[moved] = keywords[moved].clone()
    for got, want in kept:
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
    assert len(replays) >= 3


@pytest.mark.parametrize("name", ["bert", "gpt2", "resnet"])
@cudnn_flags(deterministic=True)
def test_training(name, replays):
    """As without replays: eager's products are rounded otherwise, which batch norms of two images make visible soon."""
    models = [model_zoo.build(name, torch.float32, True, "cuda") for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    calls = [compiled(models[0]), compiled(models[1], replay=False)]
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.01) for m in models]
    keywords = model_zoo.make_inputs(name, torch.float32, True, 2, device="cuda")
    for step in range(9):
        losses = []
        for call, optimizer in zip(calls, optimizers, strict=True):
            optimizer.zero_grad(set_to_none=step % 4 != 3)
            losses.append(call(**keywords).loss)
            losses[-1].backward()
            optimizer.step()
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-5)
    for (key, a), b in zip(models[0].state_dict().items(), models[1].state_dict().values(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4, msg=lambda text, key=key: f"{key}: {text}")
    print(f"{name}: {len(replays)} replays of 18 calls")
    assert len(replays) >= 6


def test_streams_and_captures_of_the_callers(replays):
    call = compiled(layers)
    x, w = torch.randn(64, 64, device="cuda"), torch.randn(64, 64, device="cuda") / 8  # the products are the library's
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(5):
                x.add_(0.1)
                torch.testing.assert_close(call(x, w), layers(x, w), rtol=1e-4, atol=1e-5)
        torch.cuda.synchronize()
    count = len(replays)
    assert count >= 4
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = call(x, w)
    x.add_(1)
    graph.replay()
    torch.testing.assert_close(outputs[0], layers(x, w)[0], rtol=1e-4, atol=1e-5)
    assert len(replays) == count


def test_memory_stays_flat(replays):
    call = compiled(layers)
    x, w = torch.randn(64, 64, device="cuda"), torch.randn(64, 64, device="cuda")
    for _ in range(5):
        call(x, w)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(2000):
        call(x, w)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before and len(replays) >= 2000
