"""Operators whose kernels lay out results otherwise than PyTorch's meta functions say: strides and gradients are eager's."""

import pytest
import torch
import torch.nn.functional as F
from programs import HERE, ON_GPU, Programs, check

programs = Programs()
without_gradients = Programs()


def channels_last(*sizes):
    format_ = torch.channels_last if len(sizes) == 4 else torch.channels_last_3d
    return torch.randn(*sizes).to(memory_format=format_).requires_grad_()


def permuted(*order):
    return torch.randn(5, 3, 2, 4).permute(order).requires_grad_()


@programs(lambda: (channels_last(2, 3, 4, 5), channels_last(2, 3, 2, 4, 5), permuted(3, 1, 0, 2)))
def rolled(x, y, z):
    return x.roll(1, 2), x.roll((1, -2), (3, 0)) + 1, y.roll(2, -1), z.roll(1, 0), x.roll(3)


@programs(lambda: (permuted(3, 1, 0, 2), permuted(0, 2, 1, 3), channels_last(2, 3, 4, 5)))
def normalized_batches(x, y, z):
    return [F.batch_norm(image, None, None, training=True) for image in (x, y, z)]


@programs(lambda: (permuted(3, 1, 0, 2), torch.randn(3), torch.rand(3) + 1, torch.randn(3, requires_grad=True)))
def normalized_by_running_statistics(x, mean, variance, weight):
    y = F.batch_norm(x, mean, variance, weight)
    return y, y * 2, F.batch_norm(x[..., 0], mean, variance, weight, training=True)


@programs(lambda: (channels_last(2, 3, 4, 5), torch.randn(2, 3, 4, 5), torch.randn(1, 6), torch.randn(6, 4).t()))
def elementwise_losses(x, y, row, columns):
    """Both are laid out as `torch.empty_like` of the first operand, after it is expanded."""
    pairs = ((x, y), (y, x), (columns, columns.contiguous()), (row.expand(4, 6), columns))
    huber = [F.huber_loss(a, b, reduction="none") for a, b in pairs]
    return huber, [F.binary_cross_entropy(a.sigmoid(), b.sigmoid(), reduction="none") for a, b in pairs[:3]]


@without_gradients(lambda: (torch.randn(10, 5).t().contiguous().t(), torch.randn(10, 1, 5), torch.randn(5).half(), torch.tensor(2.0)))
def broadcast(x, y, halves, number):
    logical = [f(y, x) for f in (torch.logical_and, torch.logical_or, torch.logical_xor)]
    turned = [f(y, x) for f in (torch.heaviside, torch.logaddexp, torch.logaddexp2, torch.ldexp)]
    return (
        *logical,
        *turned,
        torch.copysign(x, y),
        torch.floor_divide(x, y),
        x // 2,
        torch.div(x, y, rounding_mode="floor"),
        torch.xlogy(y, x),
        torch.copysign(x, number),
        torch.logical_and(number, y),
        torch.copysign(halves, number),
        2.0**x,
    )


def halves():
    row, columns = torch.rand(6).bfloat16().expand(4, 6), torch.rand(6, 4).bfloat16().t()
    return row, columns, torch.rand(2, 1, 5).half().expand(2, 3, 5), torch.rand(5, 3, 2).half().permute(2, 1, 0)


@without_gradients(halves)
def of_halves(row, columns, blocks, turned):
    """PyTorch's meta functions convert half types to float32 first, and an expanded operand becomes dense."""
    two = (torch.add, torch.sub, torch.rsub, torch.mul, torch.div, torch.remainder, torch.fmod, torch.pow, torch.atan2, torch.hypot)
    extrema = (torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.clamp_min, torch.clamp_max, torch.clamp)
    comparisons = (torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge)
    losses = (F.mse_loss(row, columns, reduction="none"), F.l1_loss(blocks, turned, reduction="none"))
    results = [f(x, y) for f in (*two, *extrema, *comparisons) for x, y in ((row, columns), (blocks, turned), (turned, blocks))]
    return *results, *losses, torch.igamma(row, columns), torch.igammac(row, columns), 2 - row, row + columns.float()


# Operands that are laid out otherwise than each other: the first one that is not broadcast has the result's order of dimensions.
OF_TWO = {
    "copysign": torch.copysign,
    "floor_divide": torch.floor_divide,
    "div_floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "div_trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "heaviside": torch.heaviside,
    "logaddexp": torch.logaddexp,
    "ldexp": torch.ldexp,
    "logical_and": torch.logical_and,
}
LAID_OUT = [
    ((4, 6), lambda: (torch.rand(4, 6), torch.rand(6, 4).t()), (6, 1)),
    ((4, 6), lambda: (torch.rand(6, 4).t(), torch.rand(4, 6)), (1, 4)),
    ((4, 6), lambda: (torch.rand(4, 12)[:, ::2], torch.rand(6, 4).t()), (6, 1)),
    ((4, 6), lambda: (torch.rand(1, 6).expand(4, 6), torch.rand(6, 4).t()), (1, 4)),
    ((2, 4, 6), lambda: (torch.rand(2, 4, 6), torch.rand(6, 4).t()), (24, 6, 1)),
    ((2, 3, 4, 5), lambda: (torch.rand(2, 3, 4, 5), channels_last(2, 3, 4, 5).detach()), (60, 20, 5, 1)),
    ((2, 3, 4, 5), lambda: (channels_last(2, 3, 4, 5).detach(), torch.rand(2, 3, 4, 5)), (60, 1, 15, 3)),
]


@pytest.mark.parametrize("number", range(len(LAID_OUT)))
def test_results_are_laid_out_as_the_first_operand(backend, number):
    sizes, inputs, strides = LAID_OUT[number]
    x, y = inputs()

    def results(x, y):
        return {name: function(x, y) for name, function in OF_TWO.items()}

    found = torch.compile(results, backend=backend, dynamic=False)(x, y)
    for name, want in results(x, y).items():
        got = found[name]
        assert (got.shape, got.stride()) == (sizes, want.stride()), name
        torch.testing.assert_close(got, want, equal_nan=True)
        if name in ("copysign", "floor_divide", "xlogy", "xlog1py"):
            assert got.stride() == strides, name


@programs(lambda: (channels_last(2, 4, 4, 5), channels_last(2, 4, 2, 4, 5), torch.randn(2, 4, 3, 5).transpose(2, 3)))
def whole_in_another_layout(x, y, z):
    shuffled = () if ON_GPU else (F.channel_shuffle(x, 2), F.channel_shuffle(y, 2))  # there eager refuses them
    return *shuffled, F.logsigmoid(x), F.logsigmoid(z)


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(backend, program):
    check(backend, program.fn, program.make_inputs, grad=True)


@pytest.mark.parametrize("program", without_gradients.all, ids=lambda p: p.name)
def test_inference(backend, program):
    check(backend, program.fn, program.make_inputs)


def test_no_elements_to_unshuffle(backend):
    check(backend, lambda x, y: (F.pixel_unshuffle(x, 2), F.pixel_unshuffle(y, 2)), lambda: (torch.randn(0, 4, 4), torch.randn(2, 3, 4, 6)))


WITH_GAPS = {
    "transposed_block": lambda: torch.arange(36.0, device=HERE).view(4, 9)[0:3, 3:7].mT,
    "block": lambda: torch.arange(36.0, device=HERE).view(4, 9)[0:3, 3:7],
    "transposed": lambda: torch.arange(12.0, device=HERE).view(3, 4).mT,
    "expanded": lambda: torch.arange(3.0, device=HERE).expand(4, 3).mT,
}


@pytest.mark.parametrize("name", WITH_GAPS)
@pytest.mark.parametrize("dynamic", [None, True], ids=["sizes", "symbols"])
def test_index_fill_with_gaps(backend, name, dynamic):
    """The result is a clone of `x`: it has the order of its strides."""

    def fn(x, index):
        return torch.index_fill(x, 0, index, 3), torch.index_fill(x, 1, index, torch.tensor(2.0, device=HERE))

    x, index = WITH_GAPS[name](), torch.tensor([0], device=HERE)
    for expected, found in zip(fn(x, index), torch.compile(fn, backend=backend, dynamic=dynamic)(x, index), strict=True):
        assert torch.equal(expected, found) and found.stride() == expected.stride()
