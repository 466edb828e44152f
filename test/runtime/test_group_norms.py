"""Group norms on GPUs are one kernel with what computes their input and what reads their result. The evaluator of Triton's IR runs it."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from fake_gpu import backend_on, fake_gpu
from mlirind.lowering.kernel import analysis
from mlirind.lowering.tt import schedule


def block(x, weight, bias, wide=torch.float32):
    """A group norm in a wide dtype of a sum, SiLU, and a cast, as autocast has them."""
    weight, bias = weight.to(wide), bias.to(wide)
    x, (samples, channels, *pixels) = x + x.sigmoid(), x.shape
    count = pixels[0] * pixels[1]
    normalized = torch.ops.aten.native_group_norm(x.to(wide), weight, bias, samples, channels, count, 2, 1e-5)
    return F.silu(normalized[0]).to(x.dtype), normalized[1]


SIZES = {
    "6 channels": (2, 12, 5, 7),
    "40 channels": (1, 80, 3, 3),
    "one channel": (2, 2, 20, 13),
}


@contextlib.contextmanager
def small_tiles():
    """Within, rows of more than 64 points are in a loop of blocks of 128 points, by Welford's algorithm."""
    with (
        mock.patch.object(schedule, "TUNING", replace(schedule.TUNING, register_row=64, one_pass_row=64, row_block=128)),
        mock.patch.object(analysis, "_two_sums_are_better", lambda kernel, node, limit: False),
    ):
        yield


@pytest.mark.parametrize("tiles", [contextlib.nullcontext, small_tiles])
@pytest.mark.parametrize("layout", [torch.channels_last, torch.contiguous_format], ids=str)
@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_one_launch(dtype, name, layout, tiles):
    torch._dynamo.reset()
    torch.manual_seed(0)
    sizes = SIZES[name]
    x = (torch.randn(sizes) * 3 + 100).to(dtype).contiguous(memory_format=layout)
    weight, bias = torch.randn(sizes[1]), torch.randn(sizes[1])
    with fake_gpu() as gpu, tiles():
        got, mean = torch.compile(block, backend=backend_on())(x, weight, bias)
    want, true_mean = block(x, weight, bias, torch.float64)
    assert len(gpu.launches) == 1 and got.stride() == want.stride()
    error = 1e-4 if dtype == torch.float32 else 0.01
    torch.testing.assert_close(got, want, atol=error, rtol=error)
    torch.testing.assert_close(mean, true_mean.float())
