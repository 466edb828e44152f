"""Compiled graphs from the cache on disk give the results of compiled ones, and are found only if nothing has changed."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import mlirind
import pytest
import torch
from cached_programs import PROGRAMS, compiled, counts_of, forget_traced, graph_files, run, traced_files
from mlirind.disk_cache import container, folder
from mlirind.frontend.caching import stored_graphs
from mlirind.frontend.counters import counters
from mlirind.options import Options
from mlirind.runtime.artifacts import surroundings
from mlirind.runtime.artifacts.native_graph import NotCacheable
from mlirind.runtime.cpu import object_code
from mlirind.runtime.report import collect_reports
from mlirind.torch_internals import cache_artifacts
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.compiler._cache import CacheArtifactManager

HERE = Path(__file__).parent
pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_that_is_found_behaves_as_a_compiled_one(name):
    graphs = PROGRAMS[name][-1]
    assert run(name) == (True, counts_of("miss", graphs))
    assert run(name) == (True, counts_of("hit", graphs))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_is_found_after_tracing(name):
    graphs = PROGRAMS[name][-1]
    run(name)
    forget_traced()
    assert run(name) == (True, {"hit": graphs, "traced miss": 1})
    assert run(name) == (True, counts_of("hit", graphs))


def test_without_the_option_nothing_is_written():
    assert run("inference", cache=False) == (True, {})
    assert list(folder.cached_files()) == []


def test_another_process_finds_the_graphs(tmp_path):
    """All programs in one process, then in another."""
    for wanted in ("miss", "hit"):
        environment = {**os.environ, "MLIRIND_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-P", str(HERE / "cached_programs.py"), wanted], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


LOADS = """
import sys, torch
from mlirind.disk_cache import container, folder
from mlirind.runtime.artifacts.native_graph import NativeGraph
(entry,) = [e for e in folder.cached_files() if "kernels" in container.unpack_entry(e.key, e.path.read_bytes())[0]]
graph = NativeGraph.unpacked(*container.unpack_entry(entry.key, folder.read(entry.key)))
x, w = torch.randn(4, 6), torch.randn(6, 4)
(found,) = graph.runner("graph", None)([x, w])
assert torch.allclose(found, torch.softmax(x @ w, -1).exp(), atol=1e-6)
print([name for name in ("torch_mlir", "mlirind.dialects.aten", "llvmlite", "triton") if name in sys.modules])
"""


def test_code_loads_without_the_compiler():
    run("inference")
    done = subprocess.run([sys.executable, "-P", "-c", LOADS], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_all_sizes_of_a_symbolic_graph():
    """A graph with symbolic sizes was compiled for conditions: they are checked in calls of the loaded one, too."""

    def program(x):
        return (x.view(2, -1) * 2).sum(0), x[: x.shape[0] // 2]

    for wanted in ("miss", "hit"):
        function = compiled(program, dynamic=True)
        for size in (4, 8, 2, 100):
            x = torch.randn(size)
            assert all(torch.allclose(a, b) for a, b in zip(function(x), program(x), strict=True))
        assert set(counters.cache) == {wanted, f"traced {wanted}"}


def test_errors_are_eagers():
    def program(x, i):
        return x[i] + 1

    for _ in range(2):
        with pytest.raises(IndexError, match="index 99 is out of bounds for dimension 0 with size 4"):
            compiled(program)(torch.randn(4), torch.tensor([0, 99]))
    assert counters.cache == counts_of("hit", 1)


def test_a_profiler_shows_a_loaded_graph():
    for _ in range(2):
        function = compiled(PROGRAMS["inference"][0])
        function(torch.randn(4, 6), torch.randn(6, 4))
    with torch.profiler.profile() as profile:
        function(torch.randn(4, 6), torch.randn(6, 4))
    assert counters.cache == counts_of("hit", 1)
    assert any("softmax" in event.key for event in profile.key_averages())


# What can't be used.


def test_an_edit_of_the_compiler_writes_nothing(monkeypatch):
    monkeypatch.setattr(surroundings, "source_times", lambda: "now")
    right, counts = run("inference")
    assert right
    assert counts == counts_of("miss", 1) | {"the compiler's own files have changed since they were imported": 1}
    assert list(folder.cached_files()) == []


@pytest.mark.parametrize("files", [graph_files, traced_files])
def test_a_damaged_entry_is_replaced(files):
    run("inference")
    (entry,) = files()
    whole = entry.path.read_bytes()
    for damaged in (whole[:-1], whole[: len(whole) // 2], b"", whole[:100] + b"\xff" + whole[101:]):
        entry.path.write_bytes(damaged)
        right, counts = run("inference")
        assert right and counts["an entry can't be used: the checksum is wrong"] == 1 and counts["traced miss"] == 1
        assert run("inference") == (True, counts_of("hit", 1))


@pytest.mark.parametrize("change", ["kinds", "kernels", "code", "constants"])
def test_an_entry_with_a_right_checksum_and_wrong_content_is_not_used(change):
    run("operators")
    (entry,) = graph_files()
    header, pieces = container.unpack_entry(entry.key, entry.path.read_bytes())
    if change == "kinds":
        header["callables"][0]["kind"] = "Unknown"
    elif change == "kernels":
        header["kernels"][0][1] = 99
    elif change == "code":
        pieces[0] = pieces[0].replace(b"aoti_torch_", b"aoti_t0rch_")
    else:
        header["constants"] = 3
    entry.path.write_bytes(container.pack_entry(entry.key, header, pieces))
    right, counts = run("operators")
    assert right and counts.pop("miss") == counts.pop("traced miss") == 1
    assert counts.pop("its graph is not in the cache any more") == 1 and len(counts) == 1
    assert run("operators") == (True, counts_of("hit", 1))


@pytest.mark.parametrize("change", ["graph", "header", "classes"])
def test_a_traced_entry_with_a_right_checksum_and_wrong_content_is_not_used(change):
    run("training")
    (entry,) = traced_files()
    header, pieces = container.unpack_entry(entry.key, entry.path.read_bytes())
    if change == "graph":
        graph_files()[0].path.unlink()
    elif change == "header":
        del header["own_operators"]
    else:
        pieces = [pieces[0].replace(b"CompiledCode", b"CompiledC0de")]
    entry.path.write_bytes(container.pack_entry(entry.key, header, pieces))
    right, counts = run("training")
    assert right and counts["traced miss"] == 1 and len(counts) == (4 if change == "graph" else 3)
    assert run("training") == (True, counts_of("hit", 2))


def test_an_untrusted_folder_is_not_used(caplog):
    run("inference")
    folder.folder().chmod(0o777)
    right, counts = run("inference")
    assert right and counts["miss"] == 1 and len(counts) == 4  # it can be neither read nor written
    assert "other users can write to" in caplog.text
    folder.folder().chmod(0o700)
    assert run("inference") == (True, counts_of("hit", 1))


def test_a_folder_that_can_not_be_made(monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", "/proc/not-writable")
    right, counts = run("inference")
    assert right and counts["miss"] == 1 and len(counts) == 3


@torch.library.custom_op("test_cache::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@double.register_fake
def _(x):
    return torch.empty_like(x)


def test_a_custom_operator_without_an_identity_is_not_cached(caplog):
    def program(x):
        return double(x) + 1

    for _ in range(2):
        assert torch.equal(compiled(program)(torch.ones(3)), torch.full((3,), 3.0))
        reason = "the operator test_cache::double has no identity: give it one with `mlirind.identify_operator`"
        assert counters.cache == {reason: 1, f"AOTAutograd traces: {reason}": 1}
    assert not caplog.text  # at the level of warnings


def test_pytorchs_artifacts_carry_entries(tmp_path, monkeypatch):
    """What one process saves, another one, with an empty cache, loads: here with another folder."""
    with CacheArtifactManager.with_fresh_cache():
        assert run("training") == (True, counts_of("miss", 2))
        saved, info = torch.compiler.save_cache_artifacts()
    assert len(info.artifacts["mlirind"]) == 3
    with CacheArtifactManager.with_fresh_cache():
        assert run("training") == (True, counts_of("hit", 2))  # entries that are read are saved, too
        assert len(torch.compiler.save_cache_artifacts()[1].artifacts["mlirind"]) == 3
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path / "other"))
    torch.compiler.load_cache_artifacts(saved)
    assert run("training") == (True, counts_of("hit", 2))


def test_artifacts_wait_for_the_cache(monkeypatch):
    """A process may load artifacts before it imports the backend."""
    monkeypatch.setattr(cache_artifacts, "_writers", [])
    cache_artifacts._Factory.create("mlirind", "key", b"content").populate_cache()
    found = []
    cache_artifacts.write_artifacts_with(lambda *given: found.append(given))
    assert found == [("key", b"content")]


def test_artifacts_that_are_no_entries_are_not_written(tmp_path):
    for key, content in (("../outside", b""), ("0" * 64, b"other")):
        stored_graphs._write_artifact(key, content)
        assert any("artifacts can't be written" in reason for reason in counters.cache)
    assert list(folder.cached_files()) == []
    assert not (tmp_path / "outside").exists()


def test_on_by_default(monkeypatch):
    monkeypatch.delenv("MLIRIND_CACHE", raising=False)
    assert Options().cache
    monkeypatch.setenv("MLIRIND_CACHE", "0")
    assert not Options().cache


def test_other_devices_are_not_cached():
    with FakeTensorMode():
        on_gpus = [torch.empty(2, device="cuda:1"), [3, (torch.empty(2, device="cuda:0"),)]]
    assert stored_graphs.gpus_of([torch.ones(1), 3, None]) == []
    assert stored_graphs.gpus_of([torch.ones(1), 3, None, *on_gpus]) == [0, 1]
    with pytest.raises(NotCacheable, match="a tensor on meta"):
        stored_graphs.gpus_of([torch.ones(1), torch.ones(1, device="meta")])


def test_logs_show_compilations(monkeypatch):
    run("inference")
    monkeypatch.setattr(stored_graphs, "logs_are_on", lambda: True)
    assert run("inference") == (True, {"logs of compilations are wanted": 1})


def test_what_asks_for_a_compilation_gets_one(capsys):
    for option in ({"verify_each": True}, {"freezing": True}, {"stop_after": "aten"}, {"host": "python"}, {"kernel_debug": "nan"}):
        (name,) = option
        assert run("inference", **option) == (True, {f"option {name}": 1})
    run("inference")
    counters.reset()
    with collect_reports() as reports:
        assert run("inference") == (True, {"a report is wanted": 1})
    assert len(reports) == 1
    assert mlirind.explain(softmax_of, torch.randn(4, 6)).graphs
    capsys.readouterr()


def softmax_of(x):
    return torch.softmax(x, -1)


def test_loaded_code_is_freed(monkeypatch):
    """Code that nothing refers to is unmapped."""
    freed = []
    free = object_code._free
    monkeypatch.setattr(object_code, "_free", lambda *given: freed.append(given) or free(*given))
    for _ in range(2):
        assert run("operators")[0]
    assert counters.cache == counts_of("hit", 1) and not freed
    torch._dynamo.reset()
    gc.collect()
    assert len(freed) == 3  # the sequence and two objects with kernels: of the two ways in which kernels are compiled


def test_random_numbers_of_kernels():
    """Their operators are the project's own, and the same in each process. Each call draws new numbers from PyTorch's generator."""

    def program(x):
        return torch.nn.functional.dropout(x, 0.5)

    found = []
    for wanted in ("miss", "hit"):
        function = compiled(program, fallback_random=False)
        torch.manual_seed(0)
        found.append([function(torch.ones(64)) for _ in range(2)])
        assert counters.cache == counts_of(wanted, 1)
    assert torch.equal(torch.stack(found[0]), torch.stack(found[1])) and not torch.equal(*found[0])
