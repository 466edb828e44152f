"""Everything that is registered is tested, and every test runs."""

import subprocess
import sys
from pathlib import Path

import pytest
from mlirind import lowering, passes  # noqa: F401  (registers the passes)
from mlirind.passes.pipeline import PIPELINE
from mlirind.passes.registry import passes as registered_passes

TESTS = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(registered_passes()))
def test_every_pass_has_a_lit_test(name):
    """Pass `remove-noops` has a file remove_noops.mlir that runs it."""
    files = list(TESTS.rglob(f"{name.replace('-', '_')}.mlir"))
    assert files, f"no test/**/{name.replace('-', '_')}.mlir"
    runs = [line for file in files for line in file.read_text().splitlines() if "RUN:" in line]
    assert any(f"--{name}" in line or f"={name}" in line or f",{name}" in line for line in runs), f"{files} does not run --{name}"


def test_every_pass_says_what_it_does():
    """`--list-passes` has a line for each; it names the pass as the docstring does."""
    for found in registered_passes().values():
        assert found.summary.startswith(f"`{found.name}`: "), f"{found.name}: its module's docstring starts with {found.summary!r}"


def test_the_pipeline_holds_the_passes():
    """The compiler's list names every pass that is no verifier, once, and nothing else."""
    assert sorted(PIPELINE) == [name for name in sorted(registered_passes()) if not name.startswith("verify-")]


def test_lit_discovers_every_run_line():
    """Each .mlir file under test/ has a RUN line, and lit finds it."""
    command = [sys.executable, "-c", "import lit.main; lit.main.main()", "--show-tests", str(TESTS)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    discovered = {TESTS / line.split(" :: ")[1] for line in shown.splitlines() if " :: " in line}
    texts = {path: path.read_text(errors="ignore") for path in TESTS.rglob("*.mlir")}
    assert {path for path, text in texts.items() if "// RUN:" in text} == discovered == set(texts)
