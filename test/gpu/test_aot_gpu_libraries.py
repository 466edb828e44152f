"""Libraries ahead of time on a GPU: PyTorch's own runners, in Python and C++, run them and get eager's results."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from pathlib import Path

import mlirind
import pytest
import torch
import torch.nn.functional as F
from library_programs import Counter, loaded
from torch.export import Dim

pytestmark = pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch copies its own tree specs
BATCH = Dim("batch", min=1, max=64)
CUDA_HOME = Path("/usr/local/cuda")
WITHOUT_TEXT = "API call failed"  # the runners of PyTorch 2.11 do not ask for the text


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = torch.nn.Linear(96, 384), torch.nn.Linear(384, 10)
        self.register_buffer("shift", torch.randn(10))

    def forward(self, x):
        return torch.log_softmax(self.last(F.gelu(self.first(x))) + self.shift, -1), x.sum(-1)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, norm_first=True)

    def forward(self, x):
        return self.layer(x)


class Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.convolution, self.norm = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8)

    def forward(self, x):
        return self.norm(self.convolution(x)).relu().mean((2, 3))


class Operators(torch.nn.Module):
    def forward(self, x):
        return x.topk(3).values, x.sort(-1).values, x.view(1, -1).softmax(-1), x.cumsum(0), x.half().sum(0)


PROGRAMS = {
    "layers": (Layers, lambda rows: torch.randn(rows, 96)),
    "attention": (Attention, lambda rows: torch.randn(rows, 24, 64)),
    "images": (Images, lambda rows: torch.randn(rows, 3, 18, 18)),
    "operators": (Operators, lambda rows: torch.randn(rows, 4000)),
}


@pytest.fixture(autouse=True)
def exact():
    with torch.no_grad():
        yield


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_eagers(name, dynamic, tmp_path):
    make, inputs = PROGRAMS[name]
    module = make().eval().cuda()
    model = loaded(module, (inputs(4).cuda(),), tmp_path, dynamic_shapes=({0: BATCH},) if dynamic else None)
    for rows in (1, 4, 16, 63) if dynamic else (4,):
        x = inputs(rows).cuda()
        torch.testing.assert_close(model(x), module(x), rtol=1e-4, atol=1e-4)
    if name == "layers":
        shifted = torch.empty(4 * 96 + 1, device="cuda")[1:].view(4, 96).normal_()
        torch.testing.assert_close(model(shifted), module(shifted), rtol=1e-4, atol=1e-4)
        with pytest.raises(RuntimeError, match=f"the tensor is elsewhere|{WITHOUT_TEXT}"):
            model.loader.boxed_run([inputs(4)])
        if dynamic:
            with pytest.raises(RuntimeError, match=f"the size is 65, but it must be from 1 to 64|{WITHOUT_TEXT}"):
                model.loader.boxed_run([inputs(65).cuda()])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_on_the_cpu_become_libraries_for_named_gpus(name, tmp_path):
    make, inputs = PROGRAMS[name]
    module = make().eval()
    own = "sm_{}{}".format(*torch.cuda.get_device_capability())
    model = loaded(module, (inputs(4),), tmp_path, device="cuda", targets=["sm_80", own], dynamic_shapes=({0: BATCH},))
    module.cuda()
    for rows in (1, 16):
        x = inputs(rows).cuda()
        torch.testing.assert_close(model(x), module(x), rtol=1e-4, atol=1e-4)


def test_code_for_other_gpus(tmp_path):
    other = "sm_100" if torch.cuda.get_device_capability() < (10, 0) else "sm_90"
    path = mlirind.aot_compile(torch.nn.GELU(), (torch.randn(8),), package=tmp_path / "x.so", device="cuda", targets=[other])
    with pytest.raises(RuntimeError):
        torch._C._aoti.AOTIModelContainerRunnerCuda(str(path), 1, "cuda", "", False)


def test_the_stream_of_the_call(tmp_path):
    """A call on a stream waits for the work before it there, and not for other streams."""
    module = Layers().cuda()
    x = torch.randn(4, 96, device="cuda")
    model, expected = loaded(module, (x,), tmp_path), module(x)
    stream = torch.cuda.Stream()
    for _ in range(3):
        given = torch.zeros_like(x)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
            given.copy_(x)
            results = model(given)
            assert not stream.query()
        stream.synchronize()
        torch.testing.assert_close(results, expected, rtol=1e-4, atol=1e-4)


def test_calls_are_captured(tmp_path):
    module = Layers().cuda()
    x = torch.randn(4, 96, device="cuda")
    model = loaded(module, (x,), tmp_path)
    model(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = model(x)
    x.normal_()
    graph.replay()
    torch.testing.assert_close(results, module(x), rtol=1e-4, atol=1e-4)


def test_constants_are_replaced_while_threads_call(tmp_path):
    module, other = Layers().cuda(), Layers().cuda()
    for parameter in other.parameters():
        parameter.mul_(0.5)
    x = torch.randn(4, 96, device="cuda")
    model, expected, wrong = loaded(module, (x,), tmp_path), [module(x)[0], other(x)[0]], []
    assert set(model.get_constant_fqns()) == {"first.weight", "first.bias", "last.weight", "last.bias", "shift"}

    def calls():
        with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(50):
                result = model(x)[0]
                torch.cuda.current_stream().synchronize()
                if not any(torch.allclose(result, one, rtol=1e-3, atol=1e-3) for one in expected):
                    wrong.append(result)

    threads = [threading.Thread(target=calls) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        model.load_constants((other if number % 2 else module).state_dict(), check_full_update=True)
    for thread in threads:
        thread.join()
    assert not wrong
    torch.testing.assert_close(model(x)[0], expected[1], rtol=1e-4, atol=1e-4)
    kept = {name: value.clone() for name, value in module.state_dict().items()}
    model.load_constants(kept, check_full_update=True, user_managed=True)
    torch.testing.assert_close(model(x)[0], expected[0], rtol=1e-4, atol=1e-4)


def test_what_is_written(tmp_path):
    path = mlirind.aot_compile(Counter().cuda(), (torch.ones(3, device="cuda"),), package=tmp_path / "counter.pt2", weights="beside")
    first, second = (torch._inductor.aoti_load_package(str(path)) for _ in range(2))
    for count in (1, 2, 3):
        torch.testing.assert_close(first(torch.ones(3, device="cuda")), torch.full((3,), 1.0 + count, device="cuda"))
    torch.testing.assert_close(second(torch.ones(3, device="cuda")), torch.full((3,), 2.0, device="cuda"))


PROGRAM = r"""
#include <ATen/Tensor.h>
#include <ATen/ops/full.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner_cuda.h>

#include <cstdio>

int main(int, char** arguments) {
  torch::inductor::AOTIModelContainerRunnerCuda model(arguments[1]);
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  for (int64_t rows : {1, 7, 64}) {
    std::vector<at::Tensor> inputs = {at::full({rows, 96}, 0.5, at::kCUDA)};
    std::vector<at::Tensor> results = model.run(inputs);
    c10::cuda::getCurrentCUDAStream().synchronize();
    std::vector<at::Tensor> others = model.run_with_cuda_stream(inputs, stream);
    stream.synchronize();
    std::printf("%ld %.4f %.4f\n", results[0].size(0), results[0].sum().item<double>(), others[0].sum().item<double>());
  }
  try {
    model.run({at::full({65, 96}, 0.5, at::kCUDA)});
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
}
"""


@pytest.mark.skipif(shutil.which("g++") is None or not (CUDA_HOME / "include/cuda_runtime_api.h").exists(), reason="no compiler or headers")
def test_a_cpp_program(tmp_path):
    module, home = Layers().cuda(), Path(torch.__file__).parent
    mlirind.aot_compile(module, (torch.randn(4, 96, device="cuda"),), dynamic_shapes=({0: BATCH},), package=tmp_path / "model.so")
    (tmp_path / "main.cpp").write_text(PROGRAM)
    folders = [f"-I{home / 'include'}", f"-I{CUDA_HOME / 'include'}", f"-L{home / 'lib'}", f"-Wl,-rpath,{home / 'lib'}"]
    libraries = ["-Wl,--no-as-needed", "-ltorch_cuda", "-lc10_cuda", "-ltorch_cpu", "-lc10"]
    subprocess.run(["g++", "-std=c++20", "main.cpp", "-o", "main", *folders, *libraries], cwd=tmp_path, check=True)
    done = subprocess.run(["./main", "./model.so"], cwd=tmp_path, check=True, capture_output=True, text=True)
    *rows, error = done.stdout.strip().splitlines()
    for line, count in zip(rows, (1, 7, 64), strict=True):
        expected = module(torch.full((count, 96), 0.5, device="cuda"))[0].sum().item()
        numbers = [float(word) for word in line.split()]
        assert numbers[0] == count and numbers[1:] == pytest.approx([expected, expected], rel=1e-3)
    assert re.search(f"dimension 0: the size is 65, but it must be from 1 to 64|{WITHOUT_TEXT}", error)
