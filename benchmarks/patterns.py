"""The cost of 200 patterns in CPU seconds: registering them, and searching a graph of 1,000 operators for them.

`python benchmarks/patterns.py`. Each kind has a row for inference and one with gradients (`trace="joint"`, a training step):

- foreign: every pattern has an operator that the graph lacks;
- near: for a sixth of the patterns the graph has all operators, but mostly with other numbers;
- all traced: every pattern passes all checks before tracing (in inference), and none matches;
- near, as text: the patterns of `near` as `register_replacement(...).text`, so nothing is traced.
"""

from __future__ import annotations

import functools
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence

import torch
from fresh_caches import use_fresh_caches
from mlirind.dialects.context import compile_context
from mlirind.frontend.backend import mlirind
from mlirind.passes import registry
from mlirind.passes.patterns.engine import pattern_set
from mlirind.patterns import DEFAULT_PASS, register_replacement, register_text
from torch_mlir import ir

COUNT, OPERATORS, ROUNDS = 200, 1000, 3
# The graph uses the first four.
FUNCTIONS = (
    "exp tanh sigmoid sin cos erf rsqrt sqrt log log2 log1p expm1 exp2 asin acos atan sinh cosh asinh atanh acosh erfc lgamma digamma "
    "reciprocal"
).split()
SHAPES = [(4, 8), (8,)]
Function = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def _number(i: int) -> float:
    return 1.0 + i % 50 / 11


def _graph(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    for i in range(OPERATORS // 4):
        x = torch.relu(getattr(torch, FUNCTIONS[i % 4])(x * _number(i)) * w)
    return x


def _examples(joint: bool) -> list[torch.Tensor]:
    return [torch.rand(*shape, requires_grad=joint) for shape in SHAPES]


# A pattern: its search function and its replacement.
Pair = tuple[Function, Function]


def _foreign(i: int) -> Pair:
    inner, number = getattr(torch, FUNCTIONS[i % len(FUNCTIONS)]), 1.0 + i / 7
    return lambda x, w: torch.erfinv(inner(x * number) * w), lambda x, w: torch.erfinv(inner(x * number) / (1 / w))


def _near(i: int) -> Pair:
    inner, number = getattr(torch, FUNCTIONS[i % len(FUNCTIONS)]), 1.0 + i / 7
    return lambda x, w: torch.relu(inner(x * number) * w), lambda x, w: torch.relu(inner(x * number) / (1 / w))


def _traced(i: int) -> Pair:
    """As in the graph, except that the inner product multiplies by the first input instead of the second."""
    inner, number = getattr(torch, FUNCTIONS[i % 4]), _number(i)
    return lambda x, w: torch.relu(inner(x * number) * x) * w, lambda x, w: torch.relu(inner(x * number) * x) / (1 / w)


def _register(pair_of: Callable[[int], Pair], joint: bool) -> None:
    examples, trace = _examples(joint), "joint" if joint else "inference"
    for i in range(COUNT):
        search, replace = pair_of(i)
        register_replacement(search, replace, examples, trace=trace, name=f"pattern{i}")  # type: ignore[arg-type]


def _register_texts(texts: Sequence[str]) -> None:
    for text in texts:
        register_text(text)


def _graph_text(joint: bool) -> str:
    """The text of the graph before the pass."""
    texts: list[str] = []

    def watch(step: registry.Pass, module: ir.Module) -> None:
        if step.name == DEFAULT_PASS:
            texts.append(str(module))
        step.run(module)

    torch._dynamo.reset()
    with torch.set_grad_enabled(joint), registry.watched(watch):
        torch.compile(_graph, backend=mlirind)(*_examples(joint))
    return texts[0]


def _pass_seconds(text: str) -> float:
    """CPU seconds of the pass on the graph."""
    with compile_context():
        module = ir.Module.parse(text)
        begin = time.process_time()
        registry.find_pass(DEFAULT_PASS).run(module)
        return time.process_time() - begin


def _row(name: str, register: Callable[[], None], text: str) -> None:
    rounds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            use_fresh_caches(folder)
            _registered(register)
            cold = _pass_seconds(text)
            rounds.append((_registered(register), cold, _pass_seconds(text), _pass_seconds(text)))
    traced = sum("traced" in vars(p) for p in pattern_set.patterns(DEFAULT_PASS))
    medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
    print(f"| {name} | {traced} | {' | '.join(f'{m:.3f}' for m in medians)} |", flush=True)


def _registered(register: Callable[[], None]) -> float:
    """CPU seconds of registering patterns in place of those that are registered."""
    pattern_set.remove_all(DEFAULT_PASS)
    begin = time.process_time()
    register()
    return time.process_time() - begin


def main() -> None:
    """Prints a row for each kind: medians of three rounds."""
    columns = [f"{COUNT} patterns", "traced later", "registering", "pass, empty cache", "texts in the cache", "the next"]
    print(f"| {' | '.join(columns)} |\n| {' | '.join('---' for _ in columns)} |")
    for joint in (False, True):
        graph, suffix = _graph_text(joint), ", with gradients" if joint else ""
        for name, pair_of in (("foreign", _foreign), ("all traced", _traced), ("near", _near)):
            _row(f"{name}{suffix}", functools.partial(_register, pair_of, joint), graph)
        texts = [t.text for p in pattern_set.patterns(DEFAULT_PASS) for t in getattr(p, "traced", [p])]
        _row(f"near, as text{suffix}", functools.partial(_register_texts, texts), graph)


if __name__ == "__main__":
    main()
