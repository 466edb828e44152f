"""A worker process of gpu.py: compiles cases and times them on request.

python benchmarks/gpu_worker.py SETTINGS (JSON). Each line on stdin, ["prepare" or "measure", PART, NAME], is answered by a line of JSON.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from gpu_kernels import CASES, GpuCase, Outputs, tensors_of
from gpu_models import SIZES, LargeModel, OptimizerStep
from gpu_profile import kernel_times
from host_worker import CASES as SMALL_CASES
from host_worker import NO_BACKENDS, SMALL_PROGRAMS
from mlirind.frontend.counters import counters
from mlirind.tools import model_zoo
from mlirind.tools.backends import find_backend

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

Call = Callable[[], Any]
Row = dict[str, Any]
MANY = 1 << 16  # Dynamo's limit of graphs per function: cases share functions
SMALL = 1 << 16  # bytes: for smaller kernels the host's time is the cost


@dataclass(eq=False)
class Kernel:
    """A kernel case. Its inputs exist from `open` to `close`."""

    case: GpuCase
    inputs: tuple[torch.Tensor, ...] = ()

    def open(self) -> Callable[..., Any]:
        """What is compiled."""
        torch.manual_seed(0)
        self.inputs = self.case.make_inputs()
        return self.case.fn

    def step(self, function: Callable[..., Any]) -> Outputs:
        """One call."""
        return function(*self.inputs)

    def close(self) -> None:
        """Frees the inputs, for other processes need the memory."""
        self.inputs = ()
        torch.cuda.empty_cache()


def drop_gradients(leaves: list[torch.Tensor]) -> None:
    """Sets gradients to None, as optimizers do. A module's `zero_grad` would search its parameters each time: 0.2 ms for BERT."""
    for leaf in leaves:
        leaf.grad = None


@dataclass(eq=False)
class Model:
    """A model of the zoo and its inputs; a training step if `train`."""

    name: str
    train: bool
    dtype: torch.dtype
    batch: int
    module: torch.nn.Module | None = None
    parameters: list[torch.Tensor] = field(default_factory=list)
    keywords: dict[str, torch.Tensor] = field(default_factory=dict)

    def open(self) -> Callable[..., Any]:
        """What is compiled."""
        if self.module is None:
            self.module = model_zoo.build(self.name, self.dtype, self.train, "cuda")
            self.keywords = model_zoo.make_inputs(self.name, self.dtype, self.train, self.batch, device="cuda")
            self.parameters = list(self.module.parameters())
        return self.module

    def step(self, function: Callable[..., Any]) -> torch.Tensor:
        """One call, or one forward and backward."""
        assert self.module is not None
        if not self.train:
            with torch.no_grad():
                return function(**self.keywords).logits
        drop_gradients(self.parameters)
        loss = function(**self.keywords).loss
        loss.backward()
        return loss.detach()

    def close(self) -> None:
        """Does nothing: the compiled functions keep the module alive."""


@dataclass(eq=False)
class Small:
    """A program of host_overhead.py; a training step if `train`, whose incoming gradient is made beforehand."""

    name: str
    train: bool
    function: Callable[..., Any] | None = None
    keywords: dict[str, torch.Tensor] = field(default_factory=dict)
    leaves: list[torch.Tensor] = field(default_factory=list)
    gradient: torch.Tensor | None = None

    def open(self) -> Callable[..., Any]:
        """What is compiled."""
        if self.function is None:
            torch.manual_seed(0)
            self.function, keywords = SMALL_CASES[self.name]()
            is_module = isinstance(self.function, torch.nn.Module)
            self.keywords = {key: value.cuda().requires_grad_(self.train and not is_module) for key, value in keywords.items()}
            self.leaves = list(self.function.cuda().parameters() if is_module else self.keywords.values())
            self.gradient = torch.ones_like(self._result(self.function))
        return self.function

    def step(self, function: Callable[..., Any]) -> torch.Tensor:
        """One call, or one forward and backward."""
        if not self.train:
            with torch.no_grad():
                return self._result(function)
        drop_gradients(self.leaves)
        result = self._result(function)
        result.backward(self.gradient)
        return result.detach()

    def _result(self, function: Callable[..., Any]) -> torch.Tensor:
        found = function(**self.keywords)
        return found if isinstance(found, torch.Tensor) else found.logits

    def close(self) -> None:
        """Does nothing: the inputs are small."""


Case = Kernel | Model | Small | LargeModel | OptimizerStep


def compiled(fn: Callable[..., Any], backend: str) -> Callable[..., Any]:
    """`fn` compiled with a backend: "eager", "empty", "bare", or a backend of torch.compile as NAME, NAME:MODE or NAME-HOST."""
    if backend == "eager":
        return fn
    if backend in NO_BACKENDS:
        return torch.compile(fn, backend=NO_BACKENDS[backend], dynamic=False)
    name, _, mode = backend.partition(":")
    name, _, host = name.partition("-")
    more = {"options": {"host": host}} if host else {"mode": mode or None}
    return torch.compile(fn, backend=find_backend(name), dynamic=False, **more)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the `with` block, which runs in the main thread, after so many seconds."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"not compiled in {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def one_call(call: Call) -> tuple[float, float]:
    """Seconds until a call returns, and until the GPU has finished."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    call()
    returned = time.perf_counter()
    torch.cuda.synchronize()
    return returned - start, time.perf_counter() - start


def device_ms(call: Call, flush: torch.Tensor, seconds: float) -> list[float]:
    """The device milliseconds of each of several calls with cold caches."""
    call()
    count = max(5, min(200, int(seconds / max(one_call(call)[1], 1e-4))))
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    for start, end in events:
        flush.zero_()
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) for start, end in events]


def host_us(call: Call, count: int = 200) -> float:
    """The host's microseconds per call, for kernels that the device finishes faster than the host launches them."""
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    elapsed = time.perf_counter() - start
    torch.cuda.synchronize()
    return 1e6 * elapsed / count


def peak_mib(call: Call, rest: Callable[[], None]) -> float:
    """The most MiB that a call holds beyond those allocated before it."""
    rest()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / (1 << 20)


def copy_rate(flush: torch.Tensor, seconds: float) -> float:
    """The GB/s of a large copy, counting bytes read and bytes written."""
    source = torch.randn(1 << 28, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.nbytes / statistics.median(device_ms(lambda: target.copy_(source), flush, seconds)) / 1e6


def difference(want: Outputs, got: Outputs) -> float:
    """The largest difference of any result, divided by the largest magnitude of what is wanted."""
    return max(_difference(w, g) for w, g in zip(tensors_of(want), tensors_of(got), strict=True))


def _difference(want: torch.Tensor, got: torch.Tensor) -> float:
    """Computed piece by piece, to save memory."""
    pieces = [tensor.flatten().split(1 << 26) for tensor in (want, got)]
    largest = max(float(w.abs().max()) for w in pieces[0]) or 1.0
    return max(float((w.double() - g.double()).abs().max()) for w, g in zip(*pieces, strict=True)) / largest


def describe(error: Exception) -> str:
    """A short text for a table; the traceback goes to stderr."""
    traceback.print_exception(error)
    return f"{type(error).__name__}: {str(error)[:300]}"


@dataclass(eq=False)
class Worker:
    """The compiled cases. `ready`: by part and name, the case, its figures so far and the functions by backend. `model_backends`: further
    backends, for models only."""

    backends: list[str]
    model_backends: list[str]
    seconds: float
    batch: int
    dtype: str
    profile: bool
    limit: float
    flush: torch.Tensor
    ready: dict[tuple[str, str], tuple[Case, Row, dict[str, Callable[..., Any]]]] = field(default_factory=dict)

    def prepare(self, part: str, name: str) -> None:
        """Compiles a case for all backends. Records the seconds of the first call, or the error."""
        case = self._case(part, name)
        fn = case.open()
        if isinstance(case, LargeModel):
            case.step(fn)  # initializes the libraries
        row: Row = {}
        functions: dict[str, Callable[..., Any]] = {}
        for backend in self.backends + (self.model_backends if part != "kernels" else []):
            if backend in NO_BACKENDS and part == "kernels":
                continue
            cell = row[backend] = {}
            try:
                with time_limit(self.limit):
                    functions[backend] = self._first_call(case, fn, backend, cell)
            except Exception as error:
                cell["failed"] = describe(error)
        case.close()
        self.ready[part, name] = case, row, functions

    def _first_call(self, case: Case, fn: Callable[..., Any], backend: str, cell: Row) -> Callable[..., Any]:
        """The compiled function, which the first call compiles."""
        function = compiled(fn, backend)
        if backend != "eager":
            cell["first_s"] = one_call(lambda: case.step(function))[1]
        if backend.startswith("mlirind"):
            cell["fallbacks"] = dict(counters.fallbacks)
            counters.reset()
        return function

    def _case(self, part: str, name: str) -> Case:
        if part == "kernels":
            return Kernel(next(case for case in CASES if case.name == name))
        if part == "optimizer":
            return OptimizerStep(SIZES[name])
        if name in SIZES:
            return LargeModel(SIZES[name], part == "large-train")
        if name in SMALL_PROGRAMS:
            return Small(name, part == "small-train")
        return Model(name, part == "train", getattr(torch, self.dtype), self.batch)

    def measure(self, part: str, name: str) -> Row:
        """Times a compiled case. Backends take turns, and the median counts."""
        case, row, functions = self.ready.pop((part, name))
        fn = case.open()
        large = isinstance(case, LargeModel | OptimizerStep)
        outputs = case.outputs if large else case.step
        want = outputs(fn)
        calls = {backend: lambda f=function: case.step(f) for backend, function in functions.items()}  # type: ignore[misc]
        for backend, call in list(calls.items()):
            try:
                row[backend]["error"] = difference(want, outputs(functions[backend]))
                if large:
                    row[backend]["peak_mib"] = peak_mib(call, case.rest)
            except Exception as error:
                row[backend]["failed"] = describe(error)
                del calls[backend]
        gc.collect()
        gc.freeze()
        if isinstance(case, Kernel):
            row["bytes"] = case.case.bytes(case.inputs, want)
            self._time_kernel(row, calls)
        else:
            self._time_model(row, calls)
        gc.unfreeze()
        for backend, call in calls.items():
            if self.profile:
                row[backend]["kernels"] = kernel_times(call)
            row[backend]["compile_s"] = max(0.0, row[backend].get("first_s", 0.0) - row[backend]["ms"] / 1000)
        case.close()
        return row

    def _time_kernel(self, row: Row, calls: dict[str, Call]) -> None:
        times: dict[str, list[float]] = {backend: [] for backend in calls}
        for _ in range(3):
            for backend, call in calls.items():
                times[backend] += device_ms(call, self.flush, self.seconds / 3)
        for backend, found in times.items():
            cell = row[backend]
            cell["ms"] = statistics.median(found)
            cell["gb_s"] = row["bytes"] / cell["ms"] / 1e6
            if row["bytes"] < SMALL:
                cell["host_us"] = host_us(calls[backend])

    def _time_model(self, row: Row, calls: dict[str, Call]) -> None:
        rounds: dict[str, list[tuple[float, float]]] = {backend: [] for backend in calls}
        for _ in range(5):
            for backend, call in calls.items():
                count = max(3, int(self.seconds / 5 / max(one_call(call)[1], 1e-4)))
                host, both = zip(*(one_call(call) for _ in range(count)), strict=True)
                rounds[backend].append((statistics.median(host), statistics.median(both)))
        for backend, found in rounds.items():
            host, both = ([1000 * r[n] for r in found] for n in (0, 1))
            row[backend] |= {"ms": statistics.median(both), "host_ms": statistics.median(host), "rounds": both, "host_rounds": host}


def main() -> int:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not mix with the answers
    settings = json.loads(sys.argv[1])
    os.sched_setaffinity(0, settings.pop("cores"))
    torch.set_num_threads(1)
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = MANY
    worker = Worker(**settings, flush=torch.empty(768 << 20, dtype=torch.uint8, device="cuda"))
    for backend in worker.backends + worker.model_backends:  # a warm-up, for a process's first compilation imports a lot
        compiled(lambda x: x.sin() + 1, backend)(torch.ones(8, device="cuda"))
    card = {"card": torch.cuda.get_device_name(), "torch": torch.__version__}
    print(json.dumps(card), file=answers, flush=True)
    for line in sys.stdin:
        what, part, name = json.loads(line)
        answer: Any = None
        if what == "copy":
            answer = copy_rate(worker.flush, worker.seconds)
        else:
            answer = (worker.prepare if what == "prepare" else worker.measure)(part, name)
        print(json.dumps(answer), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
