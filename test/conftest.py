"""pytest: `--backend NAME` runs the end-to-end tests with another backend than mlirind, to see what a test is worth."""

import sys

import pytest
from mlirind.tools.backends import find_backend


def pytest_addoption(parser):
    parser.addoption("--backend", default="mlirind", help="the torch.compile backend of the end-to-end tests")


@pytest.fixture
def backend_name(request):
    """The name of the backend under test."""
    return request.config.getoption("--backend")


@pytest.fixture
def backend(backend_name):
    """What `torch.compile(backend=...)` takes, after a reset of Dynamo."""
    import torch

    torch._dynamo.reset()
    return find_backend(backend_name)


@pytest.fixture(autouse=True)
def seeded():
    """Every test draws the same random numbers, whichever ran before it."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
