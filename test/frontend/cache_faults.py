"""Faults of the cache on disk: `python test/frontend/cache_faults.py` makes each kind, runs programs, and prints what they met.

A program is wrong if a result, a gradient, a stride or shared memory differs from eager's, and broken if it raises or dies. The exit status
is 1 if there is one of these. Kinds of faults: entries that are cut short or have a wrong bit; processes that write and remove the same
entries; writers that are killed; a full disk; a folder that can't be written; a clock set back; files and folders of another user. Some
need root, and are left out without.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

import torch
from cached_programs import PROGRAMS, agree, compiled, graph_files, seen, traced_files
from mlirind.disk_cache import folder
from mlirind.disk_cache.root import replace_file
from mlirind.frontend.caching import stored_graphs
from mlirind.frontend.counters import counters

NOBODY = 65534  # a user that is not root
SMALL_DISK = "192k"  # more than one entry, less than all
FAILURES = ("wrong", "broken", "used although damaged", "damaged after the fault")


class Faults:
    """Makes faults and counts what happens. `counts`: by what happened."""

    def __init__(self, programs: Sequence[str]) -> None:
        self.counts: Counter[str] = Counter()
        self.chance = random.Random(0)
        self.wanted = {name: seen(*PROGRAMS[name][:2]) for name in programs}

    def run(self, name: str) -> None:
        """Compiles a program anew, with what the cache has, and compares it with eager."""
        program, trains, dynamic, _ = PROGRAMS[name]
        try:
            right = agree(seen(compiled(program, dynamic), trains), self.wanted[name])
        except Exception as error:
            print(f"{name} is broken: {type(error).__name__}: {error}", file=sys.stderr)
            self.counts["broken"] += 1
            return
        self.counts["right" if right else "wrong"] += 1
        self.counts["found"] += counters.cache["traced hit"]
        self.counts["traced and compiled"] += counters.cache["traced miss"]

    def run_all(self) -> None:
        """Runs every program."""
        for name in self.wanted:
            self.run(name)

    def run_some(self, rounds: int, remove: bool = False) -> None:
        """Runs `rounds` programs, chosen by chance; some entries are removed between."""
        for _ in range(rounds):
            if remove and self.chance.random() < 0.3:
                self.remove_some()
            self.run(self.chance.choice(list(self.wanted)))

    def remove_some(self) -> None:
        """Removes entries, as another process does that needs room."""
        found = [entry.key for entry in folder.cached_files()]
        for key in self.chance.sample(found, min(len(found), self.chance.randrange(4))):
            folder.remove_file(key)

    def check_entries(self) -> None:
        """Counts the files of the cache that are not whole."""
        self.counts["damaged after the fault"] += len(folder.verify())

    # Kinds of faults.

    def damaged_entries(self, number: int, runs: int) -> None:
        """`number` times one entry has a wrong bit or is cut short, and is looked up as graphs are; `runs` times a program is then run."""
        self.run_all()
        for _ in range(number):
            entry = self.chance.choice(list(folder.cached_files()))
            whole = entry.path.read_bytes()
            self._damage(entry.path, whole)
            if stored_graphs.read_entry(entry.key) is not None:
                self.counts["used although damaged"] += 1
            self.counts["left in the folder"] += entry.path.exists()
            folder.write(entry.key, whole)
        for _ in range(runs):
            for entry in self.chance.sample(list(folder.cached_files()), 3):
                self._damage(entry.path, entry.path.read_bytes())
            self.run(self.chance.choice(list(self.wanted)))

    def damaged_files_of_all_kinds(self, number: int, runs: int) -> None:
        """The same for graphs on a GPU, cubins, tuned schedules, the table of operators, libraries of eager operators and their list."""
        sys.path.append(str(Path(__file__).parent.parent))  # for `fake_gpu.py`
        import cached_kinds

        def run_kind(name: str) -> None:
            self.counts["right" if cached_kinds.RUNS[name]() else "wrong"] += 1

        for name in cached_kinds.RUNS:
            run_kind(name)
        known = dict(cached_kinds.libraries())
        files = {(entry.kind, entry.path): entry.path.read_bytes() for entry in cached_kinds.made_files()}
        kinds = sorted({kind for kind, _ in files})
        self.counts["kinds of files"] = len(kinds)
        for _ in range(number):
            kind = self.chance.choice(kinds)
            path = self.chance.choice([path for of, path in files if of == kind])
            self._damage(path, files[kind, path])
            self.counts["used although damaged"] += cached_kinds.is_used(folder.CachedFile(kind, path, 0, 0), known)
            replace_file(path, files[kind, path])
        for _ in range(runs):
            for kind, path in self.chance.sample(list(files), 3):
                self._damage(path, files[kind, path])
            run_kind(self.chance.choice(list(cached_kinds.RUNS)))
        for kind in (*folder.KINDS, folder.LIBRARIES):  # what no run has used is still damaged
            for name in folder.verify(kind):
                for path in [entry.path for entry in folder.cached_files(kind) if entry.key == name]:
                    path.unlink()
        for name in cached_kinds.RUNS:
            run_kind(name)
        self.counts["damaged after the fault"] += sum(len(folder.verify(kind)) for kind in (*folder.KINDS, folder.LIBRARIES))

    def _damage(self, path: Path, whole: bytes) -> None:
        if not whole:  # nothing is left to damage
            return
        self.counts["damages"] += 1
        if self.chance.random() < 0.5:
            path.write_bytes(whole[: self.chance.randrange(len(whole))])
            return
        changed = bytearray(whole)
        changed[self.chance.randrange(len(whole))] ^= 1 << self.chance.randrange(8)
        path.write_bytes(changed)

    def several_processes(self, processes: int, seconds: float, rounds: int) -> None:
        """Processes run the same programs, and remove entries, for `seconds` and at least `rounds` programs each."""

        def work() -> None:
            end = time.monotonic() + seconds
            self.run_some(rounds, remove=True)
            while time.monotonic() < end:
                self.run_some(1, remove=True)

        for child in [Child(self, seed, work) for seed in range(processes)]:
            child.wait()
        self.check_entries()
        self.run_all()

    def killed_writers(self, kills: int, compilations: int) -> None:
        """Kills processes that write entries, `kills` times, and ones that compile programs, `compilations` times."""
        self.run_all()
        entries = {entry.key: entry.path.read_bytes() for entry in folder.cached_files()}

        def write() -> None:
            while True:
                for key, content in entries.items():
                    folder.write(key, content)

        def compile_all() -> None:
            while True:
                self.run_some(1, remove=True)

        for number in range(kills + compilations):
            child = Child(self, number, write if number < kills else compile_all)
            time.sleep(self.chance.uniform(0, 0.02) if number < kills else self.chance.uniform(0, 1.5))
            child.kill()
            self.counts["kills"] += 1
            self.check_entries()
        self.counts["kills within a write"] = sum(path.name.startswith(".writing-") for path in folder.folder().iterdir())
        self.run_all()
        with mock.patch.object(folder, "_ABANDONED", -1):
            folder.shrink()
        self.counts["temporary files that stay"] = sum(path.name.startswith(".writing-") for path in folder.folder().iterdir())

    def full_disk(self, mounted: Path) -> None:
        """The cache lies on a file system that is too small for it."""
        with mock.patch.dict(os.environ, {"MLIRIND_CACHE_DIR": str(mounted)}):
            for _ in range(2):
                self.run_all()
                self.check_entries()
            self.counts["entries that had room"] = len(list(folder.cached_files()))

    def folder_that_can_not_be_written(self) -> None:
        """What is there is found; nothing can be written, removed or touched. As another user than root, who may write anywhere."""
        self.run("training")

        def work() -> None:
            self.run_all()
            self.check_entries()

        root = Path(os.environ["MLIRIND_CACHE_DIR"])
        with owned_by_nobody(root, 0o555):
            Child(self, 0, work, NOBODY).wait()

    def clock_set_back(self) -> None:
        """Files are from the future; later the clock is a year back, while temporary files are removed."""
        self.run_all()
        later = time.time() + 400 * 86400
        year_before = mock.patch.object(time, "time", lambda: later - 800 * 86400)
        for entry in folder.cached_files():
            os.utime(entry.path, (later, later))
        self.run_all()
        used = sum(entry.size for entry in folder.cached_files())
        with mock.patch.dict(os.environ, {"MLIRIND_CACHE_SIZE": str(used // 2)}), year_before:
            for _ in range(2):
                self.run_all()
                self.check_entries()

    def another_users_folder(self) -> None:
        """The folder, its parent or an entry belongs to another user; then a folder of root's is used by another user."""
        root = Path(os.environ["MLIRIND_CACHE_DIR"])
        self.run_all()
        for path in (root, root / "graphs", *(entry.path for entry in [*graph_files()[:2], *traced_files()[:2]])):
            if path.exists():
                os.chown(path, NOBODY, -1)
                self.run_all()
                if path.exists():
                    os.chown(path, 0, -1)
        Child(self, 0, self.run_all, NOBODY).wait()

    def strange_files(self) -> None:
        """In the place of an entry is a folder, a pipe, a link or a file of zeros; in the place of the folder is a file."""
        self.run_all()
        for entry in list(folder.cached_files()):
            entry.path.unlink()
            self.chance.choice([os.mkdir, os.mkfifo, link_to_zeros, file_of_zeros])(entry.path)
        self.run_all()
        with tempfile.TemporaryDirectory() as other, mock.patch.dict(os.environ, {"MLIRIND_CACHE_DIR": other}):
            Path(other, "graphs").write_bytes(b"")
            self.run_all()


class Child:
    """A process that continues from here with `work`, as `user`; it adds its counts to those of `faults`."""

    def __init__(self, faults: Faults, seed: int, work: Callable[[], None], user: int | None = None) -> None:
        self.faults = faults
        self.result, given = os.pipe()
        self.process = os.fork()
        if self.process:
            os.close(given)
            return
        code = 1
        try:
            if user is not None:
                os.setresuid(user, user, user)
            faults.counts.clear()
            faults.chance.seed(seed)
            work()
            os.write(given, repr(dict(faults.counts)).encode())
            code = 0
        finally:
            os._exit(code)

    def wait(self) -> None:
        """Waits for its end."""
        with os.fdopen(self.result, "rb") as file:
            content = file.read()
        if os.waitpid(self.process, 0)[1] or not content:
            self.faults.counts["broken"] += 1
        else:
            self.faults.counts.update(eval(content))

    def kill(self) -> None:
        """Ends it at once."""
        os.kill(self.process, signal.SIGKILL)
        if os.WTERMSIG(os.waitpid(self.process, 0)[1]) != signal.SIGKILL:
            self.faults.counts["broken"] += 1
        os.close(self.result)


def link_to_zeros(path: Path) -> None:
    """Makes a link to what never ends."""
    path.symlink_to("/dev/zero")


def file_of_zeros(path: Path) -> None:
    """Makes a file of a tebibyte that takes no room."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A file system with little room."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK},mode=700", "none", place], check=True)
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", place], check=True)


@contextlib.contextmanager
def owned_by_nobody(root: Path, mode: int) -> Iterator[None]:
    """Gives the folder and what is in it to another user; folders get `mode`."""
    found = [root, *root.rglob("*")]
    for path in found:
        os.chown(path, NOBODY, -1)
        if path.is_dir():
            path.chmod(mode)
    try:
        yield
    finally:
        for path in found:
            if path.exists():
                os.chown(path, 0, -1)
            if path.is_dir():
                path.chmod(0o700)


def of_kind(kind: str, share: float, programs: Sequence[str]) -> Counter[str]:
    """Makes faults of a kind in a new folder, and returns what happened. `share` of the numbers that a whole run has."""
    faults = Faults(programs)
    with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ, {"MLIRIND_CACHE_DIR": place}):
        if kind == "damaged entries":
            faults.damaged_entries(int(10_000 * share), int(300 * share))
        elif kind == "damaged files of all kinds":
            faults.damaged_files_of_all_kinds(int(10_000 * share), int(300 * share))
        elif kind == "several processes":
            faults.several_processes(*((8, 60, 0) if share == 1 else (2, 0, 3)))
        elif kind == "killed writers":
            faults.killed_writers(int(200 * share), int(50 * share))
        elif kind == "full disk":
            with small_disk() as mounted:
                faults.full_disk(mounted)
        else:
            getattr(faults, kind.replace(" ", "_").replace("'", ""))()
    return faults.counts


ROOTS_KINDS = ("full disk", "folder that can not be written", "another user's folder")  # need root
KINDS = (
    "damaged entries", "damaged files of all kinds", "several processes", "killed writers", "clock set back", "strange files", *ROOTS_KINDS,
)  # fmt: skip


def main() -> None:
    """Makes the faults, and exits with 1 if one did harm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[kind for kind in KINDS if os.geteuid() == 0 or kind not in ROOTS_KINDS])
    parser.add_argument("--share", type=float, default=1.0, help="of the numbers of faults")
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), help="of cached_programs.py")
    given = parser.parse_args()
    torch.set_num_threads(1)
    harm = 0
    for kind in given.kinds:
        counts = of_kind(kind, given.share, given.programs)
        harm += sum(counts[name] for name in FAILURES)
        print(f"{kind}: {', '.join(f'{number:,} {name}' for name, number in sorted(counts.items()))}", flush=True)
    sys.exit(harm > 0)


if __name__ == "__main__":
    main()
