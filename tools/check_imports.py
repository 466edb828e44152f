"""Checks which folders import which: `python tools/check_imports.py`. The rules are `[tool.importlinter]` in pyproject.toml.

Imports inside functions count. import-linter expects `mlirind.dialects` in `mlirind/dialects`, which is not where the repository has it.
So it reads a copy with that structure.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUBPACKAGES = ("frontend", "dialects", "passes", "lowering", "runtime", "tools")


def copy_package(folder: str) -> Path:
    """Copies the package into `folder`; returns the path of the copy."""
    without_caches = shutil.ignore_patterns("__pycache__")
    package = Path(folder, "mlirind")
    shutil.copytree(ROOT / "mlirind", package, ignore=without_caches)
    for name in SUBPACKAGES:
        shutil.copytree(ROOT / name, package / name, ignore=without_caches)
    return package


def check(package: Path) -> subprocess.CompletedProcess[str]:
    """Runs import-linter on a copied package. The exit code is 0 if every rule holds; the output lists violations."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    return subprocess.run([*command, str(ROOT / "pyproject.toml")], cwd=package.parent, env=environment, capture_output=True, text=True)


def main() -> int:
    """Returns import-linter's exit code; prints its output if a rule is violated."""
    with tempfile.TemporaryDirectory() as folder:
        checked = check(copy_package(folder))
    if checked.returncode:
        print(checked.stdout, checked.stderr, sep="\n")
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main())
