"""What the documentation shows works as written."""

import dataclasses
import re
import shutil
import subprocess
import sys
import textwrap
import types
import zipfile
from pathlib import Path

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.options import Options
from mlirind.passes import registry
from mlirind.passes.driver import PassFailed, run_passes
from mlirind.tools import mlirind_opt
from torch_mlir import ir

DOCS = Path(__file__).parent.parent / "docs"


def block(page, language):
    return re.search(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)[1]


@pytest.fixture
def fold_relu(monkeypatch):
    """The module that docs/add_a_pass.md shows, as part of the package."""
    monkeypatch.setattr(registry, "_passes", dict(registry._passes))
    module = types.ModuleType("mlirind.passes.fold_relu")
    module.__package__ = "mlirind.passes"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(block("add_a_pass.md", "python"), module.__dict__)


def test_the_pass_of_add_a_pass(fold_relu):
    """It is registered with its summary and does what its test there expects."""
    assert registry.find_pass("fold-relu").summary == "`fold-relu`: relu of relu becomes one relu."
    with compile_context():
        module = ir.Module.parse(block("add_a_pass.md", "mlir"))
        run_passes(module, ["fold-relu"])
        assert [str(function).count('"aten.relu"') for function in module.body.operations] == [1, 2]


def test_the_plugin_of_add_a_pass(tmp_path, monkeypatch):
    """The file that the page shows and its lit test, as a project of one's own would have them."""
    plugin, test = tmp_path / "my_passes.py", tmp_path / "square.mlir"
    plugin.write_text(blocks("add_a_pass.md", "python")[1])
    test.write_text(blocks("add_a_pass.md", "mlir")[1])
    printed = run_lit(test)
    assert printed.count("aten.mul_tensor") == printed.count("aten.pow_tensor_scalar") == 1


def test_the_plugin_of_write_a_pattern(tmp_path):
    """The file with a pattern that the page shows, and its lit test."""
    plugin, test = tmp_path / "my_patterns.py", tmp_path / "relu_of_sum.mlir"
    plugin.write_text(blocks("write_a_pattern.md", "python")[0])
    test.write_text(block("write_a_pattern.md", "mlir"))
    run_lit(test)


def run_lit(test):
    """Runs the first RUN line of a file; returns what mlirind-opt prints."""
    run = re.match(r"// RUN: (.*)", test.read_text())[1].replace("%S", str(test.parent)).replace("%s", str(test))
    opt, check = run.replace("mlirind-opt", f"{sys.executable} -P -m mlirind.tools.mlirind_opt").split(" | ")
    made = subprocess.run(opt.split(), capture_output=True, text=True)
    assert made.returncode == 0 and made.stderr == ""
    subprocess.run([sys.executable, "-P", "-m", check.split()[0], str(test)], input=made.stdout, text=True, check=True)
    return made.stdout


TWICE_AND_SQUARE = """
func.func @graph(%x: tensor<2xf32>) -> tensor<2xf32> attributes {aten.stage = "functional"} {
  %0 = "aten.relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "aten.relu"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "aten.pow_tensor_scalar"(%1) {exponent = 2, aten.node = "square", aten.region = "MUST_SAVE in 0"} : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
"""


def test_the_pdl_and_the_function_of_write_a_pattern():
    """Both are applied: one relu is left, and the square is a product, with the metadata of the square."""
    import mlirind.patterns
    from mlirind.passes.patterns.engine import pattern_set

    try:
        exec(blocks("write_a_pattern.md", "python")[2], {})
        with compile_context():
            module = ir.Module.parse(TWICE_AND_SQUARE)
            run_passes(module, ["user-patterns"])
            text = str(module)
    finally:
        pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)
    assert (text.count('"aten.relu"'), text.count('"aten.mul_tensor"'), text.count("pow")) == (1, 1, 0)
    (product,) = [line for line in text.splitlines() if '"aten.mul_tensor"' in line]
    assert 'aten.node = "square"' in product and 'aten.region = "MUST_SAVE in 0"' in product


def test_the_rewrite_of_write_a_pattern_is_the_projects():
    """A pass ends as the page shows."""
    code = blocks("write_a_pattern.md", "python")[3]
    assert (DOCS.parent / "passes" / "fold_cumsum.py").read_text().endswith(code)


@pytest.mark.parametrize("language", ["python", "mlir"])
def test_the_code_of_add_an_op_is_the_projects(language):
    """Every block is in one of the files that the page names."""
    blocks = re.findall(rf"```{language}\n(.*?)```", (DOCS / "add_an_op.md").read_text(), re.DOTALL)
    places = {"python": "lowering/rules/*.py", "mlir": "test/lowering/*.mlir"}
    texts = [path.read_text() for path in DOCS.parent.glob(places[language])]
    assert blocks and all(any(block in text for text in texts) for block in blocks)


def test_the_entry_of_torch_boundary_is_the_projects():
    """The page shows an entry of `cuda.py`."""
    code = re.search(r"```python\n(.*?) *```", (DOCS / "design/torch_boundary.md").read_text(), re.DOTALL)[1]
    assert textwrap.dedent(code) in (DOCS.parent / "mlirind/torch_internals/cuda.py").read_text()


def test_the_readme_lists_every_option():
    """The section has each field of `Options` and each environment variable that the package reads."""
    readme = (DOCS.parent / "README.md").read_text()
    folders = [DOCS.parent / name for name in ("mlirind", "frontend", "dialects", "passes", "lowering", "runtime", "tools")]
    sources = "".join(path.read_text() for folder in folders for path in folder.rglob("*.py"))
    table = readme[readme.index("| option |") :]
    names = [field.name for field in dataclasses.fields(Options)] + re.findall(r'"(MLIRIND_[A-Z_]+)"', sources)
    assert [name for name in names if f"`{name}`" not in table] == []


ON_A_GPU = """
!x = tensor<8x64xf32, #aten.layout<"cuda:0", [64, 1], 0 : i64, unit>>
func.func @graph(%x: !x) -> !x attributes {aten.stage = "functional", aten.io_aliases = []} {
  %0 = "aten.exp"(%x) : (!x) -> !x
  %1 = "aten.sin"(%0) : (!x) -> !x
  return %1 : !x
}
"""


def test_the_gpu_command_of_the_readme_shows_the_kernels_that_run(tmp_path, capsys):
    """Two operators that the pipeline fuses are one kernel of Triton's."""
    (command,) = re.findall(r"`mlirind-opt (graph.mlir[^`]*--emit=ptx[^`]*)`", (DOCS.parent / "README.md").read_text())
    file = tmp_path / "graph.mlir"
    file.write_text(ON_A_GPU)
    assert mlirind_opt.main(command.replace("graph.mlir", str(file)).replace("ptx", "ttir").split()) == 0
    assert capsys.readouterr().out.count("tt.func") == 1


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


@pytest.mark.parametrize("source", blocks("invariants.md", "python"), ids=lambda s: re.findall(r"# (.*)", s)[0][:40])
def test_a_program_of_invariants(source, backend):
    """Compiled, with verification after every pass, it is eager's."""
    import torch
    from programs import check

    names = {"torch": torch}
    exec(source, names)
    check(backend, names["program"], names["inputs"])


@pytest.mark.parametrize("text", blocks("invariants.md", "mlir"), ids=lambda t: re.search(r"@(\w+)", t)[1])
def test_a_breach_of_invariants(text):
    """The verifier says what the first line does."""
    verifier, message = re.match(r"// ([\w-]+): (.*)", text).groups()
    with compile_context(), pytest.raises(PassFailed, match=message):
        run_passes(ir.Module.parse(text), [verifier], Options(reproducer=False))


def test_the_cpu_code_of_the_ir_page(tmp_path, capsys):
    """It becomes the LLVM dialect."""
    file = tmp_path / "kernel.mlir"
    file.write_text(blocks("design/ir.md", "mlir")[3])
    assert mlirind_opt.main([str(file), "--convert-cpu-to-llvm"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "" and "llvm.cond_br" in printed.out and "llvm.intr.fabs" in printed.out


@pytest.mark.parametrize("text", blocks("design/ir.md", "mlir")[:3], ids=["aten", "loop", "host"])
def test_an_example_of_the_ir_page(text, tmp_path, capsys):
    """It keeps all rules. One in `aten` or `loop` form runs as it stands; one in `host` form has no form before it to compare with."""
    file = tmp_path / "graph.mlir"
    file.write_text(text)
    assert mlirind_opt.main([str(file), "--verify-ir", "--verify-bounds"]) == 0
    if "host.launch" in text:
        assert mlirind_opt.main([str(file), "--convert-host-to-llvm"]) == 0
    else:
        assert mlirind_opt.main([str(file), "--run"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "" and ("llvm.call" if "host.launch" in text else "result 0: largest error") in printed.out


@pytest.fixture
def rms_norm():
    """The pattern that docs/write_a_pattern.md shows, registered; its names."""
    import mlirind.patterns
    from mlirind.passes.patterns.engine import pattern_set

    code = blocks("write_a_pattern.md", "python")[1]
    assert len([line for line in code.splitlines() if line]) < 19
    names = {}
    try:
        exec(code, names)
        yield names
    finally:
        pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)


def test_the_pattern_of_write_a_pattern(rms_norm, backend):
    """It is found nine times in Llama, in inference and in training; values and gradients are eager's."""
    import torch
    from mlirind.runtime.report import collect_reports
    from mlirind.tools import model_zoo

    for train in (False, True):
        model, inputs = model_zoo.build("llama", train=train), model_zoo.make_inputs("llama", batch=1, length=8, train=train)
        torch._dynamo.reset()
        with collect_reports() as reports, torch.set_grad_enabled(train):
            made, wanted = torch.compile(model, backend=backend)(**inputs), model(**inputs)
        torch.testing.assert_close(made.logits, wanted.logits, rtol=1e-4, atol=1e-5)
        assert sum(c.count for c in reports[0].calls if c.target == "mine.rms_norm.default") == 9
    parameters = list(model.parameters())
    gradients = (torch.autograd.grad(output.loss, parameters) for output in (made, wanted))
    for found, eager in zip(*gradients, strict=True):
        torch.testing.assert_close(found, eager, rtol=1e-3, atol=1e-5)


NORMS = {
    "of an input": lambda norm, x, w: norm(x, w, 1e-6),
    "of data": lambda norm, x, w: norm(x.detach(), w, 1e-6) + x,
    "of a value": lambda norm, x, w: norm(x.sin(), w, 1e-6),
    "of an input that is used elsewhere": lambda norm, x, w: norm(x, w, 1e-6) + x,
    "of a result": lambda norm, x, w: (lambda y: (norm(y, w, 1e-6), y))(x.sin()),
}


@pytest.mark.parametrize("name", NORMS)
def test_the_pattern_of_write_a_pattern_in_training(name, rms_norm, backend):
    """It is found wherever its tensor comes from; gradients are eager's, and who writes that tensor before the backward is told."""
    import torch
    from mlirind.runtime.report import collect_reports

    def program(x, w):
        return NORMS[name](rms_norm["norm"], x, w)

    def train(function, write=False):
        torch.manual_seed(0)
        x, w = torch.randn(4, 5, 64, requires_grad=True), torch.randn(64, requires_grad=True)
        results = function(x, w)
        results = results if isinstance(results, tuple) else (results,)
        if write:
            (x.detach() if len(results) == 1 else results[1]).mul_(2)
        return [*results, *torch.autograd.grad(sum(r.square().sum() for r in results), (x, w))]

    torch._dynamo.reset()
    compiled = torch.compile(program, backend=backend)
    with collect_reports() as reports:
        found = train(compiled)
    torch.testing.assert_close(found, train(program), rtol=1e-4, atol=1e-5)
    assert [c.target for c in reports[0].calls] == ["mine.rms_norm.default"]
    for function in () if name == "of data" else (program, compiled):  # eager's backward of it reads no data
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            train(function, write=True)


PAGES = sorted([*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_wraps_at_100_columns(page):
    """Code and tables may be wider, and a word that can't be broken."""
    prose = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in prose.splitlines() if not line.lstrip().startswith("|")]
    assert [line for line in lines if len(line) > 100 and " " in line.strip(" -*")] == []


def compiled_for_gpus(names):
    """The package for GPUs of the page's program; no GPU is needed."""
    exec(next(code for code in blocks("aot.md", "python") if "targets=" in code), names)
    return names["path"]


@pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch copies its own tree specs
def test_the_steps_of_aot(tmp_path, monkeypatch):
    """The page's program, and its C++ program if there is a compiler: PyTorch's own runner in a process without Python."""
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for code in blocks("aot.md", "python")[:2]:
        exec(code, names)
    with pytest.raises(RuntimeError, match="the size is 33, but it must be from 1 to 32"):
        names["loaded"](torch.randn(33, 16))
    with torch.no_grad():
        expected = [f"{rows} {names['model'](torch.full((rows, 16), 0.5)).sum():.5f}" for rows in (1, 7, 32)]
    exec(blocks("aot.md", "python")[2], names)
    with zipfile.ZipFile(compiled_for_gpus(names)) as archive:
        assert b"libtorch_cuda.so" in archive.read("package/data/aotinductor/model/model.wrapper.so")
    # PyTorch pickles functions of importable modules only.
    saved = f"import torch\n{blocks('aot.md', 'python')[3]}\ntorch.testing.assert_close(function(model, x), model(x))\n"
    (tmp_path / "saved.py").write_text(saved)
    subprocess.run([sys.executable, "-P", "saved.py"], check=True)
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler for the page's C++ program")
    (tmp_path / "main.cpp").write_text(block("aot.md", "cpp"))
    monkeypatch.setenv("TORCH", str(Path(torch.__file__).parent))
    printed = subprocess.run(["sh", "-ec", block("aot.md", "bash")], check=True, capture_output=True, text=True).stdout.splitlines()
    numbers, wanted = ([[float(word) for word in line.split()] for line in lines] for lines in (printed[:3], expected))
    torch.testing.assert_close(torch.tensor(numbers), torch.tensor(wanted), rtol=1e-4, atol=1e-4)
    assert "dimension 0: the size is 33, but it must be from 1 to 32" in printed[3]
