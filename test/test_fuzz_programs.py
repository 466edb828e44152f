"""A few random programs, and those that were wrong once; `fuzz_programs.py` runs many."""

from pathlib import Path

import fuzz_programs
import pytest
import torch
from fuzz_programs import check, compare, raises_in_eager, source

# The first line of each says what was wrong.
FOUND = sorted((Path(__file__).parent / "found_programs").glob("*.txt"))
# What the compiler declines in some random programs: FX runs them.
DECLINED = ("writes to nothing", "an output with an offset in its storage", "is computed from the integer argument")
STRICT = {"fallback": False, "reproducer": False, "verify_each": True}


def assert_right(seed, text, backend_name):
    """What a caller sees is what eager shows, and no verifier complains between the passes."""
    outcome, detail = check(seed, text, backend_name, STRICT if backend_name == "mlirind" else {})
    if outcome == "unsupported" and any(reason in detail for reason in DECLINED):
        return
    assert outcome not in ("different", "unsupported"), f"{detail}\n{text}"


@pytest.mark.parametrize("seed", range(1000, 1060))
def test_random_program(seed, backend_name):
    assert_right(seed, source(seed), backend_name)


@pytest.mark.parametrize("seed", [1, 32], ids=["graph", "symbolic"])
@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_found_program(path, seed, backend_name):
    torch._dynamo.reset()
    assert_right(seed, path.read_text(), backend_name)


TAKES_A_NUMBER = """
def make_inputs(n0=2):
    x0 = torch.arange(4)
    return x0, n0,

def program(x0, n0):
    return x0 * n0,

OTHERS = [{"n0": 3}, {"n0": -1}]
"""


def test_other_numbers_are_compared():
    """A backend that loses the sign of integers is found by the second other number."""

    def without_sign(graph, examples):
        return lambda *inputs: graph(*(abs(i) if isinstance(i, int) else i for i in inputs))

    outcome, detail = compare(1, TAKES_A_NUMBER, without_sign, {})
    assert outcome == "different" and detail.startswith("{'n0': -1}: call")
    assert compare(1, TAKES_A_NUMBER, lambda graph, examples: graph, {}) == ("same", "")


REFUSES_ONE_AND_TWO = """
def make_inputs(n0=0):
    x0 = torch.zeros(6)
    return x0, n0,

def program(x0, n0):
    return F.pad(x0, (1, n0 % 3)).expand(3, 7),

OTHERS = [{"n0": 2}, {"n0": 1}]
"""


def test_code_for_other_numbers_never_runs_after_a_refusal():
    """The backend refuses to compile the program for 2, and for 1 again."""

    def backend(graph, examples):
        if examples[1] > 0:
            raise RuntimeError("refused")
        return lambda *inputs: [torch.zeros(7).expand(3, 7)]

    assert compare(1, REFUSES_ONE_AND_TWO, backend, {}) == ("same", "")


def test_each_call_is_compared_with_that_of_aot_eager(monkeypatch):
    """A program that `aot_eager` gets wrong in another call is a difference; one that it gets wrong in every call that differs is not."""

    def wrong_for(*numbers):
        def backend(graph, examples):
            return lambda *inputs: [t + any(i in numbers for i in inputs if isinstance(i, int)) for t in graph(*inputs)]

        return backend

    backends = {"mlirind": wrong_for(3, -1), "aot_eager": wrong_for(3)}
    monkeypatch.setattr(fuzz_programs, "find_backend", backends.__getitem__)
    outcome, detail = check(1, TAKES_A_NUMBER, "mlirind", {})
    assert outcome == "different" and detail.startswith("{'n0': -1}: call")
    backends["aot_eager"] = wrong_for(3, -1)
    outcome, detail = check(1, TAKES_A_NUMBER, "mlirind", {})
    assert outcome == "wrong in aot_eager" and detail.startswith("{'n0': 3}: call")


def test_nothing_raises_on_a_gpu():
    """Of the numbers that a program is called with there; the text says where its tensors are."""
    texts = [source(seed, "cuda") for seed in range(2000, 2060)]
    with_numbers = [text for text in texts if "OTHERS" in text]
    assert with_numbers and all("device='cuda'" in text for text in with_numbers)
    for text in with_numbers:
        others = eval(text.split("OTHERS = ")[1])
        assert not any(raises_in_eager(text.replace(", device='cuda'", ""), numbers) for numbers in others)
