"""Conjugate and negative views: eager's values, strides, bits and aliasing, and no graph that is not compiled."""

import copy

import pytest
import torch
from mlirind.frontend.backend import mlirind
from mlirind.frontend.counters import counters
from programs import Programs, check
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

pytestmark = pytest.mark.usefixtures("fresh_counters")
forward, training = Programs(), Programs()


def z(*sizes, dtype=torch.complex64):
    return torch.randn(*sizes, dtype=dtype)


def leaves(*sizes):
    """A maker of complex inputs that need gradients."""
    return lambda: tuple(z(*s).requires_grad_() for s in sizes)


# Results with bits.


@forward(lambda: (z(3, 4),))
def conjugates_of_inputs(x):
    return x.conj(), x.mH, x.t().conj()[1], x.conj().conj()


@forward(lambda: (z(3, 4),))
def conjugates_of_new_values(x):
    y = x * 2
    return y.conj(), y.mH, (x + 1).conj().t()


@forward(lambda: (z(3, 4),))
def parts_of_conjugates(x):
    y = x.sin()
    return x.conj().imag, x.conj().real, y.conj().imag, y.mH.imag[0], y.conj().real


@forward(lambda: (z(3, 4),))
def conjugate_and_negative(x):
    return torch._neg_view(x.conj()), torch._neg_view(x.conj() * 2).conj()[..., 1:], torch._neg_view(x.conj().imag)


@forward(lambda: (torch.randn(3, 4),))
def negative_views(x):
    y = torch._neg_view(x)
    return y, y * 3, y[1:].t(), torch._neg_view(x + 1).view(-1), torch._neg_view(y), y.sum(0)


@forward(lambda: (z(6, 4),))
def lists_of_views(x):
    first, second = x.conj().split(3)
    return first, second[1], *torch.unbind(x.mH * 2), *x.conj().chunk(2, 1), first + second


# Values.


@forward(lambda: (z(3, 4), z(3)))
def arithmetic(x, y):
    a = x.conj()
    return a * 2, a + x, a.mul(y[:, None].conj()), a.abs(), a == x, a.sum(0), torch.where(x.real > 0, a, x)


@forward(lambda: (z(3, 4),))
def resolved(x):
    a = x.conj()
    return a.resolve_conj(), a.resolve_conj() + 1, a.imag.resolve_neg(), x.resolve_conj(), a.clone(), a.clone(), x.mH.contiguous()


@forward(lambda: (z(1, 4).expand(3, 4), z(4, 6)))
def without_dense_memory(x, y):
    return x.conj() * 1, x.conj().clone(), y[:, ::2].mH.clone(), y[:, ::2].conj() + 1, y[1:, 1:].imag.neg(), y[1:].conj()


@forward(lambda: (z(3, 4),))
def views_of_views(x):
    a = x.conj().view(2, 6).t()[2:4].unsqueeze(0).expand(5, 2, 2)
    return a, a.reshape(-1), a.diagonal(0, 1, 2), x.mH.flatten(), torch.view_as_real(x.conj().resolve_conj())


@forward(lambda: (z(3, 4),))
def bits_are_read(x):
    """Each question breaks the graph."""
    a = x.conj()
    if a.is_conj() and not a.conj().is_conj() and a.imag.is_neg():
        return a + 1, a.real.is_neg(), a.is_conj()
    return a + 2


# Inputs with bits.


@forward(lambda: (z(3, 4).conj(), z(4).conj(), torch._neg_view(torch.randn(4))))
def inputs_with_bits(x, y, n):
    return x * y, x.conj(), x.mH, n * 2, x.imag, n + x.real, x @ y, n[1:], torch._neg_view(n)


@forward(lambda: (z(3, 4).conj(), z(3, 4).imag.conj()))
def inputs_are_results(x, y):
    return x, y, x + 1, x.t()


@forward(lambda: (z(3, 4).mH, z(2, 4, 3).conj().imag))
def views_as_inputs(x, y):
    return x[1:] * 2, y.sum(0), x.T @ x, y[0] * x.imag


# Writes. After a write through a conjugate view, AOTAutograd may give a new value another bit than eager mode: `+ 0` returns the value.


@forward(lambda: (z(3, 4), z(3, 4).conj()))
def writes_through_views(x, y):
    x.conj()[1].mul_(2j)
    y.conj()[0].add_(1j)
    return x.conj(), y + 1


@forward(lambda: (z(3, 4), z(3, 4).conj(), torch._neg_view(torch.randn(4))))
def writes_to_inputs(x, y, n):
    x.copy_(y)
    y.mul_(1j)
    n.add_(1).copy_(n * 2)
    return y.conj()[1]


@forward(lambda: (z(3, 4).conj(), z(3, 4).conj(), torch.randn(3, 4)))
def copies_onto_inputs(x, y, r):
    x.copy_(y)
    y.copy_(r)
    return r + 1


@forward(lambda: (z(3, 4),))
def writes_to_parts(x):
    x.conj().imag.mul_(3)
    x.mH.real[1] = 7
    y = x * 2
    y.conj().imag.fill_(2)
    return y + 0


@forward(lambda: (z(3, 4), z(3, 4)))
def writes_to_new_conjugates(x, y):
    a = (x * y).conj()
    a[1] = 1j
    a.add_(y.conj())
    return a + 0, torch.conj_physical(a)


# Operators.


@forward(lambda: (z(3, 4), z(5, 4), z(2, 3, 4)))
def products(x, y, b):
    return x @ y.mH, x.conj() @ y.t(), torch.vdot(x[0], y[0]), b @ b.mH, torch.addmm(z_like(x, 3, 5), x, y.mH), torch.inner(x.conj(), y)


def z_like(x, *sizes):
    return torch.ones(sizes, dtype=x.dtype, device=x.device) * 2j


@forward(lambda: (torch.randn(3, 8), z(3, 8)))
def transforms(x, y):
    fft = torch.fft
    return fft.ifft(x), fft.irfft(y), fft.ihfft(x), fft.hfft(y), fft.ifft2(y).conj(), fft.irfftn(fft.rfftn(x)), fft.fft(y.conj())


@forward(lambda: (z(4, 4), z(5, 3), z(4, 2)))
def linear_algebra(a, b, c):
    h = a @ a.mH + 4 * torch.eye(4, dtype=a.dtype, device=a.device)
    values, vectors = torch.linalg.eigh(h.mH)
    u, s, vh = torch.linalg.svd(b.conj(), full_matrices=False)
    lower = torch.linalg.cholesky(h.conj())
    return values, (vectors * values) @ vectors.mH, (u * s) @ vh, lower, torch.linalg.solve(h.mH, c), torch.linalg.norm(b.mH), s


@forward(lambda: (z(5, 4), torch.tensor([0, 3])))
def indexing(x, at):
    a = x.conj()
    return a[at], a[:, at].conj(), torch.cat([a, x]), torch.stack([a[0], x[1]]), a.index_select(0, at), a.flip(0), a.tril()


@forward(lambda: (z(3, 4), torch.tensor(False)))
def branches(x, choice):
    return torch.cond(choice, lambda a: a.conj() * 2, lambda a: a.conj().imag.sin() + a.conj(), (x * 2,))


@forward(lambda: (torch.randn(3, 4).to(torch.complex32),))
def half_complex(x):
    return x.conj(), x * 2, torch.view_as_real(x), x.conj().resolve_conj(), x.to(torch.complex64).abs()


@forward(lambda: (z(3, 4, dtype=torch.complex128), torch.randn(3, 4, dtype=torch.float64)))
def wide_complex(x, r):
    return x.conj() * r, x.mH, torch.polar(r.abs(), r).conj(), torch.complex(r, r).conj().imag + 1


# Training.


@training(leaves((3, 4), (5, 4)))
def product_with_mh(x, w):
    return (x @ w.mH).abs().square(), (x.conj() @ w.t()).imag


@training(leaves((4,), (4,)))
def inner_products(x, y):
    return torch.vdot(x, y).abs(), torch.dot(x.conj(), y).real


@training(leaves((3, 4), (3, 4)))
def complex_results(x, y):
    return (x * y).conj().abs(), x.conj().imag * y.real, torch.view_as_real((x / y).resolve_conj())


@training(leaves((3, 4)))
def conjugate_of_value(x):
    y = x.sin()
    return y[:, 1].conj().real, y.conj().imag.exp()


@training(leaves((3, 4)))
def negative_of_value(x):
    return torch.view_as_real(x).sin().sum(-1) + x.conj().imag


@training(lambda: (torch.randn(2, 3, 8).requires_grad_(), z(3, 5).requires_grad_()))
def spectral_convolution(x, w):
    return torch.fft.irfft(torch.fft.rfft(x) * w, n=8).relu()


@training(lambda: (torch.randn(2, 3, 8).requires_grad_(), z(3, 8, dtype=torch.complex64).requires_grad_()))
def inverse_transforms(x, w):
    return torch.fft.ifft(torch.fft.fft(x, norm="ortho") * w).abs(), torch.fft.ihfft(x).imag


@training(lambda: (torch.randn(2, 5, 3, 8).requires_grad_(), torch.randn(5, 4)))
def rotary(x, angles):
    turned = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(angles), angles)[:, None]
    return torch.view_as_real(turned).flatten(3)


@training(lambda: (z(3, 4).requires_grad_(), z(3, 4).conj()))
def saved_with_bits(x, c):
    return (x * c).abs(), (x @ c.mH).real


@training(leaves((4, 4)))
def decompositions(a):
    h = a @ a.mH + 4 * torch.eye(4, dtype=a.dtype, device=a.device)
    return torch.linalg.eigh(h)[0], torch.linalg.cholesky(h).abs(), torch.linalg.svd(a)[1], torch.linalg.inv(h).real


@training(leaves((3, 4)))
def written_through_a_view(x):
    y = x * 1j
    y.conj()[1].mul_(3 + 1j)
    return y.abs(), (y * y.conj()).real


def assert_compiled(graphs):
    """`graphs`: the number of compilations."""
    assert not counters.fallbacks and not counters.joint_unchanged
    assert counters.compiled == graphs


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", forward.all, ids=lambda p: p.name)
def test_forward(program, dynamic):
    check(mlirind, program.fn, program.make_inputs, dynamic=dynamic)
    assert_compiled({"branches": 3, "bits_are_read": 4}.get(program.name, 1))


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", training.all, ids=lambda p: p.name)
def test_training(program, dynamic):
    check(mlirind, program.fn, program.make_inputs, grad=True, rtol=1e-4, dynamic=dynamic)
    assert_compiled(2)


@pytest.mark.parametrize("conjugate", [False, True])
def test_gradients_and_results_with_bits(conjugate):
    """The result has the conjugate bit in training, and its gradient may have it or not."""

    def step(function):
        torch.manual_seed(0)
        x, y = z(3, 4).requires_grad_(), z(3, 4).requires_grad_()
        result = function(x, y)
        gradient = z(4, 3).conj() if conjugate else z(4, 3)
        result.backward(gradient)
        return result.is_conj(), result.stride(), result.detach(), x.grad.resolve_conj(), y.grad.resolve_conj()

    want = step(lambda x, y: (x * y).mH)
    got = step(torch.compile(lambda x, y: (x * y).mH, backend=mlirind))
    assert got[:2] == want[:2]
    torch.testing.assert_close(got[2:], want[2:])
    assert_compiled(2)


def test_a_result_is_the_inputs_memory():
    x = z(3, 4)
    y = torch.compile(lambda x: x.mH, backend=mlirind)(x)
    y[1, 2] = 5 + 2j
    assert x[2, 1] == 5 - 2j and y.is_conj() and y._is_view() and y.data_ptr() == x.data_ptr()
    assert_compiled(1)


def test_a_result_can_be_written():
    """In grad mode, as in eager mode."""
    y = torch.compile(lambda x: (x + 1).conj(), backend=mlirind)(z(3))
    w = z(3).requires_grad_()
    want = y.resolve_conj() * w
    y.mul_(w)
    torch.testing.assert_close(y.resolve_conj(), want)
    assert y.requires_grad


def test_inputs_with_and_without_bits_are_two_compilations():
    x = z(3, 4)
    compiled = torch.compile(lambda x: torch.view_as_real(x * 2j), backend=mlirind)
    for value in (x, x.conj(), torch._neg_view(x), x.conj(), x):
        torch.testing.assert_close(compiled(value), torch.view_as_real(value * 2j))
    assert_compiled(3)


def test_hooks_on_saved_tensors_may_resolve_them():
    """A hook returns a saved tensor without the bit with which it was saved."""
    x, y = z(3, 4).requires_grad_(), z(3, 4).requires_grad_()
    function = lambda x, y: (x @ y.mH).abs()  # noqa: E731
    want = torch.autograd.grad(function(x, y).sum(), (x, y))
    compiled = torch.compile(function, backend=mlirind)
    with saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        got = torch.autograd.grad(compiled(x, y).sum(), (x, y))
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a.resolve_conj(), b.resolve_conj())
    assert_compiled(2)


def test_inference_mode():
    with torch.inference_mode():
        x = z(3, 4)
        y = torch.compile(lambda x: (x.conj(), x.mH * 2), backend=mlirind)(x)
        assert y[0].is_conj() and y[0].is_inference()
        torch.testing.assert_close(y[1], x.mH * 2)
    assert_compiled(1)


class RotaryBlock(nn.Module):
    """A block of Llama with complex rotary embeddings, as its reference code has them."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        rates = 1.0 / 10000 ** (torch.arange(0, self.size, 2) / self.size)
        self.register_buffer("turns", torch.polar(torch.ones(32, self.size // 2), torch.outer(torch.arange(32), rates)), persistent=False)

    def forward(self, x):
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, self.heads, self.size).unbind(2)
        q, k = self.turned(q), self.turned(k)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.size**0.5
        return x + self.out(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).flatten(2))

    def turned(self, x):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.turns[: x.shape[1], None]).flatten(3).type_as(x)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_llama_with_complex_rotary_embeddings(dynamic):
    torch.manual_seed(0)
    model = nn.Sequential(RotaryBlock(), RotaryBlock())
    twin = copy.deepcopy(model)
    compiled = torch.compile(twin, backend=mlirind, dynamic=dynamic)
    optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in (model, twin)]
    for step in range(3):
        x = torch.randn(2, 7 + step * dynamic, 16)
        for function, optimizer in zip((model, compiled), optimizers, strict=True):
            optimizer.zero_grad()
            function(x).square().mean().backward()
            optimizer.step()
    for got, want in zip(twin.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(got, want)
    assert_compiled(2)
