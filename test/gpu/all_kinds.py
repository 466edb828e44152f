"""Every kind of kernel once, on small tensors, for compute-sanitizer: `sanitize.sh` runs it in parts.

PYTHONPATH=test python test/gpu/all_kinds.py [NAME ... | PART/PARTS]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import torch
from mlirind.frontend.backend import mlirind
from test_programs import PROGRAMS, inputs_of

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process


def chosen(arguments: Sequence[str]) -> list[str]:
    """The programs that are asked for: by name, or every n-th."""
    if len(arguments) == 1 and "/" in arguments[0]:
        part, parts = map(int, arguments[0].split("/"))
        return list(PROGRAMS)[part - 1 :: parts]
    return list(arguments) or list(PROGRAMS)


if __name__ == "__main__":
    for name in chosen(sys.argv[1:]):
        for sizes in ((33, 100), (1, 4097), (2048, 16), (16, 32768)):
            torch._dynamo.reset()
            torch.compile(PROGRAMS[name], backend=mlirind, options={"fallback": False}, dynamic=False)(*inputs_of(sizes, torch.float32))
            print(name, sizes, flush=True)
    torch.cuda.synchronize()
    print("done")
