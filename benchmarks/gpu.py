"""Times kernels and models on NVIDIA GPUs with several backends.

python benchmarks/gpu.py [--part NAME ...] [--backend NAME ...] [--model-backend NAME ...] [--batch N]
    [--filter TEXT] [--json FILE] [--seconds S]

For each part, new processes compile the cases in parallel, each on its own cores (`--cores`) and with empty caches. When all are compiled,
each GPU times its cases one after another; backends take turns within a case, and the median counts. Each GPU has its own processes and
cases.

Kernels: device events around each call. A large write before each call evicts the inputs from the cache and hides the host's work. GB/s:
the bytes that a call must move, divided by its time; "copy" is the rate of a large copy. Compile seconds: the first call minus a steady
one. Models: the time of host and device together, and "host", the time until a call returns when the GPU was idle. Backends beyond
PyTorch's: mlirind-native and mlirind-python (option `host`). The backends empty (AOTAutograd with graphs that do nothing) and bare (Dynamo
and an `autograd.Function`) show the part of the host's time that no backend can save. `small` and `small-train` are the programs of
host_overhead.py, timed like models. `large`, `large-train` and `optimizer` are the models of gpu_models.py, a process each, and AdamW over
their parameters; "peak" is the MiB that a call holds beyond those before it. `--profile` adds the times of kernels (gpu_profile.py).
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import torch
from fresh_caches import fresh_caches
from gpu_kernels import CASES
from gpu_models import SIZES
from gpu_report import means
from host_worker import SMALL_PROGRAMS
from mlirind.tools import model_zoo
from mlirind.triton_settings import triton_version

Row = dict[str, Any]
FOREVER = threading.TIMEOUT_MAX  # seconds
PARTS = ("kernels", "forward", "train", "small", "small-train")
LARGE_PARTS = {"large": "large models, forward", "large-train": "large models, a training step", "optimizer": "AdamW over large models"}


class Worker:
    """A process of gpu_worker.py on one GPU and some cores. It answers one request at a time."""

    def __init__(self, gpu: int, cores: list[int], settings: dict[str, Any]) -> None:
        self.gpu = gpu
        self.prepared: list[str] = []
        visible = [card for card in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if card]
        environment = {**os.environ, **fresh_caches(tempfile.mkdtemp()), "CUDA_VISIBLE_DEVICES": visible[gpu] if visible else str(gpu)}
        command = [sys.executable, str(Path(__file__).with_name("gpu_worker.py")), json.dumps({**settings, "cores": cores})]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.lock = threading.Lock()

    def answer(self) -> Any:
        """Reads the next answer; raises if the process has ended."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a process on GPU {self.gpu} ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, what: str, part: str = "", name: str = "", limit: float = FOREVER) -> Any:
        """Sends a request and returns the answer; ends the process if there is none after `limit` seconds."""
        assert self.process.stdin is not None
        timer = threading.Timer(limit, self.process.kill)
        with self.lock:
            self.process.stdin.write(json.dumps([what, part, name]) + "\n")
            self.process.stdin.flush()
            timer.start()
            try:
                return self.answer()
            finally:
                timer.cancel()


def start_workers(args: argparse.Namespace, settings: dict[str, Any]) -> list[Worker]:
    """Starts one worker for each group of `args.cores` cores: the same number on each GPU, at least one."""
    cores = sorted(os.sched_getaffinity(0))
    gpus = args.gpus or torch.cuda.device_count()
    each = max(1, len(cores) // args.cores // gpus)
    size = min(args.cores, max(1, len(cores) // (each * gpus)))
    return [Worker(n % gpus, [cores[(n * size + i) % len(cores)] for i in range(size)], settings) for n in range(each * gpus)]


def prepare(worker: Worker, part: str, names: queue.SimpleQueue[str]) -> None:
    """Lets the worker compile cases until the queue is empty."""
    worker.prepared = []
    while True:
        try:
            name = names.get_nowait()
        except queue.Empty:
            return
        try:
            worker.ask("prepare", part, name)
        except (RuntimeError, OSError) as error:
            print(f"{part}, {name}: {error}", flush=True)
            return
        worker.prepared.append(name)


def measure(workers: list[Worker], part: str, found: dict[str, Row], save: Callable[[], None], limit: float = FOREVER) -> None:
    """Times the cases that one GPU's workers have compiled, one after another."""
    for worker in workers:
        try:
            for name in worker.prepared:
                found[name] = worker.ask("measure", part, name, limit)
                print(line(name, found[name]), flush=True)
                save()
        except (RuntimeError, OSError) as error:
            print(f"{part}: {error}: {', '.join(n for n in worker.prepared if n not in found)} not measured", flush=True)


def line(name: str, row: Row) -> str:
    """The figures of a case as text."""
    cells = []
    for backend, cell in row.items():
        if not isinstance(cell, dict):
            continue
        if "ms" not in cell:
            cells.append("failed")
            continue
        text = f"{cell['ms']:.3f} ms"
        text += f" {cell['gb_s']:.0f} GB/s" if "gb_s" in cell else ""
        text += f" host {cell['host_us']:.0f} us" if "host_us" in cell else ""
        text += f" host {cell['host_ms']:.3f}" if "host_ms" in cell else ""
        text += f" peak {cell['peak_mib']:.0f}" if "peak_mib" in cell else ""
        text += f" {cell['compile_s']:.2f} s" if backend != "eager" else ""
        cells.append(text + ("" if cell["error"] <= 2e-2 else f" WRONG {cell['error']:.0e}"))
    return f"{name:32}" + "".join(f"{c:34}" for c in cells)


def names_of(part: str, filters: list[str]) -> list[str]:
    """The cases of a part; those that take longest to compile come first."""
    if part == "kernels":
        names = [c.name for c in CASES]
    elif part in ("small", "small-train"):
        names = SMALL_PROGRAMS
    elif part in LARGE_PARTS:
        names = list(SIZES)
    else:
        names = sorted(model_zoo.MODELS, key=lambda n: n not in ("mobilenet", "t5", "whisper"))
    return [n for n in names if not filters or any(text in n for text in filters)]


def run_large(part: str, names: list[str], args: argparse.Namespace, settings: dict[str, Any], found: dict[str, Row], results: Row) -> None:
    """Compiles the cases of a part, a process each, as many at a time as have `args.cores` cores; then times them one after another."""
    cores = sorted(os.sched_getaffinity(0))
    groups: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
    for n in range(max(1, len(cores) // args.cores)):
        groups.put(cores[n * args.cores : (n + 1) * args.cores])
    start, slots = time.time(), groups.qsize()

    def prepared(name: str) -> tuple[str, Worker, bool]:
        group = groups.get()
        worker = Worker(0, group, settings)
        try:
            results.update(worker.answer())
            worker.ask("prepare", part, name, args.limit * (len(settings["backends"]) + 1))
        except (RuntimeError, OSError) as error:
            print(f"{part}, {name}: {error}", flush=True)
            return name, worker, False
        finally:
            groups.put(group)
        return name, worker, True

    with ThreadPoolExecutor(slots) as pool:
        ready = list(pool.map(prepared, names))
    compiled = time.time()
    for name, worker, works in ready:
        worker.prepared = [name] if works else []
        measure([worker], part, found, partial(save, args.json, results), args.limit)
        worker.process.kill()
    seconds = f"{compiled - start:.0f} s until all was compiled, {time.time() - compiled:.0f} s to time it"
    print("\n".join([*(means(part, found) if found else ()), seconds]), flush=True)


def run_part(part: str, names: list[str], workers: list[Worker], found: dict[str, Row], save: Callable[[], None]) -> None:
    """Compiles and times the cases of a part."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for name in names:
        waiting.put(name)
    gpus: dict[int, list[Worker]] = {}
    for worker in workers:
        gpus.setdefault(worker.gpu, []).append(worker)
    start = time.time()
    with ThreadPoolExecutor(len(workers)) as pool:
        list(pool.map(lambda worker: prepare(worker, part, waiting), workers))
        compiled = time.time()
        list(pool.map(lambda some: measure(some, part, found, save), gpus.values()))
    for name in names:  # restores the order of `names`
        if name in found:
            found[name] = found.pop(name)
    save()
    seconds = f"{compiled - start:.0f} s until all was compiled, {time.time() - compiled:.0f} s to time it"
    print("\n".join([*(means(part, found) if found else ()), seconds]), flush=True)


_saving = threading.Lock()


def save(path: str | None, results: dict[str, Any]) -> None:
    """Writes the results so far, so that an interrupted run keeps them."""
    with _saving:
        if path:
            Path(path).write_text(json.dumps(results, indent=1))


def title(part: str, args: argparse.Namespace) -> str:
    """The part's title in tables."""
    if part == "kernels":
        return part
    if part in LARGE_PARTS:
        return LARGE_PARTS[part]
    if part in ("small", "small-train"):
        return "small programs" + (", a training step" if part == "small-train" else "")
    what = {"forward": "models", "train": "models, a training step"}[part]
    return f"{what}, batch {args.batch}" + ("" if args.dtype == "float32" else f", {args.dtype}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=(*PARTS, *LARGE_PARTS), help="may be repeated; default: the first five")
    parser.add_argument("--backend", action="append", help="NAME or NAME:MODE; may be repeated; default: eager, empty, inductor, mlirind")
    parser.add_argument("--model-backend", action="append", default=[], help="a further one, for models alone; may be repeated")
    parser.add_argument("--batch", type=int, default=1, help="of the models")
    parser.add_argument("--dtype", default="float32", help="of the models")
    parser.add_argument("--filter", action="append", default=[], help="only cases whose name contains this; may be repeated")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a case is timed with each backend")
    parser.add_argument("--cores", type=int, default=4, help="of each process that compiles")
    parser.add_argument("--gpus", type=int, default=0, help="how many are used; default: all")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds to compile with a backend, and to time a large model")
    parser.add_argument("--profile", action="store_true", help="also the times of the kernels of a call")
    parser.add_argument("--json", help="write every measurement to this file")
    args = parser.parse_args()
    backends = args.backend or ["eager", "empty", "inductor", "mlirind"]
    settings = {"backends": backends, "model_backends": args.model_backend}
    settings |= {name: getattr(args, name) for name in ("seconds", "batch", "dtype", "profile", "limit")}
    results: dict[str, Any] = {}
    for part in args.part or PARTS:
        if part in LARGE_PARTS:
            results |= {"triton": triton_version(), "date": time.strftime("%Y-%m-%d"), "cores": args.cores}
            run_large(part, names_of(part, args.filter), args, settings, results.setdefault(title(part, args), {}), results)
            continue
        workers = start_workers(args, settings)
        try:
            facts = [worker.answer() for worker in workers][0]
            if "copy_gb_s" not in results:
                results |= {**facts, "triton": triton_version(), "date": time.strftime("%Y-%m-%d"), "cores": args.cores}
                results["copy_gb_s"] = workers[0].ask("copy")
                print(f"{facts['card']}, torch {facts['torch']}, copy {results['copy_gb_s']:.0f} GB/s", flush=True)
            found = results[title(part, args)] = {}
            run_part(part, names_of(part, args.filter), workers, found, partial(save, args.json, results))
        finally:
            for worker in workers:
                worker.process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
