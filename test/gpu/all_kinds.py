"""Every kind of kernel once, on small tensors, for compute-sanitizer.

PYTHONPATH=test compute-sanitizer --target-processes application-only python test/gpu/all_kinds.py [NAME ...]

By default compute-sanitizer follows the processes of ptxas, too, and dies where several threads start them at once; with one thread, with
all cubins in the cache, or following none, it finds nothing.
"""

from __future__ import annotations

import sys

import torch
from mlirind.frontend.backend import mlirind
from test_programs import PROGRAMS, inputs_of

if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        for sizes in ((33, 100), (1, 4097), (2048, 16), (16, 32768)):
            torch._dynamo.reset()
            torch.compile(PROGRAMS[name], backend=mlirind, options={"fallback": False}, dynamic=False)(*inputs_of(sizes, torch.float32))
            print(name, sizes, flush=True)
    torch.cuda.synchronize()
    print("done")
