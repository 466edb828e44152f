"""Max pools in training save a byte for each window."""

import pytest
import torch
from mlirind.frontend.counters import counters
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh_counters")

CASES = {
    "images": (lambda x: F.max_pool2d(x, 3, 2, 1), (2, 3, 17, 20)),
    "without overlap": (lambda x: F.max_pool2d(x, (2, 3)), (2, 3, 8, 9)),
    "a dimension less": (lambda x: F.max_pool2d(x, 2), (3, 8, 9)),
    "rounded up": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), (2, 3, 8, 9)),
    "dilated": (lambda x: F.max_pool2d(x, 2, 1, 1, dilation=(2, 3)), (2, 3, 8, 9)),
    "a large window": (lambda x: F.max_pool2d(x, 11, 5), (2, 2, 40, 31)),
    "volumes": (lambda x: F.max_pool3d(x, 2, 2), (2, 3, 4, 6, 8)),
    "overlapping volumes": (lambda x: F.max_pool3d(x, (1, 3, 2), (1, 2, 1), (0, 1, 1)), (2, 3, 4, 6, 8)),
    "rows": (lambda x: F.max_pool1d(x, 3, 2, 1), (2, 3, 17)),
    "channels-last": (lambda x: F.max_pool2d(x.to(memory_format=torch.channels_last), 3, 2, 1), (2, 3, 17, 20)),
}
SPECIAL = {"nan": float("nan"), "all -inf": float("-inf"), "equal": 1.0}


def step(function, x):
    """What a training step gives, and the dtypes of what it saves."""
    saved = []

    def pack(t):
        saved.append((t.dtype, t.numel()))
        return t

    x = x.clone().requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        result = function(x)
        result = result if isinstance(result, torch.Tensor) else result[0]
    result.backward(torch.arange(1.0, result.numel() + 1).view(result.shape))
    return [result.detach(), x.grad], saved


@pytest.mark.parametrize("name", CASES)
def test_the_indices_of_a_pool_are_bytes(name, backend):
    function, sizes = CASES[name]
    torch.manual_seed(0)
    x = torch.randn(sizes)
    found, saved = step(torch.compile(function, backend=backend), x)
    expected, _ = step(function, x)
    assert all(torch.equal(f, e) for f, e in zip(found, expected, strict=True))
    dtypes = [d for d, _ in saved]
    assert torch.int64 not in dtypes and (name == "rows" or torch.int8 in dtypes)
    assert not counters.joint_unchanged and not counters.fallbacks


@pytest.mark.parametrize("value", SPECIAL.values(), ids=SPECIAL)
def test_windows_of_special_values(value, backend):
    x = torch.randn(2, 3, 9, 10)
    x[:, :, 2:7, 1:6] = value

    def function(x):
        return F.max_pool2d(x, 3, 2, 1)

    found, _ = step(torch.compile(function, backend=backend), x)
    torch.testing.assert_close(found, step(function, x)[0], rtol=0, atol=0, equal_nan=True)


KEPT = {
    "returned": (lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), False),
    "read otherwise": (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, 2, return_indices=True), 2), False),
    "of symbolic sizes": (lambda x: F.max_pool2d(x, 3, 2, 1), True),
    "of more than a byte": (lambda x: F.max_pool2d(x, (16, 9), 2), False),
}


@pytest.mark.parametrize("name", KEPT)
def test_other_indices_stay(name, backend):
    function, dynamic = KEPT[name]
    x = torch.randn(2, 3, 32, 24)
    found, saved = step(torch.compile(function, backend=backend, dynamic=dynamic), x)
    assert all(torch.equal(f, e) for f, e in zip(found, step(function, x)[0], strict=True))
    assert torch.int8 not in [d for d, _ in saved]
