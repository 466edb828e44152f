"""Everything that is registered is tested, and every test runs."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from mlirind import lowering, passes  # noqa: F401  (registers the passes)
from mlirind.dialects import aten_registry
from mlirind.frontend.decompositions.table import decomposition_table
from mlirind.lowering.rules import RULES
from mlirind.lowering.rules.calls import call_reason
from mlirind.lowering.views import is_view_operator
from mlirind.passes.pipeline import CPU, GPU, GRAPH, HOST, JOINT, KERNELS, PIPELINE
from mlirind.passes.registry import passes as registered_passes

TESTS = Path(__file__).parent
# Without those that other tests register.
PASSES = {name: found for name, found in sorted(registered_passes().items()) if not name.startswith("test-")}


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_has_a_lit_test(name):
    """Pass `remove-noops` has a file remove_noops.mlir that runs it."""
    files = list(TESTS.rglob(f"{name.replace('-', '_')}.mlir"))
    assert files, f"no test/**/{name.replace('-', '_')}.mlir"
    runs = [line for file in files for line in file.read_text().splitlines() if "RUN:" in line]
    assert any(f"--{name}" in line or f"={name}" in line or f",{name}" in line for line in runs), f"{files} does not run --{name}"


def test_every_pass_says_what_it_does():
    """`--list-passes` has a line for each; it names the pass as the docstring does."""
    for found in PASSES.values():
        assert found.summary.startswith(f"`{found.name}`: "), f"{found.name}: its module's docstring starts with {found.summary!r}"


def test_the_pipeline_holds_the_passes():
    """The compiler's list names every pass that is no verifier, and nothing else; no stage names one twice."""
    assert all(len(set(stage)) == len(stage) for stage in (JOINT, GRAPH, [*KERNELS, *HOST, *CPU, *GPU]))
    assert sorted(set(PIPELINE)) == [name for name in PASSES if not name.startswith("verify-")]


def test_lit_discovers_every_run_line():
    """Each .mlir file under test/ has a RUN line, and lit finds it."""
    command = [sys.executable, "-c", "import lit.main; lit.main.main()", "--show-tests", str(TESTS)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    discovered = {TESTS.parent / line.split(" :: ")[1] for line in shown.splitlines() if " :: " in line}
    texts = {path: path.read_text(errors="ignore") for path in TESTS.rglob("*.mlir")}
    assert {path for path, text in texts.items() if "// RUN:" in text} == discovered == set(texts)


def _reachable(schema):
    """Whether AOTAutograd can hand the operator over: it writes nothing, and no decomposition takes its place. A decomposition of an
    operator that has a rule takes only some calls."""
    _, base, overload = schema.name.split(".", 2)
    operator = getattr(getattr(torch.ops.aten, base), overload)
    composite = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd")
    return schema.returns and not schema.mutates and not composite and (operator not in decomposition_table() or schema.name in RULES)


def test_every_operator_has_a_lowering_or_a_declared_call():
    """Each `aten` operator that can reach the lowering has a rule, is a view, or is declared a call of ATen with the reason."""
    schemas = [aten_registry.schema_by_name(name) for name in aten_registry.names()]
    reachable = [s.name for s in schemas if s is not None and s.name.startswith("aten.") and _reachable(s)]
    assert len(reachable) > 900
    assert [n for n in reachable if n not in RULES and not is_view_operator(n) and call_reason(n) == "no lowering"] == []
