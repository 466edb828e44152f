"""What a user does wrong with patterns is told, by name: when one is registered, or when a graph is compiled."""

import pytest
import torch
from mlirind.errors import MlirindError
from mlirind.patterns import register_function_replacement, register_pdl, register_rewrite
from test_patterns import X, Y, divide, forgotten, operators, register

__all__ = ["forgotten"]  # the fixture, which runs around every test


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: register(lambda x, y, c: x @ y, name="p"), "does not use 'c'"),
        (lambda: register(lambda x: x, lambda x: x, [X], name="p"), "computes nothing"),
        (
            lambda: register(lambda x: x.view(-1, 6).view(-1, 3), lambda x: x, [X], name="p"),
            r"of the search function's aten.view.default, aten.view.default the compiler's passes make aten.view.default .*mistakes.py:",
        ),
        (lambda: register(lambda x: x.sin().t().t(), lambda x: x, [X], name="p"), "make aten.sin.default wherever its results are used"),
        (
            lambda: register(lambda x: x.flip(0)[:], lambda x: x, [X], name="p"),
            "aten.slice.Tensor the compiler's passes make aten.flip.default",
        ),
        (lambda: register(lambda x: x * 1, lambda x: x, [X], name="p"), "make nothing"),
        (lambda: register(lambda x: x.sin() * torch.ones(4), lambda x: x, [X], name="p"), "make aten.sin.default"),
        (lambda: register(lambda x: x.sin() ** 1, lambda x: x, [X], name="p"), "make aten.sin.default"),
        (lambda: register(lambda x: x.exp().clone(), lambda x: x, [X], name="p"), "make aten.exp.default"),
        (lambda: register(lambda x: torch.cat([x.sin()]), lambda x: x, [X], name="p"), "make aten.sin.default"),
        (lambda: register(lambda x: x.sin()[:], lambda x: x, [X], name="p"), "make aten.sin.default"),
        (
            lambda: register(lambda x, y: (x.sin(), y.cos()), lambda x, y: (x, y), [X, Y], name="p"),
            "parts that have no tensor in common .aten.sin.default and aten.cos.default",
        ),
        (lambda: register(lambda x: x * int(x.sum()), lambda x: x, [X], name="p"), "can't be traced"),
        (lambda: register(examples=[X, Y]), "2 example inputs for the 3 tensor parameters x, y, c"),
        (lambda: register(lambda x, s: x * 2, lambda x, s: x, [X], scalars={"s": 3.3}, name="p"), "takes 's' as it is"),
        (lambda: register(lambda x: x * 2, lambda x: x, [X], scalars={"s": 3.3}, name="p"), "no parameter"),
        (lambda: register(trace="both"), "want 'inference' or 'joint'"),
        (lambda: register(exclusive_args=["z"]), "exclusive_args names 'z'"),
        (
            lambda: register(exclusive_args=["c"], search=divide, replace=divide, examples=[X], scalars={"c": 3.7}),
            "exclusive_args names 'c'",
        ),
        (lambda: register(search=divide, replace=divide, examples=[X], scalars={"c": True}), "want an int or a float"),
        (lambda: register(search=divide, replace=divide, examples=[X], scalars={"c": 0.0}), "a finite number other than 0"),
        (lambda: register(lambda x, s0: x * s0, lambda x, s0: x, [X], scalars={"s0": 3.3}, name="p"), "taken for a size"),
        (lambda: register(lambda x, beta: x * beta, lambda x, beta: x, [X], scalars={"beta": 3.3}, name="p"), "sympy has something"),
        (
            lambda: register(lambda x, k: x.softmax(1).cumsum(k), lambda x, k: x, [X], scalars={"k": 1}, name="p"),
            "examples of k can't be told",
        ),
        (lambda: register(lambda x, k: x.sin() * (1 / k), lambda x, k: x, [X], scalars={"k": 3.3}, name="p"), "computes 1/k of k"),
        (lambda: register(lambda x, k: x * k + (k + 1), lambda x, k: x, [X], scalars={"k": 3.3}, name="p"), r"computes k \+ 1 of k"),
        (lambda: register(lambda x: x.sin(), torch.cos, [X], name="p"), "write it as a Python function"),
        (lambda: register(lambda x: x.sin(), lambda y: y.cos(), [X], name="p"), "the replacement takes y, the search function x"),
        (lambda: register(lambda x: x.sin(), lambda x: (x, x), [X], name="p"), "the replacement gives 2 results"),
        (lambda: register(lambda x: x.sin(), lambda x: x.double(), [X], name="p"), "result 0 of the replacement is float64"),
        (lambda: register(lambda x: x.sin() * torch.tensor(2.0), lambda x: x, [X], name="p"), "a tensor that is no input"),
        (lambda: register(lambda x: x.sin() * X, lambda x: x, [X], name="p"), "a tensor from outside"),
        (lambda: register(lambda x: x * x.sum().item(), lambda x: x, [X], name="p"), "takes a number out of a tensor"),
        (lambda: register(lambda x: x.nonzero().sum(0), lambda x: x, [X], name="p"), "calls aten.nonzero.default, whose result's size"),
        (lambda: register(lambda x: x.sine(), lambda x: x, [X], name="p"), "no attribute 'sine', at .*test_pattern_mistakes.py:"),
        (lambda: register(lambda x: {"a": x.sin()}, lambda x: x, [X], name="p"), "returns dict"),
        (lambda: register(lambda *x: x[0].sin(), lambda x: x, [X], name="p"), r"takes \*x: give each input a name"),
        (lambda: register(lambda x, p=2: x.pow(p), lambda x, p: x, [X], name="p"), "numbers go into scalars="),
        (lambda: register(lambda x: x.sin(), lambda x: x.cos(), X, name="p"), "one tensor: give a list"),
        (lambda: register(scalars=["c"]), "want a dict of names"),
        (lambda: register(extra_check="yes"), "can't be called"),
        (lambda: register(exclusive_args="c"), "want a list of names"),
        (lambda: register(passes=["a", "b"]), "want the name of one pass"),
        (lambda: register(lambda x, y: x + y, lambda x: x, [X], name="p"), r"\(search function: .*test_pattern_mistakes.py:"),
        (
            lambda: register(lambda x: x.exp().mul_(2), lambda x: x, [X.clone().requires_grad_()], name="p", trace="joint"),
            "can't be traced: .* modified by an inplace operation",
        ),
        (lambda: register(lambda x: x.add_(1).sin(), lambda x: x, [X], name="p"), "writes to an input"),
        (lambda: register(name="my pattern"), "letters, digits and underscores"),
        (lambda: register(examples=[X, Y, 2.0]), "the example of 'c' is no tensor"),
        (lambda: register(trace="joint"), "requires_grad=True"),
        (lambda: register(passes="cse-aten"), "applies no patterns"),
        (lambda: register_rewrite("aten.sinx.default", str), "no operator 'aten.sinx.default'"),
        (lambda: register_rewrite("aten.sin", str), "no operator 'aten.sin': it is named as in 'aten.add.Tensor'"),
        (lambda: register_rewrite("aten.sin.default", 3), "3 can't be called"),
        (lambda: register_rewrite("aten.add_.Tensor", str), "writes to an argument"),
        (lambda: register_pdl("module {}"), "no pdl.pattern"),
        (lambda: register_pdl("pdl.pattern"), "no PDL patterns"),
    ],
)
def test_what_can_not_work_is_told_when_it_is_registered(make, message):
    with pytest.raises(MlirindError, match=message):
        make()


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (lambda x, y: torch._dynamo.graph_break() or x + y, "pattern 'p': the search function can't be captured as one graph"),
        (lambda x, y: x.sin(), "does nothing with y"),
        (lambda x, y: 3, "no graph of torch functions"),
    ],
)
def test_patterns_on_torch_functions(search, message):
    with pytest.raises(MlirindError, match=message):
        register_function_replacement(search, lambda x, y: x + y, [X, X], name="p")


def test_a_check_of_a_size_that_is_not_known():
    register(lambda x: x.sin(), lambda x: x.cos(), [X], name="p", extra_check=lambda m: m.info("x").sizes[0] > 2)
    with pytest.raises(Exception, match=r"extra_check raised .* check isinstance\(size, int\) first"):
        operators(lambda x: x.sin() + 1, X, dynamic=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: register(lambda x: x.sin(), lambda x: x.cos(), [X], name="p", extra_check=lambda m: m.what),
            "pattern 'p': its extra_check",
        ),
        (lambda: register_rewrite("aten.sin.default", lambda op: op.what), "rewrite of aten.sin.default raised"),
        (lambda: register_rewrite("aten.sin.default", lambda op: 3), "gives 3: return a value"),
        (lambda: register_rewrite("aten.sin.default", lambda op: next(iter(op.results[0].uses)).owner.results[0]), "after the call"),
    ],
)
def test_what_a_user_does_wrong_while_compiling_is_told(make, message):
    make()
    with pytest.raises(Exception, match=message):
        operators(lambda x: x.sin() + 1, X)
