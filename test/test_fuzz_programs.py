"""A few random programs, and those that were wrong once; `fuzz_programs.py` runs many."""

from pathlib import Path

import pytest
import torch
from fuzz_programs import check, source

# The first line of each says what was wrong.
FOUND = sorted((Path(__file__).parent / "found_programs").glob("*.txt"))
STRICT = {"fallback": False, "reproducer": False, "verify_each": True}


def assert_right(seed, text, backend_name):
    """What a caller sees is what eager shows, and no verifier complains between the passes."""
    outcome, detail = check(seed, text, backend_name, STRICT if backend_name == "mlirind" else {})
    assert outcome not in ("different", "unsupported"), f"{detail}\n{text}"


@pytest.mark.parametrize("seed", range(1000, 1090))
def test_random_program(seed, backend_name):
    assert_right(seed, source(seed), backend_name)


@pytest.mark.parametrize("seed", [1, 16], ids=["graph", "symbolic"])
@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_found_program(path, seed, backend_name):
    torch._dynamo.reset()
    assert_right(seed, path.read_text(), backend_name)
