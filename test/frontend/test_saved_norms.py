"""What a training step with batch norms saves: not their results, which the backward computes again."""

import contextlib

import pytest
import torch
from mlirind.frontend.counters import counters
from torch import nn
from torch.utils.checkpoint import checkpoint

pytestmark = pytest.mark.usefixtures("fresh_counters")


def network(convolution=nn.Conv2d, norm=nn.BatchNorm2d, **kwargs):
    torch.manual_seed(0)
    return nn.Sequential(convolution(3, 6, 3, bias=False), norm(6, **kwargs), nn.SiLU(), convolution(6, 4, 1), nn.Flatten())


# The network, its input, and whether the step runs under autocast to bfloat16.
CASES = {
    "images": (network, torch.randn(4, 3, 34, 30), False),
    "under autocast": (network, torch.randn(4, 3, 34, 30), True),
    "channels-last": (network, torch.randn(4, 3, 34, 30).to(memory_format=torch.channels_last), False),
    "without weight and bias": (lambda: network(affine=False), torch.randn(4, 3, 34, 30), False),
    "without running statistics": (lambda: network(track_running_stats=False), torch.randn(4, 3, 34, 30), False),
    "rows": (lambda: network(nn.Conv1d, nn.BatchNorm1d), torch.randn(4, 3, 500), False),
    "volumes": (lambda: network(nn.Conv3d, nn.BatchNorm3d), torch.randn(4, 3, 9, 8, 10), False),
    "float64": (lambda: network().double(), torch.randn(4, 3, 34, 30, dtype=torch.float64), False),
    "bfloat16": (lambda: network().bfloat16(), torch.randn(4, 3, 34, 30, dtype=torch.bfloat16), False),
}


def step(module, call, x, autocast):
    """What a training step gives, and the element counts of what it saves, by storage."""
    saved = {}

    def pack(t):
        saved[t.untyped_storage().data_ptr()] = t.numel()
        return t

    x = x.clone().requires_grad_()
    mixed = torch.autocast("cpu", torch.bfloat16) if autocast else contextlib.nullcontext()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t), mixed:
        result = call(x)
    result.float().square().mean().backward()
    return [result.detach(), x.grad, *(p.grad for p in module.parameters()), *module.buffers()], list(saved.values())


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_the_result_of_a_batch_norm_is_not_saved(name, dynamic, backend):
    if dynamic and name == "volumes":
        pytest.skip("the proof of bounds takes half a minute")
    make, x, autocast = CASES[name]
    expected, _ = step(eager := make(), eager, x, autocast)
    module = make()
    found, saved = step(module, torch.compile(module, backend=backend, dynamic=dynamic), x, autocast)
    tolerances = {"rtol": 2e-2, "atol": 2e-2} if autocast or x.dtype == torch.bfloat16 else {"rtol": 1e-4, "atol": 1e-5}
    torch.testing.assert_close(found, expected, **tolerances)
    with torch.no_grad():
        size = make()[0](x).numel()
    if not dynamic:  # whether a tensor of symbolic sizes has a gap is not known
        assert 1 <= saved.count(size) <= 2, "more than the norm's operand and SiLU's result"
    assert not counters.joint_unchanged and not counters.fallbacks


def test_values_where_the_norm_stays_whole(backend):
    """A dimension of one element leaves the order in memory open."""
    x = torch.randn(4, 3, 34, 3)
    expected, _ = step(eager := network(), eager, x, False)
    module = network()
    found, _ = step(module, torch.compile(module, backend=backend), x, False)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


class Checkpointed(nn.Module):
    """Two norms in a checkpoint. AOTAutograd's graph updates running statistics once, where eager updates them twice."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.inner = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.SiLU(), nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4))

    def forward(self, x):
        """The checkpoint, then something that makes gradients differ by element."""
        return checkpoint(self.inner, x, use_reentrant=False).sigmoid()


def test_norms_in_a_checkpoint(backend):
    x = torch.randn(4, 3, 6, 5)
    module = Checkpointed()
    expected, _ = step(module, torch.compile(module, backend="aot_eager"), x, False)
    module = Checkpointed()
    found, _ = step(module, torch.compile(module, backend=backend), x, False)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert not counters.joint_unchanged and not counters.fallbacks
