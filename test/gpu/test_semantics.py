"""What eager does on GPUs beside values of whole tensors: failing assertions, casts out of range, determinism, scalars on the CPU."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from mlirind.frontend.backend import mlirind
from mlirind.runtime.report import collect_reports

STRICT = {"fallback": False}


def compiled(function, **options):
    return torch.compile(function, backend=mlirind, options=STRICT, **options)


INDEXING = {
    "index": "x[i]",
    "gather": "x.gather(0, i)",
    "embedding": "torch.nn.functional.embedding(i, x[:, None])",
    "scatter": "x.scatter_add(0, i, x[:2])",
}


@pytest.mark.parametrize("name", INDEXING)
def test_an_index_out_of_range_is_an_assertion_on_the_device(name):
    """After it the process has no GPU any more, as in eager: so it is another process."""
    code = (
        "import torch; from mlirind.frontend.backend import mlirind\n"
        "x, i = torch.randn(10, device='cuda'), torch.tensor([3, 10], device='cuda')\n"
        f"call = torch.compile(lambda x, i: {INDEXING[name]} * 2, backend=mlirind, options={{'fallback': False}})\n"
        "try:\n"
        "    call(x, i); torch.cuda.synchronize(); print('nothing')\n"
        "except RuntimeError as error:\n"
        "    print('device-side assert' in str(error))\n"
    )
    run = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert run.stdout == "True\n", run.stdout + run.stderr


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8, torch.bool], ids=str)
@pytest.mark.parametrize("source", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_casts_out_of_range(dtype, source):
    """What the machine's conversion gives."""
    values = [0.5, -0.5, 3e9, -3e9, 1e10, 1e30, -1e30, float("inf"), float("-inf"), float("nan"), 200.0, -200.0]
    x = torch.tensor(values, device="cuda").to(source)
    assert difference(x.to(dtype), compiled(lambda x: x.to(dtype))(x)) is None


def test_scattered_sums_are_deterministic_where_that_is_asked_for():
    def function(table, i, y):
        return table.index_add(0, i, y), F.embedding(i, table).sum(0), table.index_put((i,), y, accumulate=True)

    table, i, y = torch.randn(64, 32, device="cuda"), torch.randint(64, (5000,), device="cuda"), torch.randn(5000, 32, device="cuda")
    torch.use_deterministic_algorithms(True)
    try:
        call = compiled(function)
        first = call(table, i, y)
        assert difference(function(table, i, y)[0], first[0], rtol=0, atol=0) is None
        assert all(difference(first, call(table, i, y), rtol=0, atol=0) is None for _ in range(5))
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32], ids=str)
@pytest.mark.parametrize("scalar", [2.7, 3], ids=["float", "int"])
def test_tensors_without_dimensions_on_the_cpu(dtype, scalar):
    """Such a tensor may stand among operands on the GPU. It is read when the graph runs."""

    def function(x, c):
        return x * c + 1, c - x, torch.where(x > c, x, c), x / c, (x > c) & (c < 3), x.to(torch.float32).sin() * c

    call = compiled(function)
    x = torch.arange(-40, 40, device="cuda").to(dtype)
    for c in (torch.tensor(scalar), torch.tensor(scalar) + 1):
        assert difference(function(x, c), call(x, c), rtol=1e-6) is None


def test_launches_after_those_of_other_streams_and_devices():
    """What a call allocates and launches is on the current stream; PyTorch's current device stays."""
    call = compiled(lambda x: (x.sin() + 1).sum(1))
    x = torch.randn(64, 64, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()) as _:
        torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
        got = call(x)
    torch.cuda.synchronize()
    torch.testing.assert_close(got, (x.sin() + 1).sum(1))
    assert torch.cuda.current_device() == x.device.index


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_the_second_gpu():
    with collect_reports() as reports:
        call = compiled(lambda x: (x.softmax(1), x.sum(0) * 2))
        for device in ("cuda:1", "cuda:0", "cuda:1"):
            x = torch.randn(300, 70, device=device)
            got = call(x)
            torch.testing.assert_close(got, (x.softmax(1), x.sum(0) * 2))
            assert got[0].device == x.device and torch.cuda.current_device() == 0
    assert all(r.launches for r in reports)
