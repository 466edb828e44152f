"""CUDA graphs of programs without a GPU: routing, launches, variants, the cache. Kernels run in the evaluator on CPU memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from fake_gpu import backend_on, fake_gpu
from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.context import compile_context
from mlirind.dialects.segments import LAUNCH_RUNS, run_sizes_attr
from mlirind.disk_cache.container import pack_entry
from mlirind.errors import UnsupportedKernel
from mlirind.frontend import compile as frontend
from mlirind.frontend.backend import mlirind
from mlirind.frontend.importing.importer import import_graph
from mlirind.options import Options
from mlirind.passes.driver import run_passes
from mlirind.passes.pipeline import GRAPH, HOST, KERNELS, NATIVE_HOST
from mlirind.runtime.cuda.launching import cubin
from mlirind.runtime.cuda.launching.cubin import Compiler, Cubin, CubinSource
from mlirind.runtime.cuda.launching.kernels import masks
from mlirind.runtime.kernel_functions import device_of, kernel_functions
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir

PROGRAMS = {
    "pointwise": (lambda x: x.sin() * 2 + x, (33, 70)),
    "softmax": (lambda x: torch.softmax(x, -1), (5, 70)),
    "layer norm": (lambda x: F.layer_norm(x, (70,)), (3, 70)),
    "sums": (lambda x: (x.sum(0), x.sum(1), x.sum(), x.amax(1), x.argmin(0)), (9, 33)),
    "views": (lambda x: (x[1:, 3:] * 2, x.t() + 1, x.flip(0) - x), (8, 8)),
    "library": (lambda x: torch.relu(x @ x) + 1, (16, 16)),
    "write": (lambda x: x.add_(1).mul(3), (4, 5)),
    "scatter": (lambda x: torch.zeros(4, 5).index_add(0, torch.tensor([1, 1, 3]), x), (3, 5)),
    "empty": (lambda x: (x + 1, x.sum(0)), (0, 5)),
    "one element": (lambda x: x.exp() / 3, ()),
}


# PyTorch makes no fake tensor on a GPU that is missing where there is another.
needs_no_second_gpu = pytest.mark.skipif(torch.cuda.device_count() == 1, reason="needs two GPUs, or none")


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


@pytest.fixture(params=["native", "python"])
def host(request, monkeypatch):
    """The graph runs as a native function and as a Python function."""
    monkeypatch.setenv("MLIRIND_HOST", request.param)
    return request.param


on_both_hosts = pytest.mark.usefixtures("host")


def run(function, *inputs, **options):
    """What a program gives as one on a GPU, and the GPU."""
    with fake_gpu() as gpu:
        outputs = torch.compile(function, backend=backend_on(), **options)(*inputs)
    return outputs, gpu


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_what_eager_gives(name, host):
    function, sizes = PROGRAMS[name]
    x = torch.randn(sizes)
    got, gpu = run(function, x.clone())
    assert difference(function(x.clone()), got) is None
    assert gpu.launches or not x.numel()
    assert gpu.native == (len(gpu.launches) if host == "native" else 0)


@on_both_hosts
def test_gradients():
    x, w = torch.randn(6, 8, requires_grad=True), torch.randn(8, requires_grad=True)

    def loss(x, w):
        return (F.gelu(x) * w).square().mean()

    want = torch.autograd.grad(loss(x, w), (x, w))
    with fake_gpu() as gpu:
        got = torch.autograd.grad(torch.compile(loss, backend=backend_on())(x, w), (x, w))
    assert difference(want, got) is None and len(gpu.launches) >= 2


@on_both_hosts
def test_sizes_that_change_need_one_compilation():
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: torch.softmax(x * 2, -1), backend=backend_on(), dynamic=True)
        for rows, columns in ((4, 8), (33, 100), (2, 7)):
            x = torch.randn(rows, columns)
            assert difference(torch.softmax(x * 2, -1), compiled(x)) is None
    assert len(gpu.loaded) == 1 and len({launch.grid for launch in gpu.launches}) > 1


@on_both_hosts
def test_a_launch_gets_addresses_and_the_current_stream():
    x = torch.randn(1000)
    out, gpu = run(lambda x: x + 1, x)
    (launch,) = gpu.launches
    assert launch.arguments == (x.data_ptr(), out.data_ptr())
    assert launch.stream == 700 and launch.grid >= 1 and launch.threads % 32 == 0


@on_both_hosts
def test_a_pointer_that_is_not_aligned_gets_code_of_its_own():
    base = torch.randn(101)
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: x * 3, backend=backend_on(), dynamic=False)
        for start in (0, 1, 0, 1):
            x = base[start : start + 100].detach()
            torch.testing.assert_close(compiled(x), x * 3)
    assert len(gpu.loaded) == 2 and [launch.arguments[0] % 16 for launch in gpu.launches] == [0, 4, 0, 4]


def test_variants_are_known_when_the_graph_is_built():
    """Views that begin elsewhere, in the order of a launch's buffers (a float's offset of 4 is a multiple of 16 bytes), and sizes."""
    with compile_context():
        types = [TensorInfo((2,), dtype, "cuda:0", (1,), offset).type() for dtype, offset in (("float32", 4), ("float32", 1), ("int64", 3))]
        sizes = run_sizes_attr(types, LAUNCH_RUNS)
        arguments = ", ".join(f"%a{n}: {t}" for n, t in enumerate(types))
        function = f"func.func @graph({arguments}) attributes {{aten.symbols = {{s0 = [0, 99, 40]}}}} {{"
        facts = f'kernel = @k, symbols = [#aten.expr<"s0">, #aten.expr<"2*s0">], operandSegmentSizes = {sizes}'
        launch = f"""
            "host.launch"(%a0, %a1, %a2) {{{facts}}} : ({", ".join(map(str, types))}) -> ()
            return }}"""
        assert masks(ir.Module.parse(function + launch)) == {"k": {(0b110, 0b01)}}


def host_module(graph, verify_each=False):
    """The module of a graph with the launch sequence."""
    with compile_context():
        module = import_graph(graph).module
        for steps in (GRAPH, KERNELS, HOST):
            run_passes(module, steps, Options(verify_each=verify_each))
    return module


@needs_no_second_gpu
def test_kernels_are_for_the_device_of_their_tensors():
    with FakeTensorMode():
        inputs = torch.empty(4, device="cuda:0"), torch.empty(4), torch.empty(3, device="cuda:1")
        graph = make_fx(lambda a, b, c: (a.sin() + 1, b.sin() + 1, c.sin() + 1))(*inputs)
    module = host_module(graph)
    assert {device_of(op) for op in kernel_functions(module, "cuda").values()} == {"cuda:0", "cuda:1"}
    assert {device_of(op) for op in kernel_functions(module, "cpu").values()} == {"cpu"}
    with FakeTensorMode():
        inputs = torch.empty(4, device="cuda:0"), torch.empty(4)
        graph = make_fx(lambda a, b: (a.sum() * 2, b.sum() * 2, a.sum() + 3))(*inputs)
    names = {name: device_of(op) for kind in ("cpu", "cuda") for name, op in kernel_functions(host_module(graph), kind).items()}
    assert set(names.values()) == {"cpu", "cuda:0"}


def test_a_tensor_on_another_device_is_left_to_aten():
    with FakeTensorMode():
        graph = make_fx(lambda a, b: [a * b + 1])(torch.empty(4, device="cuda:0"), torch.empty(()))
    text = str(host_module(graph))
    assert 'target = "aten.mul.Tensor"' in text and "devices cuda:0 and cpu" in text and '"host.launch"' in text


def test_batch_norm_saves_on_a_gpu_what_it_does_not_on_the_cpu():
    with FakeTensorMode():
        x, w = torch.empty(4, 3, 8, 8, device="cuda:0"), torch.empty(3, device="cuda:0")
        graph = make_fx(lambda x, w: torch.ops.aten._native_batch_norm_legit_no_training(x, w, w, w, w, 0.1, 1e-5))(x, w)
    text = str(host_module(graph))
    assert "host.call" not in text and text.count('"host.launch"') == 2


BACKWARD = "_scaled_dot_product_efficient_attention_backward"


def test_the_gradient_of_attention_takes_an_undefined_bias():
    def gradient(q, lse, seed):
        backward = getattr(torch.ops.aten, BACKWARD)
        return backward(q, q, q, q, None, q, lse, seed, seed, 0.0, [True, True, True, False], True)[:3]

    with FakeTensorMode():
        sizes = torch.empty(2, 4, 64, 64, device="cuda"), torch.empty(2, 4, 64, device="cuda"), torch.empty((), device="cuda").long()
        graph = make_fx(gradient)(*sizes)
    with compile_context():
        module = host_module(graph)
        assert "efficient_attention_backward" in str(module)
        run_passes(module, NATIVE_HOST, Options(verify_each=False))
        called = [f"llvm.call @aoti_torch_{name}(" in str(module) for name in ("new_uninitialized_tensor", f"cuda_{BACKWARD}")]
    assert called == [True, True]


def test_sizes_among_the_results_of_a_call():
    """cuDNN's attention gives the lengths, and no tensors for what it did not compute."""
    with FakeTensorMode():
        q = torch.empty(2, 4, 64, 64, device="cuda", dtype=torch.bfloat16)
        graph = make_fx(lambda q: torch.ops.aten._scaled_dot_product_cudnn_attention(q, q, q, None, True)[:2])(q)
    assert "cudnn_attention" in str(host_module(graph, verify_each=True))


def test_the_gradient_of_cudnn_attention_takes_undefined_lengths():
    def gradient(q, lse, seed):
        backward = torch.ops.aten._scaled_dot_product_cudnn_attention_backward
        return list(backward(q, q, q, q, q, lse, seed, seed, None, None, None, 64, 64, 0.0, False))

    with FakeTensorMode():
        q = torch.empty(2, 4, 64, 64, device="cuda", dtype=torch.bfloat16)
        graph = make_fx(gradient)(q, q.new_empty(2, 4, 64, 1), q.new_empty((), dtype=torch.int64))
    assert ", #aten.none, #aten.none, #aten.none, 64, 64, " in str(host_module(graph))


def test_a_kernel_without_code_is_a_call():
    with mock.patch("mlirind.lowering.aten_to_loop.why_unsupported", lambda *_: "not today"), FakeTensorMode():
        text = str(host_module(make_fx(lambda a: [a.sin()])(torch.empty(4, device="cuda:0"))))
    assert 'reason = "not today", ' in text and "loop.func" not in text


def test_scatters_are_calls_where_results_must_not_depend_on_the_order():
    def text():
        with FakeTensorMode():
            inputs = (
                torch.empty(4, 3, device="cuda:0"),
                torch.empty(5, dtype=torch.long, device="cuda:0"),
                torch.empty(5, 3, device="cuda:0"),
            )
            return str(host_module(make_fx(lambda x, i, y: [x.index_add(0, i, y), x.sin()])(*inputs)))

    assert "host.call" not in text()
    torch.use_deterministic_algorithms(True)
    try:
        assert 'reason = "sums of scattered floats are not deterministic"' in text() and "host.launch" in text()
    finally:
        torch.use_deterministic_algorithms(False)


@on_both_hosts
def test_a_launch_that_fails_raises():
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: x + 1, backend=backend_on())
        compiled(torch.ones(3))
        gpu.statuses.append(719)
        with pytest.raises(RuntimeError, match="launching add_0: CUDA error 719"):
            compiled(torch.ones(3))


@on_both_hosts
def test_rows_in_parts_use_scratch_memory():
    x = torch.randn(1, 40000)
    out, gpu = run(lambda x: torch.softmax(x, -1), x)
    torch.testing.assert_close(out, torch.softmax(x, -1))
    assert len(gpu.launches) > 1
    (scratch,) = {launch.arguments[2:] for launch in gpu.launches}
    assert scratch and not {x.data_ptr(), out.data_ptr()} & set(scratch)


@on_both_hosts
def test_a_thread_without_the_context_enters_it():
    with fake_gpu() as gpu:
        compiled = torch.compile(lambda x: x + 1, backend=backend_on())
        compiled(torch.ones(3))
        gpu.statuses.append(201)
        assert compiled(torch.ones(3)).tolist() == [2, 2, 2] and gpu.entered == 1


@on_both_hosts
def test_threads_launch_one_kernel_side_by_side():
    wrong = []
    with fake_gpu():
        compiled = torch.compile(lambda x: x * 2 + 1, backend=backend_on(), dynamic=False)
        compiled(torch.ones(40))

        def work(n):
            x = torch.full((40,), float(n))
            wrong.extend(n for _ in range(5) if not torch.equal(compiled(x), x * 2 + 1))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    assert wrong == []


def test_equal_kernels_are_compiled_once():
    asked = []
    real = cubin.Compiler._one
    with mock.patch.object(cubin.Compiler, "_one", lambda self, source: asked.append(source) or real(self, source)):
        _, gpu = run(lambda x, y: (x.sin() @ y).sin() @ x, torch.randn(5, 5), torch.randn(5, 5))
    assert len(gpu.launches) == 2 and len(gpu.loaded) == 1 and len(asked) == 1


def test_what_was_fused_without_there_being_code_is_compiled_unfused():
    tried = []

    def build(module, *args, **kwargs):
        tried.append(len(kernel_functions(module, "cpu")))
        if len(tried) == 1:
            raise UnsupportedKernel("too much in one")
        return real(module, *args, **kwargs)

    real = frontend.build_runner
    x = torch.randn(3, 4)
    with mock.patch.object(frontend, "build_runner", build):
        compiled = torch.compile(lambda x: x.sin().cos() + 1, backend=mlirind, options={"fallback": False})
        torch.testing.assert_close(compiled(x), x.sin().cos() + 1)
    assert tried[0] == 1 and tried[1] > 1


# Compilation with Triton.
TEXT = """module {
  "tt.func"() ({
  ^bb0(%x: !tt.ptr<f32>):
    %i = "tt.make_range"() {start = 0 : i32, end = 128 : i32} : () -> tensor<128xi32>
    %p = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<128x!tt.ptr<f32>>
    %q = "tt.addptr"(%p, %i) : (tensor<128x!tt.ptr<f32>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f32>>
    %c = arith.constant dense<1.0> : tensor<128xf32>
    "tt.store"(%q, %c) {boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32} :
        (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) -> ()
    "tt.return"() : () -> ()
  }) {function_type = (!tt.ptr<f32>) -> (), sym_name = "ones", sym_visibility = "public"} : () -> ()
}
"""
needs_triton = pytest.mark.skipif(cubin.triton_version() is None, reason="Triton is not installed")


@needs_triton
def test_a_cubin_comes_from_the_disk_the_second_time(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    source = CubinSource(TEXT, 4, 1)
    (made,) = Compiler(90).compile([source])
    assert made.name == "ones" and made.warps == 4 and made.parameters >= 1 and made.code[1:4] == b"ELF"
    with mock.patch.object(cubin, "compile_text", side_effect=AssertionError("compiled again")):
        assert Compiler(90).compile([source, source]) == [made, made]
    (file,) = (tmp_path / "cubins").iterdir()
    whole = file.read_bytes()
    place = whole.index(made.code) + len(made.code) // 2
    for damaged in (b"torn", whole[:-1], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
        file.write_bytes(damaged)
        assert Compiler(90).compile([source]) == [made]
        assert file.read_bytes() == whole
    file.chmod(0o666)  # others can write to it
    with mock.patch.object(cubin, "compile_text", side_effect=lambda *_: made) as compiled:
        assert Compiler(90).compile([source]) == [made] and compiled.call_count == 1
    (other,) = Compiler(80).compile([source])
    assert other.code != made.code and len(list((tmp_path / "cubins").iterdir())) == 2


@needs_triton
def test_what_triton_refuses_is_unsupported(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    with pytest.raises(UnsupportedKernel, match="Triton can't compile"):
        Compiler(90).compile([CubinSource(TEXT.replace("arith.constant", "arith.konstant"), 4, 1)])


@needs_triton
def test_no_compiler_is_needed(tmp_path):
    """With nothing on PATH, and Triton's driver never made."""
    code = (
        "import sys; from mlirind.runtime.cuda.launching.cubin import Compiler, CubinSource\n"
        f"print(Compiler(90).compile([CubinSource({TEXT!r}, 4, 1)])[0].name)\n"
        "from triton.runtime.driver import driver\n"
        "print([name for name in ('_active', '_default', 'active') if driver.__dict__.get(name) is not None])"
    )
    environment = {
        **os.environ,
        "PATH": "",
        "MLIRIND_CACHE_DIR": str(tmp_path),
        "TRITON_CACHE_DIR": str(tmp_path / "triton"),
        "CC": "false",
    }
    run = subprocess.run([sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True)
    assert run.stdout.split("\n")[:2] == ["ones", "[]"], run.stderr


def test_without_triton_the_reason_says_what_to_do():
    with mock.patch.object(cubin, "triton_version", lambda: None), pytest.raises(Exception, match="install triton"):
        cubin.compile_text(CubinSource(TEXT, 4, 1), 90)


def test_a_cubin_file_holds_what_a_launch_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    kernel, key, another = Cubin("k", 8, 1024, 5, b"\n\x00code\n"), "0" * 64, "1" * 64
    cubin.write_cubin(key, kernel)
    assert cubin.read_cubin(key) == kernel and cubin.read_cubin(another) is None
    (tmp_path / "cubins" / key).rename(tmp_path / "cubins" / another)
    assert cubin.read_cubin(another) is None
    for header, pieces in [({"name": "k"}, [b"code"]), ({"name": "k", "warps": 8, "shared": 0, "parameters": 5}, [])]:
        (tmp_path / "cubins" / key).write_bytes(pack_entry(key, header, pieces))
        assert cubin.read_cubin(key) is None and not (tmp_path / "cubins" / key).exists()
