"""Why results of `sweep_numbers.py` differ from eager's: operators, dtypes, the largest distance that a reason allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

HALVES = ("bfloat16", "float16")
ALL = (*HALVES, "float32")


@dataclass(frozen=True)
class Reason:
    """One reason. `ulps`: the largest distance in units in the last place; infinite where NaN or the sign of zero differs."""

    text: str
    operators: frozenset[str]
    dtypes: tuple[str, ...]
    ulps: float


def _reason(text: str, operators: str, dtypes: tuple[str, ...], ulps: float) -> Reason:
    return Reason(text, frozenset(operators.split()), dtypes, ulps)


REASONS = (
    _reason("Dynamo takes addcdiv apart before any backend sees it", "addcdiv", ALL, math.inf),
    _reason("of a signaling NaN eager's fmax and fmin give NaN", "fmax fmin", HALVES, math.inf),
    _reason("float32 function of Sleef or libm, rounded to the half type", "mish hypot gelu", HALVES, 1),
)
