"""Programs in processes that lack a private name of PyTorch each: `python renamed_away.py [names] [--short [names]]` prints a line an
argument. Names with commas in between are missing together. After `--short`, names that have programs of their own run these alone.

A process that has imported PyTorch, traced the programs and loaded the dialect forks one for each argument, as many at once as there are
cores: what they share costs nothing there.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import io
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch._dynamo.guards
import torch._functorch.aot_autograd  # noqa: F401
from boundary_programs import COMMON, SPECIAL
from gradient_programs import Program, leaves, line, loss

SECONDS = 600  # after these a process counts as hanging


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return torch.compile(function, backend="mlirind", **options)


def traced(function: Callable[..., Any], dynamic: bool | None = None) -> Callable[..., Any]:
    return torch.compile(function, backend="aot_eager", dynamic=dynamic)


def unchanged(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return function


def differences(programs: Sequence[Program]) -> list[str]:
    """The programs that differ from eager. Each starts with nothing compiled: a backward that is compiled already takes no
    `retain_graph=True` of AOTAutograd's."""
    found = []
    for program in programs:
        torch.compiler.reset()
        if not same(program(compiled), program(unchanged)):
            found.append(program.__name__)
    return found


def same(ours: Any, eager: Any) -> bool:
    """Whether results are equal: numbers up to rounding, dtypes, strides."""
    if isinstance(eager, (list, tuple)):
        return len(ours) == len(eager) and all(map(same, ours, eager))
    if not isinstance(eager, torch.Tensor):
        return bool(ours == eager)
    return ours.dtype == eager.dtype and ours.stride() == eager.stride() and torch.allclose(ours, eager, atol=1e-5)


def programs_of(names: Sequence[str], short: bool) -> list[Program]:
    """What runs where entries are missing."""
    special = [p for name in names for p in SPECIAL.get(name.rpartition(".")[2], ())]
    common = () if short and special else COMMON
    return list(dict.fromkeys([*common, *special]))


def warm() -> None:
    """Imports what the boundary is not, and what PyTorch imports when it first compiles. Starts no thread, which a fork would lose: no
    backward, no parallel loops."""
    torch.set_num_threads(1)
    torch._dynamo.guards.profile_guard_manager = lambda *args: 0.0  # a measurement, which takes a tenth of a second
    importlib.import_module("mlirind.tools.mlirind_opt")
    importlib.import_module("mlirind.runtime.cpu.jit")
    for name in ("arith", "builtin", "func", "llvm", "math", "scf", "vector"):
        importlib.import_module(f"torch_mlir.dialects.{name}")
    for name in ("rich.console", "rich.padding", "rich.table"):  # of `explain`
        importlib.import_module(name)
    with importlib.import_module("mlirind.dialects.context").compile_context():
        pass
    if not torch.backends.cuda.is_built():  # else the trace of a backward starts autograd's threads
        traced(loss)(line(5, 8), *leaves())
    for program in COMMON[1:]:
        program(traced)
    decompositions = importlib.import_module("torch.export.decomp_utils")
    decompositions._collect_all_valid_cia_ops = functools.cache(decompositions._collect_all_valid_cia_ops)
    dict(torch._decomp.core_aten_decompositions())
    torch.compiler.reset()
    assert "mlirind.torch_internals.entries" not in sys.modules
    gc.collect()
    gc.freeze()  # the processes don't go through what they share


def store_operator_table() -> None:
    """Writes the table of operators to the cache on disk, if it is not there, in a process of its own: this uses the boundary."""
    child = os.fork()
    if child == 0:
        from mlirind.dialects import aten_table

        aten_table.read_table()
        os._exit(0)
    os.waitpid(child, 0)


def main(arguments: list[str]) -> None:
    store_operator_table()
    with tempfile.TemporaryDirectory() as folder:
        sys.dont_write_bytecode, sys.pycache_prefix = False, folder
        warm()
        waiting = processes(arguments)
        running: dict[int, str] = {}
        while waiting or running:
            while waiting and len(running) < len(os.sched_getaffinity(0)):
                names, short = waiting.pop(0)
                running[start(names, short)] = names
            child, status = os.wait()
            if status:
                print(running[child], f"status {status}", sep=": ", flush=True)
            del running[child]


def processes(arguments: list[str]) -> list[tuple[str, bool]]:
    """The names that each process lacks, and whether it runs their own programs alone."""
    at = arguments.index("--short") if "--short" in arguments else len(arguments)
    long, short = arguments[:at], arguments[at + 1 :]
    if not (long or short):
        return [(name, "--short" in arguments) for name in registered()]
    return [(names, False) for names in long] + [(names, True) for names in short]


def start(names: str, short: bool) -> int:
    """The process that runs without these names."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        torch.set_num_threads(1)  # makes PyTorch's thread pool after the fork; two threads that did so at once would abort
        answer = f"{names}: {without(names.split(','), short)}"
        sys.stdout.flush()
        os.write(1, f"\n{answer}\n".encode())  # at once: processes that print at the same time don't mix their lines
        os._exit(0)
    return child


def registered() -> list[str]:
    """The names of the entries, from a process of their own."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        from mlirind.tools.boundary_table import every_entry

        with os.fdopen(writes, "w") as pipe:
            pipe.write("\n".join(entry.name for entry in every_entry()))
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        names = pipe.read().split("\n")
    os.waitpid(child, 0)
    return names


def explained() -> str:
    """What `mlirind.explain` prints of a small graph."""
    import mlirind

    with contextlib.redirect_stdout(io.StringIO()) as text:
        mlirind.explain(torch.sin, line(5))
    return text.getvalue()


def without(names: Sequence[str], short: bool) -> str:
    """ "as eager" in a process without the names; else what is wrong."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("mlirind").addHandler(handler)
    try:
        from mlirind.torch_internals import entries

        entries.hide(*names)
        found = differences(programs_of(names, short))
        from mlirind.tools.boundary_table import every_entry

        known = {entry.name for entry in every_entry()}
        found += [f"no entry {name}" for name in names if name not in known]
        texts = [str(entry) for entry in entries.missing() if entry.name in names]
        explanation = explained()
        found += [f"the log says {said.count(text)} times: {text}" for text in texts if said.count(text) != 1]
        found += [f"explain does not say once: {text}" for text in texts if explanation.count(text) != 1]
    except Exception as error:
        found = [f"{type(error).__name__}: {error}".replace("\n", " ")[:300]]
    return ", ".join(found) or "as eager"


if __name__ == "__main__":
    main(sys.argv[1:])
