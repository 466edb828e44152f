"""Integers that are arguments: negative or zero, after other values and before; every program shows eager's results, inputs and errors."""

import pytest
import torch
from eager_comparison import difference
from programs import HERE

WRITES = {
    "row": "x[n] = -1",
    "rows_from": "x[n:] = -1",
    "rows_to": "x[:n] = -1",
    "rows_between": "x[n:-1] = 0",
    "every_second_row": "x[n::2] = 0",
    "row_from_the_end": "x[-n:] = 4",
    "added": "x[n] += 1",
    "two_rows": "x[n:n + 2].mul_(3)",
    "column": "x.select(1, n).fill_(5)",
    "copied_row": "x[n].copy_(x[0] * 2)",
    "narrowed": "x.narrow(0, n, 1).add_(1)",
    "transposed": "x.t()[n] = 9",
    "element": "x[n, n] = 5; x[0, n:] = 6; x[n:, 1] = 7",
    "neighbours": "x[n:n + 1] = 8; x[n - 1] = 3; x[n + 1] = 4",
    "diagonal": "x.diagonal(n).fill_(3)",
    "copy_written": "x = x.clone(); x[n] = x[-1]; x[n:] += 1; x[:, n] = 2",
}

READS = {
    "rows": "x[n] * 2, x[n:] * 2, x[n:n + 2] * 2",
    "rows_to": "x[:n] * 2, x[n:-1] + 1",
    "views": "x[n], x[n:n + 1], x.t()[n]",
    "select_and_narrow": "x.select(1, n) + 1, x.narrow(0, n, 1) + 1, x.t()[n] + 1",
    "from_the_end": "x[-n] + x[n - 1], x[n % 5] + x[n // 2]",
    "rolled": "x.roll(n, 0) + 1, x.roll(n) + 1",
    "padded": "torch.nn.functional.pad(x, (n, n + 1)) + 1",
    "diagonals": "x.diagonal(n) + 1, x.tril(n), x.triu(n) * 2",
    "ranges": "torch.arange(n, 9) * 2, torch.arange(-n, 9) + 1, torch.arange(9, n, -1) * 3",
    "scatters": "torch.select_scatter(x, x[0] * 2, 0, n), torch.slice_scatter(x, x[n:] * 2, 0, n)",
    "made": "torch.ones(n + 3, 4) + 1, x.new_zeros(n + 1) + 1",
    "numbers": "x * n, x + n, x > n, x.clamp(n, 3), x.clamp(max=n), torch.where(x > 1, n, x), torch.add(x, x, alpha=n)",
    "put_together": "torch.cat([x[n:], x[:n]]) + 1",
    "quotients": "x + n // 3, x + n % 3, x + (-n) // 3, x + n // -3, x + n % -3, x + abs(n), x + max(n, 1), x + n / 3",
    "returned": "x + 1, n // 3, n % 3, -n, n // -3, n % -3, n * n, n - 8, n / 3, abs(n)",
}

VALUES = (2, 3, 4, -1, 0)
NEGATIVE_FIRST = (-1, -2, 3, 0, -9)


def outcome(program, n):
    """What a call gives, or the type of its error; and its argument afterwards."""
    x = torch.arange(49.0, device=HERE).view(7, 7)
    try:
        return program(n, x), x
    except Exception as error:
        return type(error), x


def check(program, backend, values, options=None):
    torch._dynamo.reset()
    compiled = torch.compile(program, backend=backend, fullgraph=True, options=options)
    for n in values:
        (expected, after), (given, after_too) = outcome(program, n), outcome(compiled, n)
        if isinstance(expected, type):
            assert isinstance(given, type), f"n = {n}: {expected.__name__} is not raised"
        else:
            assert not isinstance(given, type), f"n = {n}: {given.__name__}"
            assert (found := difference(expected, given)) is None, f"n = {n}: {found}"
        assert torch.equal(after, after_too), f"n = {n}: the argument is {after_too}"


def program_of(statements, result):
    space = {"torch": torch}
    exec(f"def program(n, x):\n    {statements}\n    return {result}", space)
    return space["program"]


@pytest.mark.parametrize("name", WRITES)
def test_write(backend, name):
    check(program_of(WRITES[name], "x"), backend, VALUES)


@pytest.mark.parametrize("name", READS)
def test_read(backend, name):
    check(program_of("pass", READS[name]), backend, VALUES)


@pytest.mark.parametrize("name", ["row", "rows_from", "rows_to", "two_rows", "diagonal"])
def test_negative_first(backend, name):
    check(program_of(WRITES[name], "x"), backend, NEGATIVE_FIRST)
    check(program_of(WRITES[name].replace("n", "-n"), "x"), backend, NEGATIVE_FIRST)


@pytest.mark.parametrize("host", ["native", "python"])
def test_in_both_hosts(backend, backend_name, host):
    """The smallest ones of each kind; quotients are rounded down, and nothing is divided by 0."""
    options = {"host": host} if backend_name == "mlirind" else None
    for statement in ("x[n] = -1", "x[n:] += 1", "x[n:n + 2] = 3"):
        check(program_of(statement, "x"), backend, VALUES, options)
    for result in (READS["quotients"], READS["returned"], "x + 7 % n", "x * (7 // n), 7 // n", "x / (1 / n)"):
        check(program_of("pass", result), backend, VALUES, options)


def test_row_beyond_the_end(backend):
    """It raises, and nothing is written, wherever the kernel would write."""
    for statement in ("x[n] = 1", "y = x * 2; y[n] = x[0]; x = y", "x[n] += 1", "x.select(1, n).zero_()"):
        check(program_of(statement, "x"), backend, (2, 3, 7, 100_000, -7, -8, -100_000, 5))


def test_a_number_that_is_zero_keeps_zeros(backend):
    """Of two zeros clamp keeps its operand's, with a number that is an argument as with a literal."""

    def program(x, n):
        return x.clamp(min=n), x.clamp(max=n), x.clamp(n, 5), x.clamp_min(n), x.clamp_max(n)

    compiled = torch.compile(program, backend=backend, dynamic=True)
    for n in (3, 0, -2):
        x = torch.tensor([-2.0, 0.0, -0.0, float("nan")]).repeat(5)
        for got, want in zip(compiled(x, n), program(x, n), strict=True):
            torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)
            assert torch.equal(torch.signbit(got), torch.signbit(want))


def test_a_slice_whose_end_is_cut_off_takes_no_longer_source(backend):
    """slice_scatter from n to n + 3 of six rows: from the fourth row on, the slice is shorter than the source."""

    def program(x, source, n):
        return torch.slice_scatter(x, source, 0, n, n + 3)

    compiled = torch.compile(program, backend=backend, dynamic=True)
    for n in (1, 2, 4, 3, 7, 0, -3, -4, -5):
        x, source = torch.zeros(6, 2), torch.ones(3, 2)
        try:
            wanted = program(x, source, n)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                compiled(x, source, n)
        else:
            assert torch.equal(compiled(x, source, n), wanted)
        assert not x.any()


def test_a_slice_that_changes_sign(backend):
    """slice_scatter from n to n + 1 of seven rows: from -1 to 0 it is empty."""
    program = program_of("pass", "torch.slice_scatter(x, x[:1] * 2, 0, n, n + 1)")
    check(program, backend, (-3, -1, -2, 0, 3, 6, 7))
    check(program, backend, (2, -1, -3))


def test_a_power_of_integers_that_nobody_reads(backend):
    """A negative exponent raises, though zeros of its result's shape are all that is returned."""

    def program(n, x):
        return torch.zeros_like(x.int() ** n), x.int() ** (n + 1)

    check(program, backend, (2, -2, 0, -1, 3))
    check(program, backend, (-3, 2, 0))


SHAPES_ONLY = {
    "index": "x[torch.full((1,), n)]",
    "select": "x.select(0, n)",
    "index_select": "x.index_select(0, torch.full((1,), n))",
    "gather": "x.gather(0, torch.full((1, 7), n))",
    "take": "x.take(torch.full((2,), n * 7))",
    "index_put": "x.index_put((torch.full((1,), n),), x[:1])",
    "index_add": "x.index_add(0, torch.full((1,), n), x[:1])",
    "index_copy": "x.index_copy(0, torch.full((1,), n), x[:1])",
    "index_fill": "x.index_fill(0, torch.full((1,), n), 1)",
    "scatter": "x.scatter(0, torch.full((1, 7), n), 1)",
    "scatter_add": "x.scatter_add(0, torch.full((1, 7), n), x)",
    "division": "x.int() // torch.full((7,), n - 3, dtype=torch.int32)",
    "remainder": "x.int() % torch.full((7,), n - 3, dtype=torch.int32)",
    "select_scatter": "torch.select_scatter(x, x[0], 0, n)",
    "slice_scatter": "torch.slice_scatter(x, x[:1], 0, n, n + 1)",
    "diagonal_scatter": "torch.diagonal_scatter(x, x[0, :5], n)",
    "as_strided_scatter": "torch.as_strided_scatter(x, x[0], (7,), (1,), n + 40)",
    "embedding": "torch.nn.functional.embedding(torch.full((1,), n), x)",
    "nll_loss": "torch.nn.functional.nll_loss(x, torch.full((7,), n), reduction='none')",
}


@pytest.mark.parametrize("name", SHAPES_ONLY)
def test_a_result_whose_shape_alone_is_used(backend, name):
    """It is computed, since that may raise: the sum of ones is known without it."""
    if HERE.type != "cpu":
        pytest.skip("an index out of range ends the use of the GPU")
    check(program_of(f"y = {SHAPES_ONLY[name]}", "y.new_full((3,), 1) + 1"), backend, (2, 3, 7, -1, 100, -100))


@pytest.mark.parametrize("statement", ["torch._foreach_zero_([x, y])", "torch._foreach_add_([x, y], -0.0)"])
def test_an_element_of_a_list_that_nobody_reads(backend, statement):
    """Operators on lists read all their elements: what computes these may raise."""
    check(program_of(f"y = x.int() ** n; {statement}", "x + 1"), backend, (2, 0, -1, 3))
    check(program_of(f"y = x.index_select(0, torch.full((1,), n)); {statement}", "x + 1"), backend, (2, 0, 7, 3, -1))
    check(program_of(f"y = x.softmax(n); {statement}", "x + 1"), backend, (1, 0, 7, -1))


def test_padding_that_removes_more_than_there_is(backend):
    """Seven columns and one before them without eight: eager removes first, and raises."""

    def program(n, x):
        return torch.nn.functional.pad(x, (1, n)) + 1

    check(program, backend, (2, -3, -7, -8, 0, -9))
    check(lambda n, x: torch.nn.functional.pad(x, (1, -8)), backend, (1, 2))


@pytest.mark.parametrize("rows", [0, 2])
def test_indices_into_nothing(backend, rows):
    """Eager's index_add checks no index of a tensor without elements; its index_select checks each, even if there is nothing to select."""
    x, at, lines = torch.zeros(rows, 0), torch.tensor([0, 7]), torch.ones(rows, 2)
    add = torch.compile(lambda n, x: x[:n].index_add(0, at, torch.ones(2, 7)), backend=backend, dynamic=True)
    assert add(0, torch.zeros(7, 7)).shape == (0, 7)
    assert add(-7, torch.zeros(7, 7)).shape == (0, 7)
    with pytest.raises(RuntimeError):
        add(3, torch.zeros(7, 7))
    assert torch.compile(lambda x: x.index_add(1, at, lines), backend=backend)(x).shape == (rows, 0)
    with pytest.raises((RuntimeError, IndexError)):
        torch.compile(lambda x: x.index_select(0, at), backend=backend)(x)
    with pytest.raises((RuntimeError, IndexError)):
        torch.compile(lambda x: x.index_select(1, at), backend=backend)(x)
