"""Without a private name of PyTorch models still give eager's answer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from boundary_programs import SPECIAL
from mlirind.tools.boundary_table import PAGE, every_entry, with_table

SCRIPT = Path(__file__).with_name("renamed_away.py")
GROUP = 4


def missing_together(needed):
    return ",".join(entry.name for entry in every_entry() if entry.needed is needed)


def in_groups():
    """Names that are missing in a process. A name that is needed or has programs of its own is alone. Of the others, which run the same
    programs, four are missing together, from distant places of the list: names of one part of the boundary could hide each other."""
    alone, others = [], []
    for entry in every_entry():
        (alone if entry.needed or entry.name.rpartition(".")[2] in SPECIAL else others).append(entry.name)
    processes = -(-len(others) // GROUP)
    return alone + [",".join(others[first::processes]) for first in range(processes)]


@pytest.fixture(scope="module")
def answers():
    """The line that the script prints for each argument, and its log. All its processes start from one that has imported PyTorch."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPT.parent), os.environ.get("PYTHONPATH", "")])}
    environment.pop("MLIRIND_VERIFY_EACH", None)  # results are compared
    environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # `import torch` would load the boundary before names are missing
    command = [sys.executable, "-P", SCRIPT, missing_together(False), missing_together(True), "--short", *in_groups()]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    return {line.partition(": ")[0]: line for line in ran.stdout.splitlines()}, ran.stderr


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("needed", [False, True])
def test_all_at_once(answers, needed):
    """Nothing but what is needed; what is needed alone missing."""
    names, (lines, log) = missing_together(needed), answers
    assert names.count(",") > 5
    assert lines.get(names) == f"{names}: as eager", log


@pytest.mark.timeout(3600)
def test_one_at_a_time_or_in_groups(answers):
    groups, (lines, log) = in_groups(), answers
    assert sorted(",".join(groups).split(",")) == sorted(entry.name for entry in every_entry())
    assert [lines.get(names, f"{names}: no answer") for names in groups] == [f"{names}: as eager" for names in groups], log


def test_the_table_is_as_the_code_says():
    assert with_table(PAGE.read_text()) == PAGE.read_text(), "run `python -m mlirind.tools.boundary_table`"
