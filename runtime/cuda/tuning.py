"""`mode="max-autotune"`: a kernel is tried with fewer and with more warps at its first launch, with that launch's arguments; the
fastest stays, and is remembered on disk.

Only kernels that may run again and again on the same memory are tried: they write nothing that they read, and add to nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from torch_mlir import ir

from ...disk_cache import cache_root, store
from ...lowering.convert_to_host import Storages, graph_function
from .cubin import Source, triton_version

FACTORS = (1.0, 0.5, 2.0)  # of the warps that the schedule chose
MOST_WARPS = 32


def candidates(sources: Sequence[Source]) -> list[list[Source]]:
    """What is tried for the functions of a kernel, the schedule's own choice first."""
    tried = [[replace(s, num_warps=min(MOST_WARPS, max(1, int(s.num_warps * factor)))) for s in sources] for factor in FACTORS]
    return [c for n, c in enumerate(tried) if c not in tried[:n]]


def fastest(choices: Sequence[object], try_one: Callable[[int], float | None], remembered: Path) -> int:
    """The number of the choice that takes least time: what the file says, or what `try_one` gives; it may give None, for ever or
    for now, and then the first choice is taken and nothing is remembered."""
    try:
        known = int(remembered.read_text())
    except (OSError, ValueError):
        known = -1
    if 0 <= known < len(choices):
        return known
    times = [try_one(n) for n in range(len(choices))]
    if any(t is None for t in times):
        return 0
    best = min(range(len(choices)), key=lambda n: times[n])  # type: ignore[arg-type,return-value]
    store(remembered, str(best).encode())
    return best


def memory_of(sources: Sequence[Source], card: str, symbols: Sequence[int]) -> Path:
    """The file that remembers the choice for a kernel on a card, at sizes."""
    key = repr((list(sources), card, list(symbols), FACTORS, triton_version()))
    return Path(cache_root(), "tuned", hashlib.sha256(key.encode()).hexdigest()[:32])


def repeatable(module: ir.Module) -> set[str]:
    """The kernels that may run again on the same memory, by what the launches of a module say: each writes to memory that the graph
    allocates, and that the launch does not read."""
    block = graph_function(module).regions[0].blocks[0]
    storages, arguments = Storages(block), set(block.arguments)
    kernels = {op.attributes["sym_name"].value: op for op in module.body.operations if op.operation.name == "loop.func"}
    found = {name for name, op in kernels.items() if not _accumulates(op)}
    for op in block.operations:
        if op.operation.name != "host.launch":
            continue
        kernel = op.attributes["kernel"].value
        roots = [storages.root(v) for v in op.operands]
        split = len(roots) - kernels[kernel].attributes["outputs"].value
        if any(r in arguments or r in roots[:split] for r in roots[split:]):
            found.discard(kernel)
    return found


def _accumulates(function: ir.OpView) -> bool:
    return any("accumulate" in op.attributes for op in function.regions[0].blocks[0].operations)
