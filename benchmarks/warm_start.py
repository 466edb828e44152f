"""First calls in new processes: without the cache, in the process that fills it, and in the next. `python benchmarks/warm_start.py bert`.

Seconds of the first call, forward or training step, with the import of the backend, by parts: that import, Dynamo with the call itself,
AOTAutograd without our parts, and ours, in which the cache's parts are shown apart. Beside them Inductor's first and second process, the
backend `eager`: what Dynamo takes in any case, and two processes of which the second loads the file that the first writes with PyTorch's
`aot_compile` ("loading" is PyTorch's part, too; guards are those on tensors). On the CPU they are processor seconds of one thread, with
Inductor's C++ compiler. With `--gpu` (`python benchmarks/warm_start.py --gpu BERT-base`) they are seconds of the clock, as compilers run in
other processes; the models are those of `gpu_models.py` in smaller batches.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from clock import Clock, children_seconds
from fresh_caches import fresh_caches
from gpu_models import SIZES, LargeModel, result_of
from mlirind.frontend.counters import counters
from mlirind.tools.model_zoo import MODELS, build, make_inputs
from transformers.utils import ModelOutput

# Label, backend, whether mlirind's cache is on.
RUNS = (
    ("option off", "mlirind", "0"), ("first process", "mlirind", "1"), ("second process", "mlirind", "1"),
    ("Inductor, first process", "inductor", "0"), ("Inductor, second process", "inductor", "0"), ("Dynamo alone", "eager", "0"),
    ("writes a file", "mlirind", "0"), ("loads the file", "mlirind", "0"),
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


# Models on GPUs, with batch and length or size.
SHAPES = {
    "BERT-base": (4, 128), "GPT-2": (2, 256), "Llama-like": (1, 256), "T5-base": (2, 128), "ViT-B/16": (8, 224), "Swin-T": (8, 224),
    "ResNet-50": (8, 224), "ConvNeXt-T": (8, 224), "Whisper-small encoder": (1, 3000),
}  # fmt: skip
# Processes that load all their graphs, and what they do not import. Dynamo imports Triton by itself.
LOADING = ("second process", "loads the file")
COMPILERS = ("torch_mlir", "llvmlite", "mlirind.lowering", "mlirind.passes", "triton.compiler")


def worker(name: str, train: bool, compiler: bool, backend: str, file: str | None) -> None:
    """Prints the parts of a first call. `compiler`: the compiler is imported, too, so that its parts can be timed. `file`: what is called
    comes from a file, which is written if there is none."""
    on_gpu = name in SHAPES
    model, step = _on_gpu(name, train) if on_gpu else _on_cpu(name, train)
    clock, chosen = Clock(time.perf_counter if on_gpu else time.process_time), backend
    if backend == "mlirind":
        with clock.part("import"):
            chosen = importlib.import_module("mlirind.frontend.backend").mlirind
            if compiler:
                importlib.import_module("mlirind.frontend.tracing")
        time_parts(clock)
    call = InFile(model, chosen, Path(file), clock) if file else torch.compile(model, backend=chosen)
    with torch.set_grad_enabled(train), clock.part("Dynamo"):
        results = step(call)
    results += [p.grad for p in model.parameters() if p.grad is not None]
    digests = [_digest(t) for t in results]
    model.zero_grad()
    again = step(call) + [p.grad for p in model.parameters() if p.grad is not None]
    unstable = [n for n, (one, other) in enumerate(zip(digests, map(_digest, again), strict=True)) if one != other]
    seconds = {**clock.seconds, "ours": clock.seconds["ours"] + (0 if on_gpu else children_seconds())}
    found = {"total": sum(seconds.values()), **seconds, "counts": counters.cache}
    print(json.dumps({**found, "digests": digests, "unstable": unstable, "imported": [m for m in COMPILERS if m in sys.modules]}))


def _on_cpu(name: str, train: bool) -> tuple[torch.nn.Module, Any]:
    """A model of the zoo, and what calls it once: the first call, with its results."""
    torch.set_num_threads(1)
    model, inputs = build(name, train=train), make_inputs(name, batch=2, train=train)

    def step(call: Any) -> list[torch.Tensor]:
        made = call(**inputs)
        if train:
            made.loss.backward()
        return [made.loss if train else result_of(made)]

    return model, step


class InFile:
    """Calls a compiled model by the file that `aot_compile` writes; without a file, the first call writes it. Guards are kept on tensors
    alone: PyTorch writes none on functions in decorators, such as those of the transformers library. The first call loads the file, since
    a loaded guard expects the autocast in which it was loaded."""

    def __init__(self, model: torch.nn.Module, backend: Any, file: Path, clock: Clock) -> None:
        self.model, self.backend, self.file, self.clock, self.function = model, backend, file, clock, None

    def __call__(self, **inputs: Any) -> ModelOutput:
        if self.function is None and self.file.exists():
            with self.clock.part("loading"), self.file.open("rb") as opened:
                self.function = torch.compiler.load_compiled_function(opened, f_globals=globals())
        if self.function is None:
            options = {"guard_filter_fn": torch.compiler.keep_tensor_guards_unsafe}
            with torch._dynamo.config.patch(enable_aot_compile=True):  # PyTorch 2.11 has it off
                compiled = torch.compile(tensor_of, backend=self.backend, fullgraph=True, dynamic=False, options=options)
                self.function = compiled.aot_compile(((self.model,), inputs))
            self.function.save_compiled_function(str(self.file))
        name = "loss" if "labels" in inputs else "last_hidden_state"
        return ModelOutput(**{name: self.function(self.model, **inputs)})


def tensor_of(model: torch.nn.Module, **inputs: Any) -> torch.Tensor:
    """A call of a model, as a function that returns a tensor: PyTorch does not write a function to a file that makes another object."""
    outputs = model(**inputs)
    return outputs.loss if "labels" in inputs else result_of(outputs)


def _on_gpu(name: str, train: bool) -> tuple[torch.nn.Module, Any]:
    """The same on a GPU whose libraries are initialized."""
    model = LargeModel(replace(SIZES[name], shape=SHAPES[name]), train)
    module = model.open()
    model.step(module)
    model.rest()

    def step(call: Any) -> list[torch.Tensor]:
        made = model.step(call)
        torch.cuda.synchronize()
        return [made]

    torch.cuda.synchronize()
    return module, step


def _digest(tensor: torch.Tensor) -> str:
    """The checksum of a tensor's elements."""
    content = tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes()
    return hashlib.sha256(content).hexdigest()[:8]


def time_parts(clock: Clock) -> None:
    """Times the functions of TIMED."""
    for module, function, part in TIMED:
        found = sys.modules.get(f"mlirind.frontend.{module}")
        if found is not None:
            setattr(found, function, clock.timed(getattr(found, function), part))


def measure(name: str, train: bool) -> None:
    """Prints a line for each of the processes."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {**fresh_caches(folder), "TORCHINDUCTOR_AUTOGRAD_CACHE": "1"}
        if name not in SHAPES:
            caches |= {"TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"}
        digests: list[str] = []
        for label, backend, cache in RUNS:
            own = {"MLIRIND_CACHE_DIR": f"{folder}/without"} if label == "option off" else {}  # cubins are kept in any case
            environment = {**os.environ, **caches, **own, "MLIRIND_CACHE": cache}
            more = [] if label in LOADING else ["--compiler"]
            more += ["--file", f"{folder}/function"] if label.endswith("file") else []
            command = [sys.executable, __file__, "--worker", name, "--backend", backend, *(["--train"] if train else []), *more]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode:
                print(f"{name}, {label}: {done.stderr[-2000:]}")
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            digests = found["digests"] if label == "first process" else digests
            others: Any = ""
            if label in LOADING:
                differing = {n for n, (a, b) in enumerate(zip(digests, found["digests"], strict=True)) if a != b}
                others = f"{len(differing)}, of them {len(differing & set(found['unstable']))} differ between two calls"
            numbers = " | ".join(f"{found.get(part, 0):.2f}" for part in PARTS)
            line = f"{name}, {'training' if train else 'forward'}, {label} | {numbers} | {others} | {', '.join(found['imported'])}"
            print(f"{line} | {found['counts']}", flush=True)


def main() -> None:
    """Measures models, or is the process that is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help=f"of {', '.join(MODELS)}, by default bert and resnet; with --gpu of {', '.join(SHAPES)}")
    parser.add_argument("--gpu", action="store_true", help="on a GPU")
    parser.add_argument("--only", choices=["forward", "training"], help="leaves out the other")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--backend", help=argparse.SUPPRESS)
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compiler", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        worker(given.worker, given.train, given.compiler, given.backend, given.file)
        return
    print(" | ".join(("process", *PARTS, "results that differ from the first process's", "imported", "counts")))
    for name in given.models or (list(SHAPES) if given.gpu else ["bert", "resnet"]):
        for train in (False, True):
            if given.only in (None, "training" if train else "forward"):
                measure(name, train)


if __name__ == "__main__":
    main()
