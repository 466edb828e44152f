"""`mlirind.aot_compile` for GPUs, on a machine without one: what is in a library, what is refused, and what a library does with a CUDA
driver and an evaluator of Triton's IR in place of a GPU (`stub_cuda.py`)."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import mlirind
import pytest
import stub_cuda
import stub_cuda_checks
import torch
import torch.nn.functional as F
from library_programs import Counter
from mlirind.errors import MlirindError, NotALibrary
from mlirind.frontend.exporting import aot_compile, attention_choice
from mlirind.frontend.exporting.attention_choice import attention_on_gpus
from mlirind.frontend.exporting.on_gpus import move_to_gpu
from stub_cuda_checks import ROWS, Layers, Product
from torch.export import Dim

pytestmark = pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch copies its own tree specs
HERE = Path(__file__).parent
CHECKS = [name for name in vars(stub_cuda_checks) if name.startswith("check_")]
TARGETS = ["sm_80", "sm_90"]


def compiled(program, args, path, **options):
    return mlirind.aot_compile(program, args, package=path, **{"device": "cuda", "targets": TARGETS} | options)


@pytest.fixture(scope="module")
def failures(tmp_path_factory):
    """The checks that failed, in a process of its own, with their tracebacks."""
    folder = tmp_path_factory.mktemp("libraries")
    stub_cuda.write_stub(folder)
    with stub_cuda.texts_as_cubins():
        compiled(Layers(), (torch.randn(4, ROWS),), folder / "layers.so", dynamic_shapes=({0: Dim("rows", min=1, max=32)},))
        compiled(Layers(), (torch.randn(4, ROWS),), folder / "beside.so", weights="beside")
        compiled(Counter(), (torch.ones(3),), folder / "counter.so")
        compiled(Product(), (torch.randn(300, 256), torch.randn(256, 400)), folder / "product.so")
    paths = os.pathsep.join([str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": paths}
    command = [sys.executable, "-P", str(HERE / "stub_cuda_checks.py"), str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(torch.version.cuda is not None, reason="this PyTorch has a CUDA library, for which the stub can't stand: see test/gpu")
@pytest.mark.parametrize("name", CHECKS)
def test_without_a_gpu(failures, name):
    assert name not in failures, failures[name]


def test_a_package_has_cubins_for_all_targets(tmp_path):
    """Triton compiles them; each is an ELF file for CUDA (machine 190), whose flags have the architecture."""
    path = compiled(torch.nn.GELU(), (torch.randn(64),), tmp_path / "gelu.pt2")
    with zipfile.ZipFile(path) as archive:
        metadata = json.loads(archive.read("package/data/aotinductor/model/model.wrapper_metadata.json"))
        library = archive.read("package/data/aotinductor/model/model.wrapper.so")
    assert metadata == {"AOTI_DEVICE_KEY": "cuda"}
    starts = [n for n in range(64, len(library)) if library.startswith(b"\x7fELF", n)]
    assert len(starts) == 4 and {library[n + 18] for n in starts} == {190}  # for any addresses, and for multiples of 16
    assert b"libtorch_cuda.so\0" in library and b"libcuda.so.1\0" in library


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"targets": ["sm_80", "sm_12"]}, "targets: 'sm_12' is not known; known are sm_80, sm_86, sm_89, sm_90, sm_100"),
        ({"targets": "sm_80"}, "must be a list"),
        ({"device": "xpu"}, "device='xpu': must be 'cpu' or 'cuda'"),
        ({"device": None}, "the program's tensors are on the CPU"),
        ({"targets": None}, "this machine has no GPU: name those that the library is for"),
    ],
)
def test_wrong_options(tmp_path, options, text):
    if torch.cuda.is_available() and "no GPU" in text:
        pytest.skip("this machine has one")
    with pytest.raises(MlirindError, match=text):
        compiled(torch.nn.ReLU(), (torch.randn(3),), tmp_path / "x.so", **options)
    assert not list(tmp_path.iterdir())


def test_a_program_on_a_gpu_is_none_for_the_cpu(tmp_path, monkeypatch):
    program = torch.export.export(torch.nn.ReLU(), (torch.randn(3),))
    move_to_gpu(program)
    monkeypatch.setattr(aot_compile, "export_call", lambda *_: program)
    with pytest.raises(MlirindError, match="device='cpu': the program is on a GPU"):
        compiled(torch.nn.ReLU(), (torch.randn(3),), tmp_path / "x.so", device="cpu")
    assert not list(tmp_path.iterdir())


def test_exported_programs_stay_where_they_are(tmp_path):
    program = torch.export.export(torch.nn.ReLU(), (torch.randn(3),))
    with pytest.raises(MlirindError, match="device: an exported program has its own"):
        compiled(program, (), tmp_path / "x.so")


def test_operators_that_a_library_can_not_call(tmp_path):
    with torch.library._scoped_library("aot_gpu_test", "FRAGMENT") as library:
        library.define("shift(Tensor x) -> Tensor")
        library.impl("shift", lambda x: x + 1, "CompositeExplicitAutograd")
        torch.library.register_fake("aot_gpu_test::shift", torch.empty_like, lib=library)
        with pytest.raises(NotALibrary, match=r"aot_gpu_test.shift.default at .*test_aot_gpu.py:\d+ has no C function"):
            compiled(lambda x: torch.ops.aot_gpu_test.shift(x) * 2, (torch.randn(3),), tmp_path / "x.so")


def test_views_that_a_gpu_would_copy(tmp_path):
    """The CPU's attention lays out its result as its input; a GPU's does not."""
    q = torch.randn(24, 2, 4, 16).permute(1, 2, 0, 3)

    def rows(q):
        return F.scaled_dot_product_attention(q, q, q).permute(2, 0, 1, 3).view(48, 64) * 2

    def written(q):
        result = F.scaled_dot_product_attention(q, q, q).permute(2, 0, 1, 3)
        result.view(48, 64).mul_(2)
        return result

    path = compiled(rows, (q,), tmp_path / "rows.so")
    assert b"aoti_torch_cuda__scaled_dot_product_efficient_attention" in Path(path).read_bytes()
    with pytest.raises(NotALibrary, match="Cannot view"):
        compiled(written, (q,), tmp_path / "x.so")


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("width", "dtype", "kernel"), [
    (16, torch.float16, "flash"), (16, torch.float32, "efficient"), (15, torch.float32, ""), (4, torch.float16, ""),
])  # fmt: skip
def test_attention(tmp_path, width, dtype, kernel, masked):
    q = torch.randn(2, 3, 20, width, dtype=dtype)
    mask = torch.ones(2, 1, 20, 20, dtype=torch.bool) if masked else None
    path = compiled(lambda q, *mask: F.scaled_dot_product_attention(q, q, q, *mask), (q, mask)[: 1 + masked], tmp_path / "x.so")
    kernel = "efficient" if masked and kernel else kernel
    found = re.findall(rb"aoti_torch_cuda__scaled_dot_product_(\w+)_attention\0", Path(path).read_bytes())
    assert found == ([kernel.encode()] if kernel else [])


@pytest.mark.parametrize("causal", [False, True])
def test_attention_that_is_written_out(causal):
    """Its values; a row in which a mask hides everything is 0. What PyTorch's kernels for GPUs get as a mask has aligned rows."""
    q, k = torch.randn(3, 20, 15), torch.randn(3, 9, 15)
    torch.testing.assert_close(attention_on_gpus(q, k, k, is_causal=causal), F.scaled_dot_product_attention(q, k, k, is_causal=causal))
    mask = torch.rand(3, 20, 9) < 0.5
    mask[0, 3] = False
    for given in (mask, torch.randn(3, 20, 9)):
        expected = F.scaled_dot_product_attention(q, k, k, given, scale=0.5)
        torch.testing.assert_close(attention_on_gpus(q, k, k, given, scale=0.5), expected)
    bias = attention_choice._bias(mask.unsqueeze(1), q.unsqueeze(1), k.unsqueeze(1))
    assert bias.shape == (3, 1, 20, 9) and bias.stride(2) == 16
    assert torch.equal(bias.squeeze(1), torch.zeros(3, 20, 9).masked_fill(~mask, -torch.inf))


def test_libraries_for_the_cpu_need_nothing_of_cuda(tmp_path):
    path = mlirind.aot_compile(torch.nn.ReLU(), (torch.randn(3),), package=tmp_path / "x.so")
    assert b"libcuda" not in Path(path).read_bytes() and b"libtorch_cuda" not in Path(path).read_bytes()
