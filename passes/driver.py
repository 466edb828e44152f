"""Runs passes on a module: timing, verification between them, IR printing, and a file that repeats a failure.

A pipeline is a list of steps. A step is the name of a registered pass, or `upstream{...}` around a pipeline of MLIR's own passes on the
module: `upstream{canonicalize,cse}`, `upstream{func.func(convert-scf-to-cf)}`. In a pipeline's text a name of `pipeline.NAMED` stands for
several passes.
"""

import inspect
import io
import os
import shlex
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from .. import pattern_registry
from ..dialects.locations import SourcePosition, position
from ..dialects.narrowing import AnyOp
from ..errors import InvalidIR, MlirindError, UnsupportedGraph, UserPassFailed
from ..options import Options
from ..progress import progress
from .pipeline import NAMED
from .recording import PassRecord, is_recording, note_pass
from .registry import find_pass, is_registered
from .rewrite_limit import may_run
from .snapshots import take_snapshot
from .working_on import operation_of, operator_and_line

UPSTREAM = "upstream{"

# Options that only run passes, independent of environment variables.
QUIET = Options(
    verify_each=False,
    print_ir_before_all=False,
    print_ir_after_all=False,
    print_ir_after_change=False,
    timing=False,
    reproducer=False,
)

# The verifiers that run between passes, cheapest first. The first and the last two check kernels and their launches, the others the graph.
VERIFIERS = (
    "verify-ir", "verify-functional", "verify-aliasing", "verify-inplace", "verify-order", "verify-metadata",
    "verify-memory", "verify-bounds",
)  # fmt: skip


@dataclass(frozen=True)
class Timing:
    """The seconds of one step, without verification and printing."""

    step: str
    seconds: float


@dataclass(frozen=True)
class Diagnostic:
    """An error that MLIR or a verifier reported."""

    message: str
    position: SourcePosition | None

    @staticmethod
    def of(info: ir.Diagnostic | ir.DiagnosticInfo) -> "Diagnostic":
        return Diagnostic(info.message, position(info.location))


@dataclass(eq=False)
class PassFailed(RuntimeError):
    """A pass raised, or left IR that does not verify: our bug, with what is needed to repeat it.

    `operation`: the text of the operation that the pass worked on, or that breaks a rule. `relation`: its relation to the failure;
    "probably at" if no pass told it, and the operation was found in the variables of the code that raised.
    """

    step: str
    reason: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    operation: str | None = None
    relation: str = "at"
    position: SourcePosition | None = None
    command: str | None = None
    file: Path | None = None  # that the command runs on
    steps: list[str] = field(default_factory=list)  # that the command runs
    verify_each: bool = False  # whether the command verifies after each

    def __str__(self) -> str:
        lines = [f"pass `{self.step}` failed: {self.reason}"]
        lines += [f"  {self.relation} {self.operation}"] if self.operation else []
        if self.position:
            lines.append(f"  from {self.position.with_text}")
        lines += [f"  repeat it with: {self.command}"] if self.command else []
        return "\n".join(lines)


def parse_pipeline(text: str) -> list[str]:
    """Splits `a,upstream{b,c},d` into its steps; a name of `pipeline.NAMED` is replaced by its passes."""
    steps, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in "{(") - (char in "})")
        if char == "," and depth == 0:
            steps.append(text[start:i])
            start = i + 1
    if depth:
        raise MlirindError(f"unbalanced brackets in the pipeline {text!r}")
    steps.append(text[start:])
    return expanded(step.strip() for step in steps if step.strip())


def expanded(steps: Iterable[str]) -> list[str]:
    """The steps, with the passes of `pipeline.NAMED` in place of its names."""
    return [name for step in steps for name in NAMED.get(step, (step,))]


def run_passes(module: ir.Module, steps: Sequence[str], options: Options | None = None) -> list[Timing]:
    """Runs the steps in order on `module`, in place. Raises `PassFailed` if one fails; an unknown name raises before any step runs."""
    options = options or Options()
    check_known_steps(steps)
    original = module.operation.clone() if options.reproducer else None
    timings: list[Timing] = []
    verified: bytes | None = None
    for i, step in enumerate(steps):
        _dump(module, f"Before {step}", options.print_ir_before_all)
        text_before = str(module) if options.print_ir_after_change else None
        before = module.operation.clone() if options.verify_each else None
        diagnostics: list[Diagnostic] = []
        progress(f"pass {step}")
        try:
            with _captured(module.context, diagnostics):
                timings.append(_timed(step, module))
                verified = _verify(module, verified) if options.verify_each else None
        except UnsupportedGraph as error:
            error.at = error.at or operator_and_line(_culprit(module, before, error, guess=True)[1])
            raise
        except UserPassFailed:
            raise
        except Exception as error:
            failure = _describe(module, before, step, error, diagnostics)
            if original is not None:
                _write_reproducer(original, steps[:i], failure, options)
            raise failure from error
        note_pass(step, timings[-1].seconds, module)
        take_snapshot(step, module)
        changed = text_before is not None and text_before != str(module)
        _dump(module, f"After {step}", options.print_ir_after_all or changed)
    if options.timing and not is_recording():  # otherwise the recorder prints one table for the whole graph
        print(format_timings(timings), file=sys.stderr)
    return timings


def format_timings(timings: Sequence[Timing | PassRecord], title: str = "") -> str:
    """A table, one line a step, slowest first; below `title`, if there is one."""
    total = sum(t.seconds for t in timings)
    slowest_first = sorted(timings, key=lambda t: -t.seconds)
    rows = [f"{t.seconds * 1e3:9.2f} ms {100 * t.seconds / (total or 1):5.1f}%  {t.step}" for t in slowest_first]
    return "\n".join([*([title] if title else []), *rows, f"{total * 1e3:9.2f} ms 100.0%  total"])


def check_known_steps(steps: Sequence[str]) -> None:
    """Raises for the first step that is neither a registered pass nor an upstream pipeline."""
    for step in steps:
        if step.startswith(UPSTREAM):
            parse_upstream(step)
        else:
            find_pass(step)


def parse_upstream(step: str) -> PassManager:
    """MLIR's pass manager for a step `upstream{...}`. Raises MlirindError with MLIR's reason if there is no such pass or option."""
    inner = step.removeprefix(UPSTREAM).removesuffix("}")
    try:
        return PassManager.parse(f"builtin.module({inner})")
    except ValueError as error:
        raise MlirindError(f"{step}: {str(error).strip().splitlines()[0]}") from None


def _timed(step: str, module: ir.Module) -> Timing:
    start = time.perf_counter()
    if not may_run(step, module):
        pass
    elif step.startswith(UPSTREAM):
        parse_upstream(step).run(module.operation)
    else:
        find_pass(step).run(module)
    return Timing(step, time.perf_counter() - start)


def _verify(module: ir.Module, verified: bytes | None) -> bytes:
    """Verifies the module, unless its bytecode is `verified`. Returns the bytecode."""
    module.operation.verify()
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    bytecode = written.getvalue()
    if bytecode != verified:
        for name in filter(is_registered, VERIFIERS):  # the last ones are registered with the lowerings, which make what they check
            find_pass(name).run(module)
    return bytecode


def _dump(module: ir.Module, title: str, wanted: bool) -> None:
    if wanted:
        print(f"// -----// IR {title} //----- //\n{module}", file=sys.stderr)


class _captured:
    """Collects the errors reported inside; other diagnostics go to their usual handlers."""

    def __init__(self, context: ir.Context, into: list[Diagnostic]) -> None:
        self.context, self.into = context, into

    def __enter__(self) -> None:
        self.handler = self.context.attach_diagnostic_handler(self._take)

    def _take(self, diagnostic: ir.Diagnostic) -> bool:
        if diagnostic.severity != ir.DiagnosticSeverity.ERROR:
            return False
        self.into.append(Diagnostic.of(diagnostic))
        return True

    def __exit__(self, *_: object) -> None:
        self.handler.detach()
        # The handler is part of a reference cycle that Python's collector can't see: it would keep the context for ever.
        del self.handler


def _describe(module: ir.Module, before: AnyOp | None, step: str, error: Exception, diagnostics: list[Diagnostic]) -> PassFailed:
    """The error of a step, with the operation that it worked on and its position. `before`: the module before the step, or None if it was
    not kept."""
    if isinstance(error, ir.MLIRError):
        diagnostics = diagnostics + [Diagnostic.of(d) for d in error.error_diagnostics]
    relation, op = _culprit(module, before, error, guess=not diagnostics)
    text = op.get_asm(skip_regions=True, large_elements_limit=4)[:300] if op is not None else None
    where = position(op.location) if op is not None else None
    if diagnostics:
        reason = "; ".join(d.message for d in diagnostics[:3])
        return PassFailed(step, reason[:1000], diagnostics, text, relation, where or diagnostics[0].position)
    reason = f"{type(error).__name__}: {error}" if not isinstance(error, InvalidIR) else str(error)
    return PassFailed(step, reason[:1000], [], text, relation, where)


def _culprit(module: ir.Module, before: AnyOp | None, error: Exception, guess: bool) -> tuple[str, ir.Operation | None]:
    """The operation to print with an error, and its relation to it. Touches only operations that the module still holds."""
    alive = list(_walk(module.operation))[1:]
    if isinstance(error, InvalidIR) and error.operation is not None:
        lost = next(filter(error.lost, _walk(before.operation)), None) if before is not None and error.lost is not None else None
        if lost is not None:
            return "lost:", lost
        return "at", _among(alive, error.operation) if error.operation.name != "func.func" else None
    noted = operation_of(error)
    found = _among(alive, noted) if noted is not None else None
    if found is not None or not guess:
        return "at", found
    return "probably at", _operation_in_traceback(alive, error.__traceback__)


def _operation_in_traceback(alive: list[ir.Operation], trace: TracebackType | None) -> ir.Operation | None:
    """The last operation of `alive` that a variable of the innermost frames holds."""
    for frame, _ in reversed(list(traceback.walk_tb(trace))):
        held = [value for value in frame.f_locals.values() if isinstance(value, ir.OpView | ir.Operation)]
        for value in reversed(held):
            found = _among(alive, value)
            if found is not None:
                return found
    return None


def _among(alive: list[ir.Operation], op: ir.OpView | ir.Operation) -> ir.Operation | None:
    """The op if it is in `alive`; an erased one can't even be compared."""
    try:
        return alive[alive.index(op.operation)] if op in alive else None
    except RuntimeError:
        return None


def _walk(op: ir.Operation) -> Iterator[ir.Operation]:
    yield op
    for region in op.regions:
        for block in region:
            for inner in block:
                yield from _walk(inner.operation)


def _write_reproducer(original: AnyOp, done: Sequence[str], failure: PassFailed, options: Options) -> None:
    """Writes the module from before the failed step, and gives the failure the command that repeats it."""
    step = failure.step
    again = ir.Module.parse(original.operation.get_asm(enable_debug_info=True))
    try:
        run_passes(again, done, QUIET)
        steps = [step]
    except PassFailed:  # not reproducible step by step: keep all steps
        again = ir.Module.parse(original.operation.get_asm(enable_debug_info=True))
        steps = [*done, step]
    name = step.split("{")[0]
    directory = options.dump_dir or tempfile.gettempdir()
    Path(directory).mkdir(parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(prefix=f"mlirind-{name}-", suffix=".mlir", dir=directory)
    verify = " --verify-each" if options.verify_each else ""
    failure.command = f"mlirind-opt{plugin_flags(steps)} --pipeline={shlex.quote(','.join(steps))}{verify} {shlex.quote(path)}"
    failure.file, failure.steps, failure.verify_each = Path(path), steps, options.verify_each
    with os.fdopen(handle, "w") as file:
        file.write(f"// {failure.command}\n{again.operation.get_asm(enable_debug_info=True)}")


def plugin_flags(steps: Sequence[str]) -> str:
    """The flags of `mlirind-opt`, each after a space, for the files that registered users' steps, and users' patterns for steps."""
    runs = [find_pass(step).run for step in steps if not step.startswith(UPSTREAM)]
    functions = [inspect.unwrap(run) for run in runs if not run.__module__.startswith("mlirind.")]
    named = [f.__code__.co_filename for f in functions if hasattr(f, "__code__")]
    named += [file for step in steps for file in pattern_registry.files.get(step, ()) if Path(file).is_file()]
    files = dict.fromkeys(str(Path(name).absolute()) for name in named)
    return "".join(f" --load-pass-plugin={shlex.quote(file)}" for file in files)
