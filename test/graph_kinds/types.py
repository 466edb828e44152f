"""Number types: casts, arithmetic and products of float8, int8, int4, half types, complex and boolean values."""

import torch
import torch.nn.functional as F

from .program import DYNAMIC, GraphPrograms, of_type, rows, rows_and_weights

programs = GraphPrograms()
FLOAT8 = torch.float8_e4m3fn


@programs(rows)
def through_float8(x):
    return (x * 4).to(FLOAT8).float() * 0.25


@programs(rows)
def through_float8_with_a_scale(x):
    scale = x.abs().amax(1, keepdim=True).clamp(min=1e-6) / 448
    return (x / scale).to(FLOAT8).float() * scale


@programs(of_type(torch.float8_e5m2), grad=False)
def float8_input(x):
    return x.float() * 2, x.to(torch.bfloat16) + 1, x.view(torch.uint8)


@programs(lambda n: (torch.randn(n, 4), torch.randn(8, 4).to(FLOAT8), torch.rand(8, 1)), grad=False)
def float8_weights(x, w, scale):
    return F.linear(x, w.float() * scale)


@programs(lambda n: (torch.randn(n, 4), torch.randint(-128, 128, (8, 4), dtype=torch.int8), torch.rand(8)), grad=False)
def int8_weights(x, w, scale):
    return F.linear(x, w.float()) * scale + 1


@programs(lambda n: (torch.randn(n, 8), torch.randint(0, 256, (10, 4), dtype=torch.uint8), torch.rand(10, 2)), grad=False)
def int4_weights(x, packed, scale):
    """Two 4-bit numbers in a byte, a scale for each group of four."""
    w = torch.stack([packed & 15, packed >> 4], -1).reshape(10, 8).float() - 8
    return F.linear(x, (w.view(10, 2, 4) * scale[:, :, None]).view(10, 8))


@programs(rows, grad=False)
def quantized_by_row(x):
    scale = x.abs().amax(1, keepdim=True) / 127
    q = (x / scale).round().clamp(-128, 127).to(torch.int8)
    return q, q.float() * scale


@programs(lambda n: (torch.randint(-128, 128, (n, 16), dtype=torch.int8), torch.randint(-128, 128, (16, 8), dtype=torch.int8)), grad=False)
def product_of_int8(a, b):
    return torch._int_mm(a, b) * 2


@programs(rows, refused=DYNAMIC)
def fake_quantized(x):
    return torch.fake_quantize_per_tensor_affine(x, 0.1, 2, 0, 255) + 1


@programs(rows_and_weights, rtol=2e-2)
def autocast(x, w):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return (x @ w).relu().sum(0)


@programs(of_type(torch.bfloat16), rtol=2e-2)
def bfloat16(x):
    return F.layer_norm(x, (4,)).float().exp(), x * 2 + 1


@programs(of_type(torch.float16), rtol=2e-3)
def float16(x):
    return (x / 8).softmax(-1), x.sum(0, dtype=torch.float32)


@programs(of_type(torch.float64))
def float64(x):
    return x.sin() * 2, x.float().sum()


@programs(of_type(torch.int64), grad=False)
def integers(n):
    return n // 3, n % 3, n << 1, n >> 2, n ^ 5, -n, n / 2, n.float().mean()


@programs(of_type(torch.uint8), grad=False)
def bytes_that_wrap(n):
    return n + 200, n * 3, ~n, n - 1, n.sum()


@programs(of_type(torch.int8), grad=False)
def int8_that_wraps(n):
    return n * 2, n.abs(), n // 3, n.sum(0), n.max(1)


@programs(rows, grad=False)
def booleans(x):
    a, b = x > 0, x < 0.5
    return a & b, a ^ b, ~a, a.sum(0), a.any(1), b.all(), a + b


@programs(rows, grad=False)
def special_values(x):
    y = torch.where(x > 0, float("nan"), x)
    return torch.nan_to_num(y), y.isnan(), (x / 0).isinf(), torch.fmax(x, y), y.nansum()


@programs(rows)
def types_promoted(x):
    return x + torch.arange(4), x * torch.tensor(2.0, dtype=torch.float64), x.half() + x


@programs(rows)
def halves_summed_in_float(x):
    return x.to(torch.bfloat16).sum(dtype=torch.float32), x.to(torch.bfloat16).float().cumsum(0)


@programs(lambda n: (torch.randn(n, 4), torch.randint(0, 10, (n,)), torch.randn(10, 4)))
def embedding_and_loss(x, labels, table):
    return F.cross_entropy((x + F.embedding(labels, table)) @ table.t(), labels)


@programs(lambda n: (torch.randn(1, 2, n, 8), torch.randn(1, 2, n, 8)))
def attention(q, k):
    return F.scaled_dot_product_attention(q, k, k * 2, is_causal=True)


@programs(rows, grad=False)
def dropout_and_draws(x):
    return F.dropout(x * 2, 0.0), torch.rand_like(x).shape, torch.zeros_like(x).bernoulli_(1.0)
