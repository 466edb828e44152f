"""Fake tensors say of results what PyTorch's kernels do."""

import pytest
import torch
from mlirind.torch_internals.fake_tensors import FakeTensorMode, true_offsets
from programs import counting

COPIES = {
    "copy": lambda x: torch.ops.aten.copy(x, x + 1),
    "select_scatter": lambda x: torch.select_scatter(x, x[1], 0, 0),
    "slice_scatter": lambda x: torch.slice_scatter(x, x[1:2], 0, 0, 1),
    "diagonal_scatter": lambda x: torch.diagonal_scatter(x, x.diagonal() * 2),
    "as_strided_scatter": lambda x: torch.as_strided_scatter(x, x[0].clone(), (4,), (1,), 10),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_copies_of_storages(copy):
    """The result of a scatter into a tensor that begins inside its storage begins there too, every time."""
    x = counting(5, 8)[1:4, 2:6]
    mode = FakeTensorMode()
    fake = mode.from_tensor(x)
    with true_offsets([1, [fake]]), mode:
        offsets = [copy(fake).storage_offset() for _ in range(3)]
    assert offsets == [copy(x).storage_offset()] * 3 == [10] * 3


def test_the_mode_is_as_before():
    fake = FakeTensorMode().from_tensor(counting(3))
    before = dict(vars(fake.fake_mode))
    with true_offsets([fake]), true_offsets([fake]):
        assert dict(vars(fake.fake_mode)) != before
    assert dict(vars(fake.fake_mode)) == before


def test_no_fake_tensors():
    with true_offsets([counting(3), 1]):
        assert counting(3).storage_offset() == 0
