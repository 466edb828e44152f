"""Resampling on the CPU is one call of ATen, with static and symbolic sizes, forward and backward."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.resampling import whole_resampling
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend

MODES = {
    "nearest": (3, 4, 5),
    "nearest-exact": (3, 4, 5),
    "linear": (3,),
    "bilinear": (4,),
    "bicubic": (4,),
    "trilinear": (5,),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("mode", "rank"), [(mode, rank) for mode, ranks in MODES.items() for rank in ranks])
def test_it_is_one_call(mode: str, rank: int, dynamic: bool) -> None:
    def resampled(x: torch.Tensor) -> torch.Tensor:
        return F.interpolate(x * 2, scale_factor=1.7, mode=mode)

    torch._dynamo.reset()
    x = torch.randn(2, 3, *[6, 5, 7][: rank - 2])
    ours, eagers = x.clone().requires_grad_(), x.clone().requires_grad_()
    with collect_reports() as reports:
        got = torch.compile(resampled, backend=find_backend("mlirind"), dynamic=dynamic)(ours)
    want = resampled(eagers)
    assert torch.equal(got, want) and got.stride() == want.stride()
    got.square().sum().backward()
    want.square().sum().backward()
    torch.testing.assert_close(ours.grad, eagers.grad, rtol=1e-6, atol=1e-6)
    assert [c.target.split(".")[1].lstrip("_").startswith("upsample_") for c in reports[0].calls] == [True]


def test_pytorchs_tables_are_as_before() -> None:
    operator = torch.ops.aten.upsample_bilinear2d.vec
    before = dict(operator.py_kernels)
    with whole_resampling():
        assert operator.py_kernels != before
    assert before and operator.py_kernels == before
    x = torch.randn(1, 2, 4, 4)
    assert torch.compile(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), backend="aot_eager")(x).shape == (1, 2, 8, 8)
