"""A few random programs; `fuzz_programs.py` runs many."""

import pytest
from fuzz_programs import check_seed, source

# What the fuzzer found, by what was wrong.
FOUND = {
    4: "a call of ATen that takes one tensor twice",
    53: "fusion: a reduction over one element lost its dimension",
    55: "fusion: a view of one member stood before the kernel",
    98: "fusion: a kernel loaded what it updated",
    1038: "clamp(-0.0, 0) is -0.0",
    2435: "aten.copy's result begins behind a gap in its memory",
    27186: "the offset of an empty view",
    3666: "a write through unfold lost the sign of zero",
    2546: "what a custom operator wrote, and a view of it, are one storage",
}


@pytest.mark.parametrize("seed", [*range(1000, 1090), *FOUND])
def test_program(seed, backend_name):
    """What a caller sees is what eager shows, and no verifier complains between the passes."""
    options = {"fallback": False, "reproducer": False, "verify_each": True} if backend_name == "mlirind" else {}
    outcome, detail = check_seed(seed, backend_name, options)
    assert outcome not in ("different", "unsupported"), f"{detail}\n{source(seed)}"
