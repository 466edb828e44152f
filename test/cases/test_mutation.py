"""Programs that write to their inputs, or return what shares memory with them."""

import pytest
import torch
from programs import HERE, Programs, check, counting

programs = Programs()


def overlapping() -> tuple[torch.Tensor, torch.Tensor]:
    base = counting(8)
    return base[:6], base[2:]


def disjoint() -> tuple[torch.Tensor, torch.Tensor]:
    base = counting(8)
    return base[:4], base[4:]


def twice_the_same() -> tuple[torch.Tensor, torch.Tensor]:
    x = counting(4)
    return x, x


@programs(lambda: (counting(4),))
def add_to_an_input(x):
    x.add_(1)


@programs(lambda: (counting(4),))
def add_to_an_input_and_return_it(x):
    return x.add_(1)


@programs(lambda: (counting(4),))
def return_an_input_untouched(x):
    return x, x * 2


@programs(lambda: (counting(3, 4),))
def return_views_of_an_input(x):
    return x[1:], x.t(), x.view(-1), x.reshape(2, 6), x[:, 1], x.detach()


@programs(lambda: (counting(3, 4),))
def return_views_of_a_written_input(x):
    row = x[1]
    x.mul_(2)
    return row, x.t()


@programs(lambda: (counting(3, 4),))
def views_of_one_result(x):
    y = x + 1
    return y, y[0], y.t(), y


@programs(lambda: (counting(3),))
def one_result_twice(x):
    y = x + 1
    return y, y


@programs(lambda: (counting(3),))
def equal_results_are_not_shared(x):
    return x + 1, x + 1, x.clone(), x.clone()


@programs(lambda: (counting(3),))
def equal_constants_are_not_shared(x):
    return torch.zeros(3), torch.zeros(3), x.new_ones(3).add_(1), torch.tensor([1.0, 2.0], device=HERE)


@programs(lambda: (counting(4),))
def no_ops_that_copy(x):
    return x.clone(), x + 0, x * 1, x.repeat(1), torch.cat([x]), torch.nn.functional.pad(x, (0, 0))


@programs(lambda: (counting(4),))
def no_ops_that_alias(x):
    return x.contiguous(), x.to(torch.float32), x.expand(4), x[:], x.view(4), x.float()


@programs(lambda: (counting(4),))
def write_to_a_no_op_of_an_input(x):
    x.contiguous().add_(1)
    x.to(torch.float32).mul_(3)
    return x * 2


@programs(lambda: (counting(4),))
def copy_then_write(x):
    before = x.clone()
    x.add_(1)
    between = x.clone()
    x.mul_(2)
    return before, between


@programs(lambda: (counting(3, 4),))
def write_through_a_slice(x):
    x[1:, ::2] = 7
    x[0].mul_(3)


@programs(lambda: (counting(4, 3),))
def write_through_a_transpose(x):
    x.t()[1].fill_(-1)
    return x.t() + 1


@programs(lambda: (counting(12),))
def write_through_as_strided(x):
    x.as_strided((3, 2), (4, 1), 1).add_(100)
    return x.clone()


@programs(lambda: (counting(6, 2),))
def write_through_unbind_and_split(x):
    first, second = x.unbind(1)
    first.add_(second)
    x.split([1, 2, 3])[2].zero_()
    return first


@programs(lambda: (counting(5, 5),))
def write_through_a_diagonal(x):
    x.diagonal().fill_(9)
    x.tril_()


@programs(lambda: (counting(2, 3),))
def write_to_a_view_of_a_result(x):
    y = x * 2
    y[0] = 5
    y.view(-1)[4:].add_(1)
    return y


@programs(lambda: (counting(4, 4).t(),))
def write_to_a_transposed_input(x):
    x[0] += 10
    return x * 2


@programs(twice_the_same)
def one_tensor_as_two_inputs(x, y):
    x.add_(1)
    return y * 2


@programs(overlapping)
def overlapping_inputs(x, y):
    x.mul_(2)
    return y + 1


@programs(disjoint)
def disjoint_inputs_of_one_buffer(x, y):
    x.copy_(y)
    y.add_(1)
    return x - y


@programs(lambda: (counting(4), -counting(4)))
def swap_two_inputs(a, b):
    t = a.clone()
    a.copy_(b)
    b.copy_(t)


@programs(lambda: (counting(3), counting(3) + 10, counting(3) + 20))
def rotate_three_inputs(a, b, c):
    t = a.clone()
    a.copy_(b)
    b.copy_(c)
    c.copy_(t)
    return a + b + c


@programs(lambda: (counting(8),))
def swap_halves(x):
    a, b = x[:4], x[4:]
    t = a.clone()
    a.copy_(b)
    b.copy_(t)


@programs(lambda: (counting(5, 5),))
def copy_own_transpose(x):
    x.copy_(x.t() * 1.0)


@programs(lambda: (counting(9),))
def copy_own_roll(x):
    x.copy_(torch.roll(x, 1, 0))
    return x


@programs(lambda: (torch.zeros(4, dtype=torch.int32), torch.tensor([1.7, 2.2, -3.9, 0.0])))
def copy_with_a_cast(target, source):
    target.copy_(source)
    return target * 1.5


@programs(lambda: (torch.zeros(3, 4), counting(4)))
def copy_with_broadcast(target, source):
    target.copy_(source)


@programs(lambda: (counting(8), torch.tensor([7, 6, 5, 4, 3, 2, 1, 0])))
def index_put_of_itself(x, index):
    x[index] = x.clone()
    return x


@programs(lambda: (counting(5, dtype=torch.int64), counting(5) > 2))
def a_call_that_has_no_form_that_writes(x, mask):
    """No kernel computes it: `value` is rounded to the dtype of `x`."""
    x.copy_(torch.ops.aten._unsafe_index_put(x, [mask], torch.tensor(9.0, device=HERE)))
    return x + 1


@programs(lambda: (torch.zeros(4), torch.tensor([1, 1, 1, 2])))
def index_put_accumulates(x, index):
    x.index_put_((index,), torch.ones(4), accumulate=True)


@programs(lambda: (torch.zeros(3, 4), torch.tensor([[0, 1], [3, 3], [2, 0]]), counting(3, 2) + 1))
def scatter_add_to_an_input(x, index, source):
    x.scatter_add_(1, index, source)


@programs(lambda: (counting(6), torch.tensor([True, False, True, False, False, True])))
def masked_writes(x, mask):
    x.masked_fill_(mask, -1)
    x[~mask] = 4
    return x[mask]


@programs(lambda: (counting(4), counting(4) + 1, torch.empty(4)))
def out_argument(a, b, result):
    torch.add(a, b, out=result)
    return torch.mul(result, 2, out=result)


@programs(lambda: ([counting(4), counting(2, 3)], [counting(4) + 1, counting(2, 3) * 2]))
def foreach_update(parameters, grads):
    torch._foreach_mul_(parameters, 0.5)
    torch._foreach_add_(parameters, grads, alpha=-0.1)


@programs(lambda: (counting(4, 4),))
def own_views_as_operands(x):
    return x.addcmul_(x.t().clone(), x.flip(0))


@programs(lambda: (counting(4),))
def zero_size_writes(x):
    x[2:2] = torch.zeros(0)
    x[4:] = 1
    return x[:0]


@programs(lambda: (counting(4),))
def view_of_another_dtype(x):
    bits = x.view(torch.int32)
    doubled = bits * 2
    bits.add_(1)
    return doubled, x.view(torch.uint8)


@programs(lambda: (counting(1, 3),))
def expanded_result(x):
    return x.expand(2, 3), (x + 1).expand(2, 3)


@programs(lambda: (counting(4), counting(4)))
def write_after_the_read_of_another_kernel(x, y):
    total = x.sum()
    x.add_(total)
    y.sub_(x)
    return total, y.softmax(0)


@programs(lambda: (counting(4, 4), counting(4, 4) * 3))
def copied_with_a_row_of_another(x, y):
    x.copy_(y)
    x[1] = y[0] + 1
    return y * 2


@programs(lambda: (counting(4, 4), counting(4)))
def row_read_after_another_was_written(x, y):
    row = x[3].clone()
    x[0] = y
    return row.clone(), x[2] * 2


@programs(lambda: (counting(4, 4),))
def scatter_outside_of_a_view(x):
    row = x[3]
    row.copy_(torch.as_strided_scatter(row, row + 1, (4,), (1,), 0))


@programs(lambda: (counting(6, 40), counting(6, 40) * 3))
def regions_of_what_they_read(x, y):
    """Each of these is one kernel in place, or reads elements that another writes."""
    x[2:4].add_(y[:2])
    x[::2, 1::3].mul_(y[::2, :13])
    x.diagonal().sub_(y[:, 0])
    y[3] = y[3] * 2 + y[2]
    y[1:4] = y[:3] * 2 + y[1:4]
    x[2:5] = x[2:5].flip(0) + x[2:5]
    x[:6, :6] = x[:6, :6].t() + x[:6, :6]
    before = x[:, 3:7].sin()
    x[:, 3:7].masked_fill_(y[:, :4] > 9, 3.0)
    return before, x.sum()


@pytest.mark.parametrize("program", programs.all, ids=lambda p: p.name)
def test_program(program, backend):
    check(backend, program.fn, program.make_inputs)


def test_optimizer_step(backend):
    """Writes to parameters under no_grad, with state: as an optimizer does."""

    def make_inputs():
        return torch.nn.Parameter(counting(3, 4)), torch.ones(3, 4), torch.zeros(3, 4), torch.tensor(1.0)

    def adam(parameter, grad, moment, steps):
        steps.add_(1)
        moment.lerp_(grad, 0.1)
        parameter.addcdiv_(moment, moment.square().sqrt() + 1e-8 * steps, value=-0.1)

    check(backend, adam, make_inputs)


def test_batch_norm_statistics(backend):
    """The running statistics and the counter of a batch norm in training."""
    torch.manual_seed(0)
    modules = [torch.nn.BatchNorm2d(3) for _ in range(2)]
    compiled = torch.compile(modules[1], backend=backend)
    for _ in range(3):
        x = torch.randn(4, 3, 5, 5)
        torch.testing.assert_close(compiled(x), modules[0](x))
    for want, got in zip(modules[0].buffers(), modules[1].buffers(), strict=True):
        torch.testing.assert_close(got, want)
    assert modules[1].num_batches_tracked == 3


def test_written_input_that_needs_gradients(backend):
    """The gradient of what an input was before an operator wrote to it."""

    def fn(x, w):
        y = x * w
        y.mul_(x)
        return y.relu_()

    check(backend, fn, lambda: (counting(4).requires_grad_(), (counting(4) - 2).requires_grad_()), grad=True)


def test_scatter_into_expanded_tensor(backend):
    """The tracer says that the scatter's result is expanded as its operand is; PyTorch's kernel makes it dense, and others read that."""

    def fn(x):
        y = x.expand(2, 2, 3, 4)
        z = torch.as_strided_scatter(y, y.clone(), (2, 2, 3, 4), (24, 12, 4, 1), 0)
        return y.scatter_add(1, torch.zeros_like(y, dtype=torch.int64), z), z + 1

    x = torch.arange(24.0).reshape(2, 3, 4)
    for expected, found in zip(fn(x), torch.compile(fn, backend=backend)(x), strict=True):
        assert torch.equal(expected, found) and expected.stride() == found.stride()
