"""Diagnoses hand-written graphs: wrong operator names, missing attributes of operators and of functions."""

import difflib
import itertools
from collections.abc import Iterator, Sequence

from torch_mlir import ir

from ..dialects import aten_ops, aten_registry
from ..dialects.aten import stage_of
from ..dialects.locations import position
from ..dialects.narrowing import text
from ..dialects.verify_aten import STAGES, unknown_attributes
from ..passes.analysis.alias_analysis import functions_with_body
from ..passes.driver import VERIFIERS, Diagnostic

# The parser's messages.
_LACKS = "is expected but not provided"
_UNKNOWN = "unregistered operation 'aten."
# Operations of the dialect that are not PyTorch operators.
_OWN = frozenset({"aten.number", "aten.sym_value"})
# The stages of functions that a verifier looks at; the others: "functional".
_LOOKED_AT = {"verify-ir": ["functional", "mutating", "host"], "verify-memory": ["host"], "verify-bounds": ["functional", "host"]}
# The most overloads that a hint lists.
_SHOWN = 6


def complete(diagnostics: Sequence[Diagnostic], text: str) -> list[Diagnostic]:
    """The parser's diagnostics, made complete. The parser stops at the first unknown operator or missing attribute. The result lists all
    such operators of the text in order, each with all its missing attributes, or with a hint at its name."""
    if not any(_LACKS in d.message or _UNKNOWN in d.message for d in diagnostics):
        return list(diagnostics)
    found: list[Diagnostic] = []
    with ir.Context() as context, ir.Location.unknown():  # without the dialect, so nothing is required
        context.allow_unregistered_dialects = True
        context.attach_diagnostic_handler(lambda _: True)
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError:
            return list(diagnostics)
        module.operation.walk(lambda op: _note(op, found))
    return found or list(diagnostics)


def _note(op: ir.Operation, found: list[Diagnostic]) -> ir.WalkResult:
    problem = _problem(op)
    if problem:
        found.append(Diagnostic(problem, position(op.location)))
    return ir.WalkResult.ADVANCE


def _problem(op: ir.Operation) -> str | None:
    schema = aten_registry.schema_by_name(op.name)
    if schema is None:
        is_operator = op.name.startswith("aten.") and op.name not in _OWN
        return f"there is no operator '{op.name}'{_hint(op.name)}" if is_operator else None
    absent = [a.name for a in schema.arguments if (not a.is_tensor or a.optional_elements) and a.name not in op.attributes]
    if not absent:
        return None
    unknown = "".join(f"; it has {name}, {problem}" for name, problem in unknown_attributes(op, schema).items())
    return f"'{op.name}' op lacks {', '.join(absent)}: each argument of {schema.name} is written, defaults and #aten.none too{unknown}"


def _hint(name: str) -> str:
    """A hint for an unknown name: the dialect's name if it is PyTorch's name ("aten._softmax", "aten.sum.dim_IntList"), else similar
    names."""
    by_name = aten_registry.pytorch_names()
    written = by_name.get(name) or by_name.get(f"{name}.default")
    if written:
        return f": it is written {written}"
    base = ".".join(name.split(".")[:2])
    overloads = [op_name for pytorch, op_name in by_name.items() if pytorch.startswith(f"{base}.") and not pytorch.endswith("out")]
    close = overloads[:_SHOWN] or difflib.get_close_matches(name, by_name.values(), n=3, cutoff=0.7)
    return f": did you mean {' or '.join(close)}?" if close else ""


def verifiers_of_stages(steps: Sequence[str]) -> list[str]:
    """The verifiers in `steps` that read the input's `aten.stage`: `convert-to-host` sets another."""
    return [s for s in itertools.takewhile(lambda step: step != "convert-to-host", steps) if s in VERIFIERS[1:]]


def unclaimed(module: ir.Module, wanted: Sequence[str]) -> Iterator[Diagnostic]:
    """A diagnostic for each function that lacks attributes which the verifiers `wanted` need."""
    for function, stage in _staged(module):
        problem = _unclaimed(function, stage, wanted)
        if problem:
            yield Diagnostic(f"'func.func' op @{text(function.attributes['sym_name'])} {problem}", position(function.location))


def passed_by(module: ir.Module, steps: Sequence[str]) -> Iterator[Diagnostic]:
    """A diagnostic for each function that a verifier of the input skips because of its stage."""
    for verifier in itertools.takewhile(VERIFIERS.__contains__, steps):
        for function, _ in _staged(module):
            claimed = stage_of(function)
            if claimed is not None and claimed not in _LOOKED_AT.get(verifier, ["functional"]):
                message = f"'func.func' op @{text(function.attributes['sym_name'])} has aten.stage = \"{claimed}\": {verifier} passes it by"
                yield Diagnostic(message, position(function.location))


def _staged(module: ir.Module) -> Iterator[tuple[ir.OpView, str]]:
    """Each function of a graph, with the `aten.stage` that its operations are of."""
    for function in functions_with_body(module):
        operations = function.regions[0].blocks[0].operations
        if any(op.operation.name.startswith("host.") for op in operations):
            yield function, "host"
        elif any(op.operation.name == "loop.kernel" or aten_ops.is_operator(op) for op in operations):
            yield function, "functional"


def _unclaimed(function: ir.OpView, stage: str, wanted: Sequence[str]) -> str | None:
    claimed = stage_of(function)
    if claimed is None:
        passed = f"{wanted[0]} would pass it by" if wanted else "no verifier looks at its types, writes and aliases"
        similar = _similar(function, "aten.stage")
        return f'has no aten.stage{similar}, so {passed}: add `attributes {{aten.stage = "{stage}"}}` before its body'
    if wanted and claimed not in STAGES:
        return f'has aten.stage = "{claimed}", which is none of {", ".join(STAGES)}'
    if claimed != stage and "host" in (claimed, stage):
        return f'has aten.stage = "{claimed}", and its operations are of aten.stage = "{stage}"'
    types = [a.type for a in function.regions[0].blocks[0].arguments]
    if "aten.symbols" not in function.attributes and any(isinstance(t, ir.RankedTensorType) and not t.has_static_shape for t in types):
        similar = _similar(function, "aten.symbols")
        example = "`aten.symbols = {s0 = [2, 9223372036854775807, 8]}`: lowest, highest, one seen"
        return f"has symbolic sizes and no aten.symbols{similar}: add {example}"
    if "verify-aliasing" in wanted and "aten.io_aliases" not in function.attributes:
        similar = _similar(function, "aten.io_aliases")
        return f"has no aten.io_aliases{similar} for verify-aliasing to compare with: add `aten.io_aliases = []`, or what shares storage"
    return None


def _similar(function: ir.OpView, name: str) -> str:
    """The function's attribute that `name` may have been meant by, in parentheses; empty if there is none."""
    close = difflib.get_close_matches(name, list(function.attributes), n=1, cutoff=0.6)
    return f" (it has {close[0]})" if close else ""
