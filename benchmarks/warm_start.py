"""First calls in new processes: without the cache, in the process that fills it, and in the next. `python benchmarks/warm_start.py bert`.

Processor seconds of the first call, forward or training step, with the import of the backend, by parts: that import, Dynamo with the call
itself, AOTAutograd without our parts, and ours, in which the cache's parts are shown apart. One thread. Beside them Inductor's first and
second process, with its C++ compiler, and the backend `eager`: what Dynamo takes in any case.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile

import torch
from clock import Clock
from fresh_caches import fresh_caches
from mlirind.frontend.counters import counters
from mlirind.tools.model_zoo import MODELS, build, make_inputs

# Label, backend, whether mlirind's cache is on.
RUNS = (
    ("option off", "mlirind", "0"), ("first process", "mlirind", "1"), ("second process", "mlirind", "1"),
    ("Inductor, first process", "inductor", "0"), ("Inductor, second process", "inductor", "0"), ("Dynamo alone", "eager", "0"),
)  # fmt: skip
PARTS = ("total", "import", "Dynamo", "AOTAutograd", "ours", "keys", "loading", "writing")
# Module, function in it, part. An inner part pauses the outer one.
TIMED = (
    ("backend", "_load_or_compile", "ours"),
    ("backend", "traced_key", "keys"),
    ("backend", "load_traced", "loading"),
    ("caching.cached_graphs", "_key", "keys"),
    ("caching.cached_graphs", "load_graph", "loading"),
    ("caching.cached_graphs", "save_graph", "writing"),
    ("caching.cached_graphs", "pickled_graph", "writing"),
    ("tracing", "save_traced", "writing"),
    ("tracing", "aot_module_simplified", "AOTAutograd"),
    ("tracing", "partition_joint", "ours"),
    ("tracing", "compile_or_load", "ours"),
    ("tracing", "compile_stored", "ours"),
)


def worker(name: str, train: bool, compiler: bool, backend: str) -> None:
    """Prints the parts of a first call. `compiler`: the compiler is imported, too, so that its parts can be timed."""
    torch.set_num_threads(1)
    model, inputs = build(name, train=train), make_inputs(name, batch=2, train=train)
    clock, chosen = Clock(), backend
    if backend == "mlirind":
        with clock.part("import"):
            chosen = importlib.import_module("mlirind.frontend.backend").mlirind
            if compiler:
                importlib.import_module("mlirind.frontend.tracing")
        time_parts(clock)
    call = torch.compile(model, backend=chosen)
    with torch.set_grad_enabled(train), clock.part("Dynamo"):
        made = call(**inputs)
        if train:
            made.loss.backward()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = {**clock.seconds, "ours": clock.seconds["ours"] + children.ru_utime + children.ru_stime}
    print(json.dumps({"total": sum(seconds.values()), **seconds, "counts": counters.cache, "MLIR": "torch_mlir" in sys.modules}))


def time_parts(clock: Clock) -> None:
    """Times the functions of TIMED."""
    for module, function, part in TIMED:
        found = sys.modules.get(f"mlirind.frontend.{module}")
        if found is not None:
            setattr(found, function, clock.timed(getattr(found, function), part))


def measure(name: str, train: bool) -> None:
    """Prints a line for each of the processes."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {**fresh_caches(folder), "TORCHINDUCTOR_AUTOGRAD_CACHE": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"}
        for label, backend, cache in RUNS:
            environment = {**os.environ, **caches, "MLIRIND_CACHE": cache}
            compiler = [] if label == "second process" else ["--compiler"]
            command = [sys.executable, __file__, "--worker", name, "--backend", backend, *(["--train"] if train else []), *compiler]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            numbers = " | ".join(f"{found.get(part, 0):.2f}" for part in PARTS)
            print(f"{name}, {'training' if train else 'forward'}, {label} | {numbers} | {found['MLIR']} | {found['counts']}", flush=True)


def main() -> None:
    """Measures models, or is the process that is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["bert", "resnet"], help=f"of {', '.join(MODELS)}")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--backend", help=argparse.SUPPRESS)
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compiler", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        worker(given.worker, given.train, given.compiler, given.backend)
        return
    print(" | ".join(("process", *PARTS, "MLIR imported", "counts")))
    for name in given.models:
        for train in (False, True):
            measure(name, train)


if __name__ == "__main__":
    main()
