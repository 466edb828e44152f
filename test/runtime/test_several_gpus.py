"""Graphs with tensors on other GPUs than the current one, and on several: without a GPU, by what the fake one is asked for."""

from __future__ import annotations

import pytest
import torch
from fake_gpu import backend_on, fake_gpu
from test_cuda import host_module, needs_no_second_gpu
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def test_a_graph_on_another_gpu_than_the_current_one():
    with fake_gpu() as gpu:
        backend = backend_on({"host": "python"}, lambda tensor: "cuda:1")  # the native function's guard is PyTorch's own
        compiled = torch.compile(lambda x: (x.sin().sum(), x @ x + 1), backend=backend)
        x = torch.randn(8, 8)
        torch.testing.assert_close(compiled(x), (x.sin().sum(), x @ x + 1))
    assert {(launch.device, launch.stream) for launch in gpu.launches} == {(1, 701)} and gpu.current == 0


def test_a_graph_on_two_gpus():
    """Each launch is on its device and that one's stream, scratch memory too; calls in between are where the caller was."""
    with fake_gpu() as gpu:
        backend = backend_on(device_of=lambda tensor: "cuda:1" if tensor.dtype == torch.float64 else "cuda:0")
        x, y = torch.randn(2, 40000), torch.randn(2, 40000, dtype=torch.float64)
        got = torch.compile(lambda x, y: (x.sum(1), y.sum(1), x + 1, y * 2), backend=backend)(x, y)
        torch.testing.assert_close(got, (x.sum(1), y.sum(1), x + 1, y * 2))
    assert {(launch.device, launch.stream) for launch in gpu.launches} == {(0, 700), (1, 701)} and gpu.current == 0


@needs_no_second_gpu
def test_a_device_without_a_number_is_that_of_the_tensor():
    """Of several GPUs the current one: that may be another while the graph runs."""
    with FakeTensorMode():
        graph = make_fx(lambda a: [a.sin(), torch.rand(4, device="cuda:1")])(torch.empty(4, device="cuda:1"))
    (call,) = graph.graph.find_nodes(op="call_function", target=torch.ops.aten.rand.default)
    call.kwargs = {**call.kwargs, "device": torch.device("cuda")}
    assert '#aten.enum<"device", "cuda:1">' in str(host_module(graph))
