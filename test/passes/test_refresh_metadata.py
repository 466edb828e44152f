"""refresh-metadata infers what changed and no more."""

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


def test_a_call_whose_type_is_right_stops_it():
    """One marked call in the middle of a chain: its type does not change, so its users are not looked at."""
    with compile_context():
        module = ir.Module.parse(chain("f32"))
        (function,) = functions_with_body(module)
        mark_stale(operators(function)[LENGTH // 2])
        assert refresh(function) == 1


def test_a_change_goes_through_all_users():
    """The first call of a chain is stale: all after it change, what does not depend on it does not."""
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
    """The importer takes no graph with such a size, so no symbol of one has to be bound anew: one that is written by hand is refused."""
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


def test_a_meta_function_that_takes_a_size_for_its_number_is_refused(monkeypatch):
    """What it gives holds for the traced call's sizes alone."""
    monkeypatch.setattr(operators_of_torch, "operator_of", lambda schema: lambda x: x.new_empty(int(x.shape[0])))
    type_ = 'tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>'
    symbols = "attributes {aten.symbols = {s0 = [2, 100, 7]}}"
    with compile_context():
        call = f'%0 = "aten.relu"(%x) : ({type_}) -> {type_}'
        module = ir.Module.parse(f"func.func @graph(%x: {type_}) -> {type_} {symbols} {{ {call} return %0 : {type_} }}")
        (function,) = functions_with_body(module)
        with pytest.raises(MetaFailed, match="symbolic sizes for numbers"):
            TypeInference(function).types(operators(function)[0])
