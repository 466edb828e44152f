"""Compares pointwise operators with numbers over all values of the half types, and dense bit patterns of float32, with eager.

    python test/sweep_numbers.py [--jobs 16] [--dtype bfloat16] [--shape whole tails] [--only floor_divide] [--fraction 0.1]

Bits are compared; a NaN equals any NaN. Where eager's vector code and its scalar code differ, either is right. At the end a table lists,
for each operator whose results differ, the number of differing values, the largest distance and the reason; without a reason it fails.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import os
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch
from mlirind.tools.backends import find_backend
from number_cases import Case, binary_cases, other_cases, unary_cases
from sweep_reasons import REASONS
from torch.utils._pytree import tree_leaves

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

BITS = {torch.bfloat16: torch.int16, torch.float16: torch.int16, torch.float32: torch.int32, torch.float64: torch.int64}
GRAPH = 12  # operators in one compiled function


def all_values(dtype: torch.dtype) -> torch.Tensor:
    """Each of the 65,536 values of a half type; of float32 every sign and exponent with 256 mantissas."""
    if dtype != torch.float32:
        return torch.arange(-(1 << 15), 1 << 15).to(torch.int16).view(dtype)
    generator = torch.Generator().manual_seed(0)
    mantissas = torch.randint(0, 1 << 23, (512, 256), generator=generator)
    edges = torch.tensor([0, 1, 2, 3, (1 << 23) - 1, (1 << 23) - 2, 1 << 22, (1 << 22) - 1, (1 << 22) + 1, 0x490FDB & 0x7FFFFF])
    mantissas[:, : len(edges)] = edges
    return (torch.arange(-256, 256)[:, None] * (1 << 23) + mantissas).to(torch.int32).view(torch.float32).reshape(-1)


def whole(x: torch.Tensor) -> torch.Tensor:
    """All of them in a row."""
    return x


def tails(x: torch.Tensor) -> torch.Tensor:
    """Rows of 17 elements that lie 19 apart: each ends in an odd part of a vector."""
    count = -(-len(x) // 17)
    return torch.cat([x, x[: count * 17 - len(x)]]).reshape(count, 17).repeat(1, 2)[:, :19].contiguous()[:, :17]


def strided(x: torch.Tensor) -> torch.Tensor:
    """Every other element of a tensor."""
    return torch.stack([x, x], 1)[:, 0]


def short(length: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """A tensor of few elements, which are spread over all values."""
    return lambda x: x[:: len(x) // length][:length].clone()


SHAPES = {"whole": whole, "tails": tails, "strided": strided, **{f"short{n}": short(n) for n in range(1, 18)}}


@dataclass
class Result:
    """How the results of one case differ: elements, the largest distance in units in the last place of the result's dtype, an example."""

    operator: str
    text: str
    dtype: str
    shape: str
    values: int = 0
    different: int = 0
    ulps: float = 0
    example: str = ""
    error: str = ""


def ordered(x: torch.Tensor) -> torch.Tensor:
    """The place of each float in the order of all floats of its dtype; both zeros have 0."""
    bits = x.contiguous().view(BITS[x.dtype]).long()
    limit = 1 << (8 * x.element_size() - 1)
    return torch.where(bits < 0, -(bits + limit), bits)


def equal(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Where two tensors of one dtype have the same bits, or both a NaN."""
    if not a.is_floating_point():
        return a == b
    return (a.contiguous().view(BITS[a.dtype]) == b.contiguous().view(BITS[a.dtype])) | (a.isnan() & b.isnan())


def distances(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Units in the last place between two tensors; infinite between a number and NaN, or another sign of zero."""
    if not a.is_floating_point():
        return (a != b).double() * torch.inf
    apart = (ordered(a) - ordered(b)).abs().double()
    return torch.where((a.isnan() != b.isnan()) | ((apart == 0) & (a.signbit() != b.signbit())), torch.inf, apart)


def compare(result: Result, x: torch.Tensor, got: Any, answers: Sequence[Any]) -> None:
    """Notes in `result` how `got` differs from the nearest of eager's `answers`, for the values `x`."""
    leaves = [tree_leaves(a) for a in answers]
    for number, ours in enumerate(tree_leaves(got)):
        wants = [leaf[number] for leaf in leaves]
        first = wants[0]
        if (ours.dtype, ours.shape) != (first.dtype, first.shape):
            result.error = f"want {first.dtype} {tuple(first.shape)} got {ours.dtype} {tuple(ours.shape)}"
            return
        result.values += ours.numel()
        bad = torch.stack([~equal(ours, want) for want in wants]).all(0)
        if bad.any():
            apart = torch.stack([distances(ours, want) for want in wants]).amin(0)
            result.different += int(bad.sum())
            at = int(torch.where(bad, apart, -1).argmax())
            result.ulps = max(result.ulps, float(apart.reshape(-1)[at]))
            place = at if ours.shape == x.shape else 0
            result.example = f"x={x.reshape(-1)[place].item()!r}: want {first.reshape(-1)[at].item()!r} got {ours.reshape(-1)[at].item()!r}"


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """What the function gives, or the exception that it raises."""
    try:
        return function(*args)
    except Exception as error:
        return error


def eager_answers(case: Case, x: torch.Tensor) -> list[Any]:
    """What eager gives for `x` as it lies, and what its scalar code and its vector code give."""
    return [case.fn(x), case.fn(x.contiguous()), case.fn(torch.stack([x, x], -1)[..., 0])]


def run_cases(backend: Any, cases: Sequence[Case], dtype: torch.dtype, shape: str) -> Iterator[Result]:
    """Compiles the cases that eager takes, `GRAPH` at a time, and compares."""
    x = SHAPES[shape](all_values(dtype))
    few = x[: 1 + len(x) // 2048]
    taken = [case for case in cases if _is_taken(attempt(case.fn, few))]
    for start in range(0, len(taken), GRAPH):
        group = [(case, eager_answers(case, x)) for case in taken[start : start + GRAPH]]
        got = attempt(compiled(backend, [case.fn for case, _ in group]), x)
        for number, (case, answers) in enumerate(group):
            result = Result(case.operator, case.text, str(dtype).removeprefix("torch."), shape)
            alone = attempt(compiled(backend, [case.fn]), x) if isinstance(got, Exception) else got[number : number + 1]
            if isinstance(alone, Exception):
                result.error = f"{type(alone).__name__}: {str(alone)[:200]}"
            else:
                compare(result, x, alone[0], answers)
            yield result


def _is_taken(answer: Any) -> bool:
    """Whether eager has the operator for these numbers, and gives tensors."""
    return all(isinstance(leaf, torch.Tensor) and not leaf.is_complex() for leaf in tree_leaves(answer))


def compiled(backend: Any, functions: Sequence[Callable[[torch.Tensor], Any]]) -> Callable[[torch.Tensor], Any]:
    """One compiled function that gives the results of all `functions`."""
    torch._dynamo.reset()
    return torch.compile(lambda x: [function(x) for function in functions], backend=backend, dynamic=False)


def chosen_cases(dtype: torch.dtype, only: Sequence[str], fraction: float) -> list[Case]:
    """The cases of the operators named in `only` (all if empty), a fixed fraction of them."""
    every = [*unary_cases(dtype), *binary_cases(dtype), *other_cases()]
    return [c for c in every if (not only or c.operator in only) and zlib.crc32(c.text.encode()) < fraction * 2**32]


@functools.cache
def _cases_of(dtype: torch.dtype, only: tuple[str, ...], fraction: float) -> list[Case]:
    return chosen_cases(dtype, only, fraction)


@dataclass(frozen=True)
class Part:
    """`GRAPH` cases of the chosen ones from `start`, for one process."""

    backend: str
    dtype: str
    shape: str
    only: tuple[str, ...]
    fraction: float
    start: int


def run_part(part: Part) -> list[Result]:
    """The results of a part."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    dtype = getattr(torch, part.dtype)
    cases = _cases_of(dtype, part.only, part.fraction)[part.start : part.start + GRAPH]
    return list(run_cases(find_backend(part.backend), cases, dtype, part.shape))


def reason_of(result: Result) -> str:
    """Why eager's results are others; empty where nothing says, or where they are farther away than the reason allows."""
    operator = result.operator.removeprefix("nn.functional.")
    for reason in REASONS:
        if operator in reason.operators and result.dtype in reason.dtypes and result.ulps <= reason.ulps and not result.error:
            return reason.text
    return ""


def report(results: Sequence[Result]) -> int:
    """Prints a row for each operator and dtype whose results differ; returns how many have no reason."""
    rows: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        if result.error or result.different:
            rows.setdefault((result.dtype, result.operator, reason_of(result)), []).append(result)
    print(f"{len(results)} cases, {sum(r.values for r in results)} values; {len(rows)} rows differ")
    print("| dtype | operator | values | differ | ulps | reason |\n| --- | --- | --- | --- | --- | --- |")
    for (dtype, operator, reason), group in sorted(rows.items()):
        worst = max(group, key=lambda r: (bool(r.error), r.ulps))
        why = reason or f"NO REASON: {worst.text} ({worst.shape}): {worst.error or worst.example}"
        counts = f"{sum(r.values for r in group)} | {sum(r.different for r in group)} | {worst.ulps:g}"
        print(f"| {dtype} | {operator} | {counts} | {why} |")
    return sum(not reason for _, _, reason in rows)


def parts_of(options: argparse.Namespace) -> list[Part]:
    """The work, in parts."""
    only = tuple(options.only)
    return [
        Part(options.backend, dtype, shape, only, options.fraction, start)
        for dtype in options.dtype
        for shape in options.shape
        for start in range(0, len(_cases_of(getattr(torch, dtype), only, options.fraction)), GRAPH)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="mlirind")
    parser.add_argument("--dtype", nargs="*", default=["bfloat16", "float16", "float32"])
    parser.add_argument("--shape", nargs="*", default=["whole", "tails", "strided"], help=", ".join(SHAPES))
    parser.add_argument("--only", nargs="*", default=[], help="names of operators")
    parser.add_argument("--fraction", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with one thread")
    options = parser.parse_args(arguments)
    start, results = time.time(), []
    parts = parts_of(options)
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as processes:
        for done, found in enumerate(processes.map(run_part, parts), 1):
            results += found
            for result in [r for r in found if r.error or r.different]:
                said = result.error or f"{result.different} of {result.values} differ, {result.ulps:g} ulps, {result.example}"
                print(f"{result.dtype} {result.shape} {result.text}: {said}", file=sys.stderr)
            print(f"{done} of {len(parts)} parts, {time.time() - start:.0f} s", file=sys.stderr, flush=True)
    return int(report(results) > 0)


if __name__ == "__main__":
    sys.exit(main())
