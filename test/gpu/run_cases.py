"""Runs a script of cases with all its tensors on the GPU: python test/gpu/run_cases.py FILE [ARGUMENTS]

The script has `main()`, which reads the arguments, and `same(a, b)`, which compares two tensors: here also their devices; its cases are
in a list `C`, name first. What makes tensors of its own without saying where may have them on the CPU: see `HERE` in `programs.py`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any

import torch

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

LEFT_OUT = ("oob idx", "neg idx")


def load(path: str) -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("cases", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    torch.set_default_device("cuda")
    sys.argv = sys.argv[1:]
    cases = load(sys.argv[0])
    same = cases.same
    kept = [case for case in cases.C if not case[0].endswith(LEFT_OUT)]
    print(f"left out, as an index out of range ends the use of the GPU: {[case[0] for case in cases.C if case not in kept]}")
    cases.C[:] = kept
    cases.same = lambda a, b: a.device == b.device and same(a, b)
    sys.exit(cases.main())
