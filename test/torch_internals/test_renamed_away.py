"""Without a private name of PyTorch models still give eager's answer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mlirind.tools.boundary_table import PAGE, every_entry, with_table

SCRIPT = Path(__file__).with_name("renamed_away.py")


def run(names, *options):
    """The lines that the script prints, in the order of the names, and its log."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPT.parent), os.environ.get("PYTHONPATH", "")])}
    environment.pop("MLIRIND_VERIFY_EACH", None)  # results are compared
    environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # `import torch` would load the boundary before names are missing
    found = subprocess.run([sys.executable, "-P", SCRIPT, *options, *names], capture_output=True, text=True, env=environment)
    lines = {line.partition(": ")[0]: line for line in found.stdout.splitlines()}
    return [lines.get(name, f"{name}: no answer") for name in names], found.stderr


@pytest.mark.parametrize("needed", [False, True])
def test_all_at_once(needed):
    """Nothing but what is needed; what is needed alone missing."""
    names = ",".join(entry.name for entry in every_entry() if entry.needed is needed)
    assert names.count(",") > 5
    lines, log = run([names])
    assert lines == [f"{names}: as eager"], log


@pytest.mark.timeout(3600)
def test_one_at_a_time():
    names = [entry.name for entry in every_entry()]
    lines, log = run(names, "--short")
    assert lines == [f"{name}: as eager" for name in names], log


def test_the_table_is_as_the_code_says():
    assert with_table(PAGE.read_text()) == PAGE.read_text(), "run `python -m mlirind.tools.boundary_table`"
