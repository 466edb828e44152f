"""Transposed reads of every width, over whole tiles, parts of them and less than a vector."""

import pytest
import torch
from programs import check

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.int8, torch.bool]


def program(x, y, z):
    """A transposed operand beside a plain one, one alone, and channels moved to the end."""
    return torch.where(y > 0, x.t(), y), x.t().contiguous(), z.permute(0, 2, 3, 1).contiguous()


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transposed(backend, dtype, dynamic):
    for rows, columns in ((64, 128), (37, 100), (5, 3)):

        def make_inputs(rows=rows, columns=columns):
            values = torch.randn(2 * rows * columns + 6 * rows * columns).mul(50).to(dtype)
            x, y, z = values.split([rows * columns, rows * columns, 6 * rows * columns])
            return x.view(rows, columns), y.view(columns, rows), z.view(3, rows, 2, columns)

        check(backend, program, make_inputs, dynamic=dynamic)
