"""The error for a wrong result, and the folder that shows the wrong pass again: the IR before it, the command, and what the inputs were."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ...errors import WrongResult
from ...options import Options
from ...passes.pipeline import HOST
from ...passes.snapshots import Snapshot
from .culprits import HOST_CODE, KERNEL_CODE, Culprit
from .outcomes import CallArguments


def write_reproducer(
    culprit: Culprit, snapshots: Sequence[Snapshot], name: str, given: CallArguments, constants: Sequence[torch.Tensor], options: Options
) -> list[str]:
    """Writes the folder; returns lines for the message: the folder and the command."""
    parent = Path(options.dump_dir or tempfile.gettempdir())
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"mlirind-{name}-", dir=parent))
    values = [*given.fresh(), *constants]
    before, steps = _form_to_run(culprit, snapshots)
    path = folder / "before.mlir"
    command = f"mlirind-opt {shlex.quote(str(path))} --run --inputs={shlex.quote(str(folder / 'inputs.pt'))} {' '.join(steps)}"
    path.write_text(f"// {command}\n{before}")
    torch.save(values, folder / "inputs.pt")
    (folder / "imported.mlir").write_text(snapshots[0].text)
    (folder / "inputs.txt").write_text("\n".join(f"{n}: {_described_input(v)}" for n, v in enumerate(values)) + "\n")
    (folder / "command.txt").write_text(command + "\n")
    (folder / "culprit.txt").write_text(str(culprit) + "\n")
    return [f"repeat it with: {command}"]


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
