"""The package's description fits the folders; the layers import what they may."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUBPACKAGES = ("frontend", "dialects", "passes", "lowering", "runtime", "tools")


def test_every_package_is_listed():
    """pyproject.toml lists each folder that holds an `__init__.py`, and no other."""
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {path.parent for name in SUBPACKAGES for path in (ROOT / name).rglob("__init__.py")}
    assert listed == {"mlirind"} | {"mlirind." + ".".join(path.relative_to(ROOT).parts) for path in found}


def test_every_folder_with_code_is_a_package():
    """No folder holds modules without an `__init__.py`: it would be missing from a wheel."""
    folders = {path.parent for name in SUBPACKAGES for path in (ROOT / name).rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_data_lies_in_listed_packages():
    """Data in a subfolder that is no package would be installed with a warning, and left out by later versions of setuptools."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert set(settings["package-data"]) <= set(settings["packages"])
    assert [pattern for patterns in settings["package-data"].values() for pattern in patterns if "/" in pattern] == []


def test_passes_do_not_import_torch():
    """Importing every dialect, pass and lowering leaves torch and sympy out: mlirind-opt starts fast."""
    code = "import sys, mlirind.tools.mlirind_opt; print([m for m in ('torch', 'sympy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_layout_page_names_every_module():
    """docs/layout.md mentions each file of the package; families of files by their folder."""
    page = (ROOT / "docs/layout.md").read_text()
    files = [path for name in SUBPACKAGES for path in (ROOT / name).glob("*.py") if path.name != "__init__.py"]
    passes = {path for path in files if path.parent.name == "passes" and "register_pass(" in path.read_text()}
    assert [str(path.relative_to(ROOT)) for path in files if path not in passes and f"`{path.name}`" not in page] == []
