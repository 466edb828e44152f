"""What raises in eager raises when compiled, with the same type, and the process lives on."""

import pytest
import torch
from programs import check, counting


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64, torch.uint8])
@pytest.mark.parametrize("operator", ["floor_divide", "remainder", "fmod"])
def test_integer_division_by_zero(backend, operator, dtype):
    fn = getattr(torch, operator)
    check(backend, lambda x, y: fn(x, y) + 1, lambda: (torch.tensor([7, 8, 9], dtype=dtype), torch.tensor([1, 0, 2], dtype=dtype)))


def test_division_of_the_least_integer_by_minus_one(backend):
    """Traps in hardware if nothing is done; eager's vectorized kernels wrap around."""
    least = torch.full((32,), torch.iinfo(torch.int32).min, dtype=torch.int32)
    check(backend, lambda x, y: torch.fmod(x, y), lambda: (least.clone(), torch.full((32,), -1, dtype=torch.int32)))


def test_float_division_by_zero_does_not_raise(backend):
    fn = lambda x, y: (x / y, x // y, x % y, torch.fmod(x, y))  # noqa: E731
    check(backend, fn, lambda: (torch.tensor([1.0, -1.0, 0.0]), torch.zeros(3)))


@pytest.mark.parametrize("bad", [5, -6, 2**40])
@pytest.mark.parametrize(
    "fn",
    [
        lambda x, i: x[i] + 1,
        lambda x, i: torch.index_select(x, 0, i) * 2,
        lambda x, i: torch.gather(x, 0, i[:, None]) + 1,
        lambda x, i: torch.nn.functional.embedding(i, x) + 1,
        lambda x, i: x.index_put((i,), torch.tensor(1.0)) + 1,
        lambda x, i: torch.zeros(5, 3).scatter(0, i[:, None], 4.0) + 1,
        lambda x, i: torch.zeros(5, 3).index_add(0, i, x[:2]),
    ],
    ids=["index", "index_select", "gather", "embedding", "index_put", "scatter", "index_add"],
)
def test_index_out_of_range(backend, fn, bad):
    check(backend, fn, lambda: (counting(5, 3), torch.tensor([0, bad])))


def test_negative_indices_count_from_the_end(backend):
    check(backend, lambda x, i: (x[i], x[:, i[:1]]), lambda: (counting(5, 5), torch.tensor([-1, -5, 2])))


def test_index_out_of_range_does_not_write(backend):
    """The input is untouched, and the next call with good indices works."""
    compiled = torch.compile(lambda x, i: x.index_add(0, i, torch.ones(2, 3)), backend=backend)
    x = counting(5, 3)
    with pytest.raises((IndexError, RuntimeError)):
        compiled(x, torch.tensor([0, 9]))
    assert torch.equal(x, counting(5, 3))
    assert torch.equal(compiled(x, torch.tensor([0, 4])), x.index_add(0, torch.tensor([0, 4]), torch.ones(2, 3)))


def test_cross_entropy_target_out_of_range(backend):
    fn = torch.nn.functional.cross_entropy
    check(backend, lambda x, t: fn(x, t), lambda: (torch.randn(3, 4), torch.tensor([0, 7, 1])))


def test_shapes_that_do_not_fit(backend):
    with pytest.raises(RuntimeError):
        torch.compile(lambda x, y: x + y, backend=backend)(torch.ones(3), torch.ones(4))


@pytest.mark.parametrize("name", ["max", "min", "aminmax"])
def test_extremes_of_nothing(backend, name):
    check(backend, lambda x: getattr(x, name)(), lambda: (torch.zeros(0, 4),))
    check(backend, lambda x: getattr(torch, "amax" if name == "max" else "amin")(x, 1), lambda: (torch.zeros(0, 4),))


@pytest.mark.parametrize("fn", [torch.max, torch.min], ids=["max", "min"])
def test_extremes_along_an_empty_dimension(backend, fn):
    check(backend, lambda x: fn(x, 0), lambda: (torch.zeros(0, 4),))
    check(backend, lambda x: fn(x, 1), lambda: (torch.zeros(0, 4),))


@pytest.mark.parametrize("name", ["abs", "argmax", "ceil", "relu", "round", "trunc"])
def test_not_of_booleans(backend, name):
    check(backend, lambda x: getattr(x, name)(), lambda: (torch.tensor([True, False]),))


@pytest.mark.parametrize("name", ["fmod", "remainder", "sub"])
def test_two_not_of_booleans(backend, name):
    check(backend, getattr(torch, name), lambda: (torch.tensor([True, False]), torch.tensor([True, True])))


class Refused(Exception):
    """What the custom operator below raises."""


@torch.library.custom_op("mlirind_test::careful_sqrt", mutates_args=())
def careful_sqrt(x: torch.Tensor) -> torch.Tensor:
    """The square root; raises for negative numbers."""
    if (x < 0).any():
        raise Refused(f"{int((x < 0).sum())} negative numbers")
    return x.sqrt()


@careful_sqrt.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("mlirind_test::add_in_place", mutates_args=("x",))
def add_in_place(x: torch.Tensor, amount: float) -> None:
    """Adds to every element of x."""
    x.add_(amount)


def test_custom_operator(backend):
    check(backend, lambda x: careful_sqrt(x * 2) + 1, lambda: (counting(4),))
    check(backend, lambda x: careful_sqrt(x - 2) + 1, lambda: (counting(4),))


def test_custom_operator_keeps_the_exception(backend):
    compiled = torch.compile(lambda x: careful_sqrt(x - 2) + 1, backend=backend)
    with pytest.raises(Refused, match="2 negative numbers"):
        compiled(counting(4))
    assert torch.equal(compiled(counting(4) + 2), counting(4).sqrt() + 1)


def test_custom_operator_that_writes(backend):
    def fn(x):
        y = x * 2
        add_in_place(y, 3.0)
        add_in_place(x, 1.0)
        return y + x

    check(backend, fn, lambda: (counting(4),))


def test_assertion_in_the_graph(backend):
    def fn(x):
        torch._assert_async((x > 0).all(), "not all positive")
        return x + 1

    check(backend, fn, lambda: (counting(4) + 1,))
    check(backend, fn, lambda: (counting(4),))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x.half().masked_fill(x > 0, -1e9),
        lambda x: x.bfloat16().masked_fill(x > 0, -3.4e38),
        lambda x: torch.full((2,), 1e6, dtype=torch.float16) + 1,
        lambda x: torch.where(x > 0, x, 1e300),
        lambda x: torch.add(x, x, alpha=1e300),
        lambda x: torch.nn.functional.pad(x.to(torch.uint8), (1, 1), value=-1),
        lambda x: x.to(torch.int8).clamp(max=300),
        lambda x: torch.full((2,), 300, dtype=torch.int8),
        lambda x: torch.full((2,), float("nan"), dtype=torch.int32),
        lambda x: (x.half() + 1e6, x * 1e300, x < 1e300, x.to(torch.int8) + 300, x.to(torch.uint8) - 1, x.bool().masked_fill(x > 0, 2)),
        lambda x: (x.masked_fill(x > 0, torch.finfo(torch.float32).min), x.half().masked_fill(x > 0, -65504), x + float("inf")),
    ],
)
def test_numbers_beyond_the_range_of_the_dtype(backend, fn):
    """Most operators raise; some make an infinity of it, or wrap around."""
    check(backend, fn, lambda: (torch.tensor([1.0, -2.0, 3.0]),))


def test_nested_sizes_are_no_plain_symbols(backend):
    """Goes uncompiled."""
    values = [counting(2, 3), counting(4, 3)]
    nested = torch.nested.nested_tensor(values, layout=torch.jagged)
    compiled = torch.compile(lambda n: (n * 2).values(), backend=backend)
    assert torch.equal(compiled(nested), torch.cat(values) * 2)


TEXTS = {
    "index": lambda x, i: x[i] + 1,
    "two dimensions": lambda x, i: x.sin()[:, i] * 2,
    "index_select": lambda x, i: torch.index_select(x, 0, i) * 2,
    "gather": lambda x, i: torch.gather(x, 0, i[:, None]) + 1,
    "embedding": lambda x, i: torch.nn.functional.embedding(i, x) + 1,
    "scatter": lambda x, i: torch.zeros(5, 3).scatter(0, i[:, None], 4.0) + 1,
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("training", [False, True])
def test_the_text_of_an_index_out_of_range(backend, name, training):
    """Eager's, also behind other calls of the same function."""
    compiled = torch.compile(TEXTS[name], backend=backend)
    x, fine, bad = counting(5, 3).requires_grad_(training), torch.tensor([0, 2]), torch.tensor([0, 7])
    with pytest.raises((IndexError, RuntimeError)) as wanted:
        TEXTS[name](x, bad)
    for _ in range(2):
        assert torch.equal(compiled(x, fine), TEXTS[name](x, fine))
        with pytest.raises(type(wanted.value)) as raised:
            compiled(x, bad)
        assert str(raised.value) == str(wanted.value)


def test_what_must_not_run_twice_says_less(backend):
    """A graph that writes, or draws random numbers, is not done again to learn the text."""

    def program(x, i):
        y = torch.rand(3) + x[i]
        x.add_(1)
        return y

    x = counting(5, 3)
    torch.manual_seed(0)
    with pytest.raises(IndexError):
        torch.compile(program, backend=backend)(x, torch.tensor([9, 0, 1]))
    drawn = torch.rand(1)
    torch.manual_seed(0)
    torch.rand(3)
    assert torch.equal(drawn, torch.rand(1)) and torch.equal(x, counting(5, 3))
