"""Graphs on a GPU as data: cubins and launch plans that another process loads, without a GPU."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
import torch
from fake_gpu import FakeGpu, backend_on, fake_gpu
from mlirind.disk_cache.container import DamagedEntry, pack_entry, unpack_entry
from mlirind.runtime import build
from mlirind.runtime.artifacts.native_graph import NativeGraph
from mlirind.runtime.cpu.elf import UnsupportedObject
from mlirind.runtime.cuda.capturing.capturing_runner import CapturingRunner
from mlirind.runtime.cuda.capturing.policies import ByAddress, StaticBuffers, read_policy, written_policy

HERE = Path(__file__).parent
KEY = "0" * 64


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def attention(q, k):
    return torch.softmax(q @ k.t(), -1) @ k, q.relu()


def calls(x, y):
    return (x + 1).topk(3).values * 2, x.sort().indices, y.sum(0)


def rows(x, y):
    return torch.softmax(x, -1), y * 2


def together(x, y):
    return x * 2, y * 2


PROGRAMS = {
    "kernels and products": (attention, (torch.randn(8, 16), torch.randn(24, 16)), False),
    "operators that Python calls": (calls, (torch.randn(4, 40), torch.randn(3, 5)), False),
    "scratch memory": (rows, (torch.randn(1, 40000), torch.randn(7)), False),
    "kernels that share a launch": (together, (torch.randn(70, 3), torch.randn(5)), False),
    "symbolic sizes": (attention, (torch.randn(6, 16), torch.randn(9, 16)), True),
}


def entry_of(name, gpu):
    """The bytes of the entry of a program that is compiled for a GPU, and its results."""
    contents = []

    def note(parts, runner):
        contents.append(pack_entry(KEY, *parts.native.packed()))
        return runner

    results = run(name, note)
    (content,) = contents
    return content, results


def run(name, through):
    function, inputs, dynamic = PROGRAMS[name]
    torch._dynamo.reset()
    with torch.no_grad():
        return torch.compile(function, backend=backend_on({"cache": True}, through=through), dynamic=dynamic)(*inputs)


def loaded(content):
    return NativeGraph.unpacked(*unpack_entry(KEY, content))


def launches(gpu):
    """Each launch, with how many arguments it takes: addresses differ."""
    return [[launch.name, launch.grid, launch.threads, launch.shared, launch.stream, len(launch.arguments)] for launch in gpu.launches]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loaded_graph_launches_what_the_compiled_one_does(name):
    with fake_gpu() as first:
        content, results = entry_of(name, first)
    with fake_gpu() as gpu:
        assert not loaded(content).missing_symbols()
        found = run(name, lambda *_: loaded(content).runner("graph", None))
    assert launches(gpu) == launches(first) and gpu.native == len(gpu.launches) > 0
    function, inputs, _ = PROGRAMS[name]
    for result, same, expected in zip(found, results, function(*inputs), strict=True):
        assert torch.equal(result, same)
        torch.testing.assert_close(result, expected)


def test_sizes_that_need_other_code_compile_it():
    """A loaded kernel has the code for the traced sizes. Other sizes need a compiler, which is then imported."""
    with fake_gpu() as gpu:
        content, _ = entry_of("symbolic sizes", gpu)
    with fake_gpu() as gpu, torch.no_grad():
        torch._dynamo.reset()
        backend = backend_on({"cache": True}, through=lambda *_: loaded(content).runner("graph", None))
        function = torch.compile(attention, backend=backend, dynamic=True)
        loads = []
        for rows, columns in ((6, 9), (32, 48), (7, 11)):
            q, k = torch.randn(rows, 16), torch.randn(columns, 16)
            for result, expected in zip(function(q, k), attention(q, k), strict=True):
                torch.testing.assert_close(result, expected)
            loads.append(len(gpu.loaded))
    first, *others = loads
    assert first < others[0] == others[1] and len(gpu.launches) == 6


def test_equal_kernels_of_two_graphs_are_loaded_once():
    with fake_gpu() as gpu:
        content, _ = entry_of("kernels and products", gpu)
    with fake_gpu() as gpu:
        count = len(loaded(content).on_gpu.kernels)
        runners = [loaded(content).runner("graph", None) for _ in range(2)]
    assert len(gpu.loaded) == count and len(runners) == 2


# Another process, with a driver that notes launches.

LOADS = """
import sys, json
from pathlib import Path
import torch
from noted_launches import NotedLaunches, compiler_modules
from mlirind.disk_cache.container import unpack_entry
from mlirind.runtime.artifacts.native_graph import NativeGraph
from mlirind.runtime.cuda.launching import driver

gpu = NotedLaunches()
driver.driver = lambda: gpu
graph = NativeGraph.unpacked(*unpack_entry("0" * 64, Path(sys.argv[1]).read_bytes()))
results = graph.runner("graph", None)([torch.zeros(8, 16), torch.zeros(24, 16)])
print(json.dumps([gpu.launches, gpu.guards, [list(t.shape) for t in results], compiler_modules()]))
"""


def test_another_process_launches_the_same_without_a_compiler(tmp_path):
    with fake_gpu() as gpu:
        content, _ = entry_of("kernels and products", gpu)
    (tmp_path / "entry").write_bytes(content)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-P", "-c", LOADS, str(tmp_path / "entry")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    noted, guards, shapes, modules = json.loads(done.stdout)
    codes = {hashlib.sha256(text.encode()).hexdigest() for _, text in gpu.loaded}
    assert [launch[:-2] for launch in noted] == launches_without_arguments(gpu)
    assert {code for *_, code in noted} == codes
    assert all(alignment % 16 == 0 for *_, alignment, _ in noted)
    assert guards == 0 and shapes == [[8, 16], [8, 16]] and modules == []


def launches_without_arguments(gpu):
    return [launch[:-1] for launch in launches(gpu)]


# What must never be launched.


def test_no_byte_of_an_entry_may_change():
    with fake_gpu() as gpu:
        content, _ = entry_of("kernels and products", gpu)
    code = loaded(content).on_gpu.kernels[0].variants[0][1][0].code
    start = content.index(code)
    for place in (start, start + len(code) // 2, start + len(code) - 1):
        with pytest.raises(DamagedEntry, match="checksum"):
            loaded(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])


@pytest.mark.parametrize(
    "change",
    [{"names": [["mm_0", 99]]}, {"cubins": []}, {"kernels": [{}]}, {"kernels": []}, {"device": None}, {"capability": "none"}],
    ids=lambda change: next(iter(change)),
)
def test_a_wrong_description_is_not_used(change):
    with fake_gpu() as gpu:
        content, _ = entry_of("kernels and products", gpu)
    header, pieces = unpack_entry(KEY, content)
    with pytest.raises(DamagedEntry):
        NativeGraph.unpacked({**header, "on_gpu": header["on_gpu"] | change}, pieces)
    variants = header["on_gpu"]["kernels"][0]["variants"]
    variants[0][1] = [len(pieces)]
    with pytest.raises(DamagedEntry):
        NativeGraph.unpacked(header, pieces)


def test_code_for_another_gpu_is_not_loaded():
    with fake_gpu() as gpu:
        content, _ = entry_of("kernels and products", gpu)
    other = mock.patch.object(FakeGpu, "capability", lambda self, device: 80)
    with fake_gpu() as gpu, other, pytest.raises(UnsupportedObject, match="another GPU"):
        loaded(content).runner("graph", None)
    assert gpu.loaded == []


# CUDA graphs.


POLICIES = {"cuda_graphs": StaticBuffers("cuda:0", (1, 2), (), True), "replay": ByAddress("cuda:1", (0,), (3, 4))}


@pytest.mark.parametrize("option", POLICIES)
def test_which_calls_are_captured_is_data(option):
    policy = POLICIES[option]
    assert read_policy(json.loads(json.dumps(written_policy(policy)))) == policy
    assert policy.around(lambda inputs: inputs, "graph").device == torch.device(policy.device)


@pytest.mark.parametrize("option", POLICIES)
def test_the_compiler_leaves_which_calls_are_captured(option):
    left, policies = [], {"static_buffers": POLICIES["cuda_graphs"], "by_address": POLICIES["replay"]}

    def note(parts, runner):
        left.append((parts.captures, runner))
        return runner.runner  # what is captured

    with fake_gpu(), mock.patch.multiple(build, **{name: lambda *_, p=policy: p for name, policy in policies.items()}):
        torch.compile(torch.sin, backend=backend_on({"cache": True, option: True}, through=note))(torch.ones(3))
    ((captures, runner),) = left
    assert captures == POLICIES[option] and isinstance(runner, CapturingRunner)
