"""Runs a script of cases (a module with `main()`) with all its tensors on the GPU: python test/gpu/run_cases.py FILE [ARGUMENTS]"""

from __future__ import annotations

import runpy
import sys

import torch

if __name__ == "__main__":
    torch.set_default_device("cuda")
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
