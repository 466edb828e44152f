"""`mlirind-opt`: reads MLIR text, runs passes on it, prints the result.

Passes are flags, in order (`--cse-aten --canonicalize --dce-aten`), or a pipeline (`--pipeline='cse-aten,cse'`).
MLIR's own passes work too, with options: `--canonicalize='max-iterations=3 top-down=false'`.
"""

import argparse
import os
import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch_mlir import ir

from .. import lowering, passes  # noqa: F401  (registers the passes)
from ..dialects.context import compile_context
from ..dialects.locations import SourcePosition
from ..errors import InvalidIR, MlirindError
from ..lowering.cpu.convert_loop_to_cpu import TARGET
from ..lowering.cpu.target import check_features
from ..lowering.tt.gpu_target import ATTRIBUTE as GPU_TARGET
from ..lowering.tt.gpu_target import DEFAULT, TARGETS
from ..options import Options
from ..passes.driver import QUIET, VERIFIERS, Diagnostic, PassFailed, expanded, parse_pipeline, run_passes
from ..passes.pipeline import HOST, KERNELS, NAMED
from ..passes.registry import passes as registered_passes
from ..passes.rewrite_limit import Numbering, numbered
from .emit import KINDS, check_target, emit, without_kernels
from .expected_diagnostics import mismatches
from .missing_attributes import complete, passed_by, unclaimed, verifiers_of_stages
from .pass_plugins import load_plugin
from .upstream_passes import driver_steps

SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)

# Passes that rely on the types of operators: those that create kernels and buffers, and the verifier of kernels and buffers.
_TYPED = {"verify-ir", *KERNELS, *HOST}


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns the exit code."""
    try:
        arguments, flags = _parse(sys.argv[1:] if argv is None else argv)
        for plugin in arguments.load_pass_plugin:
            load_plugin(plugin)
        if arguments.list_passes:
            print(_pass_list(), flush=True)
            return 0
        check_target(arguments.target)
        check_features(arguments.target_features)
        given = _steps(flags, arguments.pipeline)
        with compile_context():
            steps = driver_steps(given)
        return _run(arguments, steps, _read(arguments.file))
    except BrokenPipeError:  # the reader has closed the pipe (`| head`): print nothing more, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (MlirindError, OSError) as error:
        print(f"mlirind-opt: error: {error}", file=sys.stderr)
        return 1


def _parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The command's own options, and the flags that name passes."""
    parser = _parser()
    own = {option for action in parser._actions for option in action.option_strings}
    # argparse mistakes an unknown option that contains a space for the file name.
    flags = [a for a in argv if a.startswith("--") and a.partition("=")[0] not in own]
    arguments, rest = parser.parse_known_args([a for a in argv if a not in flags])
    for argument in rest:
        raise MlirindError(f"unexpected argument {argument!r}: one input file, passes as --name")
    return arguments, flags


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "mlirind-opt",
        allow_abbrev=False,
        description=__doc__,
        epilog="passes:\n" + _pass_list(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", nargs="?", default="-", help="the input; - is stdin (the default)")
    add("-o", dest="output", default="-", help="where the result goes; - is stdout (the default)")
    add("--pipeline", default="", help="passes by name with commas between, ours and MLIR's; upstream{...} holds a pipeline of MLIR's")
    add("--emit", choices=KINDS, default="mlir", help="print the module, or its GPU kernels for Triton (ttir), or their PTX")
    add("--target", default="sm_90", help="the GPU that tiles are chosen for and PTX is made for (sm_90)")
    add("--target-features", metavar="LIST", help="what CPU code is made for: LLVM's features to switch in the host's, as -avx512f,-avx2")
    add(
        "--load-pass-plugin",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file, or a module, that registers passes; may be repeated",
    )
    add("--run", action="store_true", help="run the graph on generated inputs, after the passes or compiled whole, and compare with ATen")
    add("--size", action="append", default=[], metavar="S0=5", help="with --run: the value of a symbol; may be repeated")
    add("--ints", metavar="LOW:END", help="with --run: the range of integers; from 0 to the smallest dimension by default")
    add("--inputs", metavar="FILE", help="with --run: the inputs, a list saved by torch.save, in place of generated ones")
    add("--seed", type=int, default=0, help="with --run: the seed of the inputs (0)")
    add("--list-passes", action="store_true", help="print every pass with what it does, and stop")
    add("--rewrite-limit", type=int, metavar="N", help="the last pass or rewrite, in order, that happens; it is printed to stderr")
    add("--verify-each", action="store_true", help="verify the module after every pass")
    add("--print-ir-before-all", action="store_true", help="print the module before every pass, to stderr")
    add("--print-ir-after-all", action="store_true", help="print the module after every pass, to stderr")
    add("--print-ir-after-change", action="store_true", help="print the module after every pass that changed it, to stderr")
    add("--timing", action="store_true", help="print the time of every pass, to stderr")
    add("--split-input-file", action="store_true", help="treat parts between lines of `// -----` as files of their own")
    add("--verify-diagnostics", action="store_true", help="check the errors against `// expected-error {{...}}` comments; print no IR")
    return parser


def _pass_list() -> str:
    described = {p.name: p.summary.removeprefix(f"`{p.name}`: ") for p in registered_passes().values()}
    described |= {name: f"the passes {', '.join(steps)}" for name, steps in NAMED.items()}
    lines = [f"  --{name:<24} {summary}" for name, summary in sorted(described.items())]
    return "\n".join([*lines, "MLIR's own passes are flags too: --cse, --canonicalize=max-iterations=3, --symbol-dce, --convert-scf-to-cf"])


def _steps(flags: Sequence[str], pipeline: str) -> list[str]:
    """The passes of the flags, then those of --pipeline. Options move into braces: `--canonicalize=top-down=false` becomes
    `canonicalize{top-down=false}`."""
    named = [flag[2:].partition("=") for flag in flags]
    return expanded(name + f"{{{options}}}" * bool(options) for name, _, options in named) + parse_pipeline(pipeline)


def _read(path: str) -> str:
    try:
        if path == "-":
            return sys.stdin.read()
        return Path(path).read_text()
    except UnicodeDecodeError:
        raise MlirindError(f"{'<stdin>' if path == '-' else path}: this is no text; mlirind-opt reads MLIR as text") from None


def _parts(text: str, split: bool) -> list[str]:
    """The parts of the input. Each is preceded by empty lines, so that its line numbers are those of the file."""
    if not split:
        return [text]
    parts, start = [], 0
    for end in [m.start() for m in SPLIT.finditer(text)] + [len(text)]:
        parts.append("\n" * text.count("\n", 0, start) + text[start:end])
        start = end
    return parts


def _run(arguments: argparse.Namespace, steps: Sequence[str], text: str) -> int:
    name = "<stdin>" if arguments.file == "-" else arguments.file
    outputs, complaints = [], []
    for part in _parts(text, arguments.split_input_file):
        output, diagnostics = _process(part, steps, arguments)
        outputs.append(output)
        if arguments.verify_diagnostics:
            complaints += [f"{name}:{line}" for line in mismatches(part, diagnostics)]
        else:
            complaints += [f"{_where(d.position, name)}: error: {d.message}" for d in diagnostics]
    if not arguments.verify_diagnostics and (arguments.run or not complaints):
        _write(arguments.output, "\n// -----\n".join(outputs))
    print("\n".join(complaints), file=sys.stderr, end="\n" if complaints else "")
    return 1 if complaints else 0


def _options(arguments: argparse.Namespace) -> Options:
    """The options of the environment, overridden by those of the command line."""
    flags = ("verify_each", "print_ir_before_all", "print_ir_after_all", "print_ir_after_change", "timing")
    given: dict[str, Any] = {flag: True for flag in flags if getattr(arguments, flag)}
    if arguments.rewrite_limit is not None:
        given["rewrite_limit"] = arguments.rewrite_limit
    return replace(Options(), reproducer=not arguments.verify_diagnostics, **given)


def _run_steps(module: ir.Module, steps: Sequence[str], options: Options) -> None:
    """Runs the passes, up to the limit of rewrites, and prints which was the last."""
    numbering = None if options.rewrite_limit is None else Numbering(options.rewrite_limit)
    try:
        with numbered(numbering):
            run_passes(module, steps, options)
    finally:
        if numbering is not None:
            last = numbering.last or f"none of {numbering.count}"
            print(f"limit of rewrites {numbering.limit}, the last is {last}", file=sys.stderr)


def _process(text: str, steps: Sequence[str], arguments: argparse.Namespace) -> tuple[str, list[Diagnostic]]:
    """The resulting text, or the errors."""
    with compile_context():
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            return "", complete([Diagnostic.of(d) for d in error.error_diagnostics], text)
        if TARGETS.get(arguments.target, DEFAULT) != DEFAULT:
            module.operation.attributes[GPU_TARGET] = TARGETS[arguments.target].attribute()
        if arguments.target_features:
            module.operation.attributes[TARGET] = ir.StringAttr.get(arguments.target_features)
        options = _options(arguments)
        if arguments.run:
            steps = _steps_to_run(module, steps)
        wanted = verifiers_of_stages(steps)
        lacking = list(unclaimed(module, wanted))
        if lacking and wanted:
            return "", lacking
        warned = lacking if options.verify_each or _TYPED.intersection(steps) else []
        for diagnostic in [*warned, *passed_by(module, steps)]:
            print(f"{_where(diagnostic.position, arguments.file)}: warning: {diagnostic.message}", file=sys.stderr)
        try:
            run_passes(module, _input_verifiers(steps, options), QUIET)
            _run_steps(module, _with_types(steps), options)
            if arguments.run:
                return _compare_runs(text, module, arguments)
        except PassFailed as failure:
            if failure.diagnostics and failure.step not in VERIFIERS and not arguments.verify_diagnostics:
                print(f"{_where(None, arguments.file)}: note: {failure}", file=sys.stderr)
            return "", failure.diagnostics or [_internal(failure)]
        text = emit(module, arguments.emit, arguments.target)
        for remark in without_kernels(module) if arguments.emit != "mlir" else ():
            print(f"{_where(remark.position, arguments.file)}: remark: {remark.message}", file=sys.stderr)
        return text, []


def _steps_to_run(module: ir.Module, steps: Sequence[str]) -> Sequence[str]:
    """`steps`; if there are none, all passes that compile the graph."""
    from .run_graph import steps_to_host  # imports torch, which only --run needs

    return steps_to_host(module, bool(steps)) or steps


def _compare_runs(text: str, module: ir.Module, arguments: argparse.Namespace) -> tuple[str, list[Diagnostic]]:
    """Runs the text and the module on equal inputs: a report, and a diagnostic for each difference."""
    from .run_graph import Settings, compare_runs

    settings = Settings.of(arguments.size, arguments.ints, arguments.seed, arguments.inputs)
    lines, differences = compare_runs(ir.Module.parse(text), module, settings)
    return "\n".join(lines), [Diagnostic(difference, None) for difference in differences]


def _input_verifiers(steps: Sequence[str], options: Options) -> list[str]:
    """The verifiers to run before the first pass: `verify-ir`, and if a pass relies on operators' types `verify-metadata`, which imports
    torch."""
    if steps and all(step in VERIFIERS for step in steps):  # only verifiers are requested
        return []
    return ["verify-ir", "verify-metadata"] if options.verify_each or _TYPED.intersection(steps) else ["verify-ir"]


def _with_types(steps: Sequence[str]) -> list[str]:
    """The steps, with `verify-metadata` after each `verify-ir`."""
    return [s for step in steps for s in ((step, "verify-metadata") if step == "verify-ir" else (step,))]


def _internal(failure: PassFailed) -> Diagnostic:
    """An exception in a pass as a diagnostic. Unless the input is invalid, the traceback goes to stderr."""
    if not isinstance(failure.__cause__, InvalidIR):
        traceback.print_exception(failure.__cause__)
    return Diagnostic(str(failure), failure.position)


def _where(position: SourcePosition | None, name: str) -> str:
    """`file:line:column`, with the file's name instead of the parser's `-`."""
    if position is None:
        return name
    return str(replace(position, file=name) if position.file == "-" else position)


def _write(path: str, text: str) -> None:
    if path == "-":
        print(text, flush=True)
        return
    Path(path).write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
