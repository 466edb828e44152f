"""The prover of index bounds over symbols: what it proves is true for all numbers, and it proves quotients by quotients."""

import random

import pytest
import sympy
from mlirind.lowering.bounds.inequalities import SymbolFacts, tightened
from mlirind.lowering.bounds.quotients import quotient_facts
from mlirind.lowering.index import index_expr as ie
from mlirind.lowering.index import index_maps

S0, S1 = sympy.symbols("s0 s1", integer=True)
QUARTER = sympy.floor(S0 / 4)
SIZES = [
    S0,
    S1,
    QUARTER,
    sympy.floor(S0 / QUARTER),
    sympy.floor(S0 / (2 * QUARTER)),
    sympy.floor(S1 / 2),
    sympy.floor(S1 / sympy.floor(S1 / 2)),
]
ATOMS = [index_maps.from_size(size) for size in SIZES]


def values(expr):
    """The expression's values, for all sizes for which none of its divisors is 0."""
    size = index_maps.to_size(expr)
    for a in range(2, 20):
        for b in range(2, 12):
            value = sympy.sympify(size).subs({S0: a, S1: b})
            if value.is_Integer:
                yield (a, b), int(value)


def expression(draw):
    """A sum of up to four products of up to two sizes, with small coefficients."""
    terms = [ie.const(draw.randint(-3, 3))]
    for _ in range(draw.randint(1, 4)):
        product = ie.const(draw.choice([-2, -1, 1, 2, 4]))
        for _ in range(draw.randint(1, 2)):
            product = product * draw.choice(ATOMS)
        terms.append(product)
    return ie.add(terms)


@pytest.mark.parametrize("seed", range(8))
def test_nothing_untrue_is_proved(seed):
    """With the fact that s0 is at least 4; the goals are random."""
    draw = random.Random(seed)
    symbols = SymbolFacts({"s0": (2, 2**63 - 1), "s1": (2, 2**63 - 1)})
    given = [ATOMS[2] - 1]
    proved = 0
    for _ in range(60):
        goal = expression(draw)
        if symbols.is_nonnegative(goal, given):
            proved += 1
            assert all(value >= 0 for (a, _), value in values(goal) if a >= 4), goal
    assert proved


def test_facts_about_quotients_are_true():
    """Each where its conditions hold."""
    atoms = [atom for expr in ATOMS for atom in [expr.atom] if atom]
    found = list(quotient_facts(a for a in atoms if a[0] == "/" or a[1] not in ("s0", "s1")))
    assert len(found) > 12
    for fact in found:
        conditions = [dict(values(c)) for c in fact.if_nonnegative]
        for at, value in values(fact.expr):
            if all(c.get(at, -1) >= 0 for c in conditions):
                assert value >= 0, (fact, at)


@pytest.mark.parametrize(
    ("goal", "true"),
    [
        (S0 - QUARTER * SIZES[3], True),
        (SIZES[3] - 2 * SIZES[4], True),
        (S1 * (S0 - 2 * QUARTER * SIZES[4]), True),
        (sympy.floor(S0 * S1 / 2) - S1 * SIZES[5].subs(S1, S0), True),
        (S0 - 1 - QUARTER * SIZES[3], False),
        (sympy.floor(S0 * S1 / 2) - S1 * SIZES[5].subs(S1, S0) - 1, False),
        (SIZES[3] - 2 * SIZES[4] - 1, False),
        (S1 * S0 - 2 * (S1 + 1) * QUARTER * SIZES[4], False),
    ],
    ids=str,
)
def test_quotients_by_quotients(goal, true):
    """Goals of pixel shuffles, and of a view in rows of 2: the quotients are at least 1, and rounded down."""
    symbols = SymbolFacts({"s0": (2, 2**63 - 1), "s1": (2, 2**63 - 1)})
    assert symbols.is_nonnegative(index_maps.from_size(sympy.expand(goal)), [ATOMS[2] - 1]) == true


@pytest.mark.parametrize(
    ("expr", "result"), [(4 * S0 - 1, S0 - 1), (4 * S0 + 3, S0), (4 * S0 + 6 * S1 - 3, 2 * S0 + 3 * S1 - 2), (S0 - 3, S0 - 3)]
)
def test_common_factors_are_divided_out(expr, result):
    assert tightened(index_maps.from_size(expr)) == index_maps.from_size(result)


def test_a_fact_with_a_common_factor_proves_itself():
    """Nothing else implies it: it is false for s0 = 0 and s1 = 0."""
    fact = index_maps.from_size(8 * S0 * sympy.Max(1, S1) - 8 * S0 * S1 + 8 * S1 - 8 * sympy.Max(1, S1))
    ranges = {"s0": (0, 2**63 - 1), "s1": (0, 2**63 - 1)}
    assert not SymbolFacts(ranges).is_nonnegative(fact)
    assert SymbolFacts(ranges, [fact]).is_nonnegative(fact)
    assert SymbolFacts(ranges).is_nonnegative(fact, [fact])


def test_a_maximum_equals_its_greatest_argument():
    """Which one is greatest, the ranges of the symbols say. The same of minima."""
    half = sympy.floor(S0 / 2)
    over, under = (index_maps.from_size(sympy.expand(S1 * d)) for d in (half - sympy.Max(1, half), sympy.Min(4, S0) - S0))
    for lowest, highest in ((2, 4), (0, 4), (2, 5)):
        symbols = SymbolFacts({"s0": (lowest, highest), "s1": (0, 2**63 - 1)})
        assert symbols.is_nonnegative(over) == (lowest == 2)
        assert symbols.is_nonnegative(under) == (highest == 4)
