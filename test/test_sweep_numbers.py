"""The sweep over all values of the half types: a short part of it, and that it sees a wrong value."""

import pytest
import torch
from programs import ON_GPU
from sweep_numbers import Result, all_values, chosen_cases, compare, distances, reason_of, run_cases

CHOSEN = ("x // 0.3", "hardtanh", "softshrink", "threshold", "where", "div.floor_rounding")


@pytest.mark.skipif(ON_GPU, reason="CUDA kernels have rules of their own")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", ["whole", "tails", "short7"])
def test_all_values(backend, dtype, shape):
    cases = [case for case in chosen_cases(dtype, CHOSEN, 1.0) if not case.operator.startswith("div") or "0.3" in case.text][:12]
    results = list(run_cases(backend, cases, dtype, shape))
    assert len(results) >= 6
    assert [(r.text, r.error or r.example) for r in results if (r.error or r.different) and not reason_of(r)] == []


def test_every_value_is_there():
    for dtype in (torch.bfloat16, torch.float16):
        assert len(all_values(dtype).view(torch.int16).unique()) == 65536
    patterns = all_values(torch.float32).view(torch.int32)
    assert len(patterns.bitwise_right_shift(23).unique()) == 512 and len(patterns) == 512 * 256


def test_wrong_values_are_seen():
    right = torch.tensor([1.0, 0.0, float("nan"), 2.0])
    wrong = torch.tensor([1.0, -0.0, 3.0, 2.0 + 2**-22])
    assert distances(wrong, right).tolist() == [0, torch.inf, torch.inf, 1]
    result = Result("none", "none(x)", "float32", "whole")
    compare(result, right, wrong, [right])
    assert (result.different, result.ulps, reason_of(result)) == (3, torch.inf, "")
    compare(either := Result("none", "none(x)", "float32", "whole"), right, wrong, [right, wrong])
    assert either.different == 0
