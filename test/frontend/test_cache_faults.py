"""The faults of `cache_faults.py`, a fiftieth of them."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "cache_faults.py"
PROGRAMS = ("inference", "training")


def test_faults_do_no_harm():
    """In a process of its own: it forks, which threads would not survive."""
    command = [sys.executable, "-P", str(SCRIPT), "--share", "0.02", "--programs", *PROGRAMS]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SCRIPT.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    kinds = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert len(kinds) in (6, 9)
    assert kinds[:4] == ["damaged entries", "damaged files of all kinds", "several processes", "killed writers"]
    assert kinds[4:6] == ["clock set back", "strange files"]
