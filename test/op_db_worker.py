"""The worker process of op_db.py: reads tasks from stdin, one JSON object a line, and writes what came of every sample to stdout.

A process of its own, because a wrong compiler can kill it: the parent notes which sample was running and starts another.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from eager_comparison import difference
from mlirind.runtime.report import collect_reports
from mlirind.tools.backends import find_backend
from op_db_mutants import Mutant, error_samples, mutants, source_of
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map_only

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

RTOL, ATOL = 1e-4, 1e-5
HALF_TOLERANCE = 5e-2  # absolute and relative, of calls with one tensor of a half type
UNINITIALIZED = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"}

Function = Callable[..., Any]


def op_name(op: Any) -> str:
    """The operator's name in the database, with its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def chosen(name: str, dtype: str, mode: str, sample: int, fraction: float) -> bool:
    """Whether a run over `fraction` of the samples takes this one: always the same ones."""
    return zlib.crc32(f"{name} {dtype} {mode} {sample}".encode()) < fraction * 2**32


def copy_of(tensor: torch.Tensor) -> torch.Tensor:
    """A copy with the same strides and offset over a storage of its own."""
    if tensor.layout != torch.strided or tensor.is_conj() or tensor.is_neg() or type(tensor) is not torch.Tensor:
        return tensor.detach().clone().requires_grad_(tensor.requires_grad)
    plain = tensor.detach()
    fresh = torch.empty(0, dtype=plain.dtype, device=plain.device)
    fresh.set_(plain.untyped_storage().clone(), plain.storage_offset(), plain.shape, plain.stride())
    return fresh.requires_grad_(tensor.requires_grad)


def program(op: Any, sample: Any, backward: bool) -> Function:
    """The function that is compiled: the operator, with what makes its outputs unique if gradients go through it."""
    if not backward:
        return of_operator(op.op)
    return lambda *args, **kwargs: sample.output_process_fn_grad(op.op(*args, **kwargs))


def of_operator(operator: Function) -> Function:
    """A function that Dynamo traces and that calls the operator."""
    return lambda *args, **kwargs: operator(*args, **kwargs)


def run(fn: Function, sample: Any, backward: bool, after: list[torch.Tensor] | None = None) -> Any:
    """Outputs, gradients and the inputs after the call (added to `after` as well); or the exception."""
    arguments = tree_map_only(torch.Tensor, copy_of, (sample.input, *sample.args))
    keywords = tree_map_only(torch.Tensor, copy_of, sample.kwargs)
    inputs = [t for t in tree_leaves((arguments, keywords)) if isinstance(t, torch.Tensor)]
    if after is not None:
        after += inputs
    torch.manual_seed(7)
    try:
        with torch.set_grad_enabled(backward):
            outputs = fn(*arguments, **keywords)
            grads = gradients(outputs, inputs) if backward else None
    except Exception as error:
        return error
    return {"outputs": outputs, "inputs": inputs, "gradients": grads}


def gradients(outputs: Any, inputs: list[torch.Tensor]) -> list[torch.Tensor | None]:
    """The gradients of the inputs for fixed random gradients of the outputs."""
    torch.manual_seed(8)
    outs = [t for t in tree_leaves(outputs) if isinstance(t, torch.Tensor) and t.requires_grad]
    leaves = [t for t in inputs if t.requires_grad]
    if not outs or not leaves:
        return []
    seeds = [torch.randn(t.shape, dtype=t.dtype, device=t.device) for t in outs]
    return list(torch.autograd.grad(outs, leaves, seeds, allow_unused=True))


def compiled_difference(op: Any, sample: Any, backward: bool, backend: str, want: Any, dynamic: bool) -> str | None:
    """What differs first between eager's result `want` and the compiled operator's; with `dynamic` sizes are symbolic."""
    torch._dynamo.reset()
    compiled = torch.compile(program(op, sample, backward), backend=find_backend(backend), dynamic=dynamic)
    got = run(compiled, sample, backward)
    if isinstance(want, Exception) and isinstance(got, Exception):
        return None
    return result_difference(op, want, got)


def result_difference(op: Any, want: Any, got: Any, rtol: float = RTOL, atol: float = ATOL) -> str | None:
    """What differs first between two results of `run`, of which at most one is an exception."""
    if isinstance(want, Exception) or isinstance(got, Exception):
        return f"eager {outcome(want)}, compiled {outcome(got)}"
    if op.name in UNINITIALIZED:
        want, got = (tree_map_only(torch.Tensor, torch.zeros_like, tree) for tree in (want, got))
    return difference(want, got, rtol, atol)


def outcome(result: Any) -> str:
    if not isinstance(result, Exception):
        return "returns"
    return f"raises {type(result).__name__}: {str(result).strip()[:300]}"


def error_difference(op: Any, mutant: Mutant, inplace: bool, backend: str, want: Any, want_after: list[torch.Tensor]) -> str | None:
    """What differs first between eager's result of a wrong call and the compiled operator's: the type of the exception too, and
    what has become of the inputs. With a right call this one comes first, and sizes are symbolic."""
    torch._dynamo.reset()
    operator = of_operator(op.get_inplace() if inplace else op.op)
    compiled = torch.compile(operator, backend=find_backend(backend), dynamic=mutant.right is not None)
    if mutant.right is not None:
        run(compiled, mutant.right, False)
    after: list[torch.Tensor] = []
    got = run(compiled, mutant.sample, False, after)
    if not (isinstance(want, Exception) and isinstance(got, Exception)):
        tolerance = HALF_TOLERANCE if "float16" in mutant.label else ATOL  # bfloat16 as well
        return result_difference(op, want, got, max(RTOL, tolerance), tolerance)
    if not isinstance(got, type(want)):
        return f"eager {outcome(want)}, compiled {outcome(got)}"
    before = [t for t in tree_leaves((mutant.sample.input, mutant.sample.args, mutant.sample.kwargs)) if isinstance(t, torch.Tensor)]
    written = difference(want_after, after, RTOL, ATOL)
    return f"written before the error: {written}" if written and not difference(before, want_after, 0, 0) else None


def wrong_calls(op: Any, task: dict[str, Any]) -> Iterator[Mutant]:
    """The calls of a task of mode `errors`: the database's own, and those made of the first `samples` samples."""
    yield from error_samples(op, task["device"])
    samples = op.sample_inputs(task["device"], getattr(torch, task["dtype"]))
    for sample in itertools.islice(samples, task["samples"] or None):
        yield from mutants(sample)


def error_records(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Runs the wrong calls of a task; before each step a record that says which, so that the parent knows what a crash means."""
    op = op_db[task["index"]]
    torch.manual_seed(0)
    for number, mutant in enumerate(wrong_calls(op, task)):
        if number < task["start"] or not chosen(op_name(op), task["dtype"], task["mode"], number, task["fraction"]):
            continue
        if task["dynamic"] and not mutant.needs_no_recompilation:
            continue
        mutant = mutant if task["dynamic"] else dataclasses.replace(mutant, right=None)
        inplace = number % 4 == 3 and op.get_inplace() is not None
        eager = of_operator(op.get_inplace() if inplace else op.op)
        if "eager_calls" in task:
            for _ in range(task["eager_calls"]):
                run(eager, mutant.sample, False)
            return
        yield {"sample": number, "step": "eager"}
        after: list[torch.Tensor] = []
        want = run(eager, mutant.sample, False, after)
        about = {"sample": number, "label": mutant.label + " in place" * inplace, "source": source_of(mutant, want)}
        about["raises"] = isinstance(want, Exception)
        yield about | {"step": task["backend"]}
        found = error_difference(op, mutant, inplace, task["backend"], want, after)
        record = about | {"difference": found}
        if found and task["backend"] != "aot_eager":
            yield about | {"step": "aot_eager"}
            theirs = error_difference(op, mutant, inplace, "aot_eager", want, after)
            record["baseline"] = theirs if theirs and kind(theirs) == kind(found) else None
        yield record


def kind(difference: str) -> str:
    """A difference without what varies from call to call: "eager returns, compiled raises IndexError", "written before the error"."""
    outcomes = re.findall(r"(?:^|, )((?:eager|compiled) (?:returns|raises \w+))", difference)
    return ", ".join(outcomes) or difference.partition(":")[0]


def records(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Runs the samples of a task from number `start` on; before each a record with its number and "step"."""
    op = op_db[task["index"]]
    backward = task["mode"] == "backward"
    torch.manual_seed(0)
    samples = op.sample_inputs(task["device"], getattr(torch, task["dtype"]), requires_grad=backward)
    for number, sample in enumerate(samples):
        if number < task["start"] or not chosen(op_name(op), task["dtype"], task["mode"], number, task["fraction"]):
            continue
        if task["samples"] and number >= task["samples"]:
            return
        yield {"sample": number, "step": task["backend"]}
        start = time.perf_counter()
        want = run(program(op, sample, backward), sample, backward)
        with collect_reports() as reports:
            found = compiled_difference(op, sample, backward, task["backend"], want, task["dynamic"])
        seconds = round(time.perf_counter() - start, 3)
        record = {"sample": number, "difference": found, "seconds": seconds, "kernels": sum(r.launches for r in reports)}
        record["uncompiled"] = [r.fallback.partition(" (`")[0] for r in reports if r.fallback]
        if found and task["backend"] != "aot_eager":
            record["baseline"] = compiled_difference(op, sample, backward, "aot_eager", want, task["dynamic"])
        yield record


def main() -> None:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    # Dynamo times its guards after a flush of the CPU's caches: a third of a small compile, and only for its log.
    torch._dynamo.guards.profile_guard_manager = lambda *args: 0.0
    if not torch.cuda.is_available():  # each seed stores a stack trace, for an accelerator that may be initialized later
        torch.cuda.manual_seed_all = torch.xpu.manual_seed_all = torch.mtia.manual_seed_all = lambda seed: None
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what operators print must not mix with the answers
    for line in sys.stdin:
        try:
            task = json.loads(line)
            for record in error_records(task) if task["mode"] == "errors" else records(task):
                answers.write(json.dumps(record) + "\n")
        except Exception as error:  # no samples for this operator here: an optional library is missing
            answers.write(json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}) + "\n")
        answers.write(json.dumps({"done": True}) + "\n")


if __name__ == "__main__":
    main()
