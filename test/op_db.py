"""Runs PyTorch's operator database through a backend and compares every sample with eager.

python test/op_db.py --backend NAME [--mode forward|backward|errors] [--dtype float32 --dtype int64] [--ops NAME ...] [--json FILE]
    [--shard I/N] [--fraction F] [--samples N] [--jobs N] [--timeout S] [--device cuda] [--dynamic]

Compared: values (float32: rtol 1e-4, atol 1e-5; else equal), dtype, shape, strides, that both raise or none, and the inputs after
the call. `backward`: the gradients too, in float32. `errors`: calls that are wrong in one place; the exception's type is eager's,
and what eager leaves as it is has not been written. A sample that `aot_eager` gets wrong as well does not count.
With --json a run that was cut off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import queue
import re
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

SAMPLES_PER_WORKER = 2000  # Dynamo keeps memory for everything it compiled
EAGER_CALLS = 200
OUTCOMES = ("same type", "written before", "another type", "not raised", "crashed")  # of a call that eager and aot_eager refuse
# What every backend on AOTAutograd loses in mode `errors`: a pattern of the difference, and the reason.
LOST = {
    r"eager raises .*, compiled raises TorchRuntimeError": "Dynamo raises its own type where the call fails on fake tensors",
    r"eager raises .*, compiled raises": "the tracer checks in another order, and raises another type",
    r"eager returns, compiled raises": "the tracer refuses what eager takes",
    r"eager raises .*, compiled returns": "the trace does not ask what eager's kernel asks",
    r"^written": "what was written before the error differs",
}


class Worker:
    """A worker process; `ask` gives its next answer, or None when it died or is silent for too long."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("op_db_worker.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.samples = 0
        self.buffer = b""

    def send(self, task: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(task).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, timeout: float) -> dict[str, Any] | None:
        assert self.process.stdout
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], timeout)
            chunk = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def why_it_ended(self) -> str:
        """Called when `answer` gave None: what became of the process. It is gone afterwards."""
        try:
            code = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.close()
            return "timeout"
        return f"crash: exit code {code}"

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def run_task(worker: Worker | None, task: dict[str, Any], timeout: float, save: Any) -> Worker | None:
    """Runs a task to its end, restarting after each crash; gives the worker to go on with."""
    running: dict[str, Any] = {}
    worker = worker or Worker()
    worker.send(task)
    while True:
        answer = worker.answer(timeout)
        if answer is None:
            why = worker.why_it_ended()
            step = running.pop("step", None)
            theirs = why if step in ("eager", "aot_eager") else eager_crash(task, running, timeout)
            save({"sample": None, **running, "difference": f"{why} in {step}", "baseline": theirs})
            if not running:
                return None
            task = {**task, "start": running["sample"] + 1}
            worker, running = Worker(), {}
            worker.send(task)
        elif answer.get("done"):
            return worker
        elif "step" in answer:
            running = answer
        else:
            worker.samples += 1
            save(answer)


def eager_crash(task: dict[str, Any], running: dict[str, Any], timeout: float) -> str | None:
    """How a process ends that makes a wrong call in eager mode alone, many times; None if it does not crash. A call that writes outside of
    its tensors may end the process later, in compiled code."""
    if task["mode"] != "errors" or "sample" not in running:
        return None
    worker = Worker()
    worker.send({**task, "start": running["sample"], "eager_calls": EAGER_CALLS})
    answer = worker.answer(timeout)
    why = worker.why_it_ended() if answer is None else None
    worker.close()
    return why


class Run:
    """All results of one call of this script, by task; kept in a file of JSON lines if one is given."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.records: list[dict[str, Any]] = []
        self.finished: set[tuple[str, str, str]] = set()
        self.lock = threading.Lock()
        path = Path(args.json) if args.json else None
        if path and path.exists():
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            self.finished = {_key(r) for r in lines if r.get("finished")}
            # A task that was cut off runs again from its start; the last record of a sample counts.
            done = {(*_key(r), r.get("sample")): r for r in lines if not r.get("finished") and _key(r) in self.finished}
            self.records = list(done.values())
        self.file = path.open("a") if path else None

    def save(self, record: dict[str, Any], task: dict[str, Any]) -> None:
        record = {"op": task["op"], "dtype": task["dtype"], "mode": task["mode"], **record}
        with self.lock:
            if not record.get("finished"):
                self.records.append(record)
            if self.file:
                self.file.write(json.dumps(record) + "\n")
                self.file.flush()
        if record.get("difference"):
            print(describe(record), flush=True)

    def work(self, tasks: queue.SimpleQueue) -> None:
        worker: Worker | None = None
        while (task := next_of(tasks)) is not None:
            if worker and worker.samples >= SAMPLES_PER_WORKER:
                worker.close()
                worker = None
            worker = run_task(worker, task, self.args.timeout, lambda record, task=task: self.save(record, task))
            self.save({"finished": True}, task)
        if worker:
            worker.close()


def next_of(tasks: queue.SimpleQueue) -> dict[str, Any] | None:
    """The next task; None where another thread has taken the last."""
    try:
        return tasks.get_nowait()
    except queue.Empty:
        return None


def _key(record: dict[str, Any]) -> tuple[str, str, str]:
    return record["op"], record["dtype"], record["mode"]


def describe(record: dict[str, Any]) -> str:
    """One line for a sample that differs."""
    note = " (aot_eager differs too)" if record.get("baseline") else ""
    label = f" ({record['label']})" if "label" in record else ""
    difference = " ".join(record["difference"].split())[:300]
    return f"{record['op']} {record['dtype']} {record['mode']} sample {record['sample']}{label}: {difference}{note}"


def make_tasks(args: argparse.Namespace) -> list[dict[str, Any]]:
    """One task for each operator and dtype that the database has samples for."""
    import torch
    from op_db_worker import op_db, op_name

    known = {name for op in op_db for name in (op.name, op_name(op))}
    unknown = sorted(set(args.ops or ()) - known)
    if unknown:
        raise SystemExit(f"not in the operator database: {', '.join(unknown)}")
    tasks = []
    for index, op in enumerate(op_db):
        name = op_name(op)
        if args.ops and name not in args.ops and op.name not in args.ops:
            continue
        dtypes = ["float32"] if args.mode == "backward" else args.dtype or ["float32", "int64"]
        if args.mode == "backward" and not (op.supports_autograd and torch.float32 in op.supported_backward_dtypes(args.device)):
            continue
        common = {"index": index, "op": name, "mode": args.mode, "backend": args.backend, "start": 0}
        common |= {"device": args.device, "fraction": args.fraction, "samples": args.samples, "dynamic": args.dynamic}
        tasks += [common | {"dtype": d} for d in dtypes if getattr(torch, d) in op.supported_dtypes(args.device)]
    shard, shards = (int(n) for n in args.shard.split("/"))
    return tasks[shard::shards]


def summary(records: list[dict[str, Any]]) -> tuple[float, str]:
    """The percentage of samples that are right, of those aot_eager gets right; and the lines to print."""
    samples = [r for r in records if "sample" in r]
    differ = [r for r in samples if r.get("difference")]
    failed = [r for r in differ if not r.get("baseline")]
    counted = len(samples) - len(differ) + len(failed)
    rate = 100 * (counted - len(failed)) / counted if counted else 100.0
    by_op: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for record in failed:
        by_op[f"{record['op']} {record['dtype']}"].append(record)
    lines = [f"{name}: {len(found)} samples; {describe(found[0])}" for name, found in sorted(by_op.items())]
    lines += raised(samples)
    broken = sum(str(r["difference"]).startswith(("crash", "timeout")) for r in differ)
    lines += [f"{r['op']} {r['dtype']}: no samples: {r['error']}" for r in records if "error" in r]
    reasons = collections.Counter(reason[:150] for r in samples for reason in r.get("uncompiled", ()))
    lines += [f"{count} graphs not compiled: {reason}" for reason, count in reasons.most_common()]
    lines.append(
        f"samples={len(samples)} right={counted - len(failed)} wrong={len(failed)} wrong_in_aot_eager_too={len(differ) - len(failed)} "
        f"crashes_and_timeouts={broken} with_kernels={sum(bool(r.get('kernels')) for r in samples)} rate={rate:.2f}%"
    )
    return rate, "\n".join(lines)


def raised(samples: list[dict[str, Any]]) -> list[str]:
    """Of a run of mode `errors`: what aot_eager loses, too, by the kind of difference, and a table of what eager and aot_eager raise and
    what the backend does there, by the source of the error."""
    if not any("raises" in r for r in samples):
        return []
    from op_db_mutants import SOURCES

    lost = [r for r in samples if r.get("baseline")]
    lines = []
    for why, count in collections.Counter(map(_reason, lost)).most_common():
        operators = collections.Counter(r["op"] for r in lost if _reason(r) == why)
        lines.append(f"{count} calls differ in aot_eager as they do here: {why}: {', '.join(op for op, _ in operators.most_common())}")
    wanted = collections.Counter((r["source"], _outcome(r)) for r in samples if r.get("raises") and not r.get("baseline"))
    rows = [[source, *(wanted[source, outcome] for outcome in OUTCOMES)] for source in SOURCES]
    rows.append(["all", *(sum(row[n] for row in rows) for n in range(1, len(OUTCOMES) + 1))])
    lines.append("".join(f"{title:>20}" for title in ("source of the error", "aot_eager raises", *OUTCOMES)))
    return lines + ["".join(f"{cell:>20}" for cell in (row[0], sum(row[1:]), *row[1:])) for row in rows]


def _outcome(record: dict[str, Any]) -> str:
    """Which of `OUTCOMES` a call of which eager raises has."""
    difference = record["difference"]
    if not difference:
        return "same type"
    if difference.startswith(("crash", "timeout")):
        return "crashed"
    if difference.startswith("written"):
        return "written before"
    return "not raised" if ", compiled returns" in difference else "another type"


def _reason(record: dict[str, Any]) -> str:
    """Why a call differs with every backend on AOTAutograd."""
    difference = record["difference"]
    for pattern, reason in LOST.items():
        if re.search(pattern, difference, re.DOTALL):
            return reason
    return difference.partition(":")[0]


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="mlirind")
    parser.add_argument("--mode", default="forward", choices=["forward", "backward", "errors"])
    parser.add_argument("--dtype", action="append", help="may be repeated; default: float32 and int64")
    parser.add_argument("--ops", nargs="*", help="names in the database; default: all")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="where the samples are")
    parser.add_argument("--shard", default="0/1", help="I/N: every Nth task from the Ith on")
    parser.add_argument("--fraction", type=float, default=1.0, help="a fixed part of the samples")
    parser.add_argument(
        "--samples", type=int, default=0, help="only the first N of each operator (errors: the wrong calls made of them); 0: all"
    )
    parser.add_argument("--dynamic", action="store_true", help="sizes are symbolic; errors: each wrong call comes after a right one")
    parser.add_argument("--jobs", "--workers", dest="workers", type=int, default=1, help="worker processes, of one thread each")
    parser.add_argument("--timeout", type=float, default=120, help="seconds that one sample may take")
    parser.add_argument("--json", help="a file of JSON lines, one a sample")
    parser.add_argument("--at-least", type=float, default=0.0, help="exit with 1 if fewer per cent are right")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    args = parse(arguments)
    run = Run(args)
    tasks: queue.SimpleQueue = queue.SimpleQueue()
    for task in make_tasks(args):
        if _key(task) not in run.finished:
            tasks.put(task)
    threads = [threading.Thread(target=run.work, args=(tasks,)) for _ in range(args.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate, text = summary(run.records)
    print(text)
    return 0 if rate >= args.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
