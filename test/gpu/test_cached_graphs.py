"""Compiled graphs on a GPU from the cache on disk: they give what compiled ones give, bit for bit, without a compiler."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from mlirind.disk_cache import container, folder
from mlirind.frontend.counters import counters
from mlirind.tools.backends import find_backend

COMPILER = ("torch_mlir", "llvmlite", "mlirind.passes", "mlirind.lowering", "mlirind.frontend.tracing")


def kernels(x, w):
    return torch.softmax(x @ w, -1), F.gelu(x).sum(1), x.amax(), x.cumsum(0)


def norms(x, w):
    return F.layer_norm(F.gelu(x @ w), (384,)).softmax(-1)


def attention(x, w):
    q, k, v = (x @ w).view(16, 32, 3, 4, 32).permute(2, 0, 3, 1, 4)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(16, 32, 128)


def operators(x, w):
    return x.topk(3), x.sort(), w.exp().cumsum(1) @ w.t()


def convolves(x, w):
    return F.conv2d(x.view(4, 16, 16, 64), w[:32, :144].reshape(32, 16, 3, 3), padding=1).relu().mean((2, 3))


def writes(x, w):
    x.add_(1)
    x[0].mul_(2)
    return x @ w


def shares(x, w):
    return x.view(-1), x[1:], x.t(), w + 1


def holds(x, w):
    return x * torch.tensor(2.5), x + torch.arange(128, device="cuda"), w.sum(0) * torch.tensor(3.0, device="cuda")


def drops(x, w):
    return F.dropout(x, 0.3) @ w, torch.rand_like(x)


def autocasts(x, w):
    with torch.autocast("cuda", torch.bfloat16):
        return F.linear(x, w.t()).relu().sum(-1)


def odd(x, w):
    return x[:, 1:].sin() + x[:, :-1].cos(), w.view(-1)[3:] * 2


def long_rows(x, w):
    return x.view(1, -1).softmax(-1), w.view(1, -1).sum()


OPTIONS = {"cache": True, "fallback": False, "verify_each": False}
# Program, whether it is trained, whether sizes are symbolic, number of graphs, options.
PROGRAMS = {
    "kernels": (kernels, False, False, 1, {}),
    "norms": (norms, True, False, 2, {}),
    "attention": (attention, True, False, 2, {}),
    "operators": (operators, False, False, 1, {}),
    "a convolution": (convolves, True, False, 2, {}),
    "written inputs": (writes, False, False, 1, {}),
    "outputs that share memory": (shares, False, False, 1, {}),
    "constants": (holds, False, False, 1, {}),
    "random numbers of ATen": (drops, True, False, 2, {}),
    "random numbers of kernels": (drops, True, False, 2, {"fallback_random": False}),
    "autocast": (autocasts, True, False, 2, {}),
    "addresses that are no multiples of 16": (odd, True, False, 2, {}),
    "scratch memory": (long_rows, False, False, 1, {}),
    "captured calls": (norms, True, False, 2, {"cuda_graphs": True}),
    "replayed calls": (kernels, False, False, 1, {"replay": True}),
    "timed schedules": (kernels, False, False, 1, {"max_autotune": True}),
    "symbolic sizes": (kernels, False, True, 1, {}),
    "symbolic training": (norms, True, True, 2, {}),
}


def inputs(trains):
    torch.manual_seed(0)
    return [torch.randn(512, 128, device="cuda").requires_grad_(trains), torch.randn(128, 384, device="cuda").requires_grad_(trains)]


def results(function, trains):
    """Results, inputs after the call, gradients."""
    given = inputs(trains)
    with torch.set_grad_enabled(trains):
        made = torch.utils._pytree.tree_leaves(function(*given))
        if trains:
            sum(t.float().square().mean() for t in made).backward()
    return [t.detach().clone() for t in (*made, *given, *(i.grad for i in given if trains))]


def run(name):
    """Compiles a program anew; its results in four calls, and the counts of the cache."""
    program, trains, dynamic, _, options = PROGRAMS[name]
    torch._dynamo.reset()
    counters.reset()
    function = torch.compile(program, backend=find_backend("mlirind"), dynamic=dynamic, options=OPTIONS | options)
    return [t for _ in range(4) for t in results(function, trains)], dict(counters.cache)  # the fourth call replays a capture


def counts_of(name, wanted):
    return {wanted: PROGRAMS[name][3], f"traced {wanted}": 1}


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_that_is_found_gives_the_same_bits(name):
    made, counts = run(name)
    assert counts == counts_of(name, "miss")
    for after_tracing in (False, True):
        if after_tracing:
            forget_traced()
        found, counts = run(name)
        assert counts == ({"hit": PROGRAMS[name][3], "traced miss": 1} if after_tracing else counts_of(name, "hit"))
        assert all(torch.equal(a, b) and a.stride() == b.stride() for a, b in zip(made, found, strict=True))


def forget_traced():
    """Removes the files that keep what AOTAutograd made."""
    for entry in folder.cached_files():
        if "has_gradient" in container.unpack_entry(entry.key, entry.path.read_bytes())[0]:
            entry.path.unlink()


def test_other_sizes_compile_other_code():
    for wanted in ("miss", "hit"):
        torch._dynamo.reset()
        counters.reset()
        function = torch.compile(lambda x: torch.softmax(x * 2, -1), backend=find_backend("mlirind"), dynamic=True, options=OPTIONS)
        for rows, columns in ((32, 64), (33, 63), (7, 3000)):
            x = torch.randn(rows, columns, device="cuda")
            torch.testing.assert_close(function(x), torch.softmax(x * 2, -1))
        assert set(counters.cache) == {wanted, f"traced {wanted}"}


def test_another_process_needs_no_compiler(tmp_path):
    for wanted in ("miss", "hit"):
        paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "MLIRIND_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(paths)}
        command = [sys.executable, "-c", f"import test_cached_graphs as t; t.main({wanted!r}, {str(tmp_path / 'results')!r})"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def main(wanted, path):
    """All programs in this process: the results are kept, or compared with those that were."""
    results = {}
    for name in PROGRAMS:
        made, counts = run(name)
        assert counts == counts_of(name, wanted), (name, counts)
        results[name] = [t.cpu() for t in made]
    if wanted == "miss":
        torch.save(results, path)
        return
    kept = torch.load(path)
    different = [name for name, made in results.items() if not all(map(torch.equal, made, kept[name]))]
    imported = [name for name in COMPILER if name in sys.modules]
    assert not different and not imported, (different, imported)


@pytest.mark.parametrize("trains", [False, True])
@torch._dynamo.config.patch(enable_aot_compile=True)  # PyTorch 2.11 has it off
def test_a_function_of_aot_compile_in_a_file(trains):
    x, w = torch.randn(512, 128, device="cuda"), torch.randn(128, 384, device="cuda", requires_grad=trains)
    with torch.set_grad_enabled(trains):
        made = torch.compile(norms, backend="mlirind", fullgraph=True).aot_compile(((x, w), {}))
        torch._dynamo.reset()
        data = io.BytesIO(type(made).serialize(made).serialized_data)
        results = [function(x, w) for function in (made, torch.compiler.load_compiled_function(data, f_globals=globals()))]
    assert torch.equal(*results)
    if trains:
        gradients = [torch.autograd.grad(result.square().sum(), w)[0] for result in results]
        assert torch.equal(*gradients)
