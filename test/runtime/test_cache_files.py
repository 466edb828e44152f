"""The files of cached graphs: damaged ones, several writers, the limit, folders that others can write to."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from mlirind.disk_cache import container, folder
from mlirind.disk_cache.container import DamagedEntry
from mlirind.disk_cache.folder import UntrustedFolder
from mlirind.tools.cache import main

KEY = "ab" * 32
HEADER = {"kernels": [["k", 0, 0]], "callables": []}
PIECES = [b"one", b"", bytes(range(256)) * 4]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path / "cache"))


def keys():
    return {entry.key for entry in folder.cached_files()}


def test_a_file_gives_what_was_written():
    assert folder.read(KEY) is None
    folder.write(KEY, container.pack_entry(KEY, HEADER, PIECES))
    assert container.unpack_entry(KEY, folder.read(KEY)) == (HEADER, PIECES)
    assert keys() == {KEY}
    assert folder.folder().stat().st_mode & 0o777 == 0o700


def test_every_damage_is_found():
    """10,000 files with a flipped bit, cut short, or lengthened."""
    content, chance = container.pack_entry(KEY, HEADER, PIECES), random.Random(0)
    for number in range(10_000):
        damaged = bytearray(content)
        if number % 3 == 0:
            damaged[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        elif number % 3 == 1:
            del damaged[chance.randrange(len(content)) :]
        else:
            damaged += chance.randbytes(chance.randint(1, 40))
        with pytest.raises(DamagedEntry):
            container.unpack_entry(KEY, bytes(damaged))
    with pytest.raises(DamagedEntry, match="another key"):
        container.unpack_entry("cd" * 32, content)


WRITER = """
import sys
from mlirind.disk_cache import container, folder
seed, count = int(sys.argv[1]), int(sys.argv[2])
for number in range(count):
    key = f"{number % 3:064x}"
    folder.write(key, container.pack_entry(key, {"from": seed}, [bytes([seed]) * 20_000]))
    content = folder.read(key)
    header, (piece,) = container.unpack_entry(key, content)
    assert piece == bytes([header["from"]]) * 20_000
"""


def start(seed, count):
    return subprocess.Popen([sys.executable, "-P", "-c", WRITER, str(seed), str(count)], stderr=subprocess.PIPE, text=True)


def test_several_processes_write_the_same_keys():
    """Each reads whole files, of one writer or another."""
    processes = [start(seed, 300) for seed in range(4)]
    assert [process.communicate()[1] for process in processes] == [""] * 4
    assert len(keys()) == 3


def test_a_killed_writer_leaves_whole_files(monkeypatch):
    for number in range(5):
        process = start(number, 1_000_000)
        while len(keys()) < 3:
            time.sleep(0.01)
        time.sleep(0.05 * number)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        for entry in folder.cached_files():
            container.unpack_entry(entry.key, folder.read(entry.key))
    monkeypatch.setattr(folder, "_ABANDONED", -1)
    folder.shrink()
    assert {path.name for path in folder.folder().iterdir()} == keys()


def test_the_oldest_files_are_removed(monkeypatch):
    names = [f"{number:064x}" for number in range(10)]
    for number, name in enumerate(names):
        folder.write(name, b"x" * 100)
        os.utime(folder.folder() / name, (number, number))
    assert folder.read(names[0]) == b"x" * 100  # now it is the newest
    monkeypatch.setenv("MLIRIND_CACHE_SIZE", "650")
    folder.write("f" * 64, b"x" * 100)
    assert keys() == {names[0], *names[7:], "f" * 64}
    folder.write("e" * 64, b"x" * 1000)  # more than everything may have
    assert "e" * 64 not in keys()


def test_all_kinds_are_under_one_limit(monkeypatch):
    for number, kind in enumerate(folder.KINDS):
        folder.write(KEY, b"x" * 100, kind)
        os.utime(folder.folder(kind) / KEY, (number, number))
    library = folder.folder(folder.LIBRARIES) / "0123/aten/cpu/lib" / f"sin.{'0' * 32}.so"
    library.parent.mkdir(parents=True, mode=0o700)
    for path in (library, library.with_name("of the user's"), library.parent.parent / library.name):
        path.write_bytes(b"x" * 100)
    os.utime(library, (2.5, 2.5))
    monkeypatch.setenv("MLIRIND_CACHE_SIZE", "400")
    folder.write("cd" * 32, b"x" * 20, folder.TUNED)
    assert {entry.kind for entry in folder.all_files()} == {folder.PATTERNS, folder.OPERATORS, folder.WRAPPERS, folder.TUNED}
    assert not library.exists() and library.with_name("of the user's").exists() and (library.parent.parent / library.name).exists()


def test_files_are_not_listed_for_each_that_is_written(monkeypatch):
    """But the limit holds, up to a hundredth of it."""
    listed = []
    monkeypatch.setattr(folder, "all_files", lambda found=folder.all_files: [listed.append(1), found()][1])
    monkeypatch.setenv("MLIRIND_CACHE_SIZE", "100000")
    monkeypatch.setattr(folder, "_UNLISTED_SECONDS", 1000.0)
    for number in range(100):
        folder.write(f"{number:064x}", b"x" * 100, folder.CUBINS)
    assert len(listed) < 15
    for number in range(200):
        folder.write(f"{number:064x}", b"x" * 1000, folder.GRAPHS)
        assert sum(entry.size for entry in folder.all_files()) <= 102_000


def test_a_folder_that_is_not_the_users_alone_is_not_cleaned(tmp_path):
    folder.write(KEY, b"x", folder.CUBINS)
    moved = folder.folder(folder.CUBINS).rename(tmp_path / "moved")
    folder.folder(folder.CUBINS).symlink_to(moved)
    assert folder.clear() == 0 and (moved / KEY).exists()


def test_a_full_disk_leaves_no_file(monkeypatch):
    folder.write(KEY, b"x")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder.Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        folder.write("cd" * 32, b"x")
    assert [path.name for path in folder.folder().iterdir()] == [KEY]


def test_a_folder_that_others_can_write_to_is_refused():
    folder.write(KEY, b"x")
    for place in (folder.folder(), folder.folder().parent, folder.folder() / KEY):
        for mode in (0o720, 0o702, 0o777):
            before = place.stat().st_mode
            place.chmod(mode)
            with pytest.raises(UntrustedFolder):
                folder.read(KEY)
            place.chmod(before)
    assert folder.read(KEY) == b"x"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_another_user_owns_is_refused():
    folder.write(KEY, b"x")
    for place in (folder.folder() / KEY, folder.folder(), folder.folder().parent):
        os.chown(place, 12345, -1)
        with pytest.raises(UntrustedFolder, match="another user"):
            folder.read(KEY)
        os.chown(place, 0, -1)
    assert folder.read(KEY) == b"x"


def test_symbolic_links_are_refused(tmp_path):
    folder.write(KEY, b"x")
    (tmp_path / "elsewhere").write_bytes(b"y")
    (folder.folder() / KEY).unlink()
    (folder.folder() / KEY).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        folder.read(KEY)
    moved = folder.folder().rename(tmp_path / "moved")
    folder.folder().symlink_to(moved)
    with pytest.raises(UntrustedFolder, match="symbolic link"):
        folder.write(KEY, b"x")


def test_the_command(capsys):
    assert main(["stats"]) == 0
    assert ": 0 files, 0 of 1073741824 bytes" in capsys.readouterr().out
    folder.write(KEY, container.pack_entry(KEY, HEADER, PIECES))
    for kind in folder.KINDS[1:]:
        folder.write("cd" * 32, b"damaged", kind)
    library = folder.folder(folder.LIBRARIES) / "0123/aten/cpu/lib" / f"sin.{hashlib.sha256(b'code').hexdigest()[:32]}.so"
    library.parent.mkdir(parents=True, mode=0o700)
    library.write_bytes(b"code")
    assert main(["stats"]) == 0
    printed = capsys.readouterr().out
    assert f"graphs: 1 files, {len(container.pack_entry(KEY, HEADER, PIECES))} bytes\ncubins: 1 files, 7 bytes\n" in printed
    assert "\naoti_eager: 1 files, 4 bytes\n" in printed
    assert main(["verify"]) == 1
    printed = capsys.readouterr().out
    assert f"cubins/{'cd' * 32}: the checksum is wrong\ntuned/" in printed and printed.endswith("\n7 files, 5 damaged\n")
    library.write_bytes(b"kode")
    assert main(["verify"]) == 1
    assert f"aoti_eager/{library.name}: the checksum is wrong\n7 files, 6 damaged\n" in capsys.readouterr().out
    assert main(["clear"]) == 0
    assert main(["verify"]) == 0
    assert capsys.readouterr().out == "7 files removed\n0 files, 0 damaged\n"


def test_the_users_folder_may_begin_with_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MLIRIND_CACHE_DIR", "~/own")
    assert folder.folder() == tmp_path / "own" / "graphs"
    monkeypatch.delenv("MLIRIND_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert folder.folder() == tmp_path / ".cache" / "mlirind" / "graphs"
