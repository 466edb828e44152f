"""benchmarks/gpu_models.py and gpu_profile.py: models fit their inputs, and kernels of two backends stand side by side."""

import sys
from pathlib import Path

import pytest
import torch

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])


# The causal language models look at values of their masks, which tensors on "meta" have not.
@pytest.mark.parametrize("name", ["EfficientNet-B0", "U-Net", "Swin-T", "ResNet-50", "BERT-base", "Whisper-small encoder"])
def test_a_step_has_a_loss_and_gradients(name, monkeypatch):
    import gpu_models

    monkeypatch.setattr(gpu_models, "DEVICE", "meta")
    case = gpu_models.LargeModel(gpu_models.SIZES[name], train=True)
    assert case.step(case.open()).shape == ()
    with_gradient = [p.grad is not None and p.grad.shape == p.shape for p in case.parameters]
    assert sum(with_gradient) > 0.95 * len(with_gradient)
    case.rest()
    assert all(p.grad is None for p in case.parameters)


def test_a_forward_has_no_labels(monkeypatch):
    import gpu_models

    monkeypatch.setattr(gpu_models, "DEVICE", "meta")
    case = gpu_models.LargeModel(gpu_models.SIZES["ViT-B/16"], train=False)
    assert case.step(case.open()).shape == (64, 1000)
    assert "labels" not in case.inputs


def test_u_net_depends_on_image_and_time():
    from gpu_unet import UNet

    torch.manual_seed(0)
    model, x = UNet((32, 64)), torch.randn(2, 4, 8, 8)
    first, second = model(x, torch.tensor([0.1, 0.9])), model(x, torch.tensor([0.1, 0.5]))
    assert first.shape == x.shape
    assert torch.equal(first[0], second[0])
    assert not torch.equal(first[1], second[1])


def test_an_optimizer_step_moves_parameters_and_puts_them_back(monkeypatch):
    import gpu_models

    monkeypatch.setattr(gpu_models, "DEVICE", "cpu")
    size = gpu_models.Size("linear", lambda: torch.nn.Linear(4, 4), lambda batch, length: {}, (1, 1), mixed=True)
    case = gpu_models.OptimizerStep(size)
    monkeypatch.setattr(torch.optim, "AdamW", lambda parameters, **_: torch.optim.SGD(parameters, lr=0.5))
    step = case.open()
    before = [p.detach().clone() for p in case.parameters]
    (moved,) = case.outputs(step)
    assert torch.allclose(moved, 0.5 * torch.cat([p.grad.flatten() for p in case.parameters]).norm())
    assert all(torch.equal(p, b) for p, b in zip(case.parameters, before, strict=True))


def test_kernels_of_two_backends_side_by_side():
    from gpu_profile import side_by_side, summary

    first = [("nvjet_gemm", 2.0, 30.0), ("triton_poi_fused_convolution_backward_1", 1.0, 7.0), ("Memset (Device)", 1.0, 1.0)]
    second = [("nvjet_gemm", 2.0, 31.0), ("fused_gelu_sum", 3.0, 5.0), ("cudnn_conv_fprop", 1.0, 4.0)]
    assert summary(first)["compiled"] == (1.0, 7.0)
    assert summary(second)["convolutions"] == (1.0, 4.0)
    lines = side_by_side(first, second)
    both, alone = lines.index("launched by both:"), lines.index("second alone:")
    assert any(line.startswith("nvjet_gemm") and "30.0" in line and "31.0" in line for line in lines[both:])
    assert any(line.startswith("fused_gelu_sum") for line in lines[alone:])
    assert not any("nvjet" in line for line in lines[alone:])


def test_ratios_to_inductor():
    from gpu_report import ratios

    def cell(ms, **more):
        return {"ms": ms, "host_ms": ms / 2, "peak_mib": 1000 * ms, "first_s": 2 * ms, **more}

    rows = {
        "one": {"eager": cell(9.0), "inductor": cell(4.0), "mlirind": cell(2.0)},
        "two": {"eager": cell(9.0), "inductor": cell(1.0), "mlirind": cell(2.0)},
        "three": {"eager": cell(9.0), "inductor": {"failed": "why"}, "mlirind": cell(2.0)},
    }
    lines = ratios(rows)
    assert lines[2].startswith("| one | 9.0 | 4.0, 2.0, 0.50 | 2.0, 1.0, 0.50 | 4,000, 2,000, 0.50 |")
    assert lines[4].count("failed") == 4
    assert lines[-1] == "| geometric mean | | 1.00 | 1.00 | 1.00 | 1.00 |"
