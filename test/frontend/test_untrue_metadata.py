"""Operators of which the tracer says other tensors than the kernels give run through FX, and give eager's results."""

import torch
from graphs import capture
from mlirind.frontend import untrue_metadata
from mlirind.frontend.compile import compile_graph
from mlirind.options import Options
from mlirind.runtime.report import collect_reports
from torch import fx


def test_sizes_that_were_traced_on_zeros():
    graph = fx.Graph()
    x, index = graph.placeholder("x"), graph.placeholder("index")
    found = graph.call_function(torch.ops.aten._unique.default, (index, False))
    first = graph.call_function(torch.ops.aten.select.int, (x, 0, 0))
    graph.output((found, first))
    given = torch.randn(5, 2), torch.tensor([2, 1, 4, 2])
    zeros = [torch.zeros_like(g) for g in given]
    for node, value in zip(graph.nodes, [*zeros, torch.ops.aten._unique(zeros[1], False), zeros[0][0]], strict=False):
        node.meta["val"] = value
    with collect_reports() as reports:
        run = compile_graph(fx.GraphModule(torch.nn.Module(), graph), Options())
    found, first = run(list(given))
    assert sorted(found[0].tolist()) == [1, 2, 4] and torch.equal(first, given[0][0])
    assert "depend on data" in reports[0].fallback


def part_of_a_transform(x):
    """As the gradient of irfft writes into the transform of the gradient."""
    y = torch.fft.rfft(x, dim=1)
    y[:, 1:3].mul_(2)
    return y


def test_writes_into_a_fourier_transform(monkeypatch, backend):
    x = torch.randn(2, 4, 3)
    want = part_of_a_transform(x)
    reasons = []
    for known in (True, False):
        monkeypatch.setattr(untrue_metadata, "fft_strides_are_true", lambda known=known: known)
        torch._dynamo.reset()
        with collect_reports() as reports:
            got = torch.compile(part_of_a_transform, backend=backend)(x)
        assert torch.equal(got, want) and got.stride() == want.stride()
        reasons += [report.fallback or "" for report in reports]
    assert not reasons or ("different strides" in reasons[1] and not reasons[0])


def test_the_tracer_is_asked_for_strides():
    """It knows them exactly if it gives the strides of the kernel; the answer is that of this build of PyTorch."""
    graphs = capture(lambda x: torch.fft.rfft(x, dim=1), torch.randn(2, 4, 3))
    (transform,) = [n for n in graphs[0].graph.nodes if "_fft_r2c" in str(n.target)]
    known = transform.meta["val"].stride() == torch.fft.rfft(torch.randn(2, 4, 3), dim=1).stride()
    assert untrue_metadata.fft_strides_are_true() == known
