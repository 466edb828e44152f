"""A training step has no more bytes allocated at a time than eager's: what PyTorch's allocator gives and takes back is counted."""

import pytest
import torch
from mlirind.frontend.counters import counters
from mlirind.tools.backends import find_backend
from torch import nn
from torch.profiler import ProfilerActivity, profile


class Tokens(nn.Module):
    """The first row of a batch's last layer is classified: a small view of a large tensor is saved."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64), nn.LayerNorm(64), nn.Linear(64, 256), nn.GELU())
        self.norm, self.head = nn.LayerNorm(256), nn.Linear(256, 10)

    def forward(self, x):
        """A number of (samples, rows, 64)."""
        return self.head(self.norm(self.layers(x))[:, 0]).square().sum()


class Readers(nn.Module):
    """Several layers read one tensor, as a decoder's read what the encoder gave: the gradients that they give it are added up."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(32, 64)
        self.readers = nn.ModuleList(nn.Linear(64, 64) for _ in range(6))

    def forward(self, x):
        """A number of (rows, 32)."""
        read = self.first(x).relu()
        state = x.new_ones(16, 64)  # so many that the products are the library's
        for reader in self.readers:
            state = torch.softmax(state @ reader(read).t(), -1) @ read
        return state.square().sum()


def convolutions():
    """Many saved tensors of a few kilobytes."""
    layers = [nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU()) for _ in range(4)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(8 * 64, 1, bias=False))


CASES = {
    "tokens": (Tokens, (4, 64, 64)),
    "readers": (Readers, (512, 32)),
    "convolutions": (convolutions, (4, 8, 8, 8)),
}


def peak_bytes(run):
    """The most bytes that a call has allocated at a time; what it leaves allocated counts, what was there before does not."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        torch.autograd.profiler._is_profiler_enabled = False  # the allocator goes on reporting; a graph runs as without a profiler
        run()
    live = peak = 0
    for event in sorted((e for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"), key=lambda e: e.start_ns()):
        live += event.nbytes()
        peak = max(peak, live)
    return peak


def training_peak(module, call, x):
    """The peak of the third step."""
    for _ in range(2):
        call(x).sum().backward()
        module.zero_grad(set_to_none=True)
    return peak_bytes(lambda: call(x).sum().backward())


@pytest.mark.usefixtures("fresh_counters")
@pytest.mark.parametrize("name", CASES)
def test_training_has_no_higher_peak_than_eager(name):
    make, sizes = CASES[name]
    torch.manual_seed(0)
    module, x = make(), torch.randn(sizes)
    eager = training_peak(module, module, x)
    module.zero_grad(set_to_none=True)
    compiled = training_peak(module, torch.compile(module, backend=find_backend("mlirind"), dynamic=False), x)
    assert not counters.fallbacks
    assert 0 < compiled <= eager
