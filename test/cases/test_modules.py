"""Modules as people train and keep them: optimizers, buffers, function transforms, copies, seeds."""

import copy
import pickle

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.counters import counters
from programs import HERE
from torch import nn


@pytest.fixture(autouse=True)
def compiled_whole():
    """Nothing here goes to the FX interpreter."""
    counters.fallbacks.clear()
    yield
    assert not counters.fallbacks


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))


def train(module, call, optimizer, step):
    """Three steps; the losses and the parameters afterwards."""
    losses = []
    for n in range(3):
        torch.manual_seed(n)
        optimizer.zero_grad()
        loss = F.cross_entropy(call(torch.randn(6, 8)), torch.randint(0, 4, (6,)))
        loss.backward()
        step()
        losses.append(loss.detach())
    return losses, list(module.parameters())


OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=torch.tensor(0.01)),
    "adam_foreach": lambda parameters: torch.optim.Adam(parameters, lr=0.01, foreach=True),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_with_a_compiled_optimizer(backend, name):
    module, reference = network(), network()
    optimizer, other = OPTIMIZERS[name](module.parameters()), OPTIMIZERS[name](reference.parameters())
    got = train(module, torch.compile(module, backend=backend), optimizer, torch.compile(optimizer.step, backend=backend))
    torch.testing.assert_close(got, train(reference, reference, other, other.step))


def test_statistics_of_a_batch_norm(backend):
    module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    reference = copy.deepcopy(module)
    call = torch.compile(module, backend=backend)
    for _ in range(3):
        x = torch.randn(4, 3, 8, 8)
        torch.testing.assert_close(call(x), reference(x))
    torch.testing.assert_close(module.state_dict(), reference.state_dict())
    module.eval(), reference.eval()
    torch.testing.assert_close(call(x), reference(x))


def test_dropout_draws_from_eagers_stream(backend):
    module = nn.Sequential(nn.Linear(8, 64), nn.Dropout(0.3), nn.Linear(64, 4))
    call, x = torch.compile(module, backend=backend), torch.randn(30, 8)
    results = []
    for run in (module, call, call):
        torch.manual_seed(5)
        results.append(run(x))
    torch.testing.assert_close(results[1:], results[:1] * 2)
    assert not torch.equal(call(x), results[0])


def test_autocast_around_a_call(backend):
    module, x = network(), torch.randn(3, 8)
    with torch.autocast(HERE.type, dtype=torch.bfloat16):
        want, got = module(x), torch.compile(module, backend=backend)(x)
    assert got.dtype == want.dtype == torch.bfloat16
    torch.testing.assert_close(got, want)
    got.float().sum().backward()
    assert module[0].weight.grad.abs().sum() > 0


TRANSFORMS = {
    "grad": (torch.func.grad(lambda x: (x.sin() * x).sum()), (5,)),
    "vmap": (torch.func.vmap(lambda x: (x @ x.t()).softmax(-1)), (3, 4, 5)),
    "jacrev": (torch.func.jacrev(lambda x: x.sin() * x.sum()), (5,)),
    "jvp": (lambda x: torch.func.jvp(lambda y: y.sin() * 2, (x,), (x,)), (5,)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_function_transforms(backend, name):
    function, shape = TRANSFORMS[name]
    x = torch.randn(shape)
    torch.testing.assert_close(torch.compile(function, backend=backend)(x), function(x))


def test_copies_of_a_compiled_module(backend):
    module, x = network(), torch.randn(3, 8)
    compiled = torch.compile(module, backend=backend)
    want = compiled(x)
    torch.testing.assert_close(copy.deepcopy(compiled)(x), want)
    again = network()
    again.load_state_dict(pickle.loads(pickle.dumps(module.state_dict())))
    again.compile(backend=backend)
    torch.testing.assert_close(again(x), want)


def test_recurrent_and_transformer_layers(backend):
    recurrent = nn.LSTM(8, 16, batch_first=True)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
    x = torch.randn(3, 5, 8)
    torch.testing.assert_close(torch.compile(recurrent, backend=backend)(x), recurrent(x))
    y = recurrent(x)[0].detach()
    torch.testing.assert_close(torch.compile(layer, backend=backend)(y), layer(y))
