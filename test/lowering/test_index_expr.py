"""Index expressions: the simplifications that lowering relies on, and random expressions against their plain values."""

import itertools
import random

from mlirind.dialects.aten import parse_expr
from mlirind.dialects.context import compile_context
from mlirind.lowering.index import index_expr as ie
from mlirind.lowering.index import index_maps
from mlirind.lowering.index.index_substitution import evaluate, substitute

d0, d1, d2, d3 = map(ie.dim, range(4))
s0, s1, s2 = (ie.sym(f"s{i}") for i in range(3))


def delinearize(linear, sizes, ranges):
    """The coordinates of element number `linear` of a row-major tensor."""
    coordinates = []
    for size in reversed(sizes):
        coordinates.append(ie.mod(linear, size, ranges))
        linear = ie.floordiv(linear, size, ranges)
    return coordinates[::-1]


def test_divisions_by_a_range():
    ranges = ie.Ranges([8, 64])
    assert ie.floordiv(d0 * 64 + d1, 64, ranges) == d0
    assert ie.mod(d0 * 64 + d1, 64, ranges) == d1
    assert ie.floordiv(d0 * 64 + d1, 128, ranges) == ie.floordiv(d0, 2, ranges)
    assert ie.mod(d0 * 64 + d1, 128, ranges) == ie.mod(d0, 2, ranges) * 64 + d1
    assert ie.mod(d0, 8, ranges) == d0


def test_recombination():
    assert ie.floordiv(d0, 12, None) * 12 + ie.mod(d0, 12, None) == d0
    digit = ie.mod(ie.floordiv(d0, 4, None), 8, None)
    assert digit * 4 + ie.mod(d0, 4, None) == ie.mod(d0, 32, None)
    assert ie.floordiv(d0, 32, None) * 32 + digit * 4 + ie.mod(d0, 4, None) == d0
    assert ie.mod(d0, s0, None) + ie.floordiv(d0, s0, None) * s0 == d0


def test_symbolic_extents():
    ranges = ie.Ranges([s0, s1, 64])
    linear = d0 * s1 * 64 + d1 * 64 + d2
    assert delinearize(linear, [s0, s1, ie.const(64)], ranges) == [d0, d1, d2]
    assert delinearize(linear, [s0 * s1, ie.const(64)], ranges) == [d0 * s1 + d1, d2]
    flat = ie.Ranges([s0 * s1, 64])
    b, s, d = delinearize(d0 * 64 + d1, [s0, s1, ie.const(64)], flat)
    assert (b, s, d) == (ie.floordiv(d0, s1, flat), ie.mod(d0, s1, flat), d1)
    assert (b * s1 + s) * 64 + d == d0 * 64 + d1
    assert ie.mod(d0 * (s0 + 1) + d1, s0 + 1, ie.Ranges([4, s0])) == d1


def test_symbols_of_unknown_sign_prove_nothing():
    assert ie.mod(s2, s2 + 1, ie.Ranges([4])) != s2


def test_reshape_round_trips():
    sizes, other = [4, 6, 10], [12, 2, 10]
    ranges = ie.Ranges(sizes)
    linear = d0 * 60 + d1 * 10 + d2
    there = delinearize(linear, list(map(ie.const, other)), ranges)
    back = delinearize(there[0] * 20 + there[1] * 10 + there[2], list(map(ie.const, sizes)), ranges)
    assert back == [d0, d1, d2]


def random_expr(rng, depth):
    """A random expression as (simplified under the ranges, simplified without, plain function of the values)."""
    kind = rng.choice("dsk+-*/%//%%" if depth else "dsk")
    if kind == "d":
        i = rng.randrange(3)
        return ie.dim(i), lambda v: v["d", i]
    if kind == "s":
        i = rng.randrange(2)
        return ie.sym(f"s{i}"), lambda v: v["s", f"s{i}"]
    if kind == "k":
        k = rng.choice([0, 1, 2, 3, 4, 8, -1, -5])
        return ie.const(k), lambda v: k
    a, fa = random_expr(rng, depth - 1)
    if kind in "+-*":
        b, fb = random_expr(rng, depth - 1)
        functions = {"+": lambda v: fa(v) + fb(v), "-": lambda v: fa(v) - fb(v), "*": lambda v: fa(v) * fb(v)}
        return {"+": a + b, "-": a - b, "*": a * b}[kind], functions[kind]
    c, fc = rng.choice([(ie.const(k), lambda v, k=k: k) for k in (1, 2, 3, 4, 6, 8)] + [(s0, lambda v: v["s", "s0"])])
    ranges = rng.choice([None, ie.Ranges([5, s0, s1])])
    if kind == "/":
        return ie.floordiv(a, c, ranges), lambda v: fa(v) // fc(v)
    return ie.mod(a, c, ranges), lambda v: fa(v) % fc(v)


def test_random_expressions_keep_their_value():
    rng = random.Random(0)
    assignments = [
        {("s", "s0"): a, ("s", "s1"): b, ("d", 0): i, ("d", 1): j, ("d", 2): k}
        for a, b in itertools.product((1, 2, 5), (1, 3))
        for i, j, k in [(0, 0, 0), (4, a - 1, b - 1), (2, a // 2, b // 2)]
    ]
    for _ in range(1500):
        expr, plain = random_expr(rng, 5)
        again = substitute(expr, lambda atom: None, ie.Ranges([5, s0, s1]))
        for values in assignments:
            assert evaluate(expr, values) == plain(values), (expr, values)
            assert evaluate(again, values) == plain(values), (expr, again, values)


def test_affine_maps_and_sizes_round_trip():
    rng = random.Random(1)
    with compile_context():
        for _ in range(300):
            expr, _ = random_expr(rng, 4)
            if any(len([a for a in m if a[0] != "s"]) > 1 for m in monomials(expr)):
                continue  # products of dims are no affine expressions
            builder = index_maps.MapBuilder()
            builder.add_symbols([expr])
            affine, variables = builder.map([expr])
            dims = [ie.dim(v[1]) for v in variables]
            again = index_maps.from_affine(affine.results[0], dims, list(map(ie.sym, builder.symbols)), None)
            for n in range(6):
                values = {("s", "s0"): 1 + n, ("s", "s1"): 1 + n % 3, ("d", 0): n, ("d", 1): 7 - n, ("d", 2): 2 * n}
                assert evaluate(again, values) == evaluate(expr, values)


def monomials(expr):
    """All monomials of `expr` and of what is inside its divisions."""
    for monomial, _ in expr.terms:
        yield monomial
        for atom in monomial:
            if atom[0] in "/%":
                yield from monomials(atom[1])


def test_sizes():
    for text in ("2*s0*s1 + s0 - 4", "s0**2", "floor(s0/2) + Mod(s1, 8)", "Max(1, s0)", "floor(s0/s1)"):
        size = parse_expr(text)
        assert index_maps.to_size(index_maps.from_size(size)) == size
