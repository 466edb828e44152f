"""`mode="max-autotune"` without a GPU: what is timed, what stays, what is remembered. Times are made up."""

from __future__ import annotations

import random
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from fake_gpu import backend_on, fake_gpu
from mlirind.disk_cache.container import unpack_entry
from mlirind.errors import UnsupportedKernel
from mlirind.runtime.cuda.launching import cubin

TUNED = {"max_autotune": True}


@pytest.fixture(autouse=True, params=["native", "python"])
def fresh(tmp_path, monkeypatch, request):
    torch._dynamo.reset()
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("MLIRIND_HOST", request.param)
    return tmp_path


def run(function, *inputs, times=(), **options):
    """What a program gives, and the GPU, which says so of the ways that are timed."""
    torch._dynamo.reset()
    with fake_gpu() as gpu:
        gpu.times += times
        out = torch.compile(function, backend=backend_on(TUNED), **options)(*inputs)
    return out, gpu


def test_the_fastest_way_stays_and_is_remembered(fresh):
    x = torch.randn(70000)
    first, gpu = run(torch.sin, x, times=[3.0, 2.0, 1.0, 2.0, 3.0])
    timed = [(launch.grid, launch.threads) for launch in gpu.launches]
    assert not gpu.times and len(timed) == 6 and len(set(timed)) == 5 and timed[-1] == timed[2]
    second, gpu = run(torch.sin, x)
    assert [(launch.grid, launch.threads) for launch in gpu.launches] == timed[2:3]
    torch.testing.assert_close([first, second], [x.sin(), x.sin()])
    (file,) = (fresh / "tuned").iterdir()
    header, _ = unpack_entry(file.name, file.read_bytes())
    assert header == {"way": 2}


def test_a_damaged_choice_is_measured_again(fresh):
    x = torch.randn(70000)
    run(torch.sin, x, times=[3.0, 2.0, 1.0, 2.0, 3.0])
    (file,) = (fresh / "tuned").iterdir()
    whole = file.read_bytes()
    place = whole.index(b'"way": 2') + len(b'"way": ')
    for damaged in (b"", whole[:-1], whole[:place] + b"3" + whole[place + 1 :]):
        file.write_bytes(damaged)
        _, gpu = run(torch.sin, x, times=[1.0, 2.0, 3.0, 4.0, 5.0])
        assert len(gpu.launches) == 6 and unpack_entry(file.name, file.read_bytes())[0] == {"way": 0}


def test_where_nothing_can_be_timed_the_first_way_stays_and_nothing_is_remembered(fresh):
    x = torch.randn(70000)
    out, gpu = run(torch.sin, x)
    torch.testing.assert_close(out, x.sin())
    assert gpu.launches[-1].grid == gpu.launches[0].grid and not (fresh / "tuned").exists()


def test_ways_that_triton_refuses_are_left_out():
    refused = []

    def one(self, source):
        if len(refused) < 2 and source.num_warps != 2:
            refused.append(source)
            raise UnsupportedKernel("too much shared memory")
        return real(self, source)

    real, new = cubin.Compiler._one, random.random()  # a kernel that the process has not compiled yet
    x = torch.randn(70000)
    with mock.patch.object(cubin.Compiler, "_one", one):
        out, gpu = run(lambda x: x + new, x, times=[2.0, 1.0, 3.0])
    torch.testing.assert_close(out, x + new)
    assert len(refused) == 2 and not gpu.times


def test_kernels_that_write_what_they_read_are_timed_on_other_memory():
    def program(x, y):
        x.mul_(2)
        return y + 1

    x, y = torch.randn(40), torch.randn(3)
    want = x * 2
    out, gpu = run(program, x, y, times=[1.0] * 60)
    torch.testing.assert_close([x, out], [want, y + 1])
    assert len(gpu.launches) > 4


def test_sizes_that_change_keep_the_choice():
    with fake_gpu() as gpu:
        gpu.times += [3.0, 1.0] + [4.0] * 20
        compiled = torch.compile(lambda x: F.gelu(x), backend=backend_on(TUNED), dynamic=True)
        for rows, columns in ((64, 32), (33, 100), (2, 7)):
            x = torch.randn(rows, columns)
            torch.testing.assert_close(compiled(x), F.gelu(x))
    assert len({launch.threads for launch in gpu.launches[-3:]}) == 1


def test_kernels_that_check_indices_are_not_timed():
    weight, i = torch.randn(5, 4), torch.tensor([0, 4, 2])
    out, gpu = run(lambda i: F.embedding(i, weight), i, times=[1.0] * 20)
    assert torch.equal(out, weight[i]) and len(gpu.times) == 20
