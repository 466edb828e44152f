"""What hand-written graphs lack: attributes of operators, and those of functions without which a verifier has nothing to compare with."""

import re
from collections.abc import Iterator, Sequence

from torch_mlir import ir

from ..dialects import aten_ops, aten_registry
from ..dialects.locations import position
from ..passes.alias_analysis import functions
from ..passes.driver import VERIFIERS, Diagnostic

_LACKS = "is expected but not provided"


def complete(diagnostics: Sequence[Diagnostic], text: str) -> list[Diagnostic]:
    """The parser's diagnostics; for missing attributes it names one of them, each time another: here all are named, in order."""
    diagnostics = [_with_name(d) for d in diagnostics]
    if not any(_LACKS in d.message for d in diagnostics):
        return diagnostics
    missing: dict[str, str] = {}
    with ir.Context() as context, ir.Location.unknown():  # knows no operator, so that it demands nothing of one
        context.allow_unregistered_dialects = True
        context.attach_diagnostic_handler(lambda _: True)
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError:
            return diagnostics
        module.operation.walk(lambda op: _note(op, missing))
    return [Diagnostic(missing.get(str(d.position), d.message) if _LACKS in d.message else d.message, d.position) for d in diagnostics]


def _with_name(diagnostic: Diagnostic) -> Diagnostic:
    """For an operator under PyTorch's own name: the name that the dialect has for it."""
    found = re.search(r"unregistered operation '([\w.]+)'", diagnostic.message)
    name = aten_ops.op_name(found[1]) if found and found[1].count(".") == 2 else None
    if name is None or aten_registry.schema(name) is None:
        return diagnostic
    return Diagnostic(f"{diagnostic.message}: it is written {name}", diagnostic.position)


def _note(op: ir.Operation, missing: dict[str, str]) -> ir.WalkResult:
    schema = aten_registry.schema(op.name)
    wanted = [a.name for a in schema.arguments if not a.is_tensor or a.optional_elements] if schema is not None else []
    absent = [name for name in wanted if name not in op.attributes]
    if schema is not None and absent:
        text = f"'{op.name}' op lacks {', '.join(absent)}: each argument of {schema.name} is written, defaults and #aten.none too"
        missing[str(position(op.location))] = text
    return ir.WalkResult.ADVANCE


def unclaimed(module: ir.Module, steps: Sequence[str]) -> Iterator[Diagnostic]:
    """For each function of operators what it has to say of itself before the verifiers among the steps look at it."""
    for function in functions(module):
        problem = _unclaimed(function, steps) if any(map(aten_ops.is_operator, function.regions[0].blocks[0].operations)) else None
        if problem:
            yield Diagnostic(f"'func.func' op @{function.name.value} {problem}", position(function.location))


def _unclaimed(function: ir.OpView, steps: Sequence[str]) -> str | None:
    wanted = [s for s in steps if s in VERIFIERS[1:]]
    if "aten.stage" not in function.attributes:
        passed = f"{wanted[0]} would pass it by" if wanted else "no verifier looks at its types, writes and aliases"
        return f'has no aten.stage, so {passed}: add `attributes {{aten.stage = "functional"}}` before its body'
    if "verify-aliasing" in wanted and "aten.io_aliases" not in function.attributes:
        return "has no aten.io_aliases for verify-aliasing to compare with: add `aten.io_aliases = []`, or what shares storage"
    return None
