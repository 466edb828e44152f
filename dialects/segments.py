"""Lists of operands or results with different types.

All operands of an IRDL group have one type: the first binds the constraint for the rest. So a list is declared as several groups, and each
group takes a run of neighbours of equal type: (f32, f32, i64) is [2, 1, 0, ...] in `operandSegmentSizes`.
"""

import itertools
from collections.abc import Iterable
from typing import Any

from torch_mlir import ir

from ..errors import UnsupportedGraph

# The number of runs in a list: of operands or results, of all buffers of a launch, of the inputs of a reduction.
LIST_RUNS = 16
LAUNCH_RUNS = 32
PAIR_RUNS = 2


def run_sizes(types: Iterable[ir.Type], runs: int = LIST_RUNS) -> list[int]:
    """The lengths of the runs of equal neighbours, padded with zeros."""
    sizes = [len(list(run)) for _, run in itertools.groupby(types)]
    if len(sizes) > runs:
        raise UnsupportedGraph(f"a list of tensors changes its type {len(sizes) - 1} times, at most {runs - 1} are supported")
    return sizes + [0] * (runs - len(sizes))


def run_sizes_attr(types: Iterable[ir.Type], runs: int = LIST_RUNS) -> ir.DenseI32ArrayAttr:
    """`run_sizes` as the attribute."""
    return ir.DenseI32ArrayAttr.get(run_sizes(types, runs))


def run_fields(name: str, field: Any, runs: int = LIST_RUNS) -> dict[str, Any]:
    """The annotations that declare a list `name` of operands or results."""
    return {f"{name}_{i}": field for i in range(runs)}
