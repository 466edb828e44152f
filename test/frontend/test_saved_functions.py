"""Functions that Dynamo's `aot_compile` writes to files give eager's results in the process that loads them."""

import io
import pickle
import subprocess
import sys

import pytest
import torch
import transformers
from mlirind.disk_cache import folder
from mlirind.errors import MlirindError
from mlirind.frontend.caching.saved_functions import SavedFunction
from mlirind.frontend.counters import counters
from mlirind.runtime.artifacts import surroundings
from torch._dynamo.exc import PackageError
from torch.autograd import forward_ad


@pytest.fixture(autouse=True)
def enabled():
    """PyTorch 2.11 has `aot_compile` off."""
    with torch._dynamo.config.patch(enable_aot_compile=True):
        yield


class Normed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear, self.norm = torch.nn.Linear(6, 4), torch.nn.BatchNorm1d(4)

    def forward(self, x):
        return torch.nn.functional.gelu(self.norm(self.linear(x)))


def softmax(x, scale):
    return (x * scale).softmax(-1), x.view(-1)


def compiled(function, *args, **settings):
    """A function of `aot_compile`."""
    function = torch.compile(function, backend="mlirind", fullgraph=True, **settings)
    return getattr(function, "forward", function).aot_compile((args, {}))


def loaded(function):
    """The same from its file."""
    torch._dynamo.reset()
    return torch.compiler.load_compiled_function(io.BytesIO(type(function).serialize(function).serialized_data), f_globals=globals())


def equal(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


def test_inference_outputs_and_views(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    x = torch.randn(3, 5)
    made = compiled(softmax, x, 2.0)
    for function in (made, loaded(made)):
        result, view = function(x, 2.0)
        equal(result, softmax(x, 2.0)[0])
        assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert not list(folder.cached_files())  # the cache is left alone


def test_training_writes_buffers_and_makes_gradients():
    x = torch.randn(8, 6)
    made = compiled(Normed().train(), x)
    for function in (made, loaded(made)):
        ours, theirs = Normed().train(), Normed().train()
        function(ours, x).square().sum().backward()
        theirs(x).square().sum().backward()
        equal([p.grad for p in ours.parameters()], [p.grad for p in theirs.parameters()])
        equal(dict(ours.named_buffers()), dict(theirs.named_buffers()))


def test_dynamic_sizes_and_guards():
    made = compiled(softmax, torch.randn(3, 5), 2.0, dynamic=True)
    function, x = loaded(made), torch.randn(7, 9)
    equal(function(x, 2.0)[0], softmax(x, 2.0)[0])
    with pytest.raises(RuntimeError, match="GuardManager check failed"):
        function(x.double(), 2.0)


def tiny_bert():
    torch.manual_seed(0)
    sizes = dict(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, max_position_embeddings=8)
    return transformers.BertForMaskedLM(transformers.BertConfig(**sizes)).eval()


def loss_of(model, tokens):
    return model(tokens, labels=tokens).loss


def test_a_model_of_transformers_with_guards_on_tensors_alone():
    """Its functions are in decorators, on which PyTorch writes no guards."""
    tokens, options = torch.randint(20, (2, 6)), {"guard_filter_fn": torch.compiler.keep_tensor_guards_unsafe}
    with pytest.raises(PackageError):
        loaded(compiled(loss_of, tiny_bert(), tokens))
    function = loaded(compiled(loss_of, tiny_bert(), tokens, options=options))
    ours, theirs = tiny_bert(), tiny_bert()
    function(ours, tokens).backward()
    loss_of(theirs, tokens).backward()
    equal([p.grad for p in ours.parameters()], [p.grad for p in theirs.parameters()])


def test_a_loaded_function_can_be_written_again():
    x = torch.randn(3, 5)
    equal(loaded(loaded(compiled(softmax, x, 2.0)))(x, 2.0)[0], softmax(x, 2.0)[0])


LOADS = """
import sys, torch
with open(sys.argv[1], "rb") as file:
    function = torch.compiler.load_compiled_function(file, f_globals=globals())
x = torch.arange(15.0).view(3, 5)
torch.testing.assert_close(function(x, 2.0)[0], (x * 2.0).softmax(-1))
assert torch._dynamo.utils.counters["frames"]["total"] == 0
print([name for name in ("torch_mlir", "mlirind.frontend.compile", "llvmlite") if name in sys.modules])
"""


def test_another_process_runs_neither_dynamo_nor_the_compiler(tmp_path):
    compiled(softmax, torch.randn(3, 5), 2.0).save_compiled_function(str(tmp_path / "function"))
    done = subprocess.run([sys.executable, "-P", "-c", LOADS, str(tmp_path / "function")], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("options", "program", "reason"),
    [
        ({"freezing": True}, softmax, "option freezing"),
        ({"host": "python"}, softmax, "option host"),
        ({}, lambda x, scale: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), "subgraphs"),
    ],
)
def test_a_graph_that_cannot_be_written_names_the_reason(options, program, reason):
    with torch.no_grad(), pytest.raises(MlirindError, match=f"can't be written to a file: .*{reason}"):
        compiled(program, torch.randn(3, 5), 2.0, options=options)


def test_a_file_of_another_version_and_a_damaged_one_are_refused(monkeypatch):
    data = SavedFunction.serialize_compile_artifacts(compiled(softmax, torch.randn(3, 5), 2.0)._artifacts.compiled_fn)
    saved = pickle.loads(data)
    saved["entries"] = {key: content[:-1] for key, content in saved["entries"].items()}
    before = sum(counters.cache.values())
    with pytest.raises(MlirindError, match="damaged"):
        SavedFunction.deserialize_compile_artifacts(pickle.dumps(saved))
    assert sum(counters.cache.values()) == before  # of the cache on disk
    saved = pickle.loads(data)
    saved["entries"] = {"captured": saved["entries"]["captured"]}  # as if the graph's code could not be loaded
    with pytest.raises(MlirindError, match="for another GPU"):
        SavedFunction.deserialize_compile_artifacts(pickle.dumps(saved))
    monkeypatch.setattr(surroundings, "of_process", lambda: {"processor": "another"})
    with pytest.raises(MlirindError, match=r"\(.*processor.* differ\)"):
        SavedFunction.deserialize_compile_artifacts(data)


def test_tangents_are_refused():
    x = torch.randn(3, 5)
    with torch.no_grad():
        function = loaded(compiled(softmax, x, 2.0))
    with forward_ad.dual_level(), torch.no_grad(), pytest.raises(MlirindError, match="tangents"):
        function._artifacts.compiled_fn(forward_ad.make_dual(x, torch.ones_like(x)), 2.0)
