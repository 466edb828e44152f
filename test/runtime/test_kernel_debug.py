"""The option `kernel_debug`: what it prints, where it finds NaN, and that results stay what they are."""

import pytest
import torch
from mlirind.tools.backends import find_backend


def compiled(function, debug):
    torch._dynamo.reset()
    return torch.compile(function, backend=find_backend("mlirind"), options={"kernel_debug": debug, "fallback": False})


def program(x):
    values, places = torch.sort(x.exp()[:, 1:], 1)
    return (values.log() + places).sum(1)


def test_kernels_and_calls_are_printed_and_timed(capfd):
    x = torch.randn(4, 5)
    torch.testing.assert_close(compiled(program, "print,time")(x), program(x))
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("model__")]
    assert any("kernel exp" in line and "us; float32[4, " in line and "mean" in line for line in lines)
    assert any("a call of ATen (aten.sort" in line and "int64[4, 4]" in line for line in lines)


def test_the_first_nan_is_found(capfd):
    call = compiled(program, "nan")
    torch.testing.assert_close(call(torch.ones(4, 5)), program(torch.ones(4, 5)))
    assert compiled(torch.exp, "nan")(torch.tensor([torch.nan])).isnan().all()  # comes in, does not come up
    with pytest.raises(FloatingPointError, match=r"NaN comes up in .*kernel .*\(.*log"):
        compiled(lambda x: torch.sort(x.log()).values, "nan")(torch.tensor([-1.0, 2.0]))
    assert "kernel" not in capfd.readouterr().err


def test_training_and_writes():
    def step(x, w):
        x.mul_(2)
        return (torch.softmax(x @ w, -1) * x).sum()

    x, w = torch.randn(8, 8), torch.randn(8, 8, requires_grad=True)
    other = w.detach().clone().requires_grad_()
    a, b = x.clone(), x.clone()
    step(a, w).backward()
    compiled(step, "nan")(b, other).backward()
    torch.testing.assert_close((b, other.grad), (a, w.grad))


def test_another_word_is_refused():
    with pytest.raises(Exception, match="'print', 'time', 'nan' and 'compare' are possible"):
        compiled(torch.exp, "loud")(torch.ones(2))
