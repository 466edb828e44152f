"""The cost of a call beyond that of an empty backend, for graphs so small that the host's work dominates.

python benchmarks/host_overhead.py [--backend NAME ...] [--case TEXT] [--rounds N] [--seconds S] [--instructions] [--single-steps]
    [--json FILE]

Backends: empty (AOTAutograd with graphs that do nothing; its cost is subtracted), inductor, mlirind-native, mlirind-python, eager, bare
(Dynamo alone), unchecked (mlirind's kernels without the checks of indices from memory). Each runs in its own process with one thread.
They take turns, and the median of the rounds counts. --instructions counts the instructions of a call with callgrind (valgrind) instead of
its time, because times vary on a busy machine. Valgrind does not support AVX-512; --single-steps counts without valgrind.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fresh_caches import use_fresh_caches
from single_steps import instructions_between_signals

BACKENDS = ["empty", "inductor", "mlirind-native", "mlirind-python"]
CASES = ["chain of 64 elements", "MLP of width 64", "GPT-2, 4 layers, 1 token", "GPT-2, 4 layers, 4 tokens, symbolic sizes"]
CASES += ["1 row of 64", "256 rows of 64", "4096 elements by index"]
COUNTED_CALLS = 20
# Valgrind does not support AVX-512 but reports the real CPU. So ATen, Inductor with its compiler, and mlirind are told not to use it.
WITHOUT_AVX512 = {"ATEN_CPU_CAPABILITY": "avx2", "TORCHINDUCTOR_CPP_MARCH": "haswell", "MLIRIND_TARGET_FEATURES": "-avx512f"}


class Worker:
    """A process with one compiled case. `counts`: run it under callgrind, which writes this file."""

    def __init__(self, backend: str, case: str, folder: str, counts: Path | None = None) -> None:
        callgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={counts}"] if counts else []
        command = [*callgrind, sys.executable, str(Path(__file__).with_name("host_worker.py")), backend, case]
        use_fresh_caches(folder)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **(WITHOUT_AVX512 if counts else {})}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1, env=environment
        )
        self.pid = self.read()["ready"]

    def read(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"a worker ended with exit code {self.process.wait()}: {' '.join(map(str, self.process.args))}")
        return json.loads(line)

    def ask(self, command: str) -> dict[str, Any]:
        assert self.process.stdin
        self.process.stdin.write(command + "\n")
        return self.read()

    def steps(self, calls: int) -> int:
        """The instructions of `calls` calls, including those of the signals that mark their begin and end."""
        assert self.process.stdin
        stdin = self.process.stdin
        count = instructions_between_signals(self.pid, lambda: stdin.write(f"signals {calls}\n"))
        self.read()
        return count

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def time_case(case: str, args: argparse.Namespace) -> dict[str, float]:
    """Microseconds per call, by backend."""
    with tempfile.TemporaryDirectory() as folder:
        workers = {backend: Worker(backend, case, folder) for backend in args.backend}
        rounds: dict[str, list[float]] = {backend: [] for backend in workers}
        for _ in range(args.rounds):
            for backend, worker in workers.items():
                rounds[backend].append(worker.ask(f"round {args.seconds}")["us"])
        for worker in workers.values():
            worker.close()
    return {backend: statistics.median(values) for backend, values in rounds.items()}


def count_case(case: str, args: argparse.Namespace) -> dict[str, float]:
    """Instructions per call, by backend."""
    counts: dict[str, float] = {}
    for backend in args.backend:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "callgrind.out")
            worker = Worker(backend, case, folder, file)
            subprocess.run(["callgrind_control", "-i", "on", str(worker.pid)], check=True, capture_output=True)
            worker.ask(f"calls {COUNTED_CALLS}")
            subprocess.run(["callgrind_control", "-i", "off", str(worker.pid)], check=True, capture_output=True)
            worker.close()
            texts = [part.read_text() for part in Path(folder).glob("callgrind.out*")]
            total = sum(int(n) for text in texts for n in re.findall(r"^totals: (\d+)", text, re.MULTILINE))
        counts[backend] = total / COUNTED_CALLS
    return counts


def step_case(case: str, args: argparse.Namespace) -> dict[str, float]:
    """Instructions per call, by backend, counted by single steps without valgrind."""
    counts: dict[str, float] = {}
    for backend in args.backend:
        with tempfile.TemporaryDirectory() as folder:
            worker = Worker(backend, case, folder)
            none, one = worker.steps(0), worker.steps(1)
            worker.close()
        counts[backend] = one - none
    return counts


def row(case: str, values: dict[str, float], unit: str) -> str:
    """A line of the table: the cost, the cost minus the empty backend's, and that relative to Inductor's."""
    cells = []
    empty = values.get("empty")
    inductor = values["inductor"] - empty if empty is not None and "inductor" in values else None
    for backend, value in values.items():
        cell = f"{backend} {value:,.1f}"
        if empty is not None and backend != "empty":
            cell += (
                f" (+{value - empty:,.1f}" + (f", {(value - empty) / inductor:.2f}x" if inductor and backend != "inductor" else "") + ")"
            )
        cells.append(cell)
    return f"{case}, {unit} a call: " + "; ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", action="append", help=f"may be repeated; default: {', '.join(BACKENDS)}")
    parser.add_argument("--case", help="only cases whose name contains this")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a round lasts")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of microseconds")
    parser.add_argument("--single-steps", action="store_true", help="count them by single steps")
    parser.add_argument("--json", help="write the figures to this file")
    args = parser.parse_args()
    args.backend = args.backend or BACKENDS
    table = {}
    for case in CASES:
        if args.case is None or args.case in case:
            measure = step_case if args.single_steps else count_case if args.instructions else time_case
            table[case] = measure(case, args)
            print(row(case, table[case], "us" if measure is time_case else "instructions"), flush=True)
    if args.json:
        Path(args.json).write_text(json.dumps({"instructions": args.instructions or args.single_steps, "cases": table}, indent=1) + "\n")


if __name__ == "__main__":
    main()
