"""Where users' passes run: points of the pipeline that `options=` fills with names of passes or pipelines."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from torch_mlir import ir

from ..dialects.context import compile_context
from ..errors import MlirindError, UserPassFailed
from ..options import Options
from .driver import UPSTREAM, PassFailed, check_known_steps, parse_pipeline, run_passes

# In order: the options of these names.
POINTS = ("joint_before", "joint_after", "post_grad_before", "post_grad_after")
# Cleans up after users' patterns and passes on `aten`, as the following passes expect.
CLEANUP = ("refresh-metadata", "dce-aten")


def check_plugins(options: Options) -> None:
    """Raises MlirindError for a step that is no pass, with the option and the closest names."""
    for point in POINTS:
        steps = steps_at(options, point)
        try:
            _check(steps)
        except MlirindError as error:
            raise MlirindError(f"option {point}: {error}") from None


def _check(steps: Sequence[str]) -> None:
    if any(step.startswith(UPSTREAM) for step in steps):
        with compile_context():
            check_known_steps(steps)
    else:
        check_known_steps(steps)


def steps_at(options: Options, point: str) -> list[str]:
    """The steps that the options name for a point: a pipeline as text, or a sequence of pipelines."""
    given: str | Sequence[str] = getattr(options, point)
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise MlirindError(f"option {point}: {given!r}: names of passes or pipelines are wanted, as text or a list of texts")
    return [step for text in texts for step in parse_pipeline(text)]


def all_steps(options: Options) -> list[str]:
    """The steps that the options name for all points."""
    return [step for point in POINTS for step in steps_at(options, point)]


def run_plugins(module: ir.Module, options: Options, point: str) -> None:
    """Runs the users' passes of a point, verified after every step. Raises UserPassFailed if a step fails or breaks a rule."""
    steps = steps_at(options, point)
    if not steps:
        return
    try:
        run_passes(module, [*steps, *CLEANUP], dataclasses.replace(options, verify_each=True))
    except PassFailed as failure:
        raise UserPassFailed(f"option {point}: {failure}") from failure
