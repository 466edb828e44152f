"""Times kernels and models with several backends side by side.

python benchmarks/run.py [--backend NAME ...] [--train] [--filter TEXT] [--threads N] [--json FILE] [--plot FILE] [--report FILE]
python benchmarks/run.py --merge FILE.json ... [--json FILE] [--plot FILE] [--report FILE]

Each backend and case runs in its own process. The processes of a case take turns, and the median of the rounds counts. Inductor starts
with empty caches. compile: seconds of the first call minus a steady one; in parentheses, minus those of aot_eager too. A function of one
operator is compiled before, so that imports don't count.

--report writes the tables as Markdown; --merge makes one report from several runs' JSON files instead of measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from kernels import KERNELS
from mlirind.tools import model_zoo
from report import Cell, Results, cell_text, markdown, plot, print_row, summary

BACKENDS = ["eager", "aot_eager", "inductor", "mlirind"]
ALLOWED_ERROR = 1e-3

KINDS = ("kernel", "forward", "train")


class Worker:
    """A process with one case, compiled with one backend."""

    def __init__(self, backend: str, kind: str, name: str, args: argparse.Namespace, folder: str) -> None:
        caches = {"TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TRITON_CACHE_DIR": f"{folder}/triton", "MLIRIND_CACHE": "0"}
        command = [sys.executable, str(Path(__file__).with_name("worker.py")), backend, kind, name, str(args.threads), str(args.seconds)]
        self.errors = Path(folder, f"{backend}.err")
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, bufsize=1,
                env={**os.environ, **caches, "OMP_NUM_THREADS": str(args.threads)},
            )  # fmt: skip
        self.cell: Cell = {"rounds": []}

    def read(self) -> Cell | None:
        """The next answer. If the process has ended, records the reason in the cell and returns None."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        said = self.errors.read_text(errors="replace").strip().splitlines() or ["no message"]
        self.cell["failed"] = f"exit code {self.process.wait()}: {said[-1][:200]}"
        return None

    def round(self) -> None:
        if "failed" in self.cell:
            return
        assert self.process.stdin
        self.process.stdin.write("round\n")
        answer = self.read()
        if answer:
            self.cell["rounds"].append(answer["ms"])

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def time_case(kind: str, name: str, args: argparse.Namespace) -> dict[str, Cell]:
    """One row of the table: each backend's cell."""
    with tempfile.TemporaryDirectory() as folder:
        workers = {}
        for backend in args.backend:  # one at a time, so that nothing else runs while a backend compiles
            worker = workers[backend] = Worker(backend, kind, name, args, folder)
            worker.cell.update(worker.read() or {})
            if worker.cell.get("error", 0.0) > ALLOWED_ERROR:
                worker.cell["failed"] = f"wrong by {worker.cell['error']:.1e}"
        for _ in range(args.rounds):
            for worker in workers.values():
                worker.round()
        for worker in workers.values():
            worker.close()
    row = {backend: worker.cell for backend, worker in workers.items()}
    for cell in row.values():
        finish(cell, row.get("aot_eager", {}))
    return row


def finish(cell: Cell, floor: Cell) -> None:
    """Adds figures computed from a cell's measurements. `floor`: aot_eager's cell, which is finished first."""
    if not cell["rounds"]:
        return
    cell["ms"] = statistics.median(cell["rounds"])
    cell["compile_s"] = cell["first_s"] - cell["ms"] / 1000
    if floor.get("rounds"):
        floor_s = floor["first_s"] - statistics.median(floor["rounds"]) / 1000
        cell["beyond_tracing_s"] = cell["compile_s"] - floor_s


def measure(args: argparse.Namespace) -> Results:
    """Times the chosen cases, prints a line for each, and updates the JSON file."""
    kinds = ("train",) if args.train else ("kernel", "forward")
    results: Results = {"machine": machine(args.threads), "cases": {kind: {} for kind in kinds}}
    print_row(["case", *args.backend])
    for kind in kinds:
        for name in KERNELS if kind == "kernel" else model_zoo.MODELS:
            if args.filter and not any(text in name for text in args.filter):
                continue
            row = results["cases"][kind][name] = time_case(kind, name, args)
            print_row([name, *(cell_text(backend, cell) for backend, cell in row.items())])
            if args.json:
                Path(args.json).write_text(json.dumps(results, indent=1))
    return results


def machine(threads: int) -> dict[str, Any]:
    """The hardware, versions and settings that the figures depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
    return {"cpu": model, "threads": threads, "torch": torch.__version__, "python": platform.python_version()}


def merge(files: list[str]) -> Results:
    """The results of several runs as one. Raises ValueError if machines or settings differ."""
    parts = [json.loads(Path(file).read_text()) for file in files]
    if any(part["machine"] != parts[0]["machine"] for part in parts):
        raise ValueError("the files are of different machines or settings")
    cases: dict[str, Any] = {}
    for kind in KINDS:
        rows = [(name, row) for part in parts for name, row in part["cases"].get(kind, {}).items()]
        order = list(KERNELS) if kind == "kernel" else list(model_zoo.MODELS)
        cases[kind] = dict(sorted(rows, key=lambda item: order.index(item[0])))
    return {"machine": parts[0]["machine"], "cases": {kind: rows for kind, rows in cases.items() if rows}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", action="append", help=f"may be repeated; default: {', '.join(BACKENDS)}")
    parser.add_argument("--train", action="store_true", help="models: a training step instead of a forward; no kernels")
    parser.add_argument("--filter", action="append", help="only cases whose name contains this; may be repeated")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a round lasts")
    parser.add_argument("--merge", nargs="+", metavar="FILE", help="JSON files of earlier runs: report on them together")
    parser.add_argument("--json", help="write every measurement to this file")
    parser.add_argument("--plot", help="draw the times relative to eager to this file (needs matplotlib and eager)")
    parser.add_argument("--report", help="write the tables to this Markdown file")
    args = parser.parse_args()
    args.backend = args.backend or BACKENDS
    results = merge(args.merge) if args.merge else measure(args)
    for kind, table in results["cases"].items():
        for line in summary(kind, table):
            print(line)
    if args.json:
        Path(args.json).write_text(json.dumps(results, indent=1))
    if args.report:
        Path(args.report).write_text(markdown(results, Path(args.plot).name if args.plot else None))
    if args.plot:
        plot(results, args.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
