"""Peak memory of the nine models' forward and training step: the most bytes that a step has allocated at one time.

    python benchmarks/memory.py [--models bert ...] [--backends eager inductor mlirind mlirind-plain] [--report FILE.md] [--json FILE]

PyTorch's profiler records the allocations and frees of its CPU allocator, from the third call on: activations, temporaries, results,
gradients. Not counted are tensors from before the step (parameters, inputs), memory that libraries allocate otherwise (oneDNN's scratch
memory), and stacks. `mlirind-plain` does not reuse memory. Each case runs in its own process with one thread.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from fresh_caches import use_fresh_caches
from mlirind.torch_internals.modes import hide_profiler
from torch.profiler import ProfilerActivity, profile

BACKENDS = ["eager", "inductor", "mlirind", "mlirind-plain"]
WARM_CALLS = 2
MOST_SECONDS = 900  # time limit of a case, including compilation
KINDS = ("forward", "training step")


def peak_bytes(run: Callable[[], object]) -> int:
    """The most bytes that `run` has allocated at one time."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        # The allocator still reports to the profiler, but graphs run as they do without one.
        hide_profiler()
        run()
    events = [e for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"]
    live = peak = 0
    for event in sorted(events, key=lambda e: e.start_ns()):
        live += event.nbytes()
        peak = max(peak, live)
    return peak


def measure(name: str, backend: str, train: bool, batch: int, length: int) -> dict[str, Any]:
    """Measures one case in this process."""
    from mlirind.tools import model_zoo
    from mlirind.tools.backends import find_backend

    torch.set_num_threads(1)
    module = model_zoo.build(name, train=train)
    inputs = model_zoo.make_inputs(name, train=train, batch=batch, length=length)
    base, _, plain = backend.partition("-")
    options = {"reuse_memory": False} if plain else None
    call = module if base == "eager" else torch.compile(module, backend=find_backend(base), dynamic=False, options=options)

    def step() -> None:
        with torch.set_grad_enabled(train):
            outputs = call(**inputs)
            if train:
                outputs.loss.backward()

    for _ in range(WARM_CALLS):
        step()
        module.zero_grad(set_to_none=True)
    return {"model": name, "backend": backend, "train": train, "peak": peak_bytes(step)}


def in_a_process(arguments: argparse.Namespace, name: str, backend: str, train: bool) -> dict[str, Any]:
    """Measures one case in a new process. If it fails or exceeds the time limit, its peak is None."""
    sizes = [str(arguments.batch), str(arguments.length)]
    command = [sys.executable, __file__, "--case", name, backend, str(int(train)), *sizes]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"{name} with {backend}: more than {MOST_SECONDS} s", file=sys.stderr)
        return {"model": name, "backend": backend, "train": train, "peak": None}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if lines:
        return json.loads(lines[-1])
    print(done.stderr[-500:], file=sys.stderr)
    return {"model": name, "backend": backend, "train": train, "peak": None}


def table(found: list[dict[str, Any]], backends: list[str], train: bool) -> str:
    """A Markdown table: MiB by model and backend, and the share of eager's."""
    peaks = {(f["model"], f["backend"]): f["peak"] for f in found if f["train"] == train}
    lines = [f"| model | {' | '.join(backends)} |", "| --- |" + " ---: |" * len(backends)]
    for model in dict.fromkeys(m for m, _ in peaks):
        cells = []
        for backend in backends:
            peak, eager = peaks.get((model, backend)), peaks.get((model, "eager"))
            share = f" ({peak / eager:.2f})" if peak and eager and backend != "eager" else ""
            cells.append(f"{peak / 2**20:.2f}{share}" if peak else "failed")
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return "\n".join(lines)


def report(found: list[dict[str, Any]], arguments: argparse.Namespace) -> str:
    """The tables, with versions and settings."""
    versions = f"Python {platform.python_version()}, PyTorch {torch.__version__}, {datetime.date.today()}"
    head = [
        "# Peak memory on the CPU",
        "MiB that a step has allocated at most (in parentheses: as a share of eager's), by `benchmarks/memory.py`: "
        f"batch {arguments.batch}, {arguments.length} tokens, float32, one thread.",
        f"{versions}. `mlirind-plain` is without reuse of memory.",
    ]
    parts = [f"## {kind.capitalize()}\n\n{table(found, arguments.backends, bool(train))}" for train, kind in enumerate(KINDS)]
    return "\n\n".join([head[0], "\n".join(head[1:]), *parts]) + "\n"


def measure_all(arguments: argparse.Namespace, models: Sequence[str]) -> list[dict[str, Any]]:
    """Measures every case that the JSON file lacks; returns all results."""
    found = json.loads(arguments.json.read_text()) if arguments.json and arguments.json.exists() else []
    known = {(f["model"], f["backend"], f["train"]) for f in found}
    for case in itertools.product(models, arguments.backends, (False, True)):
        if case in known:
            continue
        found.append(in_a_process(arguments, *case))
        print(json.dumps(found[-1]), flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(found))
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=None)
    parser.add_argument("--backends", nargs="+", default=BACKENDS, choices=BACKENDS)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--json", type=Path, help="keeps every case, and goes on from there")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--case", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        name, backend, train, batch, length = arguments.case
        print(json.dumps(measure(name, backend, train == "1", int(batch), int(length))))
        return
    from mlirind.tools.model_zoo import MODELS

    with tempfile.TemporaryDirectory() as folder:
        use_fresh_caches(folder)
        found = measure_all(arguments, arguments.models or list(MODELS))
    text = report(found, arguments)
    print(text)
    if arguments.report:
        arguments.report.write_text(text)


if __name__ == "__main__":
    main()
