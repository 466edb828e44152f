"""What 200 patterns cost: registering them, and the compilation of a graph of 1,000 operators beyond what it costs without. CPU seconds.

`python benchmarks/patterns.py`. Foreign patterns have an operator that the graph has not; of 32 near ones it has all, with other numbers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch
from mlirind.frontend.backend import mlirind
from mlirind.passes import pattern_set
from mlirind.patterns import DEFAULT_PASS, register_replacement, register_text

COUNT, OPERATORS, ROUNDS = 200, 1000, 3
# The graph has the first four.
FUNCTIONS = (
    "exp tanh sigmoid sin cos erf rsqrt sqrt log log2 log1p expm1 exp2 asin acos atan sinh cosh asinh atanh acosh erfc lgamma digamma "
    "reciprocal"
).split()
EXAMPLES = [torch.rand(4, 8), torch.rand(8)]
Register = Callable[[], None]


def _graph(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    for i in range(OPERATORS // 4):
        x = torch.relu(getattr(torch, FUNCTIONS[i % 4])(x * (1.0 + i % 50 / 11)) * w)
    return x


def _compilation() -> float:
    torch._dynamo.reset()
    begin = time.process_time()
    with torch.no_grad():
        torch.compile(_graph, backend=mlirind)(*EXAMPLES)
    return time.process_time() - begin


def _register(last: str) -> None:
    outer = getattr(torch, last)
    for i in range(COUNT):
        inner, factor = getattr(torch, FUNCTIONS[i % len(FUNCTIONS)]), 1.0 + i / 7
        register_replacement(
            lambda x, w: outer(inner(x * factor) * w),  # noqa: B023  (kept as it is now)
            lambda x, w: outer(inner(x * factor) / (1 / w)),  # noqa: B023
            EXAMPLES,
            name=f"pattern{i}",
        )


def _register_texts(texts: list[str]) -> None:
    for text in texts:
        register_text(text)


def _row(name: str, register: Register, without: float) -> None:
    rounds = []
    for _ in range(ROUNDS):
        pattern_set.remove_all(DEFAULT_PASS)
        begin = time.process_time()
        register()
        registered = time.process_time() - begin
        rounds.append((registered, _compilation() - without, _compilation() - without))
    medians = (f"{statistics.median(column):.3f}" for column in zip(*rounds, strict=True))
    print(f"| {name} | {' | '.join(medians)} |", flush=True)


def main() -> None:
    """Prints a row for each kind of registration, medians of three rounds."""
    _compilation()
    without = statistics.median(_compilation() for _ in range(ROUNDS))
    print(f"| {COUNT} patterns | registering | first compilation ({without:.2f} without) | the next |\n| --- | --- | --- | --- |")
    _row("foreign", lambda: _register("erfinv"), without)
    _row("near", lambda: _register("relu"), without)
    texts = [t.text for p in pattern_set.patterns(DEFAULT_PASS) for t in getattr(p, "traced", [p])]
    _row("near, as text", lambda: _register_texts(texts), without)


if __name__ == "__main__":
    main()
