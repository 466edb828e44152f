"""Checks that passes do not simplify the results of a search function when these have uses.

In the search function alone its results are the caller's, and no pass replaces them: a copy, a view of a view, a product with 1 stays. In a
graph where the results have uses, passes remove such operations, so the pattern would never match.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ...dialects import aten_ops
from ...errors import MlirindError
from ...passes.driver import QUIET, run_passes
from ...passes.patterns.engine.pattern_conversion import block_of

# Stands for a use: it accepts any dtype, and no pass rewrites it. It carries MARK.
USE, MARK = "aten.flip.default", "pattern.use"


def check_ends(name: str, text: str, steps: Sequence[str]) -> None:
    """Raises MlirindError if the search function, a module in normal form, has another normal form when its results are used."""
    module = ir.Module.parse(text)
    block = block_of(module.body.operations[0])
    wanted = _operators(block)
    *_, ending = block.operations
    with ir.InsertionPoint(ending), ending.location:
        for number, value in enumerate(list(ending.operands)):
            if isinstance(value, ir.OpResult) and isinstance(value.type, ir.RankedTensorType):
                use = aten_ops.create(USE, {"self": value, "dims": []}, [value.type], extra={MARK: ir.UnitAttr.get()})
                ending.operands[number] = use.result
    run_passes(module, steps, QUIET)
    found = _operators(block)
    if found != wanted:
        less = ", ".join(found) if found else "nothing"
        raise MlirindError(
            f"pattern {name!r}: of the search function's {', '.join(wanted)} the compiler's passes make {less} "
            "wherever its results are used: search for that"
        )


def _operators(block: ir.Block) -> list[str]:
    """The names of what is computed."""
    return [aten_ops.pytorch_name(op) for op in block.operations if aten_ops.is_operator(op) and MARK not in op.attributes]
