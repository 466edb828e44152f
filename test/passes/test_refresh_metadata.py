"""refresh-metadata infers the types of stale calls and of calls that read changed types, and of no others."""

import pytest
from mlirind.bridge import operators as operators_of_torch
from mlirind.dialects.context import compile_context
from mlirind.passes.analysis.alias_analysis import functions_with_body
from mlirind.passes.analysis.infer_metadata import MetaFailed, TypeInference
from mlirind.passes.refresh_metadata import mark_stale, refresh
from torch_mlir import ir

LENGTH = 20


def chain(dtype):
    """x -> relu -> relu -> ..., and one neg of x; the operand is of `dtype`, all results of f32."""
    lines = [f'  %{n} = "aten.relu"(%{n - 1}) : (tensor<4xf32>) -> tensor<4xf32>' for n in range(1, LENGTH)]
    body = [f'  %0 = "aten.relu"(%x) : (tensor<4x{dtype}>) -> tensor<4xf32>', *lines]
    body.append(f'  %other = "aten.neg"(%x) : (tensor<4x{dtype}>) -> tensor<4xf32>')
    return "\n".join(
        [f"func.func @graph(%x: tensor<4x{dtype}>) -> tensor<4xf32> {{", *body, f"  return %{LENGTH - 1} : tensor<4xf32>", "}"]
    )


def operators(function):
    return [op.operation for op in function.regions[0].blocks[0].operations][:-1]


def test_nothing_is_inferred_where_nothing_is_stale():
    with compile_context():
        module = ir.Module.parse(chain("f64"))
        (function,) = functions_with_body(module)
        assert refresh(function) == 0


def test_users_of_an_unchanged_type_are_not_inferred():
    """One call in the middle of a chain is stale. Its inferred type equals the old one, so inference stops there."""
    with compile_context():
        module = ir.Module.parse(chain("f32"))
        (function,) = functions_with_body(module)
        mark_stale(operators(function)[LENGTH // 2])
        assert refresh(function) == 1


def test_a_change_goes_through_all_users():
    """The first call of a chain is stale: the types of all calls of the chain change, and that of the independent call does not."""
    with compile_context():
        module = ir.Module.parse(chain("f64"))
        (function,) = functions_with_body(module)
        mark_stale(operators(function)[0])
        assert refresh(function) == LENGTH
        types = [str(op.results[0].type.element_type) for op in operators(function)]
        assert types == ["f64"] * LENGTH + ["f32"]
        assert module.operation.verify()
        assert refresh(function) == 0


def test_no_type_has_a_size_that_depends_on_data():
    """A hand-written graph with a size that depends on data is refused. The importer makes no such graph."""
    type_ = 'tensor<?x1xi64, #aten.layout<"cpu", [1, #aten.expr<"s0">], 0 : i64, [#aten.expr<"s0">, 1]>>'
    with compile_context():
        module = ir.Module.parse(f"""
            func.func @graph(%x: tensor<4xf32>) -> {type_} attributes {{aten.symbols = {{s0 = [0, 4, 2]}}}} {{
              %0 = "aten.nonzero"(%x) {{aten.stale}} : (tensor<4xf32>) -> {type_}
              return %0 : {type_}
            }}""")
        (function,) = functions_with_body(module)
        with pytest.raises(MetaFailed, match="depends on data"):
            refresh(function)


def test_a_meta_function_that_replaces_a_symbolic_size_by_a_number_is_refused(monkeypatch):
    """Its result is right for the sizes of the traced call alone."""
    monkeypatch.setattr(operators_of_torch, "operator_of", lambda schema: lambda x: x.new_empty(int(x.shape[0])))
    type_ = 'tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>'
    symbols = "attributes {aten.symbols = {s0 = [2, 100, 7]}}"
    with compile_context():
        call = f'%0 = "aten.relu"(%x) : ({type_}) -> {type_}'
        module = ir.Module.parse(f"func.func @graph(%x: {type_}) -> {type_} {symbols} {{ {call} return %0 : {type_} }}")
        (function,) = functions_with_body(module)
        with pytest.raises(MetaFailed, match="symbolic sizes for numbers"):
            TypeInference(function).types(operators(function)[0])
