"""Programs on a GPU against eager: every kind of kernel, dtypes, sizes, streams, threads, CUDA graphs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from mlirind.frontend.backend import mlirind
from mlirind.runtime.report import collect_reports
from torch.utils._pytree import tree_leaves

STRICT = {"fallback": False}
FLOATS = [torch.float32, torch.bfloat16, torch.float16, torch.float64]

PROGRAMS = {
    "pointwise": lambda x, y: (x * y + 1, F.gelu(x), torch.tanh(x) / (1 + y * y), x.exp() - y.sin(), (x > y).to(x.dtype)),
    "math": lambda x, y: (torch.erf(x), torch.log1p(y.abs()), torch.pow(x.abs(), y), torch.atan2(x, y), x.rsqrt(), x.sigmoid()),
    "broadcast": lambda x, y: (x + y[:1], x * y[:, :1], x[0] - y),
    "transpose": lambda x, y: (x.t() + y.t(), (x.t() * 2).contiguous()),
    "sum": lambda x, y: (x.sum(), x.sum(0), x.sum(1), (x * y).mean(-1, keepdim=True)),
    "extremes": lambda x, y: (x.amax(0), y.amin(1), x.argmax(1), y.argmin(0), x.max(1)),
    "variance": lambda x, y: (x.var(1), y.var(0), torch.var_mean(x)),
    "softmax": lambda x, y: (x.softmax(-1), y.log_softmax(0), (x * y).softmax(1).sum(0)),
    "layer norm": lambda x, y: F.layer_norm(x * 2, (x.shape[1],)) + y,
    "scan": lambda x, y: ((x.abs() + 1).cumsum(0), (y.abs() + 1).cumsum(1)),
    "gather": lambda x, y: (x[y.argmax(0) % x.shape[0]], x.gather(1, y.argsort(1))),
    "joining": lambda x, y: (torch.cat([x, y * 2], 1), torch.stack([x, y]), F.pad(x, (1, 2))),
    "views": lambda x, y: (x[1:, 3:] * 2, y.flip(1) + x, x.reshape(-1)[5:] - 1),
    "write": lambda x, y: (x.clone().add_(y), torch.zeros_like(x).scatter_(1, y.argsort(1), x)),
    "scatter": lambda x, y: torch.zeros_like(x).index_add(0, torch.arange(x.shape[0], device=x.device) // 2, y),
    "library": lambda x, y: F.relu(x @ y.t()) + 1,
    "steps": lambda x, y: (x[:, ::2] * 2, y[::2, ::3] + 1, F.max_pool1d(x, 3, 2, 1)),
    "cpu scalar": lambda x, y: x * torch.tensor(2.0) + y,
}
SIZES = [(16, 64), (33, 100), (5, 1), (1, 4097), (700, 33)]


def inputs_of(sizes, dtype):
    torch.manual_seed(0)
    return [torch.randn(sizes, device="cuda").to(dtype) for _ in range(2)]


def tolerance(dtype):
    return {torch.float32: 1e-4, torch.float64: 1e-10, torch.bfloat16: 4e-2, torch.float16: 5e-3}[dtype]


def check(function, *inputs, dtype=torch.float32, **options):
    rtol = tolerance(dtype)
    want = function(*[t.clone() for t in inputs])
    got = torch.compile(function, backend=mlirind, options=STRICT, **options)(*[t.clone() for t in inputs])
    assert difference(want, got, rtol, rtol) is None


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, dtype):
    if name == "scan" and dtype in (torch.bfloat16, torch.float16):
        pytest.skip("eager rounds every partial sum on CUDA: test_scans_of_half_types")
    for sizes in SIZES:
        torch._dynamo.reset()
        check(PROGRAMS[name], *inputs_of(sizes, dtype), dtype=dtype, dynamic=False)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_scans_of_half_types(dtype):
    """The sums are rounded once: closer to the exact ones than eager's."""
    x = inputs_of((700, 33), dtype)[0]
    exact = x.double().cumsum(0)
    got = torch.compile(lambda x: x.cumsum(0), backend=mlirind, options=STRICT)(x)
    assert got.dtype == dtype and (got - exact).abs().max() <= (x.cumsum(0) - exact).abs().max()


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_with_symbolic_sizes(name):
    compiled = torch.compile(PROGRAMS[name], backend=mlirind, options=STRICT, dynamic=True)
    for sizes in SIZES[:2]:
        inputs = inputs_of(sizes, torch.float32)
        assert difference(PROGRAMS[name](*inputs), compiled(*inputs), 1e-4, 1e-4) is None


@pytest.mark.parametrize("name", ["pointwise", "sum", "variance", "softmax", "layer norm", "views", "library", "gather"])
def test_gradients(name):
    def loss(x, y):
        outputs = tree_leaves(PROGRAMS[name](x, y))
        return sum(t.float().square().mean() for t in outputs if t.requires_grad)

    inputs = [t.requires_grad_() for t in inputs_of((33, 100), torch.float32)]
    want = torch.autograd.grad(loss(*inputs), inputs, allow_unused=True)
    got = torch.autograd.grad(torch.compile(loss, backend=mlirind, options=STRICT)(*inputs), inputs, allow_unused=True)
    assert difference(want, got, 1e-3, 1e-5) is None


@pytest.mark.parametrize("sizes", [(32, 262144), (262144, 32), (3, 1 << 20), (1, 1 << 22), (4096, 4096)])
def test_long_and_narrow(sizes):
    x = torch.randn(sizes, device="cuda")
    want = x.double()
    got = torch.compile(lambda x: (x.sum(0), x.sum(1), x.softmax(1), x.amax(0), x.argmax(1)), backend=mlirind, options=STRICT)(x)
    torch.testing.assert_close(got[0], want.sum(0).float(), rtol=1e-3, atol=2e-2)
    torch.testing.assert_close(got[1], want.sum(1).float(), rtol=1e-3, atol=2e-2)
    torch.testing.assert_close(got[2], want.softmax(1).float(), rtol=1e-3, atol=1e-6)
    assert torch.equal(got[3], x.amax(0)) and torch.equal(got[4], x.argmax(1))


def test_more_elements_than_32_bits_count():
    x = torch.ones(1 << 16, (1 << 15) + 8, device="cuda", dtype=torch.int8)
    got = torch.compile(lambda x: x + 1, backend=mlirind, options=STRICT)(x)
    assert int(got[-1].sum()) == 2 * x.shape[1] and got.float().mean() == 2


def test_kernels_run_and_little_else():
    with collect_reports() as reports:
        torch.compile(PROGRAMS["softmax"], backend=mlirind, options=STRICT)(*inputs_of((64, 128), torch.float32))
    (report,) = reports
    assert report.launches and not report.called, str(report)


def test_misaligned_inputs():
    base = torch.randn(4097, device="cuda")
    compiled = torch.compile(lambda x: x * 3 + 1, backend=mlirind, options=STRICT, dynamic=False)
    for start in (0, 1, 0, 1):
        x = base[start : start + 4096]
        torch.testing.assert_close(compiled(x), x * 3 + 1)


def test_another_stream_and_threads():
    compiled = torch.compile(lambda x: (x.sin() + 1).sum(1), backend=mlirind, options=STRICT, dynamic=False)
    x = torch.randn(512, 512, device="cuda")
    want = (x.sin() + 1).sum(1)
    torch.testing.assert_close(compiled(x), want)
    wrong = []

    def work():
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
                for _ in range(20):
                    got = compiled(x)
                torch.cuda.current_stream().synchronize()
            torch.testing.assert_close(got, want)
        except Exception as error:
            wrong.append(error)

    for count in (1, 4):  # one alone first: should Dynamo compile again for another thread, it can't in several at once
        threads = [threading.Thread(target=work) for _ in range(count)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert wrong == []


def test_the_users_own_cuda_graph():
    compiled = torch.compile(lambda x: (x.sin() @ x).softmax(1), backend=mlirind, options=STRICT)
    x = torch.randn(64, 64, device="cuda")
    compiled(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = compiled(x)
    for _ in range(3):
        x.copy_(torch.randn(64, 64, device="cuda"))
        graph.replay()
        torch.testing.assert_close(y, (x.sin() @ x).softmax(1), rtol=1e-4, atol=1e-5)


def test_no_compiler_is_on_the_path(tmp_path):
    code = (
        "import torch; from mlirind.frontend.backend import mlirind\n"
        "x = torch.randn(100, 100, device='cuda')\n"
        "y = torch.compile(lambda x: (x.sin() + 1).softmax(1), backend=mlirind, options={'fallback': False})(x)\n"
        "torch.testing.assert_close(y, (x.sin() + 1).softmax(1)); print('right')"
    )
    caches = {"MLIRIND_CACHE_DIR": str(tmp_path), "TRITON_CACHE_DIR": str(tmp_path / "triton")}
    environment = {**os.environ, **caches, "PATH": "", "CC": "false"}
    run = subprocess.run([sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout == "right\n", run.stderr


def test_the_fastest_variant_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    x = torch.randn(4096, 1000, device="cuda")
    for _ in range(2):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: (x.softmax(1), x.sum(0)), backend=mlirind, mode="max-autotune-no-cudagraphs")
        for _ in range(2):
            torch.testing.assert_close(compiled(x), (x.softmax(1), x.sum(0)), rtol=1e-4, atol=1e-4)
    assert list((tmp_path / "tuned").iterdir())
