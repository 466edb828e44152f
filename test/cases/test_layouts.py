"""Programs of depthwise convolutions: laid out otherwise inside, with eager's values, gradients, strides and aliasing outside."""

import pytest
import torch
import torch.nn.functional as F
from programs import Programs, check

programs = Programs()


def image_and_weights():
    return torch.randn(2, 6, 9, 8), torch.randn(6, 1, 3, 3), torch.randn(6, 6, 1, 1)


def depthwise(x, w):
    return F.conv2d(x, w, padding=1, groups=x.shape[1])


@programs(image_and_weights)
def residual_blocks(x, w, v):
    y = x
    for _ in range(3):
        y = F.conv2d(F.relu6(depthwise(y, w)), v) * 0.1 + y
    return y.mean((2, 3)), y


@programs(image_and_weights)
def squeeze_and_excite(x, w, v):
    y = depthwise(depthwise(x, w), w)
    return y * F.conv2d(y.mean((2, 3), keepdim=True), v).sigmoid()


@programs(image_and_weights)
def views_and_pools(x, w, v):
    y = F.silu(depthwise(depthwise(depthwise(x, w), w), w))
    pooled = F.max_pool2d(y, 2).flatten(1), F.avg_pool2d(y, 2).sum((0, 2))
    return y.flatten(1).sum(1), y.view(2, 6, 72).softmax(-1), *pooled, y.permute(0, 2, 3, 1)[0]


@programs(image_and_weights)
def joined_and_padded(x, w, v):
    y = torch.cat([depthwise(depthwise(x, w), w), x], 1)
    return F.interpolate(F.pad(y, (1, 0, 2, 1)), scale_factor=2.0).amax((2, 3)), y.argmax(1)


@programs(image_and_weights)
def aliases_of_results(x, w, v):
    y = depthwise(depthwise(depthwise(depthwise(depthwise(x, w), w), w), w), w)
    return y, y.view(2, -1), y


@programs(image_and_weights)
def written_images(x, w, v):
    y = depthwise(depthwise(depthwise(x, w), w), w)
    x.copy_(y * 2)
    return y.add_(1).sum()


@programs(lambda: (torch.randn(1, 1, 4, 4), torch.randn(4, 1, 3, 3), torch.randn(4, 4, 1, 1)))
def one_channel(x, w, v):
    y = F.conv2d(x, w)
    return depthwise(F.pad(y, (2, 2, 2, 2)), w).mean((2, 3)), F.conv2d(F.adaptive_avg_pool2d(y, 1), v)


@programs(image_and_weights)
def normalized_blocks(x, w, v):
    y = x
    for activation in (F.hardtanh, F.hardswish, F.elu, F.leaky_relu):
        y = F.conv2d(activation(F.batch_norm(depthwise(y, w), None, None, training=True)), v) + y
    return y.mean((2, 3))


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_depthwise(backend, program):
    check(backend, program.fn, program.make_inputs)


@pytest.mark.parametrize("program", [p for p in programs.all if p.name != "written_images"], ids=lambda p: p.name)
def test_gradients(backend, program):
    check(backend, program.fn, lambda: [t.requires_grad_() for t in program.make_inputs()], grad=True, rtol=1e-3)
