"""A fixed part of PyTorch's operator database against eager; `python test/op_db.py` runs all of it."""

import os
import signal

import op_db
import pytest

# Beside other processes of pytest, one; alone, one for each core.
PROCESSES = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
WORKERS = ["--workers", str(max(1, min(len(os.sched_getaffinity(0)) // PROCESSES, 8)))]
PART = ["--fraction", "0.004", *WORKERS]


def test_forward(backend_name):
    assert op_db.main(["--backend", backend_name, "--at-least", "99", *PART]) == 0


def test_unknown_operator():
    with pytest.raises(SystemExit, match="not in the operator database: no_such_operator"):
        op_db.main(["--ops", "add", "no_such_operator"])


def test_errors(backend_name):
    """A fixed part of the wrong calls made of each operator's first sample, and of those that the database has."""
    part = ["--mode", "errors", "--samples", "1", "--dtype", "float32", "--fraction", "0.002", *WORKERS]
    assert op_db.main(["--backend", backend_name, "--at-least", "100", *part]) == 0


def test_a_crash_is_eagers_if_it_crashes_alone(monkeypatch):
    (task,) = op_db.make_tasks(op_db.parse(["--mode", "errors", "--samples", "1", "--dtype", "float32", "--ops", "sin"]))
    assert op_db.eager_crash(task, {"sample": 0}, 60) is None
    monkeypatch.setattr(op_db.Worker, "send", lambda worker, task: worker.process.send_signal(signal.SIGSEGV))
    assert op_db.eager_crash(task, {"sample": 0}, 60) == "crash: exit code -11"


def test_backward(backend_name):
    assert op_db.main(["--backend", backend_name, "--mode", "backward", "--at-least", "98", *PART]) == 0
