"""The functions that the code of a Python runner calls, by their names in it."""

from __future__ import annotations

import math

import torch

from ...torch_internals.tensors import empty_cpu, view_of
from ..failures import fail
from . import refused_results
from .restride import refuse_restride, restride
from .without_memory import refuse_fake

NAMESPACE = {
    **refused_results.NAMESPACE, "_restride": restride, "_refuse_restride": refuse_restride, "_refuse_fake": refuse_fake,
    "_fail": fail, "math": math, "_record": torch.profiler.record_function, "_empty_cpu": empty_cpu,
    "_empty": torch.empty_strided, "_view": view_of,
}  # fmt: skip
