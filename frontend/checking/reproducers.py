"""The error for a wrong result, and the folder that shows the wrong pass again: the IR before it, the command, and what the inputs were."""

from __future__ import annotations

import logging
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ...errors import WrongResult
from ...options import Options
from ...passes.driver import PassFailed, plugin_flags
from ...passes.pipeline import HOST
from ...passes.snapshots import Snapshot
from ...runtime.reference.differences import least_share
from .culprits import HOST_CODE, KERNEL_CODE, Culprit
from .outcomes import CallArguments
from .reduction import Reduced, reduce_failing_graph, reduce_wrong_graph

log = logging.getLogger(__name__)

JOINT = "joint"  # the name of a joint graph


def write_reproducer(
    culprit: Culprit, snapshots: Sequence[Snapshot], name: str, given: CallArguments, constants: Sequence[torch.Tensor], options: Options
) -> list[str]:
    """Writes the folder; returns lines for the message: the folder and the command. `before.mlir` is the smallest part of the graph that
    shows the fault; the whole graph and its inputs stand beside it."""
    parent = Path(options.dump_dir or tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"mlirind-{name}-", dir=parent))
    values = [*given.fresh(), *constants]
    before, steps = _form_to_run(culprit, snapshots)
    reduced = _reduced(before, values, steps, least_share(snapshots[0].text), gradients=name == JOINT)
    if reduced is not None:
        _write_graph(folder, "whole", before, values, steps)
        before, values = reduced.text, reduced.values
    command = _write_graph(folder, "before", before, values, steps)
    (folder / "imported.mlir").write_text(snapshots[0].text)
    (folder / "command.txt").write_text(command + "\n")
    (folder / "culprit.txt").write_text(str(culprit) + "\n")
    return [f"repeat it with: {command}"]


def _write_graph(folder: Path, name: str, text: str, values: Sequence[Any], steps: Sequence[str]) -> str:
    """Writes a graph, its inputs and what they are; returns the command that runs it."""
    path, saved = folder / f"{name}.mlir", folder / ("inputs.pt" if name == "before" else f"{name}_inputs.pt")
    plugins = plugin_flags([step.removeprefix("--") for step in steps])
    command = f"mlirind-opt{plugins} {shlex.quote(str(path))} --run --inputs={shlex.quote(str(saved))} {' '.join(steps)}".rstrip()
    path.write_text(f"// {command}\n{text}")
    torch.save(values, saved)
    saved.with_suffix(".txt").write_text("\n".join(f"{n}: {_described_input(v)}" for n, v in enumerate(values)) + "\n")
    return command


def _reduced(text: str, values: Sequence[Any], steps: Sequence[str], least: float, gradients: bool) -> Reduced | None:
    """The smallest part that shows the fault; None without a step, and for a graph that can't be cut into parts."""
    if not steps:
        return None
    try:
        return reduce_wrong_graph(text, values, [step.removeprefix("--") for step in steps], least, gradients)
    except Exception:
        log.warning("the graph of a reproducer could not be reduced", exc_info=True)
        return None


def reduce_reproducer(failure: PassFailed) -> None:
    """Replaces the module in the file of a failed pass by the smallest part of the graph on which the pass fails in the same way; the
    whole graph goes to a file beside it."""
    if failure.file is None:
        return
    first, _, text = failure.file.read_text().partition("\n")
    try:
        reduced = reduce_failing_graph(text, failure)
    except Exception:
        log.warning("the graph of a reproducer could not be reduced", exc_info=True)
        return
    if reduced is not None:
        failure.file.with_suffix(".whole.mlir").write_text(f"{first}\n{text}")
        failure.file.write_text(f"{first}\n{reduced.text}")


def wrong_result(
    said: str,
    culprit: Culprit | None,
    snapshots: Sequence[Snapshot],
    name: str,
    given: CallArguments,
    constants: Sequence[torch.Tensor],
    options: Options,
) -> WrongResult:
    """The error that says `said`, names the culprit, and where its reproducer is if the options ask for one."""
    lines = [said, *(str(culprit).splitlines() if culprit else [])]
    if culprit and options.reproducer:
        lines += write_reproducer(culprit, snapshots, name, given, constants, options)
    error = WrongResult("\n  ".join(lines))
    error.culprit = culprit
    return error


def _form_to_run(culprit: Culprit, snapshots: Sequence[Snapshot]) -> tuple[str, list[str]]:
    """The module and the flags of `mlirind-opt --run` that show the culprit: the pass on the module before it. A launch sequence is made
    again from kernels."""
    if culprit.step not in (*HOST, KERNEL_CODE, HOST_CODE):
        return culprit.before, [] if culprit.step == "import" else [f"--{culprit.step}"]
    earlier = [s for s in snapshots if s.step not in HOST]
    return earlier[-1].text, [f"--{step}" for step in HOST if any(s.step == step for s in snapshots)]


def _described_input(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    place = f"strides {list(value.stride())}, offset {value.storage_offset()}, {value.device}"
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}, {place}"
