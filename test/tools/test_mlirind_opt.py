"""mlirind-opt: input, output, errors and exit codes."""

import io
import re
import subprocess
import sys

import pytest
from mlirind.dialects.context import compile_context
from mlirind.passes import registry
from mlirind.tools import mlirind_opt, upstream_passes
from mlirind.tools.upstream_passes import UPSTREAM_PASSES

GOOD = "func.func @f(%x: i32) -> i32 {\n  %0 = arith.addi %x, %x : i32\n  %1 = arith.addi %x, %x : i32\n  return %1 : i32\n}\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "in.mlir"
    path.write_text(GOOD)
    return path


def test_stdin_and_output_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(GOOD))
    out = tmp_path / "out.mlir"
    assert mlirind_opt.main(["-", "--pipeline=upstream{cse}", "-o", str(out)]) == 0
    assert out.read_text().count("arith.addi") == 1 and capsys.readouterr().out == ""
    assert mlirind_opt.main([str(out)]) == 0
    assert capsys.readouterr().out == out.read_text()


def test_malformed_text_gives_the_place(tmp_path, capsys):
    path = tmp_path / "bad.mlir"
    path.write_text(GOOD.replace("addi %x, %x : i32\n  %1", "addi %x, %y : i32\n  %1"))
    assert mlirind_opt.main([str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{path}:2:23: error: use of undeclared SSA value name") and printed.out == ""


def test_wrong_command_lines(file, capsys):
    for arguments, message in [
        ([str(file), "--verfy-ir"], "unknown pass 'verfy-ir': did you mean verify-ir"),
        ([str(file), "--no-such-thing-at-all"], "`mlirind-opt --list-passes` shows all"),
        ([str(file), "--canonicalise"], "unknown pass 'canonicalise': did you mean canonicalize or canonicalize-aten"),
        ([str(file), "--pipeline=cse-aten,ces"], "unknown pass 'ces': did you mean cse"),
        ([str(file), "--canonicalize=max-loops=3"], "no such option max-loops"),
        ([str(file), "--cse-aten=3"], "pass 'cse-aten' takes no options"),
        ([str(file), "other.mlir"], "unexpected argument 'other.mlir'"),
        (["missing.mlir"], "No such file"),
        ([str(file), "--target=foo"], "--target=foo: the architecture of an NVIDIA GPU is wanted"),
        ([str(file), "--load-pass-plugin=nothing.py"], "--load-pass-plugin=nothing.py: no such file"),
        ([str(file), "--load-pass-plugin=no_such_module"], "ModuleNotFoundError"),
        ([str(file), "--pipeline=upstream{nothing}"], "'nothing' does not refer to a registered pass"),
    ]:
        assert mlirind_opt.main(arguments) == 1
        assert message in capsys.readouterr().err


def test_list_passes(capsys):
    assert mlirind_opt.main(["--list-passes"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if "--verify-ir" in line]
    assert line.split(maxsplit=1)[1].startswith("checks every rule of the `aten`, `loop` and `host` dialects")


def test_passes_of_mlir_are_flags_in_any_order_with_ours(file, capsys):
    file.write_text(GOOD + "func.func private @unused() {\n  return\n}\n")
    assert mlirind_opt.main([str(file), "--cse"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("arith.addi") == 1 and "@unused" in printed
    assert mlirind_opt.main(["--symbol-dce", "--verify-ir", "--canonicalize=max-iterations=3 top-down=false", str(file), "--cse"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("arith.addi") == 1 and "@unused" not in printed
    assert mlirind_opt.main([str(file), "--pipeline=symbol-dce,verify-ir,canonicalize{max-iterations=3}"]) == 0
    assert "@unused" not in capsys.readouterr().out


def test_passes_of_mlir_run_on_the_operations_that_they_are_for(file, capsys):
    file.write_text("func.func @f(%x: memref<4xf32>) {\n  scf.execute_region {\n    scf.yield\n  }\n  return\n}\n")
    assert mlirind_opt.main([str(file), "--llvm-request-c-wrappers", "--convert-scf-to-cf", "--print-ir-after-all"]) == 0
    printed = capsys.readouterr()
    assert "llvm.emit_c_interface" in printed.out and "IR After upstream{func.func(llvm-request-c-wrappers)}" in printed.err


def test_the_names_for_hints_are_passes_of_mlir():
    with compile_context():
        assert [name for name in UPSTREAM_PASSES if not upstream_passes._is_upstream(name)] == []
    assert len(UPSTREAM_PASSES) > 300 and not set(UPSTREAM_PASSES) & set(registry.passes())


def test_parts_keep_the_line_numbers(file, capsys):
    file.write_text(GOOD + "// -----\n" + GOOD)
    assert mlirind_opt.main([str(file), "--split-input-file"]) == 0
    assert capsys.readouterr().out.count("// -----") == 1
    file.write_text(GOOD + "// -----\nfunc.func @g() { wrong }\n")
    assert mlirind_opt.main([str(file), "--split-input-file"]) == 1
    assert f"{file}:7:" in capsys.readouterr().err


def test_verify_diagnostics(file, capsys):
    arguments = [str(file), "--verify-diagnostics", "--verify-ir"]
    broken = (
        '// expected-error@+1 {{updates holds one integer a result}}\n"loop.kernel"() ({}) {domain = affine_map<() -> ()>, symbols = [], '
    )
    zeros = "array<i32: " + ", ".join(["0"] * 16) + ">"
    broken += f"updates = [-1], operandSegmentSizes = {zeros}, resultSegmentSizes = {zeros}}} : () -> ()\n"
    file.write_text(broken)
    assert mlirind_opt.main(arguments) == 0
    assert capsys.readouterr().out == ""
    file.write_text(broken.replace("one integer", "two integers"))
    assert mlirind_opt.main(arguments) == 1
    printed = capsys.readouterr().err
    assert f"{file}:2: unexpected error: 'loop.kernel' op updates holds one integer a result" in printed
    assert f"{file}:2: expected error did not come: updates holds two integers a result" in printed


def test_printing_and_timing(file, capsys):
    assert mlirind_opt.main([str(file), "--pipeline=upstream{cse}", "--print-ir-after-change", "--timing", "--verify-each"]) == 0
    printed = capsys.readouterr().err
    assert "IR After upstream{cse}" in printed and "total" in printed


def test_the_command_imports_no_torch(file):
    code = f"import sys\nfrom mlirind.tools.mlirind_opt import main\nmain(['{file}', '--verify-ir'])\nassert 'torch' not in sys.modules"
    for _ in range(2):  # the first may have to make the table of operators
        done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "arith.addi" in done.stdout


def test_a_reader_may_leave(file):
    """`| head` gives no traceback."""
    file.write_text("\n".join(GOOD.replace("@f", f"@f{i}") for i in range(2000)))
    command = [sys.executable, "-P", "-m", "mlirind.tools.mlirind_opt", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "module {\n"
        running.stdout.close()
        assert running.stderr.read() == ""


UNSTAGED = """func.func @f(%x: tensor<4xf32>) -> tensor<2xf32> STAGE {
  %0 = "aten.slice_tensor"(%x) {dim = 0 : i64, start = 2 : i64, end = 9 : i64, step = 1 : i64}
      : (tensor<4xf32>) -> tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>
  %1 = "aten.relu"(%0) : (tensor<2xf32, #aten.layout<"cpu", [1], 2 : i64, unit>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("verifier", ["verify-metadata", "verify-functional", "verify-aliasing", "verify-inplace"])
def test_a_graph_that_claims_nothing_is_not_passed_by(file, capsys, verifier):
    file.write_text(UNSTAGED.replace("STAGE", ""))
    assert mlirind_opt.main([str(file), f"--{verifier}"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{file}:1:1: error: 'func.func' op @f has no aten.stage, so {verifier} would pass it by: add `attributes {{")
    file.write_text(UNSTAGED.replace("STAGE", 'attributes {aten.stage = "functional", aten.io_aliases = []}'))
    assert mlirind_opt.main([str(file), f"--{verifier}"]) == 0


STAGED = UNSTAGED.replace("STAGE", 'attributes {aten.stage = "functional"}')


def test_a_verifier_of_another_stage_warns(file, capsys):
    """Where a pass before it changes the stage it says nothing."""
    file.write_text(STAGED)
    assert mlirind_opt.main([str(file), "--verify-memory"]) == 0
    warning = "'func.func' op @f has aten.stage = \"functional\": verify-memory passes it by"
    assert capsys.readouterr().err == f"{file}:1:1: warning: {warning}\n"
    file.write_text(STAGED.replace("@f", "@graph"))
    to_host = ["--convert-aten-to-loop", "--convert-to-host", "--verify-memory", "--verify-bounds"]
    assert mlirind_opt.main([str(file), *to_host]) == 0
    assert capsys.readouterr().err == ""
    file.write_text(UNSTAGED.replace("STAGE", "").replace("@f", "@graph"))
    assert mlirind_opt.main([str(file), *to_host]) == 0
    assert f"{file}:1:1: warning: 'func.func' op @graph has no aten.stage" in capsys.readouterr().err


def test_verify_aliasing_wants_something_to_compare_with(file, capsys):
    file.write_text(UNSTAGED.replace("STAGE", 'attributes {aten.stage = "functional"}'))
    assert mlirind_opt.main([str(file), "--verify-aliasing"]) == 1
    assert "@f has no aten.io_aliases for verify-aliasing" in capsys.readouterr().err


def test_lowering_a_graph_that_claims_nothing_warns(file, capsys):
    file.write_text(UNSTAGED.replace("STAGE", ""))
    assert mlirind_opt.main([str(file), "--convert-aten-to-loop"]) == 0
    assert f"{file}:1:1: warning: 'func.func' op @f has no aten.stage, so no verifier looks at" in capsys.readouterr().err
    file.write_text(UNSTAGED.replace("STAGE", 'attributes {aten.stage = "functional"}'))
    assert mlirind_opt.main([str(file), "--convert-aten-to-loop"]) == 0
    assert capsys.readouterr().err == ""


SYMBOLIC = """!x = tensor<?xf32, #aten.layout<"cpu", [1], 0 : i64, [#aten.expr<"s0">]>>
func.func @f(%x: !x) -> !x attributes {aten.stage = "functional"SYMBOLS} {
  %0 = "aten.relu"(%x) : (!x) -> !x
  return %0 : !x
}
"""


def test_a_graph_with_symbolic_sizes_says_what_they_may_be(file, capsys):
    file.write_text(SYMBOLIC.replace("SYMBOLS", ""))
    assert mlirind_opt.main([str(file), "--verify-metadata"]) == 1
    assert "@f has symbolic sizes and no aten.symbols: add `aten.symbols = {s0 = [2," in capsys.readouterr().err
    file.write_text(SYMBOLIC.replace("SYMBOLS", ", aten.symbols = {s0 = [2, 9223372036854775807, 8]}"))
    assert mlirind_opt.main([str(file), "--verify-metadata"]) == 0


def test_all_missing_attributes_are_named_in_order(file, capsys):
    file.write_text(UNSTAGED.replace("STAGE", "").replace("{dim = 0 : i64, start = 2 : i64, end = 9 : i64, step", "{step"))
    for _ in range(3):  # the parser's own message names one of them, by chance
        assert mlirind_opt.main([str(file)]) == 1
        assert "'aten.slice_tensor' op lacks dim, start, end: each argument of aten.slice.Tensor is written" in capsys.readouterr().err
    file.write_text(UNSTAGED.replace("STAGE", "").replace("start =", "strat ="))
    assert mlirind_opt.main([str(file)]) == 1
    said = capsys.readouterr().err
    assert "op lacks start" in said and "it has strat, which is no argument of aten.slice.Tensor: did you mean start" in said


SEVERAL = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "aten._softmax"(%x) {dim = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "aten.slice_tensor"(%0) {step = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "aten.add"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "aten.u_softmax"(%2) {dim = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
"""


def test_all_operators_of_a_text_that_lack_something_are_reported_at_once(file, capsys):
    file.write_text(SEVERAL)
    assert mlirind_opt.main([str(file)]) == 1
    assert [line.partition("error: ")[2] for line in capsys.readouterr().err.splitlines()] == [
        "there is no operator 'aten._softmax': it is written aten.u_softmax",
        "'aten.slice_tensor' op lacks dim, start, end: each argument of aten.slice.Tensor is written, defaults and #aten.none too",
        "there is no operator 'aten.add': did you mean aten.add_tensor or aten.add_scalar?",
        "'aten.u_softmax' op lacks half_to_float: each argument of aten._softmax.default is written, defaults and #aten.none too",
    ]


KERNEL = """"loop.func"() ({
^bb0(%x: memref<?xf32>, %o: memref<?xf32>, %i: index):
  %v = "loop.load"(%x, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<?xf32>, index) -> f32
  %e = math.exp %v : f32
  "loop.store"(%o, %e, %i) {map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (memref<?xf32>, f32, index) -> ()
  "loop.yield"() : () -> ()
}) {sym_name = "exp_7", domain = affine_map<() -> (5000)>, symbols = [], outputs = 1} : () -> ()
"""


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_kernels_for_gpus_are_printed_as_triton_takes_them_and_as_ptx(tmp_path, capsys, target):
    """No GPU is needed."""
    path = tmp_path / "kernel.mlir"
    path.write_text(KERNEL)
    assert mlirind_opt.main([str(path), "--lower-loop-to-tt", "--emit=ttir"]) == 0
    text = capsys.readouterr().out
    assert 'sym_name = "exp"' in text and "tt.divisibility" in text and "affine_map" not in text
    pytest.importorskip("triton")
    assert mlirind_opt.main([str(path), "--lower-loop-to-tt", "--emit=ptx", f"--target={target}"]) == 0
    text = capsys.readouterr().out
    assert f".target {target}" in text and "ex2.approx" in text
    assert mlirind_opt.main([str(path), "--emit=ptx"]) == 1
    assert "there are none" in capsys.readouterr().err


PLUGIN = """'''`marker-of-a-plugin`: names its file's
one, which may be long too.'''
import mlirind

def rename(module):
    \"\"\"Renames a function, in
    two lines.

    Further text.\"\"\"
    if module.body.operations[0].name.value == "never":
        raise ValueError("never again")
    module.body.operations[0].attributes["sym_name"] = type(module.body.operations[0].name).get("renamed", module.context)

mlirind.register_pass("rename-of-a-plugin", rename)
mlirind.register_pass("marker-of-a-plugin", lambda module: None)
"""


def test_plugin(file, tmp_path):
    plugin, failing = tmp_path / "my_passes.py", tmp_path / "failing.mlir"
    plugin.write_text(PLUGIN)
    failing.write_text(GOOD.replace("@f", "@never"))
    command = [sys.executable, "-m", "mlirind.tools.mlirind_opt", f"--load-pass-plugin={plugin}"]
    listed = subprocess.run([*command, "--list-passes"], capture_output=True, text=True)
    assert re.search("--rename-of-a-plugin +Renames a function, in two lines\\.\n", listed.stdout)
    assert re.search("--marker-of-a-plugin +names its file's one, which may be long too\\.\n", listed.stdout)
    done = subprocess.run([*command, str(file), "--rename-of-a-plugin"], capture_output=True, text=True)
    assert "func.func @renamed" in done.stdout, done.stderr
    failed = subprocess.run([*command, str(failing), "--rename-of-a-plugin"], capture_output=True, text=True)
    [again] = [line.split("mlirind-opt ")[1].split() for line in failed.stderr.splitlines() if "repeat it with" in line]
    repeated = subprocess.run([*command[:3], *again], capture_output=True, text=True)
    assert "never again" in repeated.stderr and repeated.returncode == 1


def test_errors_of_the_input_say_what_is_wanted(tmp_path, capsys):
    path = tmp_path / "in.mlir"
    path.write_text(
        'func.func @main(%x: tensor<2xf32>) -> tensor<f32> {\n  %0 = "aten.sum.dim_IntList"(%x) : (tensor<2xf32>) -> tensor<f32>\n}\n'
    )
    assert mlirind_opt.main([str(path)]) == 1
    assert "it is written aten.sum_dim_intlist" in capsys.readouterr().err
    path.write_text(GOOD)
    assert mlirind_opt.main([str(path), "--convert-to-host"]) == 1
    printed = capsys.readouterr().err
    assert "as the function @graph; the functions here: @f" in printed and "Traceback" not in printed
    path.write_bytes(b"\xff\xfe\x00")
    assert mlirind_opt.main([str(path)]) == 1
    assert f"{path}: this is no text" in capsys.readouterr().err
