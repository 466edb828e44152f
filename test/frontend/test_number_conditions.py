"""What must hold of integers, for Python to compute numbers from them without an error."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from eager_comparison import difference
from mlirind.bridge.quotient_signs import without_negative_dividends
from mlirind.dialects.aten import parse_expr, symbol
from mlirind.frontend.calling.number_conditions import float_conditions
from mlirind.frontend.counters import counters

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


@pytest.mark.parametrize(
    "size",
    ["floor(a/4)", "ceiling(a/4)", "Mod(a, 4)", "floor(Mod(a - 5, 4)/3) + b", "floor(Max(a, -5)/2)", "Min(a, b)", "Mod(floor(a*b/3), 5)"],
)
def test_no_dividend_is_negative(size):
    """The expression stays equal for all numbers; what is divided, or is a maximum or minimum, is not negative for the traced ones."""
    size, a, b = parse_expr(size), symbol("a"), symbol("b")
    for traced in ({a: -9, b: 20}, {a: -1, b: -7}, {a: -2, b: 3}):
        written = without_negative_dividends(size, traced)
        for x, y in itertools.product(range(-13, 14, 2), range(-12, 13, 3)):
            assert written.xreplace({a: x, b: y}) == size.xreplace({a: x, b: y})
        divided = [part.args[0] for part in written.atoms(*map(type, (parse_expr("floor(a/2)"), parse_expr("Mod(a, 2)"))))]
        assert all(part.xreplace(traced) >= 0 for part in [*divided, *written.atoms(type(parse_expr("Max(a, b)")))])


QUOTIENTS = {
    "start": lambda x, k: x[k // 4 :] * 2,
    "start_by_a_negative_number": lambda x, k: x[k // -4 :] * 2,
    "end": lambda x, k: x[: k // 4].sin() + x[: k // -4].sum(),
    "remainder": lambda x, k: x[: k + (k - 5) % 4].reshape(-1) * 2,
    "maximum": lambda x, k: x[max(k, -5) :] + 1,
    "pads": lambda x, k: (F.pad(x, (0, 0, k, -k)), F.pad(x.t(), (k // 2, k // 3, 1, 2)).reshape(-1) + 1),
    "range": lambda x, k: torch.arange(k, -40, k // 3, device=x.device).expand(3, -1).reshape(-1),
}


@pytest.mark.parametrize("name", QUOTIENTS)
def test_quotients_of_a_negative_argument(backend, name):
    compiled = torch.compile(QUOTIENTS[name], backend=backend, dynamic=True)
    for k in (-9, -5, -14, -8):
        results = []
        for call in (QUOTIENTS[name], compiled):
            x = torch.linspace(-1, 1, 60).view(20, 3).requires_grad_()
            out = call(x, k)
            tensors = [t for t in (out if isinstance(out, tuple) else [out]) if t.requires_grad]
            results.append((out, torch.autograd.grad(sum(t.square().sum() for t in tensors), x) if tensors else None))
        assert difference(*results) is None
    assert not counters.fallbacks
