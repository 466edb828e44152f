"""Random small programs that write, view and return their tensors, compiled and compared with eager.

python test/fuzz_programs.py --seeds 0:20000 [--backend NAME] [--jobs N] [--json FILE] [--options verify_each ...] [--device cuda]
python test/fuzz_programs.py --show SEED
python test/fuzz_programs.py --seeds 0:1000 --kinds

Compared: outputs (values, dtype, shape, strides, signs of zero), the inputs after the call, and who shares memory with whom; in a second
call too. A program that takes integers, floats or bools is called with other numbers as well; where eager raises, it must raise. Only
a program that differs runs with `aot_eager`; one that is wrong there too does not fail the run. With --json a run that was cut off
goes on where it stopped. A program that kills or hangs its process costs itself only. Fifteen programs of sixteen go straight to the
backend as graphs, their integers as symbols; the sixteenth goes through torch.compile, every other of those with symbolic sizes.

The last line has the number of programs, of differences, of those that `aot_eager` has too, and of errors: programs that ended or
hung their process.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import logging
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from eager_comparison import difference
from fuzz_graphs import NAMES, Graphs
from fuzz_numbers import give_numbers, other_numbers
from fuzz_statements import KINDS, ON, State
from fuzz_views import inputs
from mlirind.errors import UnsupportedGraph
from mlirind.tools.backends import find_backend
from programs import observe

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

PATIENCE = 120  # seconds that one program may take
CHUNK = 400  # programs of one process: what was compiled is never freed

ALONE = os.environ | {"OMP_NUM_THREADS": "1"}


def source(seed: int, device: str = "cpu") -> str:
    """The text of a program: `make_inputs`, whose parameters are the numbers among them, `program`, and OTHERS, a list of further
    numbers. On a GPU the program raises for none of them: an index out of range ends the process's use of it."""
    return _write(State(seed), device == "cpu").replace(ON, "" if device == "cpu" else f", device='{device}'")


def _write(state: State, may_raise: bool = True) -> str:
    give_numbers(state)
    names = NAMES | state.numbers
    made = []
    for number, line in enumerate(inputs(state)):
        try:
            _run(f"x{number} = {line}", names)
        except (RuntimeError, IndexError):
            line = f"torch.ones(3{ON})"
            _run(f"x{number} = {line}", names)
        made.append(f"x{number} = {line}")
        state.tensors[f"x{number}"] = names[f"x{number}"]
    body = list(_body(state, names))
    variables = list(state.tensors)
    returned = [state.random.choice(variables[-5:] + variables) for _ in range(state.random.randint(1, 4))]
    arguments = ", ".join([*(f"x{n}" for n in range(len(made))), *state.numbers])
    numbers = ", ".join(f"{name}={value!r}" for name, value in state.numbers.items())
    text = [f"def make_inputs({numbers}):", *made, f"return {arguments},\n"]
    text = "\n    ".join(text) + "\n\n" + "\n    ".join([f"def program({arguments}):", *body, f"return {', '.join(returned)},"]) + "\n"
    if not numbers:
        return text
    others = [found for found in (_others(state, text), _others(state, text)) if may_raise or not raises_in_eager(text, found)]
    return f"{text}\n\nOTHERS = {others!r}\n"


def _run(text: str, names: dict[str, Any]) -> None:
    exec(text.replace(ON, ""), names)


def _body(state: State, names: dict[str, Any]) -> Iterator[str]:
    weights = [weight for weight, _ in KINDS]
    wanted = state.random.randint(3, 8)
    for _ in range(3 * wanted):
        if len(state.kinds) == wanted:
            return
        (kind,) = state.random.choices([k for _, k in KINDS], weights)
        line = kind(state)
        if line is None:
            continue
        try:
            _run(line, names)
        except (RuntimeError, IndexError, TypeError, ValueError, ArithmeticError):
            continue
        state.tensors |= {n: t for n, t in names.items() if isinstance(t, torch.Tensor)}
        state.kinds.append(kind.__name__)
        yield line


def _others(state: State, text: str) -> dict[str, Any]:
    """Other numbers for the program; mostly such that eager does not raise."""
    for _ in range(6):
        others = other_numbers(state)
        if state.random.random() < 0.1 or not raises_in_eager(text, others):
            break
    return others


def raises_in_eager(text: str, numbers: dict[str, Any]) -> bool:
    """Whether the program raises in eager mode, on the CPU."""
    names = dict(NAMES)
    _run(text, names)
    try:
        names["program"](*names["make_inputs"](**numbers))
    except Exception:
        return True
    return False


def compile_program(seed: int, text: str, backend: Any, options: dict[str, Any]) -> Callable[..., Any]:
    """The compiled program."""
    names = dict(NAMES)
    exec(text, names)
    given = {"options": options} if options else {}
    if seed % 16 == 0:
        return torch.compile(names["program"], backend=backend, fullgraph=True, dynamic=seed % 32 == 0 or None, **given)
    return Graphs(text, backend, given)


def compare(seed: int, text: str, backend: Any, options: dict[str, Any]) -> tuple[str, str]:
    """An outcome ("same", "different", "unsupported", "eager raises") and details; the seed says how the program is compiled."""
    return next(((outcome, detail) for _, outcome, detail in compare_calls(seed, text, backend, options)), ("same", ""))


def compare_calls(seed: int, text: str, backend: Any, options: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each call that is not as in eager mode: its name, the outcome and details. Nothing after a call that is "unsupported"."""
    names = dict(NAMES)
    exec(text, names)
    make_inputs = names["make_inputs"]
    want = _seen(names["program"], make_inputs)
    if "raises" in want:
        yield "first", "eager raises", repr(want["raises"])[:200]
        return
    compiled = compile_program(seed, text, backend, options)
    calls = [("first", make_inputs, want), ("second", make_inputs, want)]
    for numbers in names.get("OTHERS", ()):
        others = functools.partial(make_inputs, **numbers)
        calls.append((f"{numbers}:", others, _seen(names["program"], others)))
    for call, make, expected in calls:
        got = _seen(compiled, make)
        reason = _unsupported(got["raises"]) if "raises" in got and "raises" not in expected else None
        if reason:
            yield call, "unsupported", reason
            return
        if found := _difference(expected, got):
            yield call, "different", f"{call} call{found}"[:500]


def _difference(expected: dict[str, Any], got: dict[str, Any]) -> str | None:
    if "raises" in expected:
        return None if "raises" in got else f": eager raises {expected['raises']!r}"
    if "raises" in got:
        return f" raises {got['raises']!r}"
    found = difference(expected, got, rtol=1e-6)
    return f": {found}" if found else None


def _seen(fn: Callable[..., Any], make_inputs: Callable[[], Any]) -> dict[str, Any]:
    """What a caller sees, but not which of two tensors over the same memory is which object."""
    torch.manual_seed(0)
    seen = observe(fn, make_inputs)
    if "aliases" in seen:
        seen["aliases"] = [["no" if r == "no" else "shares" for r in row] for row in seen["aliases"]]
    return seen


def _unsupported(error: BaseException | None) -> str | None:
    while error is not None:
        if isinstance(error, UnsupportedGraph) or "UnsupportedGraph" in str(error):
            return str(error).split("UnsupportedGraph:")[-1].strip().split("\n")[0]
        error = error.__cause__ or getattr(error, "inner_exception", None)
    return None


def check(seed: int, text: str, backend_name: str, options: dict[str, Any]) -> tuple[str, str]:
    """Like `compare`; if `aot_eager` differs from eager in each call in which the backend does, that is "wrong in aot_eager"."""
    warnings.simplefilter("ignore")
    found = list(compare_calls(seed, text, find_backend(backend_name), options))
    _, outcome, detail = found[0] if found else ("", "same", "")
    if backend_name != "aot_eager" and any(outcome == "different" for _, outcome, _ in found):
        torch._dynamo.reset()  # else integers that changed during the calls are symbols from the first compilation on
        baseline = {call for call, *_ in compare_calls(seed, text, find_backend("aot_eager"), {})}
        own = [detail for call, outcome, detail in found if outcome == "different" and call not in baseline]
        outcome, detail = ("different", own[0]) if own else ("wrong in aot_eager", detail)
    if seed % 64 == 0:
        torch._dynamo.reset()
    return outcome, detail


def work(start: int, end: int, backend_name: str, options: dict[str, Any], device: str) -> None:
    """Prints a line of JSON before each seed, and one with the outcome after it."""
    logging.disable(logging.ERROR)
    for seed in range(start, end):
        signal.alarm(PATIENCE)
        print(json.dumps({"start": seed}), flush=True)
        outcome, detail = check(seed, source(seed, device), backend_name, options)
        if device == "cuda":
            torch.cuda.synchronize()  # raises where a kernel failed: nothing runs in this process any more
        print(json.dumps({"seed": seed, "outcome": outcome, "detail": detail}), flush=True)


def count_kinds(seeds: range) -> str:
    """A line for each kind of statement: how often it is in the programs, and in how many."""
    statements: collections.Counter[str] = collections.Counter()
    programs: collections.Counter[str] = collections.Counter()
    numbers = 0
    for seed in seeds:
        state = State(seed)
        _write(state)
        statements.update(state.kinds)
        programs.update({*state.kinds})
        numbers += bool(state.numbers)
    lines = [f"{kind:18} {statements[kind]:6} in {count:6} programs" for kind, count in sorted(programs.items())]
    return "\n".join([*lines, f"{numbers} programs take numbers"])


class Run:
    """The outcomes of many seeds, kept in a file of JSON lines if one is given: one a chunk, with what is not "same"."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.counts: collections.Counter[str] = collections.Counter()
        self.done: set[int] = set()
        path = Path(args.json) if args.json else None
        for line in path.read_text().splitlines() if path and path.exists() else ():
            record = json.loads(line)
            self.done.add(record["chunk"])
            self.counts.update(record["counts"])
        self.file = path.open("a") if path else None

    def chunk(self, start: int) -> None:
        """Runs one chunk, restarting behind each seed that kills the process."""
        counts: collections.Counter[str] = collections.Counter()
        notable = []
        end = min(start + CHUNK, self.args.end)
        seed = start
        while seed < end:
            for record in self._process(seed, end):
                seed = record["seed"] + 1
                counts[record["outcome"]] += 1
                if record["outcome"] != "same":
                    notable.append(record)
                    print(f"{record['seed']}: {record['outcome']}: {record['detail']}", flush=True)
        self.counts.update(counts)
        if self.file:
            self.file.write(json.dumps({"chunk": start, "counts": counts, "notable": notable}) + "\n")
            self.file.flush()

    def summary(self) -> str:
        """The counts of all outcomes in words."""
        n = self.counts
        differences = n["different"] + n["wrong in aot_eager"]
        text = f"{n.total()} programs, {differences} differences, {n['wrong in aot_eager']} of which aot_eager has too, {n['crash']} errors"
        return f"{text} ({n['unsupported']} declined by the compiler, {n['eager raises']} raise in eager mode)"

    def _process(self, start: int, end: int, backend: str = "") -> Iterator[dict[str, Any]]:
        command = [sys.executable, __file__, "--work", "--seeds", f"{start}:{end}", "--backend", backend or self.args.backend]
        command += ["--device", self.args.device]
        command += ["--options", *self.args.options] if self.args.options and not backend else []
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ALONE)
        assert process.stdout
        running = start
        for line in process.stdout:
            record = json.loads(line)
            running = record.get("start", running)
            if "seed" in record:
                yield record
                running += 1
        if process.wait():
            baseline = [] if backend else list(self._process(running, running + 1, "aot_eager"))
            outcome = "wrong in aot_eager" if any(r["outcome"] == "crash" for r in baseline) else "crash"
            yield {"seed": running, "outcome": outcome, "detail": f"exit code {process.returncode}"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:200", help="first and last + 1")
    parser.add_argument("--backend", default="mlirind")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--json", help="a file of JSON lines, to go on from")
    parser.add_argument("--options", nargs="*", default=[], help="options of the backend that are to be true: verify_each")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="where the tensors are")
    parser.add_argument("--kinds", action="store_true", help="print how many statements of each kind the programs have, and stop")
    parser.add_argument("--show", type=int, help="print the program of a seed, and stop")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.show is not None:
        print(source(args.show, args.device))
        return 0
    args.start, args.end = map(int, args.seeds.split(":"))
    if args.kinds:
        print(count_kinds(range(args.start, args.end)))
        return 0
    if args.work:
        strict = {"fallback": False, "reproducer": False} if args.backend == "mlirind" else {}
        work(args.start, args.end, args.backend, strict | dict.fromkeys(args.options, True), args.device)
        return 0
    run = Run(args)
    began = time.perf_counter()
    chunks = [c for c in range(args.start, args.end, CHUNK) if c not in run.done]
    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(run.chunk, chunks))
    seconds = time.perf_counter() - began
    programs = sum(min(c + CHUNK, args.end) - c for c in chunks)
    print(f"{run.summary()}; {programs / seconds:.1f} programs a second")
    return 1 if run.counts["different"] or run.counts["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
