"""`python -m mlirind.bisect`: a planted fault; and, with a program that imports nothing, crashes and failures that no check sees."""

import planted_faults
import pytest
from mlirind.bisect import Bisection

PROGRAM = """
import os, sys
fails_from, signal, fails_checked = {fails_from}, {signal}, {fails_checked}
limit = int(os.environ.get("MLIRIND_REWRITE_LIMIT", 10 ** 9))
if "MLIRIND_CHECK" in os.environ and not fails_checked:
    sys.exit()
if limit == fails_from:
    print("rewrite limit: (%d) cse-aten: merge of aten.relu.default at model.py:3 (x.relu())" % limit, file=sys.stderr)
if limit >= fails_from:
    os.kill(os.getpid(), signal) if signal else sys.exit("wrong")
"""


def culprit(tmp_path, fails_from, signal=0, fails_checked=True):
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.format(fails_from=fails_from, signal=signal, fails_checked=fails_checked))
    return Bisection([str(script)], tmp_path).culprit()


@pytest.mark.parametrize("number", [1, 64, 65, 301])
def test_the_first_rewrite_with_which_a_program_crashes(tmp_path, number):
    lines = culprit(tmp_path, number, signal=11).splitlines()
    assert lines[0] == f"the program ends with signal 11 from rewrite {number} on"
    assert lines[1] == "  pass: `cse-aten`"
    assert lines[2] == f"  rewrite: ({number}) cse-aten: merge of aten.relu.default at model.py:3 (x.relu())"
    assert lines[3].startswith(f"  repeat it with: MLIRIND_REWRITE_LIMIT={number} python ")
    assert (tmp_path / "command.txt").read_text().startswith(f"MLIRIND_REWRITE_LIMIT={number} python")


def test_a_right_program_and_one_that_is_wrong_by_itself(tmp_path):
    assert culprit(tmp_path, 10**10) is None
    assert "fails without any rewrite" in culprit(tmp_path, 0)
    assert "exit code 1 from rewrite 3 on" in culprit(tmp_path, 3, fails_checked=False)


def test_a_planted_fault():
    fault = planted_faults.FAULTS["relu_is_a_noop"]
    _, text, graph = planted_faults.bisect(fault.name)
    assert planted_faults.names(fault, text), text
    assert "repeat it with: mlirind-opt" in text and graph == ["aten.relu", "aten.add_tensor"]
