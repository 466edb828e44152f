"""Biases of convolutions that cuDNN computes are operators of their own, in forward and backward."""

import pytest
import torch
from mlirind.frontend.decompositions import convolution_biases
from mlirind.frontend.decompositions.table import decomposition_table
from mlirind.torch_internals import operators
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

aten = torch.ops.aten


@pytest.fixture
def cudnn_everywhere(monkeypatch):
    """PyTorch's tensors are on the CPU here, where it asks no cuDNN."""
    monkeypatch.setattr(convolution_biases, "is_cudnn_convolution", lambda *_: True)


CASES = {
    "1d": (F.conv1d, (2, 4, 9), (6, 4, 3), {"padding": 1}),
    "2d": (F.conv2d, (2, 4, 7, 8), (6, 2, 3, 3), {"stride": 2, "groups": 2}),
    "depthwise": (F.conv2d, (2, 4, 7, 8), (4, 1, 3, 3), {"padding": 1, "groups": 4}),
    "3d": (F.conv3d, (1, 2, 4, 5, 6), (3, 2, 2, 2, 2), {}),
    "transposed": (F.conv_transpose2d, (2, 4, 5, 6), (4, 3, 3, 3), {"stride": 2, "output_padding": 1}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("layout", ["contiguous", "channels_last"])
def test_results_are_those_of_eager(name, layout, cudnn_everywhere):
    call, image, kernel, keywords = CASES[name]
    if layout == "channels_last" and len(image) != 4:
        pytest.skip("a layout of images")
    torch.manual_seed(0)
    channels = 3 if name == "transposed" else kernel[0]
    made = torch.randn(image, dtype=torch.float64), torch.randn(kernel, dtype=torch.float64), torch.randn(channels, dtype=torch.float64)
    x, w, b = made
    if layout == "channels_last":
        x = x.contiguous(memory_format=torch.channels_last)

    def step(x, w, b):
        leaves = [t.detach().requires_grad_() for t in (x, w, b)]
        out = call(*leaves, **keywords)
        return out, *torch.autograd.grad(out.sin().sum(), leaves)

    graph = make_fx(step, decomposition_table())(x, w, b)
    convolutions = [n for n in graph.graph.nodes if n.target is aten.convolution.default]
    assert [n.args[2] for n in convolutions] == [None]
    (backward,) = [n for n in graph.graph.nodes if n.target is aten.convolution_backward.default]
    assert backward.args[3] is None
    assert list(backward.args[-1]) == [True, True, False]
    for found, wanted in zip(graph(x, w, b), step(x, w, b), strict=True):
        torch.testing.assert_close(found, wanted)
        assert found.stride() == wanted.stride()


def test_only_the_bias_has_a_gradient(cudnn_everywhere):
    x, w, g = torch.randn(2, 3, 5, 5), torch.randn(4, 3, 3, 3), torch.randn(2, 4, 3, 3)

    def gradients(g, x, w):
        return aten.convolution_backward(g, x, w, [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [False, False, True])[2]

    graph = make_fx(gradients, decomposition_table())(g, x, w)
    assert all(n.target is not aten.convolution_backward.default for n in graph.graph.nodes)
    torch.testing.assert_close(graph(g, x, w), g.sum((0, 2, 3)))


def test_other_libraries_take_the_bias(monkeypatch):
    """On the CPU, or where PyTorch does not choose cuDNN, the bias is an operand of the library's call."""
    x, w, b = torch.randn(2, 3, 5, 5), torch.randn(4, 3, 3, 3), torch.randn(4)
    graph = make_fx(F.conv2d, decomposition_table())(x, w, b)
    assert [n.args[2] is not None for n in graph.graph.nodes if n.target is aten.convolution.default] == [True]
    assert aten.convolution.default not in decomposition_table(on_cpu=True)


class OnGpu:
    """What `is_cudnn_convolution` looks at."""

    device = torch.device("cuda")

    def __init__(self, *shape):
        self.shape = shape


@pytest.mark.parametrize(("backend", "is_cudnn"), [("Cudnn", True), ("CudnnTranspose", True), ("CudaDepthwise2d", False), ("Empty", False)])
def test_pytorch_says_which_library(backend, is_cudnn, monkeypatch):
    monkeypatch.setattr(operators, "_convolution_kernel", lambda *_, **__: f"_ConvBackend.{backend}")
    rest = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    assert operators.is_cudnn_convolution(OnGpu(2, 3, 5, 5), OnGpu(4, 3, 3, 3), None, *rest) is is_cudnn
    assert not operators.is_cudnn_convolution(OnGpu(0, 3, 5, 5), OnGpu(4, 3, 3, 3), None, *rest)
    assert not operators.is_cudnn_convolution(torch.ones(2, 3, 5, 5), torch.ones(4, 3, 3, 3), None, *rest)


def test_without_the_question_the_library_takes_the_bias(monkeypatch):
    monkeypatch.setattr(operators, "_convolution_kernel", None)
    rest = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    assert not operators.is_cudnn_convolution(OnGpu(2, 3, 5, 5), OnGpu(4, 3, 3, 3), None, *rest)
