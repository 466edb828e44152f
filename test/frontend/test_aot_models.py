"""A C++ program runs libraries of BERT and ResNet through PyTorch's own runner, in a process without Python, and gets eager's results."""

import shutil
import subprocess
from pathlib import Path

import mlirind
import pytest
import torch
import transformers
from torch.export import Dim

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning"),  # PyTorch copies its own tree specs
    pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler for the program that runs the libraries"),
]
BATCH = Dim("batch", min=1, max=4)

# Arguments: the library, the file with weights or "-", then for each call the numbers of inputs and, for each input, "f" or "i" (float32 or
# int64), its sizes separated by commas, and the file with its bytes. Each call's first result is written to "result.<number of the call>".
PROGRAM = r"""
#include <ATen/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner_cpu.h>
#include <fstream>
#include <sstream>

at::Tensor read(const std::string& kind, const std::string& sizes, const std::string& path) {
  std::vector<int64_t> shape;
  std::stringstream words(sizes);
  for (std::string word; std::getline(words, word, ',');) shape.push_back(std::stoll(word));
  at::Tensor made = at::empty(shape, kind == "f" ? at::kFloat : at::kLong);
  std::ifstream(path, std::ios::binary).read(static_cast<char*>(made.data_ptr()), made.nbytes());
  return made;
}

int main(int count, char** arguments) {
  torch::inductor::AOTIModelContainerRunnerCpu model(arguments[1]);
  if (std::string(arguments[2]) != "-") model.update_constant_buffer_from_blob(arguments[2]);
  for (int at = 3, call = 0; at < count; ++call) {
    std::vector<at::Tensor> inputs;
    for (int left = std::stoi(arguments[at++]); left > 0; --left, at += 3)
      inputs.push_back(read(arguments[at], arguments[at + 1], arguments[at + 2]));
    at::Tensor result = model.run(inputs)[0].contiguous();
    std::ofstream("result." + std::to_string(call), std::ios::binary).write(static_cast<char*>(result.data_ptr()), result.nbytes());
  }
}
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """The path of the compiled program."""
    folder, home = tmp_path_factory.mktemp("program"), Path(torch.__file__).parent
    (folder / "main.cpp").write_text(PROGRAM)
    libraries = [f"-L{home / 'lib'}", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{home / 'lib'}"]
    subprocess.run(["g++", "-std=c++20", f"-I{home / 'include'}", "main.cpp", "-o", "main", *libraries], cwd=folder, check=True)
    return folder / "main"


class Logits(torch.nn.Module):
    """A model of transformers that returns one tensor."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        return self.model(*inputs).logits


def bert():
    config = transformers.BertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=16
    )
    return Logits(transformers.BertForMaskedLM(config))


def resnet():
    config = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], num_labels=5)
    return Logits(transformers.ResNetForImageClassification(config))


def inputs_of(model, batch):
    if model is resnet:
        return (torch.randn(batch, 3, 32, 32),)
    mask = torch.ones(batch, 12, dtype=torch.int64)
    mask[0, 9:] = 0
    return torch.randint(50, (batch, 12)), mask


@pytest.mark.parametrize(("model", "dynamic", "weights"), [
    (bert, False, "inside"), (bert, True, "beside"), (resnet, False, "beside"), (resnet, True, "inside"),
])  # fmt: skip
def test_cpp_program_gets_the_results_of_eager(runner, tmp_path, model, dynamic, weights):
    torch.manual_seed(0)
    module, calls = model().eval(), [inputs_of(model, batch) for batch in ((2, 1, 4) if dynamic else (2, 2))]
    shapes = {"inputs": tuple({0: BATCH} for _ in calls[0])} if dynamic else None
    path = mlirind.aot_compile(module, calls[0], dynamic_shapes=shapes, package=tmp_path / "model.so", weights=weights)
    arguments = [path, str(tmp_path / "model_weights.blob") if weights == "beside" else "-"]
    for call, inputs in enumerate(calls):
        arguments.append(str(len(inputs)))
        for number, tensor in enumerate(inputs):
            file = tmp_path / f"input.{call}.{number}"
            file.write_bytes(tensor.numpy().tobytes())
            arguments += ["f" if tensor.is_floating_point() else "i", ",".join(map(str, tensor.shape)), str(file)]
    subprocess.run([runner, *arguments], cwd=tmp_path, check=True)
    for call, inputs in enumerate(calls):
        with torch.no_grad():
            expected = module(*inputs)
        result = torch.frombuffer(bytearray((tmp_path / f"result.{call}").read_bytes()), dtype=torch.float32)
        torch.testing.assert_close(result.reshape(expected.shape), expected, rtol=1e-4, atol=1e-5)
