"""Patterns of a user's own: what is found, what is not, and what is told when one is registered."""

import logging

import mlirind.patterns
import pytest
import torch
from graphs import capture
from mlirind.dialects import aten_ops
from mlirind.dialects.context import compile_context
from mlirind.errors import MlirindError
from mlirind.frontend.backend import mlirind as backend
from mlirind.frontend.counters import counters
from mlirind.frontend.importing.importer import import_graph
from mlirind.passes.driver import run_passes
from mlirind.passes.patterns.engine import pattern_set
from mlirind.passes.pipeline import GRAPH
from mlirind.patterns import register_pdl, register_replacement, register_rewrite, register_text
from mlirind.runtime.report import collect_reports

X, Y, C = torch.randn(3, 4), torch.randn(4, 5), torch.randn(3, 5)
EXAMPLES = [torch.randn(6, 7), torch.randn(7, 8), torch.randn(6, 8)]


@pytest.fixture(autouse=True)
def forgotten():
    """No test sees the patterns of another."""
    yield
    pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)


def operators(function, *args, dynamic=False, **tolerance):
    """The operators of the graph of `function(*args)` after the passes on `aten`; its values are eager's."""
    with torch.no_grad():
        torch._dynamo.reset()
        compiled = torch.compile(function, backend=backend, dynamic=dynamic, options={"fallback": False})
        given = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
        wanted = function(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args])
        torch.testing.assert_close(compiled(*given), wanted, equal_nan=True, **tolerance)
    (graph,) = capture(function, *args, dynamic=dynamic)
    with compile_context():
        module = import_graph(graph).module
        run_passes(module, GRAPH)
        ops = module.body.operations[0].regions[0].blocks[0].operations
        return [aten_ops.pytorch_name(op).removeprefix("aten.") for op in ops if aten_ops.is_operator(op)]


def mm_add(x, y, c):
    return x @ y + c


def addmm(x, y, c):
    return torch.addmm(c, x, y)


def register(search=mm_add, replace=addmm, examples=EXAMPLES, **kwargs):
    return register_replacement(search, replace, examples, **kwargs)


def test_both_orders_of_an_addition_match():
    register()
    assert operators(mm_add, X, Y, C) == ["addmm.default"]
    assert operators(lambda x, y, c: c + x @ y, X, Y, C) == ["addmm.default"]


def test_symbolic_sizes_match():
    register()
    assert operators(mm_add, X, Y, C, dynamic=True) == ["addmm.default"]


def test_every_literal_is_compared():
    register()
    assert "addmm.default" not in operators(lambda x, y, c: torch.add(x @ y, c, alpha=2), X, Y, C)


def test_literals_of_the_first_operator_are_compared():
    """PDL hands over what it found before it has compared the operator that is farthest from the last one."""
    register(lambda x, y, c: torch.relu(torch.addmm(c, x, y)), lambda x, y, c: torch.relu(c + x @ y), name="unfused")
    assert "mm.default" in operators(lambda x, y, c: torch.relu(torch.addmm(c, x, y)), X, Y, C)
    for numbers in ({"alpha": 2}, {"beta": 2}, {"alpha": 2, "beta": 2}):
        found = operators(lambda x, y, c, given=numbers: torch.relu(torch.addmm(c, x, y, **given)), X, Y, C)
        assert "addmm.default" in found


def test_an_interior_value_that_is_used_elsewhere_stays():
    register()
    assert "addmm.default" not in operators(lambda x, y, c: (lambda p: (p + c, p * 2))(x @ y), X, Y, C)
    assert "addmm.default" not in operators(lambda x, y, c: (lambda p: (p + c, p))(x @ y), X, Y, C)


def test_dtypes_that_are_equal_in_the_example_must_be_equal():
    register()
    assert operators(mm_add, X.bfloat16(), Y.bfloat16(), C.bfloat16(), rtol=0.1, atol=0.1) == ["addmm.default"]
    assert "addmm.default" not in operators(mm_add, X.bfloat16(), Y.bfloat16(), C)


def test_the_number_of_dims_counts():
    register()
    assert "addmm.default" not in operators(mm_add, X, Y, torch.randn(5))


def test_sizes_of_one_and_baked_shapes_count():
    register(examples=[torch.randn(1, 7), torch.randn(7, 8), torch.randn(1, 8)])
    assert "addmm.default" not in operators(mm_add, X, Y, C)
    register(examples=[X, Y, C], bake_shapes=True, name="baked")
    assert operators(mm_add, X, Y, C) == ["addmm.default"]
    assert "addmm.default" not in operators(mm_add, *EXAMPLES)


def test_an_input_that_would_be_returned_as_it_is_stays_computed():
    register(lambda x: x.abs().abs(), lambda x: x.abs(), [X], name="twice")
    register(lambda x: x.neg().neg(), lambda x: x, [X], name="negated")
    assert operators(lambda x: x.neg().neg() + 1, X) == ["add.Tensor"]
    assert operators(lambda x: x.neg().neg(), X) == ["neg.default", "neg.default"]
    assert operators(lambda x: x.abs().abs(), X) == ["abs.default"]


def test_an_input_that_is_written_meanwhile_stays_computed():
    register(lambda x: x.neg().neg(), lambda x: x, [X], name="negated")

    def swap(x, y):
        old = x.neg().neg()
        x.copy_(y)
        y.copy_(old)
        return x.sum()

    assert "neg.default" in operators(swap, X, X + 1)


def test_strides_stay_what_they_were():
    register(lambda x: x.sin().cos(), lambda x: x.t().contiguous().t().tanh(), [X], name="strides")
    with pytest.raises(AssertionError, match="not close"):
        operators(lambda x: x.sin().cos() + 1, X)
    torch._dynamo.reset()
    made = torch.compile(lambda x: x.sin().cos(), backend=backend, options={"fallback": False})(X)
    assert made.stride() == X.stride() and torch.allclose(made, X.tanh())


def test_numbers_that_are_open_and_what_is_computed_of_them():
    register(lambda x, c: torch.relu(x) / c, lambda x, c: torch.relu(x) * (1 / c), [X], scalars={"c": 3.7}, name="divide")
    assert operators(lambda x: torch.relu(x) / 8.0, X) == ["relu.default", "mul.Tensor"]
    assert operators(lambda x: torch.relu(x) / 4, X) == ["relu.default", "mul.Tensor"]
    assert operators(lambda x: torch.relu(x) / 0.0, X)[-1] == "div.Tensor"


def test_extra_check_sees_types_values_and_users():
    seen = []

    def check(match):
        seen.append((match.info("x").sizes, match.info("y").dtype, len(list(match.inputs["c"].uses))))
        return False

    register(extra_check=check)
    assert "addmm.default" not in operators(mm_add, X, Y, C)
    assert set(seen) == {((3, 4), "float32", 1)}


def test_exclusive_arguments_are_used_nowhere_else():
    register(exclusive_args=["c"])
    assert operators(mm_add, X, Y, C) == ["addmm.default"]
    assert "addmm.default" not in operators(lambda x, y, c: (x @ y + c, c * 2), X, Y, C)


def test_a_permuted_input_is_found_however_the_graph_permutes():
    register(lambda x, y: (x @ y.t()).relu(), lambda x, y: (x @ y.t()).sigmoid(), [X, C.t().contiguous().t()[:2, :4]], name="transposed")
    (graph,) = capture(lambda x, y: (x @ y.permute(1, 2, 0)[0]).relu(), X, torch.randn(5, 2, 4))
    with compile_context():
        module = import_graph(graph).module
        run_passes(module, GRAPH)
        assert '"aten.sigmoid"' in str(module)


def test_a_pattern_that_finds_itself_is_stopped_and_named(caplog):
    register(lambda x: x.relu().sin(), lambda x: x.relu().sin().relu().sin(), [X], name="for_ever")
    (graph,) = capture(lambda x: x.relu().sin(), X)
    with compile_context(), caplog.at_level(logging.WARNING):
        run_passes(import_graph(graph).module, GRAPH)
    assert "pattern for_ever is found in its own replacement" in caplog.text


def test_a_pattern_as_text():
    text = register().text
    pattern_set.remove_all("user-patterns")
    register_text(text)
    assert operators(mm_add, X, Y, C) == ["addmm.default"]
    with pytest.raises(MlirindError, match="'mm_add' is registered twice"):
        register_text(text)
    with pytest.raises(MlirindError, match="no pattern as register_replacement gives it"):
        register_text("module {}")
    pattern_set.remove_all("user-patterns")
    register_text(text.replace('"aten.addmm"', '"aten.addmmm"'))
    with pytest.raises(Exception, match="'mm_add': its text is not valid here"):
        operators(mm_add, X, Y, C)


def divide(x, c):
    return torch.relu(x) / c


def test_a_literal_that_is_the_example_of_an_open_number_stays_a_literal():
    register(lambda x, c: x.pow(2) * c, lambda x, c: x.pow(2) / c, [X], scalars={"c": 2.0}, name="p")
    assert "mul.Tensor" in operators(lambda x: x.pow(3) * 3.0, X)


@pytest.mark.parametrize("name", ["name", "op0", "type0_0", "literal0", "s0", "d1"])
def test_inputs_may_have_any_name(name):
    seen = []
    functions = (eval(f"lambda {name}: {text.format(name)}") for text in ("{}.sin().cos()", "{}.tanh()"))
    register(*functions, [X], name="p", extra_check=lambda match: seen.append(match.info(name).sizes), exclusive_args=[name])
    operators(lambda x: x.sin().cos(), X)
    assert seen


def other(op, name="relu", operand=None):
    """A call of another operator on the operand of `op`, or on `operand`."""
    x = op.operands[0] if operand is None else operand
    return aten_ops.create(f"aten.{name}.default", {"self": x}, [op.results[0].type]).results[0]


def test_a_rewrite_may_use_what_it_replaces():
    register_rewrite("aten.sin.default", lambda op: other(op, operand=op.results[0]))
    register_rewrite("aten.cos.default", lambda op: op.results[0])
    (graph,) = capture(lambda x: x.sin() + x.cos(), X)
    with compile_context():
        module = import_graph(graph).module
        run_passes(module, GRAPH)
        module.operation.verify()
        names = [aten_ops.pytorch_name(op) for op in module.body.operations[0].regions[0].blocks[0].operations if aten_ops.is_operator(op)]
    assert names == ["aten.sin.default", "aten.relu.default", "aten.cos.default", "aten.add.Tensor"]


def test_a_rewrite_of_one_result_leaves_the_others():
    register_rewrite("aten.max.dim", lambda op: other(op, "amax"))
    assert operators(lambda x: tuple(v + 1 for v in x.max(1)), X) == ["max.dim", "add.Tensor", "add.Tensor"]


def test_other_patterns_compile_anew():
    """A compiled function sees patterns that come, change and go; one that its passes have nothing to do with changes nothing."""
    compiled = torch.compile(lambda x: x.sin() * 2, backend=backend, options={"fallback": False})
    torch._dynamo.reset()

    def expect(function, compilations):
        before = counters.compiled
        with torch.no_grad():
            torch.testing.assert_close(compiled(X), function(X) * 2)
        assert counters.compiled - before == compilations

    expect(torch.sin, 1)
    register(lambda x: x.sin(), lambda x: x.cos(), [X], name="sine")
    expect(torch.cos, 1)
    register(lambda x: x.sin(), lambda x: x.tan(), [X], name="sine", passes="elsewhere")
    expect(torch.cos, 0)
    pattern_set.remove("user-patterns", "sine")
    register(lambda x: x.sin(), lambda x: x.tanh(), [X], name="sine")
    expect(torch.tanh, 1)
    pattern_set.remove_all("user-patterns")
    pattern_set.remove_all("elsewhere")
    expect(torch.sin, 0)


def test_names_are_unique():
    register()
    with pytest.raises(MlirindError, match="'mm_add' is registered twice"):
        register()


PDL = """
pdl.pattern @relu_twice : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %first = pdl.operation "aten.relu"(%x : !pdl.value) -> (%t : !pdl.type)
  %y = pdl.result 0 of %first
  %second = pdl.operation "aten.relu"(%y : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %second {
    pdl.replace %second with %first
  }
}
"""


NATIVE = 'pdl.apply_native_rewrite "f"(%x : !pdl.value)'
UNKNOWN = 'pdl.operation "aten.relux"(%x : !pdl.value) -> (%t : !pdl.type)'
INCOMPLETE = 'pdl.operation "aten.hardtanh"(%x : !pdl.value) -> (%t : !pdl.type)'


def test_pdl_text():
    register_pdl(PDL)
    assert operators(lambda x: x.relu().relu() + 1, X) == ["relu.default", "add.Tensor"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (PDL.replace("aten.relu", "aten.relux"), "there is no operator aten.relux"),
        (PDL.replace("pdl.replace %second with %first", NATIVE), "calls the native function"),
        (PDL.replace("pdl.replace %second with %first", UNKNOWN), "there is no operator aten.relux"),
        (PDL.replace("pdl.replace %second with %first", INCOMPLETE), "makes aten.hardtanh without max_val, min_val"),
        (PDL.replace("-> (%t", '{"dim" = %d} -> (%t').replace("%t = ", "%d = pdl.attribute = 1 : i64\n  %t = "), "no argument 'dim'"),
    ],
)
def test_pdl_that_can_never_be_found(wrong, message):
    with pytest.raises(MlirindError, match=message):
        register_pdl(wrong)


def test_a_python_function_on_an_operator():
    def softer(op):
        x = aten_ops.arguments(op)["self"]
        return aten_ops.create("aten.sigmoid.default", {"self": x}, [op.results[0].type], op.location).results[0]

    register_rewrite("aten.hardsigmoid.default", softer)
    with pytest.raises(AssertionError, match="not close"):
        operators(lambda x: torch.nn.functional.hardsigmoid(x), X)
    (graph,) = capture(lambda x: torch.nn.functional.hardsigmoid(x) + 1, X)
    with compile_context():
        module = import_graph(graph).module
        run_passes(module, GRAPH)
        (line,) = [line for line in str(module).splitlines() if '"aten.sigmoid"' in line]
        assert 'aten.node = "hardsigmoid"' in line and '"aten.hardsigmoid"' not in str(module)


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.silu(x)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return torch.ops.aten.silu_backward(gradient, x)


@pytest.mark.parametrize("function", [lambda x: (x * torch.sigmoid(x)).sin(), lambda x: x * torch.sigmoid(x) + x.cos()])
def test_with_gradients(function):
    """One pattern, forward and backward, of an input that is used elsewhere or not: what is saved between them is the replacement's."""
    example = torch.randn(6, 7, requires_grad=True)
    register(lambda x: x * torch.sigmoid(x), Swish.apply, [example], trace="joint", name="swish")
    x, y = (X.clone().requires_grad_() for _ in range(2))
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend, options={"fallback": False})
    with collect_reports(stages=True) as reports:
        compiled(x).sum().backward()
    stages = [g.stages["aten"] for g in reports]
    assert '"aten.silu"' in stages[0] and '"aten.silu_backward"' in stages[1] and '"aten.sigmoid' not in "".join(stages)
    function(y).sum().backward()
    torch.testing.assert_close(x.grad, y.grad)


def test_gradients_of_what_asks_for_sizes():
    """`addcmul`'s meta function is Python that broadcasts symbolic sizes."""
    examples = [torch.randn(6, 7, requires_grad=True), torch.randn(7, requires_grad=True)]
    register(lambda x, w: x * w + x.relu(), lambda x, w: torch.addcmul(x.relu(), x, w), examples, trace="joint", name="p")


def test_gradients_of_what_writes_to_a_tensor_of_its_own():
    def written(x):
        y = torch.zeros_like(x)
        y[0].add_(x[0].sin())
        return y + x.cos()

    example = torch.randn(6, 7, requires_grad=True)
    register(written, lambda x: written(x).neg().neg(), [example], trace="joint", name="p")
    x, y = (X.clone().requires_grad_() for _ in range(2))
    torch._dynamo.reset()
    with collect_reports(stages=True) as reports:
        torch.compile(lambda x: written(x) * 2, backend=backend, options={"fallback": False})(x).sum().backward()
    assert '"aten.neg"' in reports[0].stages["aten"]
    (written(y) * 2).sum().backward()
    torch.testing.assert_close(x.grad, y.grad)


def test_one_example_for_two_inputs():
    register(lambda x, y: torch.cat([x, y]).sin(), lambda x, y: torch.cat([x.sin(), y.sin()]), [X, X], name="p")
    assert operators(lambda x, y: torch.cat([x, y]).sin(), X, X + 1) == ["sin.default", "sin.default", "cat.default"]


@pytest.mark.parametrize("second", [lambda y: y, lambda y: y.view(-1).view(3, 4), lambda y: y.t().t()])
def test_two_results_in_one_memory_are_refused(second):
    def twice(x):
        y = x.exp()
        return y, second(y)

    register(lambda x: (x.sinh(), x.cosh()), twice, [X], name="p")
    assert "exp.default" not in operators(lambda x: (x.sinh(), x.cosh()), X)
    with pytest.raises(AssertionError, match="not close"):  # nobody can tell
        operators(lambda x: (x.sinh() + 1, x.cosh() + 1), X)


def test_random_numbers_in_a_pattern():
    """A pattern with dropout is found by its probability; its numbers are drawn anew."""
    drop = torch.nn.functional.dropout
    register(lambda x: drop(x.sin(), 0.25), lambda x: drop(x * 0, 0.25), [X], name="p")
    (graph,) = capture(lambda x: (drop(x.sin(), 0.25), drop(x.sin(), 0.5)), X)
    with compile_context():
        module = import_graph(graph).module
        run_passes(module, GRAPH)
        assert str(module).count('"aten.sin"') == 1
