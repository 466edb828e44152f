"""The pass driver: order, timing, printing, verification, and what a failure says."""

import gc
import re

import pytest
from mlirind.dialects.context import compile_context, new_context
from mlirind.errors import MlirindError, UnsupportedGraph
from mlirind.options import Options
from mlirind.passes import registry
from mlirind.passes.driver import PassFailed, parse_pipeline, run_passes
from mlirind.passes.pipeline import PATTERN_FORM
from mlirind.passes.working_on import works_on_operation
from mlirind.tools import mlirind_opt
from torch_mlir import ir

TEXT = """
func.func @graph(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32 loc("layer1"("test_driver_model.py":2:3))
  %1 = arith.addi %x, %x : i32
  return %1 : i32
}
"""


def _ops(module):
    return [op.operation for op in module.body.operations[0].regions[0].blocks[0].operations]


def rename(module):
    module.body.operations[0].operation.attributes["sym_name"] = ir.StringAttr.get("renamed")


def raise_at_first(module):
    erased = _ops(module)[1]
    _ops(module)[-1].operands[0] = module.body.operations[0].arguments[0]
    erased.erase()
    for op in _ops(module):
        raise IndexError(f"no rule for {op.name}")


def raise_without_a_note(module):
    for an_op in _ops(module):
        raise IndexError(f"no rule for {an_op.name}")


@works_on_operation
def _refuse(op):
    other = op.results[0].uses  # noqa: F841
    op = None  # noqa: F841  a variable of this name says nothing
    raise IndexError("refused")


def raise_at_second(module):
    op = _ops(module)[0]  # noqa: F841
    _refuse(_ops(module)[1])


def drop_write(module):
    _ops(module)[1].erase()


def break_signature(module):
    module.body.operations[0].operation.attributes["function_type"] = ir.TypeAttr.parse("() -> i64")


def unsupported(module):
    raise UnsupportedGraph("complex numbers")


@pytest.fixture
def passes(monkeypatch):
    """The test's own passes beside the real ones."""
    monkeypatch.setattr(registry, "_passes", dict(registry._passes))
    for run in (rename, raise_at_first, raise_without_a_note, raise_at_second, drop_write, break_signature, unsupported):
        registry.register_pass(run.__name__.replace("_", "-"), run)


@pytest.fixture
def module():
    with compile_context():
        yield ir.Module.parse(TEXT)


def test_a_pipeline_is_split_outside_brackets():
    assert parse_pipeline("a, b,upstream{func.func(cse,canonicalize{max-iterations=2})},c") == [
        "a", "b", "upstream{func.func(cse,canonicalize{max-iterations=2})}", "c",
    ]  # fmt: skip
    assert parse_pipeline("") == []
    assert parse_pipeline("a,pattern-form,b") == ["a", *PATTERN_FORM, "b"]
    with pytest.raises(MlirindError, match="unbalanced"):
        parse_pipeline("upstream{cse")


def test_steps_run_in_order_and_are_timed(passes, module):
    timings = run_passes(module, ["rename", "upstream{cse}"])
    assert [t.step for t in timings] == ["rename", "upstream{cse}"] and all(t.seconds > 0 for t in timings)
    assert "@renamed" in str(module) and str(module).count("arith.addi") == 1


def test_an_unknown_step_raises_before_any_runs(passes, module):
    with pytest.raises(MlirindError, match="unknown pass 'renam': did you mean rename"):
        run_passes(module, ["rename", "renam"])
    with pytest.raises(MlirindError, match="'csee' does not refer to a registered pass"):
        run_passes(module, ["rename", "upstream{csee}"])
    assert "@renamed" not in str(module)


def test_a_name_is_registered_once(passes):
    with pytest.raises(MlirindError, match="registered twice"):
        registry.register_pass("rename", rename)
    with pytest.raises(MlirindError, match="registered twice"):
        registry.register_pass("pattern-form", rename)


def test_printing(passes, module, capsys):
    run_passes(module, ["upstream{cse}"], Options(print_ir_before_all=True, print_ir_after_all=True, timing=True))
    printed = capsys.readouterr().err
    before, after = printed.split("IR After upstream{cse}")
    assert "IR Before upstream{cse}" in before and before.count("arith.addi") == 2 and after.count("arith.addi") == 1
    assert re.search(r"ms +100.0%  total", after)


def test_printing_on_change(passes, module, capsys):
    run_passes(module, ["upstream{cse}", "upstream{cse}", "rename"], Options(print_ir_after_change=True))
    assert re.findall(r"IR (\w+ \S+)", capsys.readouterr().err) == ["After upstream{cse}", "After rename"]


def test_a_failure_names_pass_op_and_source_and_repeats(passes, module, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_driver_model.py").write_text("def forward(self, x):\n    return x + x  # the user's line\n")
    before = module.operation.clone()
    with pytest.raises(PassFailed) as caught:
        run_passes(module, ["rename", "raise-at-first"], Options(dump_dir=str(tmp_path / "dump"), verify_each=False))
    message = str(caught.value)
    assert "pass `raise-at-first` failed: IndexError: no rule for arith.addi" in message
    assert "probably at %0 = arith.addi %arg0, %arg0 : i32" in message
    assert "from test_driver_model.py:2: return x + x  # the user's line" in message
    [command] = re.findall(r"repeat it with: mlirind-opt (.*)", message)
    plugin, pipeline, path = command.split(" ")
    assert plugin == f"--load-pass-plugin={__file__}" and pipeline == "--pipeline=raise-at-first"

    # The file holds the module as it was before the pass; the command fails in the same way.
    run_passes(ir.Module.parse(str(before)), ["rename"])
    saved = ir.Module.parseFile(path)
    assert str(saved) == str(before).replace("@graph", "@renamed")
    assert str(saved.body.operations[0].regions[0].blocks[0].operations[0].location) == 'loc("layer1"("test_driver_model.py":2:3))'
    assert mlirind_opt.main([pipeline, path]) == 1
    printed = capsys.readouterr().err
    assert "test_driver_model.py:2:3: error: pass `raise-at-first` failed: IndexError: no rule for arith.addi" in printed


def test_a_failure_is_at_the_operation_that_the_pass_works_on(passes, module):
    """The error names the operation that the pass noted. If it noted none, it names one from local variables, and says "probably"."""
    with pytest.raises(PassFailed, match="refused\n  at %1 = arith.addi"):
        run_passes(module, ["raise-at-second"], Options(reproducer=False))
    with pytest.raises(PassFailed, match="no rule for arith.addi\n  probably at %0 = arith.addi"):
        run_passes(module, ["raise-without-a-note"], Options(reproducer=False))


WRITES = """
func.func @graph(%x: tensor<4xf32>) attributes {aten.stage = "functional", aten.io_writes = [0]} {
  %0 = "aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("model.py":1:3)
  %1 = "aten.copy_"(%x, %0) {non_blocking = false} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("model.py":2:3)
  return
}
"""


def test_a_dropped_write_is_named_with_its_line(passes, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text("y = x.relu()\nx.copy_(y)\n")
    (tmp_path / "graph.mlir").write_text(WRITES)
    with compile_context():
        module = ir.Module.parse(WRITES)
        with pytest.raises(PassFailed, match="argument 0 is no longer written\n  lost: .*aten.copy_.*\n  from model.py:2: x.copy_\\(y\\)"):
            run_passes(module, ["rename", "drop-write"], Options(verify_each=True, reproducer=False))
    assert mlirind_opt.main(["graph.mlir", "--rename", "--drop-write", "--verify-each"]) == 1
    printed = capsys.readouterr().err
    assert "note: pass `drop-write` failed: 'func.func' op argument 0 is no longer written\n  lost: " in printed
    assert "error: 'func.func' op argument 0 is no longer written" in printed


def test_verification_between_passes(passes, module, tmp_path):
    with pytest.raises(PassFailed, match="pass `break-signature` failed: .*entry block must have 0 arguments") as caught:
        run_passes(module, ["break-signature"], Options(verify_each=True, dump_dir=str(tmp_path)))
    assert "--verify-each" in caught.value.command


def test_what_is_unsupported_passes_through(passes, module):
    with pytest.raises(UnsupportedGraph, match="complex numbers"):
        run_passes(module, ["unsupported"])


def test_contexts_are_freed():
    """After a pass nothing keeps an MLIR context alive, except the last context."""

    def alive():
        gc.collect()
        return sum(type(o) is ir.Context for o in gc.get_objects())

    before = alive()
    for _ in range(4):
        with new_context(), ir.Location.unknown():
            run_passes(ir.Module.create(), ["verify-ir"], Options())
    assert alive() <= before + 1


def test_what_has_not_changed_is_not_verified_again(passes, module, monkeypatch):
    """The verifiers run after the first step, and after each that changes the module."""
    runs = []
    monkeypatch.setattr("mlirind.passes.driver.VERIFIERS", ("count",))
    registry.register_pass("count", lambda module: runs.append(str(module)))
    registry.register_pass("nothing", lambda module: None)
    run_passes(module, ["nothing", "nothing", "rename", "nothing", "rename"], Options(verify_each=True))
    assert ["@renamed" in text for text in runs] == [False, True]
