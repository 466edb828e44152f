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


_MKL = "eager's function of MKL, Sleef or libm rounds otherwise"
_FUNCTIONS = """exp log log10 log2 sin sinc tan tanh sigmoid erf erfc logit softplus acos acosh asin asinh atan cos sqrt hypot xlogy celu
silu silu.complex logsigmoid mish"""

REASONS = (
    _reason("Dynamo takes addcdiv apart before any backend sees it", "addcdiv", ALL, math.inf),
    _reason("of a signaling NaN eager's fmax and fmin give NaN", "fmax fmin", ALL, math.inf),
    _reason("eager's vector code for half types has an absolute error of 1e-7, which is 0 for small numbers", "erf", HALVES, math.inf),
    _reason("float32 function of Sleef or libm, rounded to the half type", "mish hypot gelu asinh sin logaddexp2 celu", HALVES, 1),
    _reason(_MKL, _FUNCTIONS, ("float32",), 2),
    _reason(_MKL, "celu", ("float32",), 4),
    _reason(f"{_MKL}; near 0 the sum cancels", "logaddexp logaddexp2 tanhshrink", ("float32",), math.inf),
    _reason(f"{_MKL}; near 0 the sum cancels", "mvlgamma.mvlgamma_p_1 mvlgamma.mvlgamma_p_3 mvlgamma.mvlgamma_p_5", ("float32",), 1024),
    _reason("eager's square root of MKL is not always the nearest number", "float_power pow __rpow__", ALL, 1),
    _reason("finite here: eager's vector code overflows from 88.73 on", "sinh cosh", ("float32",), math.inf),
)
