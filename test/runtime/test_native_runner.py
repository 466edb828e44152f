"""Graphs as native functions where it is hard: threads, fork, exceptions in the middle, memory that is not there, leaks."""

import ctypes
import gc
import os
import threading
import weakref
from pathlib import Path

import pytest
import torch
from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.context import compile_context
from mlirind.dialects.segments import LAUNCH_RUNS, run_sizes_attr
from mlirind.frontend import compile as compile_module
from mlirind.options import Options
from mlirind.passes.driver import run_passes
from mlirind.runtime.host import native_runner
from mlirind.runtime.host.native_runner import Kernels, make_native_runner
from mlirind.tools.backends import find_backend
from mlirind.torch_internals import python_objects
from torch.utils._python_dispatch import TorchDispatchMode
from torch_mlir import ir

NATIVE = {"host": "native", "fallback": False}


def compiled(function, **options):
    return torch.compile(function, backend=find_backend("mlirind"), options={**NATIVE, **options}, dynamic=False)


@pytest.fixture
def runners(monkeypatch):
    """The runners of the graphs that are compiled meanwhile."""
    made = []

    def build(*args):
        made.append(original(*args))
        return made[-1]

    original = compile_module.build_runner
    monkeypatch.setattr(compile_module, "build_runner", build)
    return made


def program(x, w):
    """A kernel, a matrix product, a kernel over a view of it, an input that is returned."""
    y = torch.mm((x * 2).tanh(), w)
    return y[:, 1:].sigmoid().sum(1), y, x


def two():
    return torch.randn(64, 64), torch.randn(64, 64)  # too large to be a kernel


def resident_pages():
    return int(Path("/proc/self/statm").read_text().split()[1])


def in_threads(functions):
    """Runs them side by side; raises what one of them raised."""
    errors = []

    def run(function):
        try:
            function()
        except BaseException as error:  # noqa: BLE001  (handed on to the test)
            errors.append(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_one_function_called_by_many_threads():
    call = compiled(program)
    call(*two())

    def work():
        for _ in range(50):
            x, w = two()
            got, want = call(x, w), program(x, w)
            torch.testing.assert_close(got, want)
            assert got[2] is x

    in_threads([work] * 8)


def test_threads_compile_and_call_different_functions():
    def work(number):
        def function(x):
            return (x * number).sin().sum(0), torch.mm(x, x) + number

        call = compiled(function)
        for _ in range(5):
            x = torch.randn(8 + number, 8 + number)
            torch.testing.assert_close(call(x), function(x))
            torch.testing.assert_close(call(x), function(x))

    in_threads([lambda number=number: work(number) for number in range(4)])


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # Python 3.12: a fork in one is what is tested
def test_call_after_fork():
    call = compiled(program)
    x, w = two()
    want = [t.clone() for t in call(x, w)]
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)  # libgomp's threads do not live on in a child: a product on several hangs there in eager mode too
        same = all(torch.equal(a, b) for a, b in zip(call(x, w), want, strict=True))
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class OwnError(Exception):
    """What the custom operator raises."""


@pytest.fixture(scope="module")
def refuse():
    """A custom operator that raises for negative sums."""

    @torch.library.custom_op("mlirind_native_test::refuse", mutates_args=())
    def refuse(x: torch.Tensor) -> torch.Tensor:
        if x.sum() < 0:
            raise OwnError("negative")
        return x.clone()

    refuse.register_fake(torch.empty_like)
    return refuse


class Refusing(TorchDispatchMode):
    """Raises where a convolution is called."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "convolution" in str(func):
            raise OwnError("none today")
        return func(*args, **(kwargs or {}))


def test_an_exception_that_python_raises_inside_a_c_function(runners):
    call = compiled(torch.conv1d)
    x, w = torch.randn(1, 2, 8), torch.randn(3, 2, 3)
    call(x, w)
    with Refusing(), pytest.raises(OwnError, match="none today"):
        runners[0]([x, w])
    torch.testing.assert_close(runners[0]([x, w])[0], torch.conv1d(x, w))


def test_an_exception_in_the_middle_keeps_its_type_and_leaks_nothing(refuse):
    def function(x):
        before = x * 3
        y = refuse(before)
        return y.exp() + before

    call = compiled(function)
    x = torch.ones(64, 64)
    torch.testing.assert_close(call(x), function(x))
    for _ in range(20):
        with pytest.raises(OwnError, match="negative"):
            call(-x)
    gc.collect()
    before, large = resident_pages(), torch.full((512, 1024), -1.0)
    for _ in range(100):  # 2 MB for each, were it leaked
        with pytest.raises(OwnError):
            call(large)
    assert resident_pages() - before < 20_000  # of 4 KB
    torch.testing.assert_close(call(x), function(x))


def test_memory_that_is_not_there():
    def function(x):
        return torch.mm(x, x), x.expand(1 << 24, 1 << 22, 4, 4) * 2  # more than there are addresses

    call, x = compiled(function), torch.ones(4, 4)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="memory"):
            call(x)


def test_an_operator_that_fails_raises_as_in_eager():
    def function(x):
        return torch.multinomial(x + 1, 1) * 2

    call, x = compiled(function), torch.eye(3)
    assert call(x).shape == function(x).shape
    with pytest.raises(RuntimeError, match="probability tensor"):
        call(-10 * x)


def test_a_c_function_that_fails_is_repeated_by_python(runners):
    call, x = compiled(lambda x, y: torch.mm(x, y).exp()), torch.ones(64, 64)
    call(x, x.clone())
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        runners[0]([x, torch.ones(65, 64)])
    torch.testing.assert_close(runners[0]([x, x])[0], torch.mm(x, x).exp())


def test_index_out_of_range():
    table = torch.randn(10, 4)
    call = compiled(lambda index: table[index].exp())
    torch.testing.assert_close(call(torch.tensor([1, 9])), table[[1, 9]].exp())
    for _ in range(10):
        with pytest.raises(IndexError, match="index 10 is out of bounds for dimension 0 with size 10"):
            call(torch.tensor([1, 10]))
    torch.testing.assert_close(call(torch.tensor([-1, 0])), table[[-1, 0]].exp())


def test_ten_thousand_calls_keep_memory_flat():
    call = compiled(program)
    x, w = torch.randn(64, 64), torch.randn(64, 64)
    for _ in range(1000):
        call(x, w)
    before = resident_pages()
    for _ in range(10_000):
        call(x, w)
    assert resident_pages() - before < 256  # a leaked tensor object a call would take 1,000 pages


def test_inputs_die_when_they_are_used_for_the_last_time(runners):
    seen, alive = [], lambda: None

    @torch.library.custom_op("mlirind_native_test::look", mutates_args=())
    def look(x: torch.Tensor) -> torch.Tensor:
        seen.append(alive() is not None)
        return x.clone()

    look.register_fake(torch.empty_like)
    call = compiled(lambda x: look((x * 2).sum(0)) + 1)
    call(torch.ones(256, 128))
    x = torch.ones(256, 128)
    alive, inputs = weakref.ref(x.untyped_storage()), [x]
    del x
    (result,) = runners[0](inputs)
    assert inputs == [] and result.shape == (128,)
    assert seen[-1] is False


def test_what_is_no_list_of_tensors_is_refused(runners):
    compiled(lambda x: x + 1)(torch.ones(3))
    for inputs in ([], [torch.ones(3)] * 2, ["text"], [None], (torch.ones(3),)):
        with pytest.raises((TypeError, SystemError)):
            runners[0](inputs)
    assert torch.equal(runners[0]([torch.ones(3)])[0], torch.full((3,), 2.0))


def test_other_threads_run_while_kernels_do(runners):
    compiled(lambda x: x.sin().cos().tanh().exp().sum())(torch.ones(1 << 23))
    x, ticks, done = torch.ones(1 << 23), [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    runners[0]([x])
    before = len(ticks)
    runners[0]([x])
    during = len(ticks) - before
    done.set()
    thread.join()
    assert during >= 1


def test_symbols_and_none():
    def function(x, y):
        return torch.cat([x, y]).reshape(-1, 2).sum(1), x.shape[0], None, y

    call = torch.compile(function, backend=find_backend("mlirind"), options=NATIVE, dynamic=True)
    for n, m in ((4, 6), (10, 2), (3, 5)):
        x, y = torch.randn(n, 2), torch.randn(m, 2)
        got, want = call(x, y), function(x, y)
        torch.testing.assert_close(got[0], want[0])
        assert got[1:3] == (n, None) and got[3] is y


def test_strides_other_than_compiled_for():
    copied = []

    def kernel(source, target):
        copied.append(source)
        ctypes.memmove(target, source, 16)
        return 0

    pointer = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(kernel)
    address = ctypes.cast(pointer, ctypes.c_void_p).value
    with compile_context():
        t = TensorInfo((2, 2), "float32", "cpu", (2, 1)).type()
        runs = ", ".join(["2"] + ["0"] * 31)
        module = ir.Module.parse(f"""
          "loop.func"() ({{
          ^bb0(%a: memref<?xf32>, %b: memref<?xf32>, %i: index):
            %v = "loop.load"(%a, %i) {{map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>}}
                : (memref<?xf32>, index) -> f32
            "loop.store"(%b, %v, %i) {{map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>}}
                : (memref<?xf32>, f32, index) -> ()
            "loop.yield"() : () -> ()
          }}) {{sym_name = "clone_0", domain = affine_map<() -> (4)>, symbols = [], outputs = 1 : i64}} : () -> ()
          func.func @graph(%x: {t}) -> {t} {{
            %b = "host.alloc"() : () -> {t}
            "host.launch"(%x, %b) {{kernel = @clone_0, symbols = [], operandSegmentSizes = array<i32: {runs}>}} : ({t}, {t}) -> ()
            return %b : {t}
          }}""")
        run = make_native_runner(module, Kernels([address]), Options())
    x = torch.arange(4.0).view(2, 2)
    assert torch.equal(run([x])[0], x) and copied == [x.data_ptr()]
    assert torch.equal(run([x.t()])[0], x.t()) and copied[1] != x.data_ptr()


def test_integers_that_operators_give_beside_tensors():
    """Attention in half types on a GPU does."""
    library = torch.library.Library("mlirind_native_test", "FRAGMENT")
    library.define("numbered(Tensor x) -> (Tensor, SymInt, Tensor)")
    library.impl("numbered", lambda x: (x + 1, 7, x * 2), "CPU")
    with compile_context():
        t = TensorInfo((2,), "float32", "cpu", (1,)).type()
        sizes = run_sizes_attr([t, ir.IndexType.get(), t])
        call = f"""
          func.func @graph(%x: {t}) -> ({t}, {t}) {{
            %0:3 = "host.call"(%x) {{target = "mlirind_native_test.numbered.default", arguments = [#aten.operand<0 : i64>], reason = "x",
                operandSegmentSizes = {run_sizes_attr([t], LAUNCH_RUNS)}, resultSegmentSizes = {sizes}}} : ({t}) -> ({t}, index, {t})
            return %0#0, %0#2 : {t}, {t}
          }}"""
        module = ir.Module.parse(call)
        run_passes(module, ["verify-ir"], Options())
        run = make_native_runner(module, Kernels([]), Options())
    x = torch.ones(2)
    for _ in range(3):
        torch.testing.assert_close(run([x]), [x + 1, x * 2])


def test_the_layout_of_tensor_objects():
    """The offset that native code uses leads to the handle that PyTorch's own function gives."""
    x = torch.ones(2)
    (capsule,) = torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors([x])
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    handle = get(capsule, None)
    here = id(x) + python_objects.tensor_offset()
    assert ctypes.c_void_p.from_address(handle).value == ctypes.c_void_p.from_address(here).value
    torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs([capsule])


@pytest.mark.parametrize(
    ("devices", "native"), [(["cuda:0", "cpu"], True), (["cuda:1", "cuda:0"], False), (["xpu:0", "cpu"], False)], ids=str
)
def test_graphs_on_one_gpu_are_native(devices, native):
    with compile_context():
        arguments = ", ".join(f"%a{n}: {TensorInfo((2,), 'float32', device, (1,)).type()}" for n, device in enumerate(devices))
        module = ir.Module.parse(f"func.func @graph({arguments}) {{ return }}")
        assert native_runner.runs_natively(module) == native


def test_an_input_that_was_let_go_is_not_asked_again():
    """The index dies before the kernel that fails; large inputs are let go at their last use."""
    table, index = torch.randn(4), torch.zeros(20000, dtype=torch.int64)
    call = compiled(lambda index: table[index[:4] + index.max() + 9].exp())
    with pytest.raises(IndexError, match="out of (range|bounds)"):
        call(index)
