"""A program on a GPU in the cache, from Dynamo to cubins that Triton compiles, without a GPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cached_programs import counts_of
from mlirind.triton_settings import triton_version

HERE = Path(__file__).parent
RUNTIME = HERE.parent / "runtime"
pytestmark = pytest.mark.skipif(triton_version() is None, reason="Triton is not installed")


def process():
    """What a new process says of the program."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(RUNTIME), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, str(HERE / "cached_gpu_programs.py")], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_another_process_loads_the_same_cubins_without_a_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    first, second = process(), process()
    assert first["counts"] == counts_of("miss", 1) and len(first["loaded"]) == 2
    assert second["loaded"] == first["loaded"]  # names, and checksums of cubins
    assert second["counts"] == counts_of("hit", 1) and second["imported"] == []
