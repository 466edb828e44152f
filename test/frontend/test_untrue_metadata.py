"""Operators of which the tracer says other tensors than the kernels give run through FX, and give eager's results."""

import pytest
import torch
from graphs import capture
from mlirind.frontend.compile import compile_graph
from mlirind.frontend.counters import counters
from mlirind.frontend.importing import untrue_metadata
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


def scatters(x, y, column):
    """Rows that are one in memory, and columns; the operators put them apart."""
    rows, columns = x[1:].expand(3, x.shape[0] - 1), column[:, ::2].expand(column.shape[0], 4)
    yield torch.slice_scatter(rows, rows.narrow(0, 0, 1) + 1, 0, 1, 2)
    yield torch.select_scatter(columns, columns[:, 1] * 2, 1, 2)
    yield torch.diagonal_scatter(columns.permute(1, 0), columns.diagonal() * 3)
    yield torch.as_strided_scatter(rows, y, (2,), (1,), 1)


def three_scatters(x, y, column):
    """Without the one whose place symbolic sizes leave open."""
    return list(scatters(x, y, column))[:3]


@pytest.mark.parametrize("dynamic", [False, True])
def test_scatters_into_expanded_tensors(dynamic, backend):
    """The strides are those of the kernels, whatever the tracer says of them; nothing runs through FX."""
    inputs = torch.arange(5.0), torch.arange(2.0), torch.arange(6.0).view(6, 1)
    fn = three_scatters if dynamic else lambda *given: list(scatters(*given))
    want = fn(*inputs)
    with collect_reports() as reports:
        got = torch.compile(fn, backend=backend, dynamic=dynamic)(*inputs)
    assert not any(report.fallback for report in reports)
    for expected, found in zip(want, got, strict=True):
        assert torch.equal(expected, found) and expected.stride() == found.stride()


def part_of_a_transform(x):
    """As the gradient of irfft writes into the transform of the gradient."""
    y = torch.fft.rfft(x, dim=1)
    y[:, 1:3].mul_(2)
    return y


def test_writes_into_a_fourier_transform(monkeypatch, backend):
    x = torch.randn(2, 4, 3)
    want = part_of_a_transform(x)
    parts = []
    answers = [True, False] if untrue_metadata.fft_strides_are_true() else [False]
    for known in answers:
        monkeypatch.setattr(untrue_metadata, "fft_strides_are_true", lambda known=known: known)
        torch._dynamo.reset()
        with collect_reports() as reports:
            got = torch.compile(part_of_a_transform, backend=backend)(x)
        assert torch.equal(got, want) and got.stride() == want.stride()
        assert not any(report.fallback for report in reports)
        parts.append(len(reports))
    assert parts[-1] > 1  # cut at the call whose strides are not known


def test_the_tracer_is_asked_for_strides():
    """It knows them exactly if it gives the strides of the kernel; the answer is that of this build of PyTorch."""
    graphs = capture(lambda x: torch.fft.rfft(x, dim=1), torch.randn(2, 4, 3))
    (transform,) = [n for n in graphs[0].graph.nodes if "_fft_r2c" in str(n.target)]
    known = transform.meta["val"].stride() == torch.fft.rfft(torch.randn(2, 4, 3), dim=1).stride()
    assert untrue_metadata.fft_strides_are_true() == known


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamic", [False, True])
def test_quantized_tensors(dynamic, fresh_counters):
    """The tracer takes them for tensors of float32."""

    def quantized(x):
        return torch.quantize_per_tensor(x * 2, 0.1, 0, torch.quint8)

    x = torch.randn(3, 4)
    found, want = torch.compile(quantized, backend="mlirind", dynamic=dynamic)(x), quantized(x)
    assert found.dtype == torch.quint8 and found.q_scale() == want.q_scale()
    assert torch.equal(found.int_repr(), want.int_repr())
    assert ["quantized tensors" in reason for reason in counters.fallbacks] == [True]


@pytest.mark.filterwarnings("ignore")
def test_a_quantized_tensor_is_read(fresh_counters):
    def rounded(x):
        return torch.quantize_per_tensor(x * 2, 0.1, 0, torch.quint8).dequantize() + 1

    x = torch.randn(3, 4)
    assert torch.equal(torch.compile(rounded, backend="mlirind", dynamic=False)(x), rounded(x))
    assert len(counters.fallbacks) == 1
