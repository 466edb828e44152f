"""No kernel touches anything outside of its tensors: they lie next to pages that nobody may touch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def run(what):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", str(TESTS / "guarded_memory.py"), what]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("side", ["end", "start"])
def test_kernels_stay_inside(side):
    done = run(side)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), (done.stdout[-200:], done.stderr[-2000:])


def test_it_would_be_seen():
    """Reading one element too far ends the process."""
    assert run("beyond").returncode == -11
