"""`mlirind.aot_compile`: libraries that PyTorch's own runners load give eager's results, and say clearly what is wrong with a call."""

import ctypes
import gc
import threading
from pathlib import Path

import mlirind
import pytest
import torch
from library_programs import loaded
from mlirind.errors import MlirindError, NotALibrary
from torch.export import Dim

pytestmark = pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch copies its own tree specs
BATCH = Dim("batch", min=1, max=8)


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = torch.nn.Linear(48, 96), torch.nn.Linear(96, 10)
        self.register_buffer("shift", torch.randn(10))

    def forward(self, x):
        return torch.log_softmax(self.last(torch.relu(self.first(x))) + self.shift, -1)


def test_kernels_alone(tmp_path):
    def program(x, y):
        return {"sum": torch.sin(x) * y + 1, "rows": [(x - y).relu(), None]}, x.sum(-1)

    x, y = torch.randn(5, 7), torch.randn(5, 7)
    model = loaded(program, (x, y), tmp_path)
    torch.testing.assert_close(model(x, y), program(x, y))
    torch.testing.assert_close(model(x.t().contiguous().t(), y[:, :]), program(x, y))  # other strides than the example's


def test_operators_constants_and_gradients_that_are_wanted(tmp_path):
    module = Mlp()
    x = torch.randn(4, 48, requires_grad=True)
    result = loaded(module, (x,), tmp_path)(x)
    torch.testing.assert_close(result, module(x).detach())
    assert not result.requires_grad and result._base is None
    result.add_(1)


def test_dynamic_batch(tmp_path):
    module = Mlp()
    model = loaded(module, (torch.randn(4, 48),), tmp_path, dynamic_shapes={"x": {0: BATCH}})
    for batch in (1, 3, 8):
        x = torch.randn(batch, 48)
        torch.testing.assert_close(model(x), module(x).detach())


def test_sizes_that_are_multiples_of_a_symbol(tmp_path):
    def program(x, y):
        return x.reshape(-1, 2, 3).sum(1), x.unsqueeze(0) + y.sum(), x.new_zeros(x.shape[0] // 2, 4)

    half = Dim("half", min=2, max=8)
    model = loaded(program, (torch.randn(6, 3), torch.randn(4)), tmp_path, dynamic_shapes=({0: 2 * half}, {0: half + 1}))
    for size in (2, 3, 8):
        inputs = torch.randn(2 * size, 3), torch.randn(size + 1)
        torch.testing.assert_close(model(*inputs), program(*inputs))
    for sizes, message in [
        ((7, 4), "dimension 0: the size is 7, but it must be 6"),
        ((6, 5), "dimension 0: the size is 5, but it must be 4"),
        ((18, 10), "dimension 0: the size is 18, but it must be from 4 to 16"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            model.loader.boxed_run([torch.randn(sizes[0], 3), torch.randn(sizes[1])])


def test_batches_of_one_where_other_dimensions_are_squeezed(tmp_path):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    model = loaded(layer, (torch.randn(3, 5, 16),), tmp_path, dynamic_shapes=({0: BATCH},))
    for batch in (1, 2, 8):
        x = torch.randn(batch, 5, 16)
        torch.testing.assert_close(model(x), layer(x).detach())


def test_calls_that_do_not_fit(tmp_path):
    def program(x, y, at):
        return (x + y)[at]

    x, y, at = torch.randn(4, 6), torch.randn(4, 6), torch.tensor([1])
    model = loaded(program, (x, y, at), tmp_path, dynamic_shapes=({0: BATCH}, {0: BATCH}, {}))
    for inputs, message in [
        ((x.double(), y, at), r"input 0 \(x\): its dtype is float64, the library was compiled for float32"),
        ((x[0], y, at), r"input 0 \(x\): it has 1 dimensions, the library was compiled for 2"),
        ((x, y[:3], at), r"input 1 \(y\), dimension 0: the size is 3, but it must be 4"),
        ((x[:, :5], y, at), r"input 0 \(x\), dimension 1: the size is 5, but it must be 6"),
        ((torch.randn(9, 6), torch.randn(9, 6), at), r"input 0 \(x\), dimension 0: the size is 9, but it must be from 1 to 8"),
        ((x.to_sparse(), y, at), r"input 0 \(x\): a sparse tensor"),
        ((torch.complex(x, x).conj().imag, y, at), r"input 0 \(x\): a conjugate or negative view"),
        ((x, y), "2 inputs and 1 outputs are given; the library has 3 and 1"),
        ((x, y, at + 3), "index out of range in .*index"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            model.loader.boxed_run(list(inputs))
    torch.testing.assert_close(model(x, y, at), program(x, y, at))  # an error leaves nothing behind


def test_what_is_written(tmp_path):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(3))

        def forward(self, x):
            self.calls.add_(1)
            x.mul_(2)
            return x + self.calls

    path = mlirind.aot_compile(Counter(), (torch.ones(3),), package=tmp_path / "counter.pt2")
    first, second = (torch._inductor.aoti_load_package(path) for _ in range(2))
    for count in (1, 2, 3):
        x = torch.ones(3)
        torch.testing.assert_close(first(x), torch.full((3,), 2.0 + count))
        torch.testing.assert_close(x, torch.full((3,), 2.0))
    torch.testing.assert_close(second(torch.ones(3)), torch.full((3,), 3.0))  # the models share no buffer


def test_results_that_are_inputs(tmp_path):
    """As in eager: the input itself, and a copy where the program copies."""

    def program(x, y):
        return x.mul_(2).add_(1), y, x, x.clone(), y.relu()

    x, y = torch.randn(3), torch.randn(3)
    expected = program(x.clone(), y)
    results = loaded(program, (x.clone(), y), tmp_path)(x, y)
    torch.testing.assert_close(results, expected)
    assert [r is x or r is y for r in results] == [True, True, True, False, False]
    assert results[3].data_ptr() != x.data_ptr()


def test_results_outlive_the_library(tmp_path):
    class Table(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rows", torch.randn(300, 4))
            self.register_buffer("count", torch.zeros(3))

        def forward(self, x):
            return self.rows, self.rows.t(), self.rows.split(100)[1], self.count.add_(x)

    module, x = Table(), torch.ones(3)
    model = loaded(module, (x,), tmp_path)
    results, want = model(x), module(x)
    del model
    gc.collect()
    torch.testing.assert_close(results, want)
    assert [r.stride() for r in results] == [w.stride() for w in want]


def test_constants_are_listed_and_replaced(tmp_path, capfd):
    module, x = Mlp(), torch.randn(4, 48)
    model = loaded(module, (x,), tmp_path)
    assert set(model.get_constant_fqns()) == {"first.weight", "first.bias", "last.weight", "last.bias", "shift"}
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(-0.5)
    weights = {name: value.detach().clone() for name, value in module.state_dict().items()}
    model.load_constants(weights, check_full_update=True)
    torch.testing.assert_close(model(x), module(x).detach())
    weights["shift"].add_(1)  # the library has a copy
    torch.testing.assert_close(model(x), module(x).detach())
    model.load_constants({"shift": weights["shift"]}, check_full_update=False, user_managed=True)
    weights["shift"].add_(1)  # and now the tensor itself
    torch.testing.assert_close(model(x), torch.log_softmax(module.last(torch.relu(module.first(x))) + weights["shift"], -1).detach())
    for update, full, message in [
        ({"shift": torch.zeros(11)}, False, "the constant shift: its new value has another dtype, shape"),
        ({"shift": torch.zeros(10)}, True, "the constant first_weight is missing from a full update"),
        ({"other": torch.zeros(10)}, False, "other"),
    ]:
        with pytest.raises(RuntimeError) as raised:
            model.load_constants(update, check_full_update=full)
        assert message in str(raised.value) + capfd.readouterr().err  # PyTorch's runner raises an error without the text


def test_weights_beside_the_library(tmp_path, capfd):
    module, x = Mlp(), torch.randn(4, 48)
    torch.testing.assert_close(loaded(module, (x,), tmp_path, weights="beside")(x), module(x).detach())
    path = mlirind.aot_compile(module, (x,), package=tmp_path / "model.so", weights="beside")
    weights = tmp_path / "model_weights.blob"
    assert module.first.weight.detach().numpy().tobytes() in weights.read_bytes()
    assert module.first.weight.detach().numpy().tobytes() not in Path(path).read_bytes()
    runner = torch._C._aoti.AOTIModelContainerRunnerCpu(path, 1)
    assert runner.extract_constants_map(False) == {}
    with pytest.raises(RuntimeError, match="the weights are beside the library: load them first"):
        runner.run([x])
    runner.update_constant_buffer({"shift": module.shift}, False, False)
    with pytest.raises(RuntimeError, match="the weights are beside the library"):  # only one of them is there
        runner.run([x])
    assert set(runner.extract_constants_map(False)) == {"shift"}
    runner.update_constant_buffer_from_blob(str(weights))
    weights.write_bytes(bytes(weights.stat().st_size))  # the library has copies
    torch.testing.assert_close(runner.run([x])[0], module(x).detach())
    with pytest.raises(RuntimeError):
        runner.update_constant_buffer_from_blob(str(weights))
    assert "the weights were written for another library" in capfd.readouterr().err
    sin = mlirind.aot_compile(lambda x: x.sin(), (x,), package=tmp_path / "sin.so", weights="beside")
    inside = torch._C._aoti.AOTIModelContainerRunnerCpu(sin, 1)
    torch.testing.assert_close(inside.run([x])[0], x.sin())  # no constant: no file
    assert not (tmp_path / "sin_weights.blob").exists()


def test_constants_change_while_threads_call(tmp_path, capfd):
    """Each result belongs to one set of constants, never to a mixture."""
    module = torch.nn.Sequential(*(torch.nn.Linear(32, 32) for _ in range(4))).eval()
    x = torch.randn(16, 32)
    path = mlirind.aot_compile(module, (x,), package=tmp_path / "model.so")
    runner = torch._C._aoti.AOTIModelContainerRunnerCpu(path, 4)
    names = {path: name for name, path in runner.get_constant_names_to_original_fqns().items()}
    sets = [{names[p]: torch.randn_like(v) * 0.1 for p, v in module.state_dict().items()} for _ in range(2)]
    expected = []
    for weights in sets:
        runner.update_constant_buffer(weights, False, True)
        expected.append(runner.run([x])[0])
    assert not torch.allclose(*expected)
    torch.testing.assert_close(runner.extract_constants_map(False)["0.weight"], sets[1][names["0.weight"]])
    stop, wrong, seen = threading.Event(), [], set()

    def call():
        while not stop.is_set():
            (result,) = runner.run([x])
            found = [n for n, e in enumerate(expected) if torch.equal(result, e)]
            seen.update(found)
            if not found:
                wrong.append(result)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(100):
        if number % 2:
            runner.update_constant_buffer(sets[number // 2 % 2], False, True)
        else:
            runner.update_constant_buffer(sets[number // 2 % 2], True, True)
            runner.swap_constant_buffer()
        if number % 10 == 0:
            runner.free_inactive_constant_buffer()
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong and seen
    runner.free_inactive_constant_buffer()
    with pytest.raises(RuntimeError):
        runner.swap_constant_buffer()
    assert "there is no inactive constant buffer" in capfd.readouterr().err


def test_c_symbols(tmp_path):
    """The container as C programs see it."""
    module, x = Mlp(), torch.randn(4, 48)
    path = mlirind.aot_compile(module, (x,), package=tmp_path / "model.so")
    library = ctypes.CDLL(path)
    container, text, count = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_size_t()

    def call(name, *arguments):
        status = getattr(library, name)(*arguments)
        error = ctypes.c_char_p()
        library.AOTInductorGetLastError(ctypes.byref(error))
        return status, error.value

    assert call("AOTInductorModelContainerCreateWithDevice", ctypes.byref(container), 1, b"cuda", None) == (
        1, b"the library was compiled for the device cpu",
    )  # fmt: skip
    assert call("AOTInductorModelContainerCreateWithDevice", ctypes.byref(container), 1, b"cpu:0", None) == (0, b"")
    for name, expected in (("Inputs", 1), ("Outputs", 1), ("Constants", 5)):
        assert call(f"AOTInductorModelContainerGetNum{name}", container, ctypes.byref(count)) == (0, b"")
        assert count.value == expected
    for name, expected in (("Input", b"x"), ("Output", b"output_0")):
        assert call(f"AOTInductorModelContainerGet{name}Name", container, ctypes.c_size_t(0), ctypes.byref(text))[0] == 0
        assert text.value == expected
        status, error = call(f"AOTInductorModelContainerGet{name}Name", container, ctypes.c_size_t(1), ctypes.byref(text))
        assert status == 1 and b"index" in error
    assert call("AOTInductorModelContainerGetConstantOriginalFQN", container, ctypes.c_size_t(0), ctypes.byref(text))[0] == 0
    assert text.value == b"first.weight"
    assert call("AOTInductorModelContainerDelete", container)[0] == 0


def test_processors_without_the_instructions_are_refused(tmp_path, monkeypatch, capfd):
    from mlirind.runtime.library import build

    monkeypatch.setattr(build, "_processor", lambda: (1 << 40,) * 6)
    path = mlirind.aot_compile(lambda x: x.sin(), (torch.randn(3),), package=tmp_path / "model.so")
    with pytest.raises(RuntimeError):
        torch._C._aoti.AOTIModelContainerRunnerCpu(path, 1)
    assert "this processor lacks instructions" in capfd.readouterr().err


def test_python_operators_are_refused(tmp_path):
    @torch.library.custom_op("aot_test::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    twice.register_fake(torch.empty_like)

    def program(x):
        return twice(x) + 1

    with pytest.raises(NotALibrary, match=rf"aot_test\.twice\.default at .*test_aot_compile\.py:{program.__code__.co_firstlineno + 1}"):
        mlirind.aot_compile(program, (torch.randn(3),), package=tmp_path / "model.so")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("program", "inputs", "message"),
    [
        (lambda x: x.nonzero(), (torch.ones(3),), "sizes that come from data"),
        (lambda x: (x, 3), (torch.ones(3),), "only tensors can be results"),
        (lambda x: x.real, (torch.ones(3, dtype=torch.complex64),), "only real tensors"),
    ],
)
def test_programs_that_are_refused(tmp_path, program, inputs, message):
    with pytest.raises(NotALibrary, match=message):
        mlirind.aot_compile(program, inputs, package=tmp_path / "model.so")


def test_arguments_that_are_refused(tmp_path):
    x = torch.ones(3)
    with pytest.raises(MlirindError, match=r"must end in \.pt2 or \.so"):
        mlirind.aot_compile(torch.sin, (x,), package=tmp_path / "model.zip")
    with pytest.raises(MlirindError, match="weights='near': must be 'inside' or 'beside'"):
        mlirind.aot_compile(torch.sin, (x,), package=tmp_path / "model.so", weights="near")
    with pytest.raises(MlirindError, match=r"args is a Tensor: must be a tuple or a list"):
        mlirind.aot_compile(torch.sin, x, package=tmp_path / "model.so")
    with pytest.raises(MlirindError, match="option freezing"):
        mlirind.aot_compile(torch.sin, (x,), package=tmp_path / "model.so", options={"freezing": True})
