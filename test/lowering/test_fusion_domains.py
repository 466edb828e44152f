"""Relations of domains: permutations, reshapes both ways, rows of a reduction."""

from mlirind.lowering.fusion.fusion_domains import Link, covers, fill_dimensions, is_affine, solve
from mlirind.lowering.index import index_expr as ie

d0, d1, d2, d3 = map(ie.dim, range(4))
s0, s1 = ie.sym("s0"), ie.sym("s1")


def extents(*sizes):
    return tuple(map(ie.as_expr, sizes))


def test_permutation():
    host, guest = extents(2, 3, 4), extents(4, 2, 3)
    link = Link(host, (d1, d2, d0), (d0, d1, d2))
    assert solve([link], guest, host) == [d2, d0, d1]
    assert covers([d2, d0, d1], guest, host) == {0, 1, 2}


def test_flattened_guest():
    host, guest = extents(s0, s1, 64), extents(s0 * s1, 64)
    ranges = ie.Ranges(guest)
    link = Link(host, (ie.floordiv(d0, s1, ranges), ie.mod(d0, s1, ranges), d1), (d0, d1, d2))
    places = solve([link], guest, host)
    assert places == [d0 * s1 + d1, d2]
    assert covers(places, guest, host) == {0, 1, 2}


def test_split_guest_needs_divisions():
    host, guest = extents(6, 4), extents(2, 3, 4)
    link = Link(host, (d0 * 3 + d1, d2), (d0, d1))
    places = solve([link], guest, host)
    assert places == [ie.floordiv(d0, 3, None), ie.mod(d0, 3, None), d1]
    assert not is_affine(places) and covers(places, guest, host) == {0, 1}
    # the other way round it has
    assert solve([Link(host, (d0, d1), (d0 * 3 + d1, d2))], host, guest) == [d0 * 3 + d1, d2]


def test_rows_of_a_reduction():
    host, guest = extents(5, 7), extents(5, 7)
    places = solve([Link(extents(5), (d0,), (d0,))], guest, host)
    assert places == [d0, None]
    assert fill_dimensions(places, guest, host) == [d0, d1]
    assert fill_dimensions(places, extents(5, 8), host) is None
    assert covers([d0], extents(5), host) == {0}


def test_a_slice_covers_nothing():
    assert covers([d0 * 2], extents(3), extents(6)) is None
