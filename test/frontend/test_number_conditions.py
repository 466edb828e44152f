"""What must hold of integers, for Python to compute numbers from them without an error."""

import pytest
import torch
from mlirind.dialects.aten import parse_expr
from mlirind.frontend.calling.number_conditions import float_conditions

CONDITIONS = {
    "truediv(tofloat(s0), 2)": ["True"],
    "truediv(3, tofloat(s0))": ["Ne(s0, 0)"],
    "fpow(tofloat(s0), -1/2)": ["s0 > 0"],
    "fpow(tofloat(s0), 1/2)": ["s0 >= 0"],
    "fpow(tofloat(s0), 2)": [],
    "fpow(2, tofloat(s0))": ["True"],
    "fsqrt(tofloat(s0)) + flog(tofloat(s0))": ["s0 >= 0", "s0 > 0"],
    "fasin(tofloat(s0))": ["s0 >= -1", "s0 <= 1"],
}


@pytest.mark.parametrize("number", CONDITIONS)
def test_of_floats(number):
    assert {str(c) for c in float_conditions(parse_expr(number))} == set(CONDITIONS[number])


@pytest.mark.parametrize("options", [{}, {"host": "python"}])
def test_division_by_zero(backend, backend_name, options):
    """Also of numbers that are only returned."""
    compiled = torch.compile(lambda n, x: (x + 1, 7 % n), backend=backend, options=options if backend_name == "mlirind" else None)
    for n in (2, 3, -4):
        assert compiled(n, torch.zeros(2))[1] == 7 % n
    with pytest.raises(ZeroDivisionError):
        compiled(0, torch.zeros(2))


@pytest.mark.filterwarnings("ignore:.*booleans")
def test_no_boolean_is_subtracted(backend):
    """In an expression a boolean from data is the number 0 or 1."""
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled = torch.compile(lambda x, flag: x - flag.item(), backend=backend, fullgraph=True)
        with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
            compiled(torch.zeros(2), torch.tensor(True))
