"""Times kernels and models on an NVIDIA GPU with several backends, in one process and so on one card.

python benchmarks/gpu.py [--backend NAME ...] [--kernels] [--models] [--train] [--batch N] [--filter TEXT] [--json FILE] [--seconds S]

Kernels: device events around each call, behind a write of much memory that makes the inputs cold and hides the host's work; backends
take turns, the median counts. GB/s: the bytes that a call must move over its time; "copy" is what a large copy reaches. Compile
seconds: the first call less a steady one, caches fresh, the first compilation of the process paid before. Models: host and device together,
and "host", the time until a call returns, the GPU having been idle. Backends beside PyTorch's: mlirind-native and mlirind-python (option
`host`), and, for inference, empty (AOTAutograd around nothing), which tells what of the host's time is no backend's.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from fresh_caches import use_fresh_caches

use_fresh_caches(tempfile.mkdtemp())

from gpu_kernels import CASES, GpuCase  # noqa: E402
from host_worker import empty_backend  # noqa: E402
from mlirind.lowering.tt.text import triton_version  # noqa: E402
from mlirind.tools import model_zoo  # noqa: E402
from mlirind.tools.backends import find_backend  # noqa: E402

Call = Callable[[], Any]
Row = dict[str, Any]


def compiled(fn: Callable[..., Any], backend: str) -> Callable[..., Any]:
    """`fn` with a backend: "eager", "empty", or NAME, NAME:MODE or NAME-HOST of torch.compile's."""
    if backend == "eager":
        return fn
    if backend == "empty":
        return torch.compile(fn, backend=empty_backend, dynamic=False)
    name, _, mode = backend.partition(":")
    name, _, host = name.partition("-")
    more = {"options": {"host": host}} if host else {"mode": mode or None}
    return torch.compile(fn, backend=find_backend(name), dynamic=False, **more)


def warm_up(backend: str) -> None:
    """The first compilation of a process imports much that is no case's."""
    compiled(lambda x: x.sin() + 1, backend)(torch.ones(8, device="cuda"))
    torch._dynamo.reset()


def one_call(call: Call) -> tuple[float, float]:
    """Seconds until a call returns, and until the GPU has done what it asked for."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    returned = time.perf_counter()
    torch.cuda.synchronize()
    return returned - start, time.perf_counter() - start


def first_call(call: Call) -> float:
    return one_call(call)[1]


def device_ms(call: Call, flush: torch.Tensor, seconds: float) -> list[float]:
    """Milliseconds of each of several calls, on the device, with cold caches."""
    call()
    count = max(5, min(200, int(seconds / max(first_call(call), 1e-4))))
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    for start, end in events:
        flush.zero_()
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) for start, end in events]


def host_us(call: Call, count: int = 200) -> float:
    """Microseconds that the host needs for a call, the device being faster."""
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    elapsed = time.perf_counter() - start
    torch.cuda.synchronize()
    return 1e6 * elapsed / count


def copy_rate(flush: torch.Tensor, seconds: float) -> float:
    """GB/s of a large copy, bytes read and written."""
    source = torch.randn(1 << 28, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.nbytes / statistics.median(device_ms(lambda: target.copy_(source), flush, seconds)) / 1e6


def prepare(row: Row, calls: dict[str, Call], backend: str, fn: Callable[..., Any], step: Callable[..., Any], want: torch.Tensor) -> None:
    """Compiles for a backend; the reason in the row where it fails or is wrong."""
    cell = row[backend] = {}
    torch._dynamo.reset()
    try:
        function = compiled(fn, backend)
        call = lambda: step(function)  # noqa: E731
        cell["first_s"] = first_call(call)
        got = call()
        scale = float(want.double().abs().max()) or 1.0
        cell["error"] = float((want.double() - got.double()).abs().max()) / scale
        calls[backend] = call
    except Exception as error:
        cell["failed"] = f"{type(error).__name__}: {str(error)[:300]}"
        traceback.print_exc()


def time_kernel(case: GpuCase, args: argparse.Namespace, flush: torch.Tensor) -> Row:
    torch.manual_seed(0)
    inputs = case.make_inputs()
    want = case.fn(*inputs)
    row: Row = {"bytes": case.bytes(inputs, want)}
    calls: dict[str, Call] = {}
    for backend in args.backend:
        prepare(row, calls, backend, case.fn, lambda function: function(*inputs), want)
    times: dict[str, list[float]] = {backend: [] for backend in calls}
    for _ in range(3):
        for backend, call in calls.items():
            times[backend] += device_ms(call, flush, args.seconds / 3)
    for backend, found in times.items():
        cell = row[backend]
        cell["ms"] = statistics.median(found)
        cell["compile_s"] = cell["first_s"] - cell["ms"] / 1000
        cell["gb_s"] = row["bytes"] / cell["ms"] / 1e6
        if row["bytes"] < 1 << 16:
            cell["host_us"] = host_us(calls[backend])
    return row


def time_model(name: str, args: argparse.Namespace) -> Row:
    row: Row = {}
    calls: dict[str, Call] = {}
    module = model_zoo.build(name, getattr(torch, args.dtype), args.train, "cuda")
    keywords = model_zoo.make_inputs(name, getattr(torch, args.dtype), args.train, args.batch, device="cuda")

    def step(function: Callable[..., Any]) -> torch.Tensor:
        if not args.train:
            with torch.no_grad():
                return function(**keywords).logits
        module.zero_grad(set_to_none=True)
        loss = function(**keywords).loss
        loss.backward()
        return loss.detach()

    want = step(module)
    for backend in args.backend:
        prepare(row, calls, backend, module, step, want)
    for _ in range(5):
        for backend, call in calls.items():
            count = max(3, int(args.seconds / 5 / max(first_call(call), 1e-4)))
            host, both = zip(*(one_call(call) for _ in range(count)), strict=True)
            row[backend].setdefault("rounds", []).append(1000 * statistics.median(both))
            row[backend].setdefault("host_rounds", []).append(1000 * statistics.median(host))
    for backend in calls:
        row[backend]["ms"] = statistics.median(row[backend]["rounds"])
        row[backend]["host_ms"] = statistics.median(row[backend]["host_rounds"])
        row[backend]["compile_s"] = row[backend]["first_s"] - row[backend]["ms"] / 1000
    return row


def line(name: str, row: Row, backends: list[str]) -> str:
    cells = []
    for backend in backends:
        cell = row[backend]
        if "ms" not in cell:
            cells.append("failed")
            continue
        text = f"{cell['ms']:.3f} ms"
        text += f" {cell['gb_s']:.0f} GB/s" if "gb_s" in cell else ""
        text += f" host {cell['host_us']:.0f} us" if "host_us" in cell else ""
        text += f" host {cell['host_ms']:.3f}" if "host_ms" in cell else ""
        text += f" {cell['compile_s']:.2f} s" if backend != "eager" else ""
        cells.append(text + (f" WRONG {cell['error']:.0e}" if cell["error"] > 2e-2 else ""))
    return f"{name:32}" + "".join(f"{c:34}" for c in cells)


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def summary(title: str, rows: dict[str, Row], backends: list[str]) -> list[str]:
    lines = []
    for backend in backends[1:]:
        text = f"{title}, {backend}: compile {sum(r[backend].get('compile_s', 0) for r in rows.values()):.1f} s"
        for other in backends:
            both = [r for r in rows.values() if "ms" in r[backend] and "ms" in r[other]]
            if other != backend and both:
                ratios = [r[other]["ms"] / r[backend]["ms"] for r in both]
                text += f"; {geometric_mean(ratios):.2f}x as fast as {other} (least {min(ratios):.2f}x)"
        lines.append(text)
    return lines


def run_all(title: str, names: dict[str, Any], time_one: Callable[[Any], Row], args: argparse.Namespace, results: dict[str, Any]) -> None:
    rows = results.setdefault(title, {})
    for name, case in names.items():
        if args.filter and not any(text in name for text in args.filter):
            continue
        rows[name] = time_one(case)
        print(line(name, rows[name], args.backend), flush=True)
        if args.json:
            Path(args.json).write_text(json.dumps(results, indent=1))
    for text in summary(title, rows, args.backend) if rows else ():
        print(text, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", action="append", help="NAME or NAME:MODE; may be repeated; default: eager, inductor, mlirind")
    parser.add_argument("--kernels", action="store_true", help="only kernels")
    parser.add_argument("--models", action="store_true", help="only models")
    parser.add_argument("--train", action="store_true", help="models: a training step")
    parser.add_argument("--batch", type=int, default=4, help="of the models")
    parser.add_argument("--dtype", default="float32", help="of the models")
    parser.add_argument("--filter", action="append", help="only cases whose name contains this; may be repeated")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a case is timed with each backend")
    parser.add_argument("--json", help="write every measurement to this file")
    args = parser.parse_args()
    args.backend = args.backend or ["eager", "inductor", "mlirind"]
    flush = torch.empty(768 << 20, dtype=torch.uint8, device="cuda")
    for backend in args.backend:
        warm_up(backend)
    card = torch.cuda.get_device_name()
    results: dict[str, Any] = {"card": card, "torch": torch.__version__, "triton": triton_version(), "date": time.strftime("%Y-%m-%d")}
    results["copy_gb_s"] = copy_rate(flush, args.seconds)
    print(f"{card}, torch {torch.__version__}, copy {results['copy_gb_s']:.0f} GB/s; columns: {', '.join(args.backend)}", flush=True)
    if not args.models:
        run_all("kernels", {c.name: c for c in CASES}, lambda case: time_kernel(case, args, flush), args, results)
    if not args.kernels:
        title = ("models, a training step" if args.train else "models") + (f", batch {args.batch}" if args.batch != 4 else "")
        run_all(title, {n: n for n in model_zoo.MODELS}, lambda name: time_model(name, args), args, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
