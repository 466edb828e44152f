"""Losses of tensors of two dtypes: the dtype of the losses, what is rounded to it, and what is refused."""

import pytest
import torch
from torch.nn import functional as F

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
STORED_IN_TARGET, STORED_IN_INPUT = "target", "input"
LOSSES = {
    "binary_cross_entropy_with_logits": STORED_IN_TARGET,
    "huber_loss": STORED_IN_INPUT,
    "soft_margin_loss": STORED_IN_INPUT,
}


@pytest.mark.parametrize("second", DTYPES, ids=str)
@pytest.mark.parametrize("first", DTYPES, ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_have_the_dtype_that_they_are_stored_in(backend, name, first, second):
    x, y = torch.linspace(-2, 2, 40).to(first), torch.linspace(0, 1, 40).to(second)
    loss = getattr(F, name)
    want = loss(x, y, reduction="none")
    got = torch.compile(lambda x, y: loss(x, y, reduction="none"), backend=backend)(x, y)
    assert got.dtype == want.dtype == (second if LOSSES[name] == STORED_IN_TARGET else first)
    wide = torch.float64 in (first, second) and got.dtype != torch.float64
    torch.testing.assert_close(got, want, rtol=1e-6 if wide or got.dtype in (torch.float32, torch.float64) else 0, atol=0)


def test_weights_of_another_dtype(backend):
    x, y, weight = torch.linspace(-2, 2, 8), torch.linspace(0, 1, 8).bfloat16(), torch.linspace(1, 2, 8).half()

    def loss(x, y, weight):
        return F.binary_cross_entropy_with_logits(x, y, weight, pos_weight=weight, reduction="none")

    torch.testing.assert_close(torch.compile(loss, backend=backend)(x, y, weight), loss(x, y, weight), rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool], ids=str)
def test_losses_that_integers_cannot_hold(backend, dtype):
    with pytest.raises(RuntimeError):
        F.binary_cross_entropy_with_logits(torch.ones(3), torch.ones(3).to(dtype), reduction="none")
    call = torch.compile(lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"), backend=backend)
    with pytest.raises(RuntimeError):
        call(torch.ones(3), torch.ones(3).to(dtype))


def test_booleans_are_numbers_in_the_huber_loss(backend):
    x, y = torch.linspace(-2, 2, 5), torch.tensor([True, False, True, False, True])
    assert torch.equal(torch.compile(F.huber_loss, backend=backend)(x, y), F.huber_loss(x, y))
