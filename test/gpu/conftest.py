"""What all tests on a GPU have in common: one is there, and Dynamo knows nothing of earlier tests."""

from pathlib import Path

import pytest
import torch


def pytest_collection_modifyitems(items):
    """Without a GPU the tests of this folder are skipped."""
    if not torch.cuda.is_available():
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="needs an NVIDIA GPU"))


@pytest.fixture(autouse=True)
def fresh():
    """Nothing is compiled yet."""
    torch._dynamo.reset()
