"""The package's description fits the folders; the layers import what they may."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SUBPACKAGES = ("frontend", "dialects", "passes", "lowering", "runtime", "tools")
needs_import_linter = pytest.mark.skipif(importlib.util.find_spec("importlinter") is None, reason="import-linter is not installed")


def test_every_package_is_listed():
    """pyproject.toml lists each folder that holds an `__init__.py`, and no other."""
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {path.parent for name in SUBPACKAGES for path in (ROOT / name).rglob("__init__.py")}
    inside = {path.parent for path in (ROOT / "mlirind").rglob("__init__.py")}
    names = {"mlirind." + ".".join(path.relative_to(ROOT).parts) for path in found}
    assert listed == names | {".".join(path.relative_to(ROOT).parts) for path in inside}


def test_every_folder_with_code_is_a_package():
    """No folder holds modules without an `__init__.py`: it would be missing from a wheel."""
    folders = {path.parent for name in SUBPACKAGES for path in (ROOT / name).rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_data_lies_in_listed_packages():
    """Data in a subfolder that is no package would be installed with a warning, and left out by later versions of setuptools."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert set(settings["package-data"]) <= set(settings["packages"])
    assert [pattern for patterns in settings["package-data"].values() for pattern in patterns if "/" in pattern] == []


def test_what_a_wheel_holds(tmp_path):
    """The marker of typed packages, MLIR text and the parts of the report lie in it, the license beside."""
    shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns(".*", "test", "benchmarks", "results", "*.egg-info"))
    code = "import setuptools; setuptools.setup()"
    command = [sys.executable, "-c", code, "-q", "build", "--build-base", str(tmp_path), "--build-lib", str(tmp_path / "lib")]
    subprocess.run([*command, "egg_info", "--egg-base", str(tmp_path)], cwd=tmp_path / "copy", check=True, capture_output=True)
    package, metadata = tmp_path / "lib" / "mlirind", tmp_path / "mlirind.egg-info"
    assert (package / "py.typed").exists() and all(
        (package / "lowering/host" / f"{part}.mlir").exists() for part in ("steps", "support", "library", "container", "processor")
    )
    page = {path.name for path in (package / "frontend/report").iterdir() if path.suffix != ".py"}
    assert page == {"page.html", "page.css", "page.js", "cytoscape.min.js", "cytoscape-dagre.min.js", "LICENSES.txt"}
    assert "License-File: LICENSE" in (metadata / "PKG-INFO").read_text()


def test_pre_commit_runs_what_make_lint_does():
    hooks = re.findall(r"entry: make (\w+)", (ROOT / ".pre-commit-config.yaml").read_text())
    assert re.search("^lint: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split() == hooks


def test_passes_do_not_import_torch():
    """Importing every dialect, pass and lowering leaves torch and sympy out: mlirind-opt starts fast."""
    code = "import sys, mlirind.tools.mlirind_opt; print([m for m in ('torch', 'sympy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_layout_page_names_every_module():
    """docs/layout.md mentions each file of the package and of benchmarks/, and each folder of tests."""
    page = (ROOT / "docs/layout.md").read_text()
    folders = [*(ROOT / name for name in SUBPACKAGES), *(path.parent for path in (ROOT / "mlirind").rglob("__init__.py"))]
    folders.append(ROOT / "benchmarks")
    files = [path for folder in folders for path in folder.glob("*.py") if path.name != "__init__.py"]
    passes = {path for path in files if path.parent.name == "passes" and "register_pass(" in path.read_text()}
    assert [str(path.relative_to(ROOT)) for path in files if path not in passes and f"`{path.name}`" not in page] == []
    tested = page[page.index("## test/") :]
    tests = {path.parent.relative_to(ROOT / "test").parts[0] for path in (ROOT / "test").glob("*/**/*.py")}
    assert [name for name in sorted(tests) if f"`{name}/" not in tested] == []


def test_tools_are_pinned_as_they_are_installed():
    """Each tool of the tests has an exact version, the one in constraints.txt; PyTorch and its triton are the caller's choice."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = [line.partition(";")[0] for line in project["optional-dependencies"]["test"] if not line.startswith("triton;")]
    assert [line for line in pins if "==" not in line] == []
    constraints = (ROOT / "constraints.txt").read_text().split()
    assert [line for line in pins if line not in constraints] == []
    assert [line for line in constraints if line.startswith(("torch==", "triton=="))] == []


@needs_import_linter
def test_layers_import_what_lies_below_them():
    """Every contract of `[tool.importlinter]` holds."""
    assert subprocess.run([sys.executable, ROOT / "tools" / "check_imports.py"]).returncode == 0


@needs_import_linter
@pytest.mark.parametrize(
    ("module", "imported"), [("passes/planted.py", "frontend.backend"), ("lowering/tt/planted.py", "lowering.cpu.nest")]
)
def test_an_import_upwards_inside_a_function_is_found(module, imported):
    """A planted import that runs only when a function is called breaks a contract."""
    code = "from check_imports import *; package = copy_package(sys.argv[1]); "
    code += f"(package / {module!r}).write_text('def run():\\n    import mlirind.{imported}\\n'); checked = check(package); "
    code += "print(checked.stdout); sys.exit(checked.returncode)"
    with tempfile.TemporaryDirectory() as folder:
        found = subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT / "tools", capture_output=True, text=True)
    assert found.returncode == 1 and f"mlirind.{imported}" in found.stdout
