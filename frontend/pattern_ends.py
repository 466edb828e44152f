"""What a search function computes must be computed so in a graph, too, where its results are used: passes may make less of it.

In the search function by itself results are the caller's, which no pass replaces: a copy, a view of a view, a product with 1 stays there.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from ..dialects import aten_ops
from ..errors import MlirindError
from ..passes.driver import QUIET, run_passes
from ..passes.pattern_conversion import block_of

# What stands for a use: it takes any dtype, and no pass knows what it does. MARK is on it.
USE, MARK = "aten.flip.default", "pattern.use"


def check_ends(name: str, text: str, steps: Sequence[str]) -> None:
    """Raises MlirindError where the search function, given as a module in normal form, has another one with its results in use."""
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
