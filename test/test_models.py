"""The models of the zoo against eager, kept short: all nine forward, a few through a training step, symbolic sizes, bfloat16."""

import pytest
import torch
from mlirind.tools import model_zoo
from mlirind.tools.model_check import check_model

# What models leave to ATen: matrix products, convolutions, attention. All else is in kernels.
LIBRARY = ("mm", "addmm", "bmm", "baddbmm", "convolution", "convolution_backward")
ATTENTION = "_scaled_dot_product_flash_attention_for_cpu"


@pytest.fixture
def check(backend_name):
    """Checks a model with the backend under test: the numbers, and that mlirind's graphs are compiled and call nothing else."""

    def run(name, calls=(), **kwargs):
        outcome = check_model(name, backend_name, repeats=0, **kwargs)
        assert not outcome.failures, outcome.line()
        assert backend_name != "mlirind" or outcome.reports
        for report in outcome.reports:
            assert report.fallback is None and report.launches
            expected = (*LIBRARY, ATTENTION, f"{ATTENTION}_backward", *calls)
            others = [call for call in report.calls if call.target.split(".")[1] not in expected]
            assert not others

    return run


@pytest.mark.parametrize("name", model_zoo.MODELS)
def test_forward(check, name):
    check(name)


@pytest.fixture
def two_layers(monkeypatch):
    """Transformers of two layers. The third and the fourth would run the code of the second once more."""
    monkeypatch.setattr(model_zoo, "LAYERS", 2)


@pytest.mark.usefixtures("two_layers")
@pytest.mark.parametrize("name", ["bert", "llama", "resnet", "convnext"])
def test_training_step(check, name):
    check(name, train=True)


@pytest.mark.usefixtures("two_layers")
@pytest.mark.parametrize("name", ["bert", "gpt2", "whisper"])
def test_symbolic_sizes(check, name):
    check(name, dynamic=True)


@pytest.mark.usefixtures("two_layers")
def test_symbolic_sizes_training_step(check):
    check("llama", dynamic=True, train=True)


@pytest.mark.usefixtures("two_layers")
@pytest.mark.parametrize("name", ["llama", "resnet"])
def test_bfloat16(check, name):
    check(name, dtype=torch.bfloat16)


@pytest.mark.usefixtures("two_layers")
def test_bfloat16_training_step(check):
    """ATen's kernel adds the losses of half types in an order of its own."""
    check("bert", calls=("nll_loss_forward",), dtype=torch.bfloat16, train=True)


@pytest.mark.usefixtures("two_layers")
def test_autocast_training_step(check):
    check("vit", dtype=torch.bfloat16, train=True, autocast=True)
