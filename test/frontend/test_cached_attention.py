"""Graphs whose `flex_attention` is an opaque call in the cache: in blocks and in native tiles on the CPU, kernels on a GPU that is none."""

from __future__ import annotations

import dataclasses

import pytest
import torch
import torch.nn.attention.flex_attention as flex
from cached_programs import OPTIONS
from fake_gpu import fake_gpu
from mlirind.disk_cache import folder
from mlirind.frontend.caching import stored_graphs
from mlirind.frontend.calls import (
    attention_blocks,
    attention_kernels,
    attention_launches,
    attention_plans,
    attention_tile_kernels,
    attention_tiles,
)
from mlirind.frontend.calls import flex_attention as expansion
from mlirind.frontend.counters import counters
from mlirind.runtime.cpu.attention_tiles import KernelInObject, KernelObject
from mlirind.runtime.cpu.object_code import LoadedObject
from mlirind.tools.backends import find_backend
from mlirind.torch_internals.tile_products import tile_products
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

pytestmark = pytest.mark.filterwarnings("ignore")
LENGTH = 48
NEEDS_PRODUCTS = pytest.mark.skipif(tile_products() is None, reason="this PyTorch has no products of tiles")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(flex, "_validate_device", lambda *_: None)  # it refuses gradients on CPUs


@pytest.fixture
def in_blocks(monkeypatch):
    """Calls have more scores than a block, and their bodies are called by Python."""
    monkeypatch.setattr(attention_tile_kernels, "tile_products", lambda: None)
    tuning = dataclasses.replace(attention_blocks.TUNING, attention_scores=512, attention_rows=16)
    for module in (attention_blocks, expansion):
        monkeypatch.setattr(module, "TUNING", tuning)


@pytest.fixture
def in_tiles(monkeypatch):
    """Calls have more scores than a block, and their forward is native code."""
    tuning = dataclasses.replace(attention_plans.TUNING, attention_scores=512, attention_rows=16, tile_rows=16)
    for module in (attention_blocks, attention_plans, expansion):
        monkeypatch.setattr(module, "TUNING", tuning)


@pytest.fixture
def gpu(monkeypatch):
    """The CPU passes for a GPU."""
    monkeypatch.setattr(expansion, "GPUS", frozenset({"cpu"}))
    with fake_gpu() as fake:
        for module in (attention_kernels, attention_launches):
            monkeypatch.setattr(module, "driver", lambda: fake)
        yield fake


def causal(b, h, i, j):
    return i >= j


def program(q, k, v, bias, blocks):
    def score(s, b, h, i, j):
        return s + bias[h] * (i - j)

    return flex_attention(q, k, v, score_mod=score, block_mask=blocks).sin()


def inputs(dtype=torch.float32, length=LENGTH, trains=True):
    torch.manual_seed(0)
    tensors = [torch.randn(2, 2, length, 16, dtype=dtype) for _ in range(3)]
    return [t.requires_grad_(trains) for t in (*tensors, torch.randn(2))]


def seen(function, given):
    """Results and gradients."""
    trains = given[0].requires_grad
    blocks = create_block_mask(causal, None, None, given[0].size(2), given[0].size(2), device="cpu", BLOCK_SIZE=16)
    with torch.set_grad_enabled(trains):
        out = function(*given, blocks)
    return [out.detach(), *(torch.autograd.grad(out.float().square().sum(), given) if trains else ())]


def compiled(dynamic=False):
    torch._dynamo.reset()
    counters.reset()
    return torch.compile(program, backend=find_backend("mlirind"), dynamic=dynamic, options=OPTIONS)


def check(given, dynamic=False, limit=1e-4):
    """Compiles the program anew and compares it with eager; returns the counts of the cache."""
    for found, wanted in zip(seen(compiled(dynamic), given), seen(program, given), strict=True):
        assert found.stride() == wanted.stride()
        torch.testing.assert_close(found, wanted, atol=limit * max(1.0, wanted.abs().max().item()), rtol=0)
    assert not counters.fallbacks
    return dict(counters.cache)


def check_other_sizes():
    """A graph with symbolic sizes that is found gives eager's results for all lengths."""
    for _ in range(2):
        function = compiled(dynamic=True)
        for length in (LENGTH, 80, 33):
            given = inputs(length=length, trains=False)
            torch.testing.assert_close(seen(function, given), seen(program, given), atol=1e-4, rtol=1e-4)
    assert counters.cache["hit"] == 1


@pytest.mark.parametrize(("trains", "dynamic"), [(True, False), (False, True)])
def test_blocks_are_found(in_blocks, trains, dynamic):
    graphs = 1 + trains
    assert check(inputs(trains=trains), dynamic) == {"miss": graphs, "traced miss": 1}
    assert check(inputs(trains=trains), dynamic) == {"hit": graphs, "traced hit": 1}
    assert not counters.dense_attention and len(list(folder.cached_files())) == 1 + 2 * graphs  # with the bodies


def test_blocks_that_are_found_take_other_sizes(in_blocks):
    check_other_sizes()


def test_a_graph_without_its_body_is_compiled_again(in_blocks):
    check(inputs(trains=False))
    (body,) = [e for e in folder.cached_files() if e.key not in _keys()]
    folder.remove_file(body.key)
    counts = check(inputs(trains=False))
    assert counts["miss"] == counts["an entry can't be used: the body of a call is not in the cache any more"] == 1
    assert check(inputs(trains=False)) == {"hit": 1, "traced hit": 1}


def _keys():
    """The keys of entries that are looked up by what they are made of: all but bodies."""
    keys = [e.key for e in folder.cached_files()]
    return set(keys) - {stored_graphs._body_key(key, 0) for key in keys}


def test_a_profiler_runs_the_call_of_this_process(in_blocks):
    """Calls have other numbers in each process."""
    check(inputs(trains=False))
    torch._dynamo.reset()
    other = torch.compile(lambda *given: program(*given) * 2, backend=find_backend("mlirind"), options=OPTIONS, dynamic=False)
    given = inputs(trains=False)
    wanted = seen(program, given)
    seen(other, given)  # takes a number
    function = compiled()
    seen(function, given)
    assert counters.cache == {"hit": 1, "traced hit": 1}
    with torch.profiler.profile():
        torch.testing.assert_close(seen(function, given), wanted, atol=1e-4, rtol=1e-4)


@NEEDS_PRODUCTS
@pytest.mark.parametrize(("trains", "dynamic", "dtype"), [(True, False, torch.float32), (False, True, torch.bfloat16)])
def test_tiles_are_found(in_tiles, monkeypatch, trains, dynamic, dtype):
    limit, graphs, loaded = 4e-2 if dtype == torch.bfloat16 else 1e-4, 1 + trains, []
    assert check(inputs(dtype, trains=trains), dynamic, limit) == {"miss": graphs, "traced miss": 1}
    assert len(list(folder.cached_files())) == 1 + graphs + trains  # with the body of the backward
    run = attention_tiles.TiledAttention.run
    monkeypatch.setattr(attention_tiles.TiledAttention, "run", lambda self, *given: loaded.append(self) or run(self, *given))
    assert check(inputs(dtype, trains=trains), dynamic, limit) == {"hit": graphs, "traced hit": 1}
    kernels = [k for attention in loaded for code in attention.codes.values() for k in code.kernels.values() if k is not None]
    assert kernels and all(isinstance(k.address, KernelInObject) for k in kernels) and not counters.dense_attention


@NEEDS_PRODUCTS
def test_tiles_that_are_found_take_other_sizes(in_tiles):
    check_other_sizes()


@NEEDS_PRODUCTS
def test_tiles_are_compiled_again_without_products(in_tiles, monkeypatch):
    """The key says what the products depend on; this is the last resort."""
    check(inputs(trains=False))
    for module in (attention_tiles, attention_tile_kernels):
        monkeypatch.setattr(module, "tile_products", lambda: None)
    counts = check(inputs(trains=False))
    assert counts["miss"] == counts["an entry can't be used: this PyTorch lacks products of tiles"] == 1
    assert check(inputs(trains=False)) == {"hit": 1, "traced hit": 1}


@NEEDS_PRODUCTS
def test_tiles_whose_code_no_process_can_load_are_not_cached(in_tiles, monkeypatch):
    monkeypatch.setattr(KernelObject, "loaded", lambda self: LoadedObject(b"", lambda _: 0))
    counts = check(inputs(trains=False))
    assert any("an opaque call can't be pickled: UnsupportedObject" in reason for reason in counts) and not list(folder.cached_files())


def test_kernels_are_found(gpu):
    assert check(inputs(torch.bfloat16), limit=4e-2) == {"miss": 2, "traced miss": 1}
    launches = [(launch.name, launch.grid) for launch in gpu.launches]
    gpu.launches.clear()
    assert check(inputs(torch.bfloat16), limit=4e-2) == {"hit": 2, "traced hit": 1}
    assert [(launch.name, launch.grid) for launch in gpu.launches] == launches and len(launches) == 3
    assert not counters.dense_attention


def test_kernels_that_are_found_leave_too_many_rows_to_dense_attention(gpu, monkeypatch):
    monkeypatch.setattr(attention_kernels, "EXACT", 32)
    for _ in range(2):
        counts = check(inputs(torch.bfloat16), dynamic=True, limit=4e-2)
        assert counters.dense_attention == {"of so many rows or keys on GPUs": 2} and not gpu.launches
    assert counts == {"hit": 2, "traced hit": 1}
