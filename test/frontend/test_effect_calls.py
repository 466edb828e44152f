"""Calls with tokens in FX and in the dialect."""

import pytest
import torch
from graphs import capture
from mlirind.bridge.ordered_forms import form_named, ordered_form, originals
from mlirind.dialects import aten_ops, aten_registry
from mlirind.dialects.aten_schema import EFFECTFUL, ordered_name
from mlirind.dialects.context import compile_context
from mlirind.errors import UnsupportedGraph
from mlirind.frontend.calls.effect_calls import expand_effect_calls
from mlirind.frontend.importing.exporter import export_graph
from mlirind.frontend.importing.importer import import_graph
from mlirind.passes.driver import run_passes


def test_round_trip():
    """Forward and backward: the forms stay themselves, and what they are connected by."""
    (graph,) = capture(lambda x: (torch.linalg.inv(x) * 2, torch.linalg.cholesky(x)), torch.eye(3))
    with compile_context():
        expand_effect_calls(graph)
        imported = import_graph(graph)
        run_passes(imported.module, ["verify-ir", "verify-order", "verify-metadata", "dce-aten", "cse-aten"])
        text = str(imported.module)
        exported = export_graph(imported)
    assert 'aten.io_order = ["with_effects", "with_effects_1"]' in text
    forms = [n for n in exported.graph.nodes if str(n.target).startswith("mlirindordered.")]
    assert [originals[str(n.target)] for n in forms] == [torch.ops.aten._linalg_check_errors.default] * 2
    assert forms[1].args[0] is forms[0] and exported.graph.output_node().args[0][0] is forms[1]


def test_the_table_has_the_forms_of_pytorchs_own_operators():
    for name in EFFECTFUL:
        form = form_named(ordered_name(name))
        assert str(originals[str(form)]) == name
        table, made = aten_registry.schema_by_name(aten_ops.op_name(str(form))), aten_registry.add_schema(form)
        assert table == made and table.ordered and table.takes_token
        assert [a.name for a in table.arguments] == [a.name for a in form._schema.arguments]


def test_operators_of_one_name_have_forms_of_their_own():
    with torch.library._scoped_library("mlirind_twice", "FRAGMENT") as outer, torch.library._scoped_library("mlirind", "FRAGMENT") as inner:
        outer.define("print(Tensor x) -> ()")
        inner.define("twice_print(Tensor x) -> ()")
        forms = ordered_form(torch.ops.mlirind_twice.print.default), ordered_form(torch.ops.mlirind.twice_print.default)
        assert forms[0] is not forms[1]
        assert [originals[str(f)] for f in forms] == [torch.ops.mlirind_twice.print.default, torch.ops.mlirind.twice_print.default]


def test_what_writes_or_is_no_operator_is_refused():
    with torch.library._scoped_library("mlirind_writes", "FRAGMENT") as library:
        library.define("to(Tensor(a!) x) -> ()")
        with pytest.raises(UnsupportedGraph, match="writes or views an argument"):
            ordered_form(torch.ops.mlirind_writes.to.default)
    (graph,) = capture(lambda x: torch._higher_order_ops.print("{}", x) or x * 2, torch.ones(3))
    with pytest.raises(UnsupportedGraph, match="with_effects of print"):
        expand_effect_calls(graph)
