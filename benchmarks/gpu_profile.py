"""The kernels of a large model by time, for two backends side by side: python benchmarks/gpu_profile.py RESULTS.json CASE [--backends A B]

RESULTS.json is written by `gpu.py --profile --json`. Times are microseconds a call, of PyTorch's profiler, which makes calls slower but
not kernels. Library kernels of one name stand in one line; the others follow by time.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

Kernels = list[tuple[str, float, float]]  # name, launches a call, microseconds a call
KINDS = {
    "copies": ("Memcpy", "Memset", "CatArray", "direct_copy", "FillFunctor"),
    "attention": ("flash", "fmha", "attention", "cudnn_generated_fort_native_sdpa"),
    "convolutions": ("conv", "wgrad", "dgrad", "fprop", "implicit", "nchwToNhwc", "nhwcToNchw", "xmma"),
    "products": ("gemm", "nvjet", "cutlass", "gemv", "splitK", "cublas", "Kernel2"),
    "ATen": ("at::native", "at_cuda", "vectorized_elementwise", "cub::"),
}


def kernel_times(call: Callable[[], Any], calls: int = 3) -> Kernels:
    """Each kernel's launches and microseconds a call, from PyTorch's profiler."""
    from torch.profiler import ProfilerActivity, profile

    call()
    with profile(activities=[ProfilerActivity.CUDA]) as recorded:
        for _ in range(calls):
            call()
    found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for event in recorded.key_averages():
        found[event.key][0] += event.count / calls
        found[event.key][1] += event.self_device_time_total / calls
    return sorted(((name, count, time) for name, (count, time) in found.items() if time), key=lambda k: -k[2])


def kind_of(name: str) -> str:
    """What a kernel is, by its name; kernels that a backend compiled are "compiled"."""
    if name.startswith(("triton_", "fused_", "grouped_")):  # names of operators follow
        return "compiled"
    return next((kind for kind, words in KINDS.items() if any(word in name for word in words)), "compiled")


def summary(kernels: Kernels) -> dict[str, tuple[float, float]]:
    """Launches and microseconds by kind."""
    found: dict[str, tuple[float, float]] = dict.fromkeys([*KINDS, "compiled"], (0.0, 0.0))
    for name, count, time in kernels:
        kind = kind_of(name)
        found[kind] = found[kind][0] + count, found[kind][1] + time
    return found


def side_by_side(first: Kernels, second: Kernels, width: int = 70, rows: int = 60) -> list[str]:
    """Lines: the sums by kind, then the kernels that both backends launch, then the others of each."""
    sums = summary(first), summary(second)
    lines = [f"{kind:{width}}" + "".join(f"{s[kind][0]:8.0f} x {s[kind][1]:9.1f} us" for s in sums) for kind in sums[0]]
    lines.append(f"{'all':{width}}" + "".join(f"{sum(k[1] for k in b):8.0f} x {sum(k[2] for k in b):9.1f} us" for b in (first, second)))
    by_name = [{name: (count, time) for name, count, time in backend} for backend in (first, second)]
    shared = [name for name in by_name[0] if name in by_name[1]]
    lines += ["", "launched by both:"]
    lines += [f"{name[:width]:{width}}" + "".join(f"{b[name][0]:8.1f} x {b[name][1]:9.1f} us" for b in by_name) for name in shared[:rows]]
    for n, backend in enumerate((first, second)):
        lines += ["", f"{('first', 'second')[n]} alone:"]
        others = [kernel for kernel in backend if kernel[0] not in shared][:rows]
        lines += [f"{name[:width]:{width}}{count:8.1f} x {time:9.1f} us" for name, count, time in others]
    return lines


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("case")
    parser.add_argument("--part", default="large models, a training step", help="title of the part")
    parser.add_argument("--backends", nargs=2, default=["inductor", "mlirind"])
    parser.add_argument("--rows", type=int, default=60)
    args = parser.parse_args()
    row = json.loads(Path(args.results).read_text())[args.part][args.case]
    print("\n".join(side_by_side(*(row[backend]["kernels"] for backend in args.backends), rows=args.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
