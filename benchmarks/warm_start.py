"""First calls in new processes: without the cache, in the process that fills it, and in the next. `python benchmarks/warm_start.py bert`.

Processor seconds of the first call, forward or training step, with the import of the backend, by parts: that import, Dynamo with the call
itself, AOTAutograd without our parts, and ours, in which the cache's parts are shown apart. One thread.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile

import torch
from clock import Clock
from mlirind.frontend.counters import counters
from mlirind.tools.model_zoo import MODELS, build, make_inputs

RUNS = (("option off", "0"), ("first process", "1"), ("second process", "1"))
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


def worker(name: str, train: bool, compiler: bool) -> None:
    """Prints the parts of a first call. `compiler`: the compiler is imported, too, so that its parts can be timed."""
    torch.set_num_threads(1)
    model, inputs = build(name, train=train), make_inputs(name, batch=2, train=train)
    clock = Clock()
    with clock.part("import"):
        import mlirind.frontend.backend

        if compiler:
            importlib.import_module("mlirind.frontend.tracing")
    for module, function, part in TIMED:
        found = sys.modules.get(f"mlirind.frontend.{module}")
        if found is not None:
            setattr(found, function, clock.timed(getattr(found, function), part))
    call = torch.compile(model, backend=mlirind.frontend.backend.mlirind)
    with torch.set_grad_enabled(train), clock.part("Dynamo"):
        made = call(**inputs)
        if train:
            made.loss.backward()
    seconds = dict(clock.seconds)
    print(json.dumps({"total": sum(seconds.values()), **seconds, "counts": counters.cache, "MLIR": "torch_mlir" in sys.modules}))


def measure(name: str, train: bool) -> None:
    """Prints a line for each of the three processes."""
    with tempfile.TemporaryDirectory() as folder:
        for label, cache in RUNS:
            environment = {**os.environ, "MLIRIND_CACHE": cache, "MLIRIND_CACHE_DIR": folder, "OMP_NUM_THREADS": "1"}
            compiler = [] if label == "second process" else ["--compiler"]
            command = [sys.executable, __file__, "--worker", name, *(["--train"] if train else []), *compiler]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            numbers = " | ".join(f"{found.get(part, 0):.2f}" for part in PARTS)
            print(f"{name}, {'training' if train else 'forward'}, {label} | {numbers} | {found['MLIR']} | {found['counts']}", flush=True)


def main() -> None:
    """Measures models, or is the process that is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["bert", "resnet"], help=f"of {', '.join(MODELS)}")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compiler", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        worker(given.worker, given.train, given.compiler)
        return
    print(" | ".join(("process", *PARTS, "MLIR imported", "counts")))
    for name in given.models:
        for train in (False, True):
            measure(name, train)


if __name__ == "__main__":
    main()
