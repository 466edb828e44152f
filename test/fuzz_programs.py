"""Random small programs that write, view and return their tensors, compiled and compared with eager.

python test/fuzz_programs.py --seeds 0:20000 [--backend NAME] [--processes N] [--json FILE] [--options verify_each ...]
python test/fuzz_programs.py --show SEED

Compared: outputs (values, dtype, shape, strides, signs of zero), the inputs after the call, who shares memory with whom; in a
second call too. A program that `aot_eager` gets wrong as well does not count. With --json a run that was cut off goes on where it
stopped. A program that kills or hangs its process costs itself only. Seven programs of eight go straight to the backend as graphs;
the eighth goes through torch.compile, every other of those with symbolic sizes.
"""

from __future__ import annotations

import argparse
import collections
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
import torch.nn.functional as F
from eager_comparison import difference
from fuzz_statements import KINDS, State, inputs
from mlirind.errors import UnsupportedGraph
from mlirind.tools.backends import find_backend
from programs import observe
from torch import fx

PATIENCE = 120  # seconds that one program may take
CHUNK = 200  # programs of one process: what was compiled is never freed

ALONE = os.environ | {"OMP_NUM_THREADS": "1"}

_library = torch.library.Library("mlirind_fuzz", "DEF")


def _operator(schema: str, run: Callable[..., Any], fake: Callable[..., Any]) -> Any:
    name = schema.split("(")[0]
    _library.define(schema)
    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"mlirind_fuzz::{name}", fake, lib=_library)
    return getattr(torch.ops.mlirind_fuzz, name).default


def _add_into(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(y)


def _list_into(xs: list[torch.Tensor], y: torch.Tensor) -> None:
    for x in xs:
        x.add_(y)


def _write_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.add_(y)
    y.mul_(2)
    return x - y


fuzz_opaque = _operator("opaque(Tensor x) -> Tensor", lambda x: x + 1, lambda x: x + 1)
fuzz_add_into = _operator("add_into(Tensor(a!) x, Tensor y) -> ()", _add_into, lambda x, y: None)
fuzz_list = _operator("list_into(Tensor(a!)[] xs, Tensor y) -> ()", _list_into, lambda xs, y: None)
fuzz_two = _operator("two(Tensor(a!) x, Tensor(b!) y) -> Tensor", _write_two, lambda x, y: x - y)


def store(target: torch.Tensor, place: Any, value: Any) -> None:
    """target[place] = value"""
    target[place] = value


NAMES = {"torch": torch, "F": F, "store": store, "slice": slice}
NAMES |= {"fuzz_opaque": fuzz_opaque, "fuzz_add_into": fuzz_add_into, "fuzz_list": fuzz_list, "fuzz_two": fuzz_two}


def source(seed: int) -> str:
    """The text of a program: `make_inputs` and `program`."""
    state = State(seed)
    names = dict(NAMES)
    made = []
    for number, line in enumerate(inputs(state)):
        try:
            exec(f"x{number} = {line}", names)
        except (RuntimeError, IndexError):
            line = "torch.ones(3)"
            exec(f"x{number} = {line}", names)
        made.append(f"x{number} = {line}")
        state.tensors[f"x{number}"] = names[f"x{number}"]
    body = list(_body(state, names))
    variables = list(state.tensors)
    returned = [state.random.choice(variables[-5:] + variables) for _ in range(state.random.randint(1, 4))]
    arguments = ", ".join(f"x{n}" for n in range(len(made)))
    text = ["def make_inputs():", *made, f"return {arguments},\n"]
    text = "\n    ".join(text) + "\n\n" + "\n    ".join([f"def program({arguments}):", *body, f"return {', '.join(returned)},"])
    return text + "\n"


def _body(state: State, names: dict[str, Any]) -> Iterator[str]:
    weights = [weight for weight, _ in KINDS]
    for _ in range(state.random.randint(4, 10)):
        (kind,) = state.random.choices([k for _, k in KINDS], weights)
        line = kind(state)
        if line is None:
            continue
        try:
            exec(line, names)
        except (RuntimeError, IndexError, TypeError):
            continue
        state.tensors |= {n: t for n, t in names.items() if isinstance(t, torch.Tensor)}
        yield line


class _Traced:
    """Stands for the module `torch`: every call becomes a node of a graph, those without tensors too."""

    def __init__(self, tracer: fx.Tracer) -> None:
        self.tracer = tracer

    def __getattr__(self, name: str) -> Any:
        found = getattr(torch, name)
        return self.function(found) if callable(found) and not isinstance(found, type) else found

    def function(self, called: Any) -> Callable[..., fx.Proxy]:
        return lambda *args, **kwargs: self.tracer.create_proxy("call_function", called, args, kwargs)


def graph_of(text: str) -> fx.GraphModule:
    """The program as a graph of torch functions, as Dynamo would capture it."""
    tracer = fx.Tracer()
    tracer.graph, tracer.root = fx.Graph(), torch.nn.Module()
    traced = _Traced(tracer)
    names = {n: traced.function(f) if callable(f) and f is not slice else f for n, f in NAMES.items()} | {"torch": traced, "F": F}
    exec(text, names)
    program = names["program"]
    parameters = program.__code__.co_varnames[: program.__code__.co_argcount]
    outputs = program(*[tracer.create_proxy("placeholder", name, (), {}) for name in parameters])
    tracer.create_node("output", "output", (tracer.create_arg(outputs),), {})
    return fx.GraphModule(tracer.root, tracer.graph)


def compile_program(seed: int, text: str, backend: Any, options: dict[str, Any]) -> Callable[..., Any]:
    """The compiled program."""
    names = dict(NAMES)
    exec(text, names)
    given = {"options": options} if options else {}
    if seed % 8 == 0:
        return torch.compile(names["program"], backend=backend, fullgraph=True, dynamic=seed % 16 == 0, **given)
    compiled: list[Callable[..., Any]] = []
    graph = graph_of(text)

    def run(*tensors: torch.Tensor) -> Any:
        if not compiled:
            compiled.append(torch._dynamo.lookup_backend(backend)(graph, list(tensors), **given))
        return tuple(compiled[0](*tensors))

    return run


def compare(seed: int, text: str, backend: Any, options: dict[str, Any]) -> tuple[str, str]:
    """An outcome ("same", "different", "unsupported", "eager raises") and details; the seed says how the program is compiled."""
    names = dict(NAMES)
    exec(text, names)
    want = _seen(names["program"], names["make_inputs"])
    if "raises" in want:
        return "eager raises", repr(want["raises"])[:200]
    compiled = compile_program(seed, text, backend, options)
    for call in ("first", "second"):
        got = _seen(compiled, names["make_inputs"])
        if "raises" in got:
            reason = _unsupported(got["raises"])
            return ("unsupported", reason) if reason else ("different", f"{call} call raises {got['raises']!r}"[:500])
        found = difference(want, got, rtol=1e-6)
        if found:
            return "different", f"{call} call: {found}"
    return "same", ""


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
        error = error.__cause__
    return None


def check(seed: int, text: str, backend_name: str, options: dict[str, Any]) -> tuple[str, str]:
    """Like `compare`; a difference that `aot_eager` has too is "wrong in aot_eager"."""
    warnings.simplefilter("ignore")
    outcome, detail = compare(seed, text, find_backend(backend_name), options)
    if outcome == "different" and backend_name != "aot_eager":
        baseline, _ = compare(seed, text, find_backend("aot_eager"), {})
        outcome = outcome if baseline == "same" else "wrong in aot_eager"
    if seed % 64 == 0:
        torch._dynamo.reset()
    return outcome, detail


def work(start: int, end: int, backend_name: str, options: dict[str, Any]) -> None:
    """Prints a line of JSON before each seed, and one with the outcome after it."""
    logging.disable(logging.ERROR)
    for seed in range(start, end):
        signal.alarm(PATIENCE)
        print(json.dumps({"start": seed}), flush=True)
        outcome, detail = check(seed, source(seed), backend_name, options)
        print(json.dumps({"seed": seed, "outcome": outcome, "detail": detail}), flush=True)


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

    def _process(self, start: int, end: int, backend: str = "") -> Iterator[dict[str, Any]]:
        command = [sys.executable, __file__, "--work", "--seeds", f"{start}:{end}", "--backend", backend or self.args.backend]
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
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", help="a file of JSON lines, to go on from")
    parser.add_argument("--options", nargs="*", default=[], help="options of the backend that are to be true: verify_each")
    parser.add_argument("--show", type=int, help="print the program of a seed, and stop")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.show is not None:
        print(source(args.show))
        return 0
    args.start, args.end = map(int, args.seeds.split(":"))
    if args.work:
        strict = {"fallback": False, "reproducer": False} if args.backend == "mlirind" else {}
        work(args.start, args.end, args.backend, strict | dict.fromkeys(args.options, True))
        return 0
    run = Run(args)
    began = time.perf_counter()
    chunks = [c for c in range(args.start, args.end, CHUNK) if c not in run.done]
    with ThreadPoolExecutor(args.processes) as pool:
        list(pool.map(run.chunk, chunks))
    seconds = time.perf_counter() - began
    programs = sum(min(c + CHUNK, args.end) - c for c in chunks)
    print(f"{dict(run.counts)}; {programs / seconds:.1f} programs a second")
    return 1 if run.counts["different"] or run.counts["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
