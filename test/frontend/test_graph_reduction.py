"""The reproducer of a wrong or failing pass holds the smallest part of the graph that shows it."""

import re
from pathlib import Path

import planted_faults
import pytest
import torch
from mlirind.tools.backends import find_backend
from mlirind.tools.mlirind_opt import main
from planted_faults import FAULTS

WEIGHTS = [torch.randn(8, 8, generator=torch.Generator().manual_seed(n)) for n in range(3)]


def around(program):
    """The program amid operators that are right."""

    def larger(*inputs):
        y = torch.ones(3, 8)
        for weight in WEIGHTS:
            y = torch.softmax(torch.sin(y) @ weight, -1)
        return torch.tanh(y), program(*inputs), y.cumsum(0)

    return larger


def reproducer(name, set_to, tmp_path):
    """The command that the error names, and the operations of the graph that it runs on."""
    fault = FAULTS[name]
    planted_faults.plant(fault, set_to)
    options = {"check": "passes", "dump_dir": str(tmp_path)}
    with pytest.raises(Exception, match=r"differs from|failed") as caught:
        torch.compile(around(fault.program), backend=find_backend("mlirind"), options=options)(*fault.arguments())
    command = re.search(r"repeat it with: mlirind-opt (.*)", str(caught.value))[1].split()
    return command, planted_faults.operations(Path(next(part for part in command if part.endswith(".mlir"))).read_text())


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("relu_is_a_noop", ["aten.relu", "aten.add_tensor"]),
        ("calls_with_other_attributes_are_equal", ["aten.cumsum", "aten.cumsum", "aten.add_tensor"]),
        ("a_write_is_dropped", ["aten.copy_"]),
        ("one_of_two_permutes_is_lost", ["aten.permute", "aten.permute", "aten.exp"]),
        ("the_last_element_is_not_summed", ["loop.kernel", "loop.kernel"]),
        ("the_code_of_a_difference_is_a_sum", ["loop.kernel"]),
        ("a_rule_raises", ["aten.tanh"]),
    ],
)
def test_the_smallest_part_that_a_pass_makes_wrong(name, operations, set_to, tmp_path):
    command, found = reproducer(name, set_to, tmp_path)
    assert found == operations
    assert main(command) == 1  # the fault is still there
