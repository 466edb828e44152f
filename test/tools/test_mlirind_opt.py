"""mlirind-opt: input, output, errors and exit codes."""

import io
import subprocess
import sys

import pytest
from mlirind.tools import mlirind_opt

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
        ([str(file), "other.mlir"], "unexpected argument 'other.mlir'"),
        (["missing.mlir"], "No such file"),
        ([str(file), "--pipeline=upstream{nothing}"], "'nothing' does not refer to a registered pass"),
    ]:
        assert mlirind_opt.main(arguments) == 1
        assert message in capsys.readouterr().err


def test_list_passes(capsys):
    assert mlirind_opt.main(["--list-passes"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if "--verify-ir" in line]
    assert line.split(maxsplit=1)[1].startswith("checks every rule of the `aten`, `loop` and `host` dialects")


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


def test_a_file_that_is_no_text(file, capsys):
    file.write_bytes(b"\xff\xfe\x00")
    assert mlirind_opt.main([str(file)]) == 1
    assert "mlirind-opt: error: 'utf-8' codec can't decode" in capsys.readouterr().err
