"""Times kernels and models with several backends side by side.

python benchmarks/run.py [--backend NAME ...] [--train] [--filter TEXT] [--threads N] [--json FILE] [--plot FILE]

Every backend and case has a process of its own; those of a case take turns, round after round, and the median counts. Inductor
starts with empty caches. compile: seconds of the first call less a steady one, and in parentheses less those of aot_eager too;
what the first compilation of a process costs (imports) is paid before, by a function of one operator.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kernels import KERNELS
from mlirind.tools import model_zoo

BACKENDS = ["eager", "aot_eager", "inductor", "mlirind"]
ALLOWED_ERROR = 1e-3

Cell = dict[str, Any]
Table = dict[str, dict[str, Cell]]


class Worker:
    """A process that has one case compiled with one backend."""

    def __init__(self, backend: str, kind: str, name: str, args: argparse.Namespace, folder: str) -> None:
        caches = {"TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TRITON_CACHE_DIR": f"{folder}/triton"}
        command = [sys.executable, str(Path(__file__).with_name("worker.py")), backend, kind, name, str(args.threads), str(args.seconds)]
        self.errors = Path(folder, f"{backend}.err")
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, bufsize=1,
                env={**os.environ, **caches, "OMP_NUM_THREADS": str(args.threads)},
            )  # fmt: skip
        self.cell: Cell = {"rounds": []}

    def read(self) -> Cell | None:
        """The next answer; None, with the reason in the cell, when the process has ended."""
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
        for backend in args.backend:  # one after the other: nothing else runs while a backend compiles
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
    """Adds to a cell what follows from its measurements; `floor` is aot_eager's, already finished if it comes first."""
    if not cell["rounds"]:
        return
    cell["ms"] = statistics.median(cell["rounds"])
    cell["compile_s"] = cell["first_s"] - cell["ms"] / 1000
    if floor.get("rounds"):
        floor_s = floor["first_s"] - statistics.median(floor["rounds"]) / 1000
        cell["beyond_tracing_s"] = cell["compile_s"] - floor_s


def cell_text(backend: str, cell: Cell) -> str:
    if "failed" in cell:
        return "failed"
    text = f"{cell['ms']:.3f} ms"
    if backend == "eager":
        return text
    text += f", {cell['compile_s']:.2f}"
    return text + (f" ({cell['beyond_tracing_s']:.2f}) s" if "beyond_tracing_s" in cell else " s")


def print_row(cells: Iterable[str]) -> None:
    print("".join(f"{cell:{20 if n == 0 else 28}}" for n, cell in enumerate(cells)).rstrip(), flush=True)


def geometric_mean(ratios: list[float]) -> float:
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else float("nan")


def speedup(table: Table, backend: str, reference: str) -> list[float]:
    """How many times faster `backend` is than `reference`, for each case that both run."""
    rows = [row for row in table.values() if all("ms" in row.get(b, {}) and "failed" not in row[b] for b in (backend, reference))]
    return [row[reference]["ms"] / row[backend]["ms"] for row in rows]


def print_summary(title: str, table: Table, backends: list[str]) -> None:
    """Geometric means against eager and Inductor, and the sums of compile seconds."""
    if not table:
        return
    for backend in backends:
        if backend == "eager":
            continue
        cells = [row[backend] for row in table.values() if "compile_s" in row[backend]]
        lines = [f"{title}, {backend}: compile {sum(c['compile_s'] for c in cells):.2f} s"]
        if all("beyond_tracing_s" in c for c in cells):
            lines.append(f"beyond tracing {sum(c['beyond_tracing_s'] for c in cells):.2f} s")
        for reference in ("eager", "inductor"):
            ratios = speedup(table, backend, reference) if reference in backends and reference != backend else []
            if ratios:
                lines.append(f"{geometric_mean(ratios):.2f}x as fast as {reference} (geometric mean; least {min(ratios):.2f}x)")
        failed = sum("failed" in row[backend] for row in table.values())
        print("; ".join(lines + ([f"{failed} failed"] if failed else [])))
    for name, row in table.items():
        for backend, cell in row.items():
            if "failed" in cell:
                print(f"{backend} failed on {name}: {cell['failed']}")


def plot(table: Table, backends: list[str], path: str) -> None:
    """Bars: time relative to eager, one group a case."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(2 + len(table), 5))
    width = 0.8 / len(backends)
    for n, backend in enumerate(backends):
        heights = [row[backend].get("ms", 0) / row["eager"]["ms"] for row in table.values()]
        axes.bar([i + n * width for i in range(len(table))], heights, width, label=backend)
    axes.set_xticks([i + 0.4 for i in range(len(table))], list(table), rotation=45, ha="right")
    axes.set_ylabel("time / eager's")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", action="append", help=f"may be repeated; default: {', '.join(BACKENDS)}")
    parser.add_argument("--train", action="store_true", help="models: a training step instead of a forward; no kernels")
    parser.add_argument("--filter", action="append", help="only cases whose name contains this; may be repeated")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a round lasts")
    parser.add_argument("--json", help="write every measurement to this file")
    parser.add_argument("--plot", help="draw the times relative to eager to this file (needs matplotlib and eager)")
    args = parser.parse_args()
    args.backend = args.backend or BACKENDS
    cases = [("train" if args.train else "forward", name) for name in model_zoo.MODELS]
    cases = cases if args.train else [("kernel", name) for name in KERNELS] + cases
    print_row(["case", *args.backend])
    table: Table = {}
    for kind, name in cases:
        if args.filter and not any(text in name for text in args.filter):
            continue
        table[name] = time_case(kind, name, args)
        print_row([name, *(cell_text(backend, cell) for backend, cell in table[name].items())])
        if args.json:
            Path(args.json).write_text(json.dumps({"threads": args.threads, "train": args.train, "cases": table}, indent=1))
    for title, names in (("kernels", KERNELS.keys()), ("models", model_zoo.MODELS.keys())):
        print_summary(title, {name: row for name, row in table.items() if name in names}, args.backend)
    if args.plot:
        plot(table, args.backend, args.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
