"""Conjugate and negative views, writes and memory that is shared."""

import torch

from .program import DYNAMIC, GraphPrograms, complex_rows, rows, rows_and_weights

programs = GraphPrograms()


@programs(complex_rows)
def conjugate(z):
    return z.conj() * 2 + z


@programs(complex_rows)
def conjugate_view_returned(z):
    return z.conj(), z.conj().imag, (z * 2).conj()


@programs(complex_rows)
def conjugate_transposed(z):
    return z.mH @ z, z.mH


@programs(lambda n: (torch.randn(n, 4, dtype=torch.complex64).conj(),), grad=False)
def conjugate_input(z):
    return z * 2, z.real, z.resolve_conj()


@programs(lambda n: (torch.randn(n, 4, dtype=torch.complex64).conj().imag,), grad=False)
def negative_input(x):
    return x + 1, x.t(), x.resolve_neg()


@programs(rows, recompiled=DYNAMIC)
def spectrum(x):
    z = torch.fft.rfft(x, dim=0)
    return z.abs().square(), torch.fft.irfft(z, n=x.shape[0], dim=0)


@programs(lambda n: (torch.randn(n, 8), torch.randn(5, dtype=torch.complex64)))
def spectral_convolution(x, filter):
    return torch.fft.irfft(torch.fft.rfft(x) * filter, n=8).relu()


@programs(complex_rows)
def inverse_spectrum(z):
    return torch.fft.ifft(z * 2).real + 1


@programs(lambda n: (torch.randn(2, n, 3, 8), torch.randn(n, 4)))
def rotary_embedding_by_complex_products(q, angles):
    turns = torch.polar(torch.ones_like(angles), angles)
    z = torch.view_as_complex(q.reshape(*q.shape[:-1], -1, 2)) * turns[None, :, None]
    return torch.view_as_real(z).flatten(3)


@programs(rows_and_weights)
def complex_from_parts(x, w):
    z = torch.complex(x, x.cos()) @ torch.complex(w, w * 2)
    return z.real * z.imag, z.angle().sin()


@programs(complex_rows, rtol=1e-4)
def complex_functions(z):
    return z.exp() * z.abs(), (z * z.conj()).real.sqrt(), z.sum(0)


@programs(rows)
def halves_as_other_bits(x):
    return x.view(torch.int32) + 1, (x * 2).half().view(torch.int16)


@programs(rows)
def strided_view(x):
    return torch.as_strided(x * 2, (x.shape[0] - 1, 2), (4, 2), 1) + 1


@programs(rows)
def views_returned(x):
    return x[1:], x.t(), x.view(-1), x.unsqueeze(0).expand(3, -1, -1)


@programs(rows)
def view_of_a_result_returned(x):
    y = x.sin()
    return y, y[1:], y.t(), x


@programs(rows, grad=False)
def written_input(x):
    x.add_(1)
    return x * 2


@programs(rows, grad=False)
def written_view_of_an_input(x):
    x[1:].mul_(2)
    x.t()[0].zero_()
    return x.sum()


@programs(rows_and_weights, grad=False)
def data_assigned(x, w):
    y = x * 2
    x.data = y
    return x + 1


@programs(rows, grad=False)
def data_written(x):
    x.data.mul_(2)
    return x.sin()


@programs(lambda n: (lambda x: (x, x[1:]))(torch.randn(n, 4)), grad=False)
def inputs_that_share_memory(x, y):
    y.add_(1)
    return x * 2


@programs(lambda n: (lambda x: (x, x))(torch.randn(n, 4)))
def one_tensor_twice(x, y):
    return x.sin() + y * 2


@programs(rows, grad=False)
def shape_changed_in_place(x):
    y = x * 2
    y.t_().unsqueeze_(0)
    return y.sin(), y.squeeze_(0)


@programs(rows_and_weights)
def written_intermediate(x, w):
    y = x @ w
    y[:, 1] = x[:, 0]
    y[2:].add_(1).clamp_(min=0)
    return y


@programs(rows)
def broadcast_then_written(x):
    y = x[:1].expand(4, -1).clone()
    y[1] += x.sum(0)
    return y


@programs(lambda n: (torch.randn(n, 4), torch.empty(n, 4)), grad=False)
def result_in_an_argument(x, out):
    torch.add(x, 1, out=out)
    return out * 2


@programs(lambda n: (torch.randn(n, 4), torch.zeros(n, 4, dtype=torch.float64)), grad=False)
def copied_to_another_dtype(x, y):
    y.copy_(x)
    return y + 1


@programs(lambda n: (torch.randn(n, 4), torch.tensor([1, 0, 2]), torch.randn(3, 4)), grad=False)
def cache_written_at_positions(cache, at, new):
    cache.index_copy_(0, at, new)
    cache[at, 1] = 5.0
    return cache.sum(0)


@programs(lambda n: (torch.randn(n, 4), torch.randint(0, 4, (n, 2))))
def scattered(x, at):
    return torch.zeros_like(x).scatter_add(1, at, x[:, :2]), x.gather(1, at)


@programs(lambda n: (torch.randn(n, 4), torch.zeros(4), torch.ones(4)), grad=False)
def running_statistics(x, mean, variance):
    return torch.nn.functional.batch_norm(x, mean, variance, training=True) * 2


@programs(lambda n: (torch.randn(n, 4), torch.zeros(4), torch.ones(4), torch.zeros((), dtype=torch.int64)), grad=False)
def counter_beside_statistics(x, mean, variance, seen):
    seen.add_(1)
    mean.lerp_(x.mean(0), 0.1)
    return (x - mean) / variance.sqrt() * seen


@programs(rows)
def detached_view_written(x):
    y = x * 2
    y.detach().mul_(3)
    return y.sin()
