"""pytest: `--backend NAME` runs the end-to-end tests with another backend than mlirind, to see what a test is worth."""

import os
import re
import sys

import pytest
from mlirind.tools.backends import find_backend

# What a pass leaves behind is verified in every test.
os.environ.setdefault("MLIRIND_VERIFY_EACH", "1")


def pytest_addoption(parser):
    parser.addoption("--backend", default="mlirind", help="the torch.compile backend of the end-to-end tests")
    parser.addoption("--device", default="cpu", help="where the programs of the end-to-end tests make their tensors: cuda")


def pytest_configure(config):
    """With --device, every tensor that a test makes without saying where is made there."""
    if config.getoption("--device") != "cpu":
        import torch

        torch.set_default_device(config.getoption("--device"))


def pytest_collection_modifyitems(config, items):
    """An index out of range is an assertion on the device: after it the process has no GPU any more."""
    if config.getoption("--device") != "cpu":
        skip = pytest.mark.skip(reason="its errors end the use of the GPU")
        for item in items:
            if item.path.name == "test_errors.py" or "failing_kernel" in item.name:
                item.add_marker(skip)


@pytest.fixture
def backend_name(request):
    """The name of the backend under test."""
    return request.config.getoption("--backend")


@pytest.fixture
def backend(backend_name, fresh_counters):
    """What `torch.compile(backend=...)` takes; nothing is compiled or counted yet."""
    return find_backend(backend_name)


@pytest.fixture
def fresh_counters():
    """Dynamo and the counters of graphs know nothing of earlier tests; Dynamo is reset afterwards too."""
    import torch
    from mlirind.frontend.counters import counters

    torch._dynamo.reset()
    counters.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture(autouse=True)
def seeded():
    """Every test draws the same random numbers, whichever ran before it."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


@pytest.fixture(autouse=True)
def no_internal_failure():
    """A graph that runs through FX because the compiler failed is a failure of the test, though its values are right."""
    yield
    module = sys.modules.get("mlirind.frontend.counters")
    reasons = list(module.counters.fallbacks) if module else []
    failures = [reason for reason in reasons if re.match(r"\w+(Error|Failed): ", reason)]
    for reason in failures:
        del module.counters.fallbacks[reason]
    assert failures == []
