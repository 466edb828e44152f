"""What kernels need of symbolic sizes is asked of the inputs before a call; eager raises where it does not hold, and so do we."""

import pytest
import torch
from mlirind.dialects import aten
from mlirind.dialects.context import compile_context
from mlirind.dialects.requirements import add_requirements, at_least, decided, equal, requirements
from mlirind.dialects.size_bounds import lowest_size, size_interval
from mlirind.frontend.calling.size_guards import requirement_guards
from torch_mlir import ir

S0, S1 = aten.symbol("s0"), aten.symbol("s1")
GRAPH = """
func.func @graph(%n: index {aten.symbol = "s0"}, %x: tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s1">]>>)
    attributes {aten.symbols = {s0 = [2, 9223372036854775807, 5], s1 = [3, 9, 5]}} {
  return
}
"""


def put(x, i, v):
    x[i] = v
    return x.sum()


SIZES = ((3, 3), (4, 4), (7, 2), (5, 5))


@pytest.mark.parametrize("options", [{}, {"host": "python"}, {"stop_after": "aten"}])
def test_values_of_another_size(backend, backend_name, options):
    compiled = torch.compile(put, backend=backend, options=options if backend_name == "mlirind" else None)
    for n, m in SIZES:
        x, expected = torch.zeros(9, 4), torch.zeros(9, 4)
        if n == m:
            assert compiled(x, torch.arange(n), torch.ones(m, 4)) == put(expected, torch.arange(n), torch.ones(m, 4))
        else:
            with pytest.raises(RuntimeError, match="shape mismatch: value tensor of shape"):
                compiled(x, torch.arange(n), torch.ones(m, 4))
        assert torch.equal(x, expected)


def test_values_of_another_size_in_a_training_step(backend):
    def program(x, i, v):
        return x.index_put((i,), v).square().sum()

    compiled = torch.compile(program, backend=backend)
    for n, m in SIZES:
        x = torch.ones(9, 4, requires_grad=True)
        if n == m:
            compiled(x, torch.arange(n), torch.ones(m, 4)).backward()
            assert torch.equal(x.grad, torch.full((9, 4), 2.0).index_fill(0, torch.arange(n), 0))
        else:
            with pytest.raises(RuntimeError, match="shape mismatch"):
                compiled(x, torch.arange(n), torch.ones(m, 4))


class PutGradient(torch.autograd.Function):
    """Its backward puts values whose number is an input's size, not the gradient's."""

    @staticmethod
    def forward(ctx, x, i, v):
        ctx.save_for_backward(i, v)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        i, v = ctx.saved_tensors
        return gradient.index_put((i,), v), None, None


def test_values_of_another_size_in_a_backward(backend):
    compiled = torch.compile(PutGradient.apply, backend=backend, fullgraph=True)
    for n, m in SIZES:
        x = torch.zeros(9, 4, requires_grad=True)
        y = compiled(x, torch.arange(n), torch.full((m, 4), 7.0)).sum()
        if n == m:
            y.backward()
            assert torch.equal(x.grad, torch.ones(9, 4).index_put((torch.arange(n),), torch.full((m, 4), 7.0)))
        else:
            with pytest.raises(RuntimeError, match="shape mismatch"):
                y.backward()


def test_conditions_are_decided_or_asked():
    with compile_context():
        module = ir.Module.parse(GRAPH)
        function = module.body.operations[0]
        assert decided(equal(3, 3), function) and decided(at_least(S0, 2), function) and decided(S0 + S1 > 4, function)
        assert decided(equal(3, 4), function) is False and decided(equal(S0, S0 + 1), function) is False
        assert decided(equal(S0, 7), function) is False  # it was 5
        assert decided(equal(S0, S1), function) is None and decided(at_least(S0, 4), function) is None
        add_requirements(function, [equal(S0, S1), at_least(S0, 4)])
        add_requirements(function, [equal(S0, S1)])
        module = ir.Module.parse(str(module))
        function = module.body.operations[0]
        assert requirements(function) == [equal(S0, S1), at_least(S0, 4)] and decided(equal(S0, S1), function)
        assert requirement_guards(module) == ["(inputs[0] == inputs[1].size(0))", "(inputs[0] >= 4)"]


def test_intervals_of_sizes():
    ranges = {"s0": (2, 100), "s1": (-3, 7)}
    floor, mod = aten.parse_expr("floor(s0/8)"), aten.parse_expr("Mod(s0 - 5, 4)")
    assert size_interval(S0 * S1 - 1, ranges) == (-301, 699)
    assert size_interval(floor, ranges) == (0, 12) and size_interval(mod, ranges) == (0, 3)
    assert size_interval(aten.parse_expr("Max(s1, 0)"), ranges) == (0, 7) and size_interval(S1**2, ranges) == (0, 49)
    with compile_context():
        module = ir.Module.parse(GRAPH)
        function = module.body.operations[0]
        assert lowest_size(S1 * 2 - 1, function) == 5 and lowest_size(3, function) == 3 and lowest_size(-S0, function) < -(2**62)


def test_true_is_no_requirement():
    """sympy knows `Mod(s0, 3) >= 0` to be true, and what it knows is not asked of the inputs."""
    with compile_context():
        module = ir.Module.parse(GRAPH)
        function = module.body.operations[0]
        add_requirements(function, [aten.parse_expr("Mod(s0, 3)") >= 0, True])
        assert requirements(function) == []
        add_requirements(function, [at_least(S0, 3), aten.parse_expr("Mod(s0, 3)") >= 0])
        assert requirements(function) == [S0 >= 3] and len(requirement_guards(module)) == 1
