"""Fused programs against eager, and how many kernels each becomes."""

import functools

import pytest
import torch
import torch.nn.functional as F
from mlirind.frontend.backend import mlirind
from mlirind.runtime.report import collect_reports

X = torch.randn(4, 6, 16, generator=torch.Generator().manual_seed(0))
W = torch.randn(16, 16, generator=torch.Generator().manual_seed(1))
B = torch.randn(16, generator=torch.Generator().manual_seed(2))
I = torch.arange(24).remainder(7)  # noqa: E741


def rms_norm(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def rotate(x):
    """Rotary embedding: it reads each element of `y` at two coordinates."""
    y = x * 2
    return y * B + torch.cat([-y[..., 8:], y[..., :8]], -1) * W[0]


def residual_norm(x, w):
    h = x + x.mul(2)
    return h, F.layer_norm(h, (16,), w[0], w[1]).relu()


def both_axes(x):
    y = x.exp()
    return y.sum(-1), y.sum(0)


def swapped(a, b):
    t = a.clone()
    a.copy_(b)
    b.copy_(t)
    return a + b * 2


def read_before_write(x):
    y = x.sin()
    x.add_(1)
    return y + x


PROGRAMS = {
    "chain": (lambda x: functools.reduce(lambda y, _: (y * 1.01).sin(), range(20), x), (X,), 1),
    "softmax": (lambda x: torch.softmax(x * 2 + 1, -1) * 3, (X,), 1),
    "manual softmax": (lambda x: (x - x.amax(-1, True)).exp() / (x - x.amax(-1, True)).exp().sum(-1, True), (X,), 1),
    "rms norm": (rms_norm, (X,), 1),
    "layer norm between matmuls": (lambda x, w: F.layer_norm(x @ w + x, (16,), w[0], w[1]).relu() @ w, (X, W), 3),
    "residual is an output too": (residual_norm, (X, W), 1),
    "cross entropy": (lambda x, i: F.cross_entropy(x.view(24, 16), i), (X, I), 2),
    "view between": (lambda x: (x.exp().view(24, 16) + 1).view(4, 96).tanh(), (X,), 1),
    "permuted": (lambda x: x.exp().permute(2, 0, 1).contiguous() + 1, (X,), 1),
    "heads": (lambda x: (x.view(4, 6, 4, 4).transpose(1, 2) * 2).reshape(16, 6, 4).exp(), (X,), 1),
    "rotary": (rotate, (X,), 1),
    "slices": (lambda x: x.exp()[:, 1:] - x.exp()[:, :-1], (X,), 1),
    "broadcast row": (lambda x, b: x * (b + 1), (X, B), 1),
    "two reductions of one tensor": (lambda x: (x.sum(-1), x.amax(-1), x.abs().mean(-1)), (X,), 1),
    "rows and columns": (both_axes, (X,), 2),
    "mean of all": (lambda x: x - x.mean(), (X,), 1),
    "embedding": (lambda w, i: F.embedding(i, w.relu()) * 4, (W, I), 1),
    "masked": (lambda x: F.pad(x.exp(), (1, 2)) + 1, (X,), 1),
    "numbers of rows, masked": (lambda x, b: F.pad(x * b[:6, None] + b[10], (1, 2), value=2.0) * 2, (X, B), 1),
    "numbers of rows in a cat": (lambda x, b: torch.cat([x * b[:6, None], x[..., :3] - b[:6, None]], -1).exp(), (X, B), None),
    "concatenation": (lambda x: torch.cat([x.exp(), x.sin()], 1) * 2, (X,), 1),
    "scatter of a computed value": (lambda x, i: torch.zeros(7, 16).index_add(0, i, x.view(24, 16).exp()), (X, I), None),
    "running sums": (lambda x: x.exp().cumsum(-1) * 2, (X,), 2),
    "argmax": (lambda x: (x * 2).view(4, 96).argmax(-1), (X,), 1),
    "variance twice": (lambda x: (x - x.mean(-1, True)).pow(2).mean(-1, True) + x, (X,), 1),
    "swapped inputs": (swapped, (X, X + 1), None),
    "read before write": (read_before_write, (X,), None),
    "unused": (lambda x: (x.exp() + 1, x.sin())[1], (X,), 1),
    "empty": (lambda x: (x[:0].exp() + 1, x[:0].sum(-1)), (X,), None),
    "reductions of one element": (lambda x: (x.sum().exp().mean() * x[:1]).mean(0).sum(-1, True).amax(0), (X * 0.01,), None),
    "unrelated numbers": (lambda a, b: (a + 1, b * 2), (torch.tensor(1), torch.tensor(2.0)), 1),
    "scalar": (lambda x: (x.sum() * 0.01 + 1).exp(), (X,), 1),
}


def run(function, arguments, dynamic=False):
    """Outputs and inputs after eager and after mlirind, and the report."""
    torch._dynamo.reset()
    want_inputs, got_inputs = ([a.clone() for a in arguments] for _ in range(2))
    want = function(*want_inputs)
    with collect_reports() as reports, torch.no_grad():
        compiled = torch.compile(function, backend=functools.partial(mlirind, options={"fallback": False}), dynamic=dynamic)
        got = compiled(*got_inputs)
    as_list = [list(o) if isinstance(o, tuple) else [o] for o in (want, got)]
    for a, b in zip(as_list[0] + want_inputs, as_list[1] + got_inputs, strict=True):
        torch.testing.assert_close(b, a, equal_nan=True)
        assert a.stride() == b.stride()
    return reports


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    function, arguments, kernels = PROGRAMS[name]
    reports = run(function, arguments)
    if kernels is not None:
        assert sum(r.launches for r in reports) == kernels, "\n".join(map(str, reports))


@pytest.mark.parametrize(
    "name", ["softmax", "rms norm", "view between", "heads", "cross entropy", "two reductions of one tensor", "slices"]
)
def test_symbolic_sizes(name):
    function, arguments, _ = PROGRAMS[name]
    if name in ("view between", "heads", "cross entropy"):
        function = {
            "view between": lambda x: (x.exp().view(-1, 16) + 1).view(x.shape[0], -1).tanh(),
            "heads": lambda x: (x.view(*x.shape[:2], 4, 4).transpose(1, 2) * 2).reshape(-1, x.shape[1], 4).exp(),
            "cross entropy": lambda x, i: F.cross_entropy(x.view(-1, 16), i),
        }[name]
    run(function, arguments, dynamic=True)
