"""pytest: `--backend NAME` runs the end-to-end tests with another backend than mlirind, to see what a test is worth; `-n auto` runs files
of tests side by side."""

import gc
import logging
import os
import re
import sys

import pytest
from mlirind.tools.backends import find_backend

# What a pass leaves behind is verified in every test.
os.environ.setdefault("MLIRIND_VERIFY_EACH", "1")
# Each test compiles; the tests of the cache turn it on, with a folder of their own.
os.environ.setdefault("MLIRIND_CACHE", "0")

MOST_PROCESSES = 8
PROCESS_BYTES = 2 << 30  # what one may take
# The files that take longest begin first, so that no process is alone with one in the end.
LONGEST = (
    "test_renamed_away.py", "test_models.py", "test_op_db.py", "test_attention_tiles.py", "test_docs.py", "test_guarded_memory.py",
    "test_operator_table.py", "test_cache_faults.py", "test_fuzz_programs.py", "test_trainers.py",
)  # fmt: skip

# Files and tests with an index out of range, which is an assertion on the device: after it the process has no GPU any more.
FATAL_ON_GPUS = (
    "test_errors.py", "test_failed_writes.py", "test_positions_out_of_range", "test_a_failing_kernel_keeps_its_place_among_effects",
)  # fmt: skip
OF_THE_CPU = ("test_dtypes_that_do_not_fit", "test_gradients_of_mixed_norms")


def pytest_addoption(parser):
    parser.addoption("--backend", default="mlirind", help="the torch.compile backend of the end-to-end tests")
    parser.addoption("--device", default="cpu", help="where the programs of the end-to-end tests make their tensors: cuda")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """The processes of `-n auto`: one a core, as far as there is memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(cores(), MOST_PROCESSES, memory // PROCESS_BYTES))


def cores():
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def pytest_configure(config):
    """Processes side by side share the cores: kernels and PyTorch take their share of threads, unless a test or the caller says how many.
    With --device, every tensor that a test makes without saying where is made there."""
    processes = getattr(config.option, "numprocesses", None)
    if processes:
        os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores() // processes)))
    if config.getoption("--device") != "cpu":
        import torch

        torch.set_default_device(config.getoption("--device"))


def pytest_collection_modifyitems(config, items):
    """The longest files come first. With --device, tests that can only run on the CPU are skipped."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
    if config.getoption("--device") != "cpu":
        fatal = pytest.mark.skip(reason="its errors end the use of the GPU")
        of_the_cpu = pytest.mark.skip(reason="it is about dtypes that the CPU's operators refuse or mix")
        for item in items:
            if item.path.name in FATAL_ON_GPUS or item.originalname in FATAL_ON_GPUS:
                item.add_marker(fatal)
            elif item.originalname in OF_THE_CPU:
                item.add_marker(of_the_cpu)


def pytest_collection():
    """Modules and tests are no garbage: until they are imported Python need not look for any, which takes a quarter of the time."""
    gc.disable()


def pytest_collection_finish():
    """Looks for garbage again, but not among what was imported, and after 10,000 new objects instead of 700: a thirtieth of the time.
    Switches off work that PyTorch does for its logs alone: its trace, which it writes wherever a handler listens (pytest's listens to
    loggers that do not propagate), and Dynamo's timing of guards, which flushes the processor's caches: a tenth of a small compilation."""
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()
    logging.getLogger("torch.__trace").propagate = True
    if "torch" in sys.modules:
        import torch._dynamo.guards

        torch._dynamo.guards.profile_guard_manager = lambda *args: 0.0


def pytest_unconfigure():
    """Objects that nobody frees at the end count as leaks of nanobind's modules."""
    gc.unfreeze()


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


@pytest.fixture
def set_to(monkeypatch):
    """Makes the compiler wrong until the test ends."""

    def change(owner, name, value):
        (monkeypatch.setitem if isinstance(owner, dict) else monkeypatch.setattr)(owner, name, value)

    import torch

    torch._dynamo.reset()
    yield change
    torch._dynamo.reset()
