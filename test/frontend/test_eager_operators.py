"""Operators compiled for eager mode. What is registered stays for the process, so those tests run in processes of their own."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import mlirind
import pytest
import torch
from mlirind.errors import MlirindError, UnsupportedInput

pytestmark = pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch copies its own tree specs


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The cache's folder."""
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    return tmp_path


def compile_call(operator, args, kwargs=None, **options):
    name = operator.name().split("::")[1]
    options = {"device_type": "cpu", "dynamic": False, **options}
    return mlirind.aoti_compile_with_persistent_cache("aten", name, f=operator, args=args, kwargs=kwargs or {}, **options)


def test_one_library_for_each_kind_of_call(folder):
    gelu, x = torch.ops.aten.gelu.default, torch.randn(3, 5)
    path = compile_call(gelu, (x,))
    runner = torch._C._aoti.AOTIModelContainerRunnerCpu(path, 1)
    torch.testing.assert_close(runner.run([x])[0], torch.nn.functional.gelu(x))
    assert compile_call(gelu, (torch.randn(3, 5),)) == path
    assert compile_call(gelu, (x,), {"approximate": "tanh"}) != path
    (file,) = folder.rglob("gelu.json")
    entries = json.loads(file.read_text())
    assert [entry["kernel_path"] for entry in entries] == [f"lib/{p.name}" for p in map(Path, (path, entries[1]["kernel_path"]))]
    tensor, text = entries[1]["meta_info"]
    assert (tensor["dtype"], tensor["sizes"], tensor["strides"], tensor["arg_order"]) == ("torch.float32", [3, 5], [5, 1], 0)
    assert (text["string_value"], text["arg_order"]) == ("tanh", 1)


def test_damaged_files_are_compiled_again(folder):
    sin, x = torch.ops.aten.sin.default, torch.randn(4)
    path = Path(compile_call(sin, (x,)))
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    assert Path(compile_call(sin, (x,))).read_bytes() == content
    path.unlink()
    assert Path(compile_call(sin, (x,))).read_bytes() == content
    (file,) = folder.rglob("sin.json")
    other = file.read_text().replace("4\n", "5\n", 1)  # the library of a call is listed for another one
    for damaged in ('[{"meta_info"', "[1, {}]", "{}", other):
        file.write_text(damaged)
        if damaged == other:
            assert Path(compile_call(sin, (torch.randn(5),))).read_bytes() != content
            file.write_text(damaged)
        assert Path(compile_call(sin, (x,))).read_bytes() == content
        assert len(json.loads(file.read_text())) == 1


def test_calls_that_are_refused(folder):
    add, x = torch.ops.aten.add.Tensor, torch.randn(3)
    for args, options, message in [
        ((x, x), {"dynamic": True}, "static shapes"),
        ((x, x), {"dynamic_shapes": {"x": {}}}, "static shapes"),
        ((x, x), {"device_type": "cuda"}, "for the device cpu, not for cuda"),
        ((x, x), {"options": {"freezing": True}}, "option freezing"),
    ]:
        with pytest.raises(MlirindError, match=message):
            compile_call(add, args, **options)
    for args, message in [
        ((x, (x,)), "aten::add.Tensor, argument 1: tuple is not supported; supported are tensors"),
        ((x, [x, 1]), "argument 1: list is not supported"),
        ((x, None), "argument 1: NoneType is not supported"),
        ((x, x.to_sparse()), "argument 1: only plain dense tensors"),
        ((x, 2), "argument other: a number where the operator takes a tensor"),
    ]:
        with pytest.raises(UnsupportedInput, match=message):
            compile_call(add, args)
    assert not list(folder.rglob("*.so"))


def test_operators_that_are_refused():
    for name, message in [
        ("aten::add.Tensor", "a number in place of a tensor"),
        ("aten::relu_", "writes an argument or returns a view"),
        ("aten::view", "writes an argument or returns a view"),
        ("aten::linear", "made of other operators"),
        ("aten::item", "only operators that return tensors"),
        ("aten::nonzero", "sizes of its results depend on data"),
        ("aten::no_such", "there is no operator"),
        (5, "an operator is wanted, or its name such as aten::add.Tensor, not 5"),
    ]:
        with pytest.raises(MlirindError, match=message):
            mlirind.register_eager(name)
    with pytest.raises(MlirindError, match="not for cuda"):
        mlirind.register_eager("aten::sin", "cuda")


PROGRAM = """
import mlirind, torch

x = torch.linspace(-3, 3, 24).view(4, 6)
calls = [
    (torch.ops.aten.gelu.default, (x,)), (torch.ops.aten.gelu.default, (x.double(),)), (torch.ops.aten.gelu.default, (x.t(),)),
    (torch.ops.aten._softmax.default, (x, 1, False)), (torch.ops.aten.cat.default, ([x, x + 1],)), (torch.ops.aten.mm.default, (x, x.t())),
]
expected = [operator(*args) for operator, args in calls]
w = x.clone().requires_grad_()
torch.nn.functional.gelu(w).sum().backward()
gradient, w.grad = w.grad, None
for name in ("aten::gelu", "aten::_softmax", "aten::cat", "aten::mm", "aten::gelu"):  # one of them twice
    mlirind.register_eager(name)
for _ in range(2):
    for (operator, args), result in zip(calls, expected):
        found = operator(*args)
        assert found.dtype == result.dtype and found.stride() == result.stride()
        torch.testing.assert_close(found, result)
torch.nn.functional.gelu(w).sum().backward()
torch.testing.assert_close(w.grad, gradient)
"""


@pytest.mark.skipif(
    not hasattr(torch.library.Library, "_impl_with_aoti_compile") or not hasattr(torch._C, "_aoti"), reason="PyTorch has no holder"
)
def test_registered_operators(tmp_path):
    """Two processes: the second finds what the first compiled."""
    environment = {**os.environ, "MLIRIND_CACHE_DIR": str(tmp_path)}
    files = []
    for _ in range(2):
        command = [sys.executable, "-P", "-W", "ignore", "-c", textwrap.dedent(PROGRAM)]
        made = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        files.append(sorted(path.stat().st_ino for path in tmp_path.rglob("*.so")))
    assert files[0] and files[0] == files[1]
