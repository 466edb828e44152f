"""Complex numbers as pairs of reals in kernels: eager's values, special ones too, layouts and aliasing; and rotary embeddings of models."""

import itertools
import math

import mlirind
import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.runtime.report import collect_reports
from programs import Programs, check
from torch import nn

pytestmark = pytest.mark.usefixtures("fresh_counters")
programs, training = Programs(), Programs()
SPECIAL = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 1e30]


def specials(dtype):
    """All pairs of special complex numbers, and real numbers. As many as whole vectors: eager rounds the rest once less in a product."""
    numbers = torch.tensor([complex(a, b) for a, b in itertools.product(SPECIAL, SPECIAL)], dtype=dtype)
    count = len(numbers)
    z, w = numbers[:, None].expand(count, count).flatten(), numbers.expand(count, count).flatten()
    return z, w, z.real.contiguous()


FORMULAS = {
    "mul": lambda z, w, r: z * w,
    "mul_real": lambda z, w, r: (z * r, r * z, z * 2.5, 3 * z, z * (1 - 2j)),
    "add": lambda z, w, r: (z + w, z + r, z + 2.5, z + 1j),
    "sub": lambda z, w, r: (z - w, z - r, r - z, 2.5 - z, (1 - 2j) - z),
    "alpha": lambda z, w, r: (torch.add(z, w, alpha=2.5), torch.sub(z, w, alpha=2.5 - 1j), torch.add(z, r, alpha=3)),
    "signs": lambda z, w, r: (-z, z.conj() * w, torch.conj_physical(z)),
    "parts": lambda z, w, r: ((z * w).real, (z * w).imag * 2, torch.complex(r, r + 1), torch.view_as_real(z * w)),
    "converted": lambda z, w, r: (z.to(torch.complex128) * w, (z * w).to(torch.complex128), r.to(torch.complex64) * 2),
    "chosen": lambda z, w, r: (torch.where(r > 0, z, w) * 1, torch.cat([z * w, z]), (z * w)[torch.arange(5)]),
}


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=["c64", "c128"])
@pytest.mark.parametrize("name", FORMULAS)
def test_special_numbers(name, dtype):
    """Bit for bit, but for the payload of NaN."""
    inputs = specials(dtype)
    want, got = FORMULAS[name](*inputs), torch.compile(FORMULAS[name], backend=backend)(*inputs)
    for a, b in zip([want] if isinstance(want, torch.Tensor) else want, [got] if isinstance(got, torch.Tensor) else got, strict=True):
        assert (a.dtype, a.shape, a.stride()) == (b.dtype, b.shape, b.stride())
        a, b = (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in (a, b))
        torch.testing.assert_close(b, a, rtol=0, atol=0, equal_nan=True)
        assert torch.equal(torch.signbit(a) & (a == 0), torch.signbit(b) & (b == 0))
    assert not counters.fallbacks


def z(*sizes, dtype=torch.complex64):
    return torch.randn(*sizes, dtype=dtype)


@programs(lambda: (z(3, 4), z(4, 3)))
def layouts(x, y):
    return x * y.t(), y.t() * 2, (x.t() * y).t(), x[:, ::2] * y[:2, 0], x[:, None].permute(2, 0, 1) * 1j, y.expand(2, 4, 3) + 1


@programs(lambda: (z(3, 4), torch.randn(3, 4)))
def aliasing(x, r):
    y = x * 2
    real = torch.view_as_real(y)
    return y, real, real[..., 0], y.t(), torch.view_as_real(x), torch.view_as_complex(torch.stack([r, r], -1))


@programs(lambda: (z(3, 4), torch.randn(3, 4, 2)))
def writes(x, r):
    x.mul_(2j)
    torch.view_as_real(x)[0].add_(1)
    torch.view_as_complex(r)[1].mul_(1j)
    return x + 1, r * 2


@programs(lambda: (z(6, 4), z(())))
def views_of_results(x, scalar):
    y = x * scalar
    a, b = y.split([2, 4])
    return a * 2, b.view(2, 8) * y.reshape(-1)[:8], y.unbind(1)[1] + 1, y.squeeze().t()[1:] * 1, y.diagonal() * 2


@programs(lambda: (z(3, 4), torch.randn(3, 4).half(), torch.randn(3, 4).double(), torch.arange(4)))
def mixed_dtypes(x, half, double, integers):
    return x * half, x * double, x + integers, x * True, integers - x, x * torch.tensor(2.0, dtype=torch.float64)


@programs(lambda: (z(3, 4), torch.rand(3, 4), torch.randn(3, 4)))
def polar_and_moves(x, length, angle):
    turned = torch.polar(length, angle)
    moved = torch.stack([turned, x]).flip(0).roll(1, 2)
    picked = x.index_select(0, torch.tensor([2], device=x.device)) * 1
    return turned * x, moved * 2, turned.abs(), turned.sum(), turned.sum(1, keepdim=True), turned.clone() * 1, picked


@programs(lambda: (z(3, 4), z(3, 4)))
def around_calls(x, y):
    """Operators without formulas stay calls, on complex tensors."""
    return (x * y).exp() * y, (x * y) / (x + y), torch.fft.fft(x * 2) * y, (x * y) @ y.mH * 2, (x + y).reciprocal() + 1


@programs(lambda: (z(0, 4), z(3, 0, 2)))
def empty(x, y):
    return x * 2, y + y, torch.view_as_real(y * 1j), (x * x).sum()


@programs(lambda: (z(1, 4), z(3, 1)))
def sizes_of_one(x, y):
    return x * y, (x * 2).t() * y.t(), x.expand(3, 4) * y, (x + y).abs()


@training(lambda: (z(3, 4).requires_grad_(), z(4).requires_grad_(), torch.randn(3, 4).requires_grad_()))
def gradients(x, y, r):
    return torch.view_as_real(x * y + r), (x * y).abs(), torch.view_as_real(x * r - y)


@training(lambda: (torch.rand(3, 4).requires_grad_(), torch.randn(3, 4).requires_grad_(), z(3, 4).requires_grad_()))
def gradients_of_polar(length, angle, x):
    return torch.view_as_real(torch.polar(length, angle) * x), torch.view_as_real(torch.complex(length, angle).conj() * x)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_forward(program, dynamic):
    check(backend, program.fn, program.make_inputs, dynamic=dynamic)
    assert not counters.fallbacks and counters.compiled == 1


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", training.all, ids=lambda p: p.name)
def test_training(program, dynamic):
    check(backend, program.fn, program.make_inputs, grad=True, rtol=1e-4, dynamic=dynamic)
    assert not counters.fallbacks and counters.compiled == 2


# Rotary embeddings.


def rotated(x, turns):
    """`x`: [batch, length, heads, width]; `turns`: complex, [length, width / 2]."""
    turned = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) * turns[:, None]
    return torch.view_as_real(turned).flatten(3).type_as(x)


def rotary_inputs(dtype):
    return torch.randn(2, 5, 3, 40, dtype=dtype).requires_grad_(), torch.polar(torch.ones(5, 20), torch.randn(5, 20))


def turn(x, turns):
    return (rotated(x, turns) * 2).transpose(1, 2)


@pytest.mark.parametrize(("dtype", "dynamic"), [(torch.float32, False), (torch.bfloat16, True)], ids=["f32", "bf16-dynamic"])
def test_rotary_embedding(dtype, dynamic):
    check(backend, turn, lambda: rotary_inputs(dtype), grad=True, rtol=1e-5 if dtype == torch.float32 else 2e-2, dynamic=dynamic)
    assert not counters.fallbacks


def test_rotary_embedding_is_one_kernel_each_way():
    graphs = mlirind.explain(turn, *rotary_inputs(torch.float16)).graphs
    assert len(graphs) == 2
    for graph in graphs:
        assert len(graph.kernels) == 1 and [(c.target, c.count) for c in graph.calls] == [("aten.view_as_real.default", 1)]


def test_physical_conjugates_are_kernels():
    """PyTorch calls `_conj_physical` for them."""
    (graph,) = mlirind.explain(torch.conj_physical, z(3, 4)).graphs
    assert len(graph.kernels) == 1 and all("view" in call.target for call in graph.calls)


class Block(nn.Module):
    """A transformer block with grouped queries, rotary embeddings as complex products, RMS norm and SwiGLU, as in Meta's Llama."""

    def __init__(self, width=32, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.query, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, groups * self.size, bias=False) for _ in range(2))
        self.gate, self.up, self.down = nn.Linear(width, 64, bias=False), nn.Linear(width, 64, bias=False), nn.Linear(64, width, bias=False)
        self.norms = nn.ModuleList([nn.RMSNorm(width), nn.RMSNorm(width)])

    def forward(self, x, turns):
        y = self.norms[0](x)
        q, k, v = (f(y).view(*x.shape[:2], -1, self.size) for f in (self.query, self.key, self.value))
        q, k = rotated(q, turns), rotated(k, turns)
        out = nn.functional.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=True, enable_gqa=True)
        x = x + self.out(out.transpose(1, 2).flatten(2))
        y = self.norms[1](x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, layers=2, width=32):
        super().__init__()
        self.embedding, self.blocks = nn.Embedding(50, width), nn.ModuleList([Block(width) for _ in range(layers)])
        angles = torch.outer(torch.arange(64.0), 10000.0 ** (-torch.arange(4) / 4))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, self.turns[: tokens.shape[1]])
        return x @ self.embedding.weight.t()


def test_llama_with_complex_rotary_embeddings():
    """Forward and backward have no complex operator but one view of the buffer each; values and gradients are eager's."""
    torch.manual_seed(0)
    model, tokens = Llama(), torch.randint(50, (2, 12))

    def loss(tokens):
        return nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())

    want = loss(tokens)
    wanted = torch.autograd.grad(want, list(model.parameters()))
    with collect_reports() as graphs:
        got = torch.compile(loss, backend=backend)(tokens)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(torch.autograd.grad(got, list(model.parameters())), wanted)
    assert len(graphs) == 2
    for graph in graphs:
        of_complex = [call for call in graph.calls if "complex" in call.reason]
        assert graph.fallback is None and [(c.target, c.count) for c in of_complex] == [("aten.view_as_real.default", 1)]


def test_deepseek_of_transformers():
    """Its positions are read from a table of angles; `polar` and a scale are part of the graph."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    sizes = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=4, vocab_size=60)
    more = dict(q_lora_rank=16, kv_lora_rank=16, qk_nope_head_dim=8, qk_rope_head_dim=8, v_head_dim=8, first_k_dense_replace=1, head_dim=8)
    model = transformers.DeepseekV2ForCausalLM(transformers.DeepseekV2Config(**sizes, **more)).eval()
    tokens = torch.randint(60, (2, 10))
    with torch.no_grad():
        (graph,) = mlirind.explain(lambda t: model(t, use_cache=False).logits, tokens).graphs
    assert graph.fallback is None and not [c for c in graph.calls if "complex" in c.reason]
    assert not counters.fallbacks


@pytest.mark.parametrize("joined", [torch.cat, torch.stack])
def test_real_tensors_beside_complex_ones(joined):
    def program(z, x):
        return joined([z * 2, x, z.real.double()])

    z, x = torch.tensor([1 + 1j, 2 - 3j]), torch.tensor([5.0, -6.0])
    with torch.no_grad():
        found, wanted = torch.compile(program, backend="mlirind")(z, x), program(z, x)
    assert found.dtype == wanted.dtype and torch.equal(found, wanted)


def test_moves_of_a_real_tensor_made_complex():
    """Their imaginary part is the number 0."""

    def program(x, i):
        z = x.to(torch.complex64)
        views = (*z.split(2), *z.unbind(1), z[1:, ::2], z.expand(2, 4, 3), z[:, 1])
        moved = (z.flip(0), z.mT.roll(1, 0), z[i], z.gather(0, i[:, None]))
        return [part * 2 for part in views + moved] + [torch.cat([z, z.conj() * 1j])]

    x, i = torch.randn(4, 3), torch.tensor([3, 0, 1])
    with torch.no_grad():
        found, wanted = torch.compile(program, backend="mlirind", fullgraph=True)(x, i), program(x, i)
    assert not counters.fallbacks
    assert [(f.shape, f.stride()) for f in found] == [(w.shape, w.stride()) for w in wanted]
    assert all(map(torch.equal, found, wanted))


@pytest.mark.parametrize("number", [2.0, 1 + 2j, complex(math.inf, 0)])
def test_gradients_of_products_with_numbers(number):
    """AOTAutograd conjugates the number with an operator."""

    def gradient(function):
        z = torch.linspace(-1, 1, 6).view(2, 3).to(torch.complex64).requires_grad_()
        torch.view_as_real(function(z, number)).sum().backward()
        return z.grad

    assert torch.equal(gradient(torch.compile(torch.mul, backend="mlirind")), gradient(torch.mul))
