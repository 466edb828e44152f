"""`python -m mlirind.bisect SCRIPT [ARGUMENT...]`: runs a program that gives a wrong result, raises or crashes, and names what is to blame.

First the program runs with `MLIRIND_CHECK=passes`: each compiled graph is compared with eager. If no graph differs and the program fails
all the same, it runs again with limits of rewrites (`MLIRIND_REWRITE_LIMIT`); bisection finds the first one with which it fails. The
program must fail in every run: one that prints a wrong result has to check it. Exit code: 1 if something is to blame, 0 if the program is
right.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_LAST = re.compile(r"^rewrite limit: (.*)$", re.MULTILINE)
_FOUND = re.compile(r"^.*(?:WrongResult|PassFailed|UserPassFailed): ((?:graph|a joint graph|pass|option) (?:.*(?:\n +.*)*))", re.MULTILINE)


@dataclass(frozen=True)
class _Run:
    """A run of the program: its exit code, below 0 for a signal, and what it wrote to stderr."""

    code: int
    errors: str


class Bisection:
    """Runs one program. `folder`: where reproducers go."""

    def __init__(self, command: Sequence[str], folder: Path, seconds: float | None = None) -> None:
        self.command, self.folder, self.seconds = list(command), folder, seconds

    def run(self, **variables: str) -> _Run:
        """One run, with environment variables in addition."""
        environment = {**os.environ, "MLIRIND_CACHE": "0", "MLIRIND_DUMP_DIR": str(self.folder), **variables}
        command = [sys.executable, *(["-P"] if sys.flags.safe_path else []), *self.command]
        try:
            done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, timeout=self.seconds)
        except subprocess.TimeoutExpired:
            return _Run(124, f"no end after {self.seconds} seconds")
        return _Run(done.returncode, done.stderr)

    def culprit(self) -> str | None:
        """What is to blame, as lines to print; None if the program is right."""
        checked = self.run(MLIRIND_CHECK="passes")
        found = _FOUND.search(checked.errors)
        if found:
            return found[1].strip()
        plain = self.run()
        if plain.code == 0:
            return None if checked.code == 0 else f"the program fails with MLIRIND_CHECK=passes alone:\n{_tail(checked)}"
        if self.run(MLIRIND_REWRITE_LIMIT="0").code != 0:
            return f"the program fails without any rewrite, too: mlirind is not to blame, or a step that every graph needs\n{_tail(plain)}"
        return self._by_limit(plain)

    def _by_limit(self, plain: _Run) -> str:
        """The first rewrite with which the program fails."""

        def fails(limit: int) -> bool:
            return self.run(MLIRIND_REWRITE_LIMIT=str(limit)).code != 0

        right, wrong = 0, 64
        while not fails(wrong):
            right, wrong = wrong, 4 * wrong
            if wrong > _MOST:
                return f"the program fails, but not with a limit of {right} rewrites\n{_tail(plain)}"
        wrong = right + 1 + bisect_left(range(right + 1, wrong), True, key=fails)
        before = self.folder / "before_rewrite.mlir"
        before.unlink(missing_ok=True)  # an earlier run's
        last = self.run(MLIRIND_REWRITE_LIMIT=str(wrong))
        named = _LAST.findall(last.errors)
        how = f"exit code {last.code}" if last.code >= 0 else f"signal {-last.code}"
        lines = [f"the program ends with {how} from rewrite {wrong} on", f"rewrite: {named[-1] if named else wrong}"]
        if named:
            lines.insert(1, f"pass: `{named[-1].split(') ', 1)[1].split(':')[0]}`")
        again = " ".join([f"MLIRIND_REWRITE_LIMIT={wrong}", "python", *self.command])
        command = self.folder / "command.txt"
        command.write_text(again + "\n")
        if before.exists():
            lines.append(f"the module before it: {before}")
        return "\n  ".join([*lines, f"repeat it with: {again}", *_tail(last).splitlines()[-2:]])


_MOST = 1 << 24


def _tail(run: _Run) -> str:
    return "\n".join(run.errors.strip().splitlines()[-5:])


def main() -> int:
    """The command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m mlirind.bisect", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--folder", default=None, help="where reproducers are written (default: a new temporary folder)")
    parser.add_argument("--timeout", type=float, default=None, metavar="SECONDS", help="a run that takes longer has failed")
    parser.add_argument("script", help="a Python program that uses torch.compile(..., backend='mlirind')")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    given = parser.parse_args()
    folder = Path(given.folder or tempfile.mkdtemp(prefix="mlirind-bisect-")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    found = Bisection([given.script, *given.arguments], folder, given.timeout).culprit()
    if found is None:
        if given.folder is None:
            shutil.rmtree(folder)
        print("nothing is wrong: every graph gives eager's results, and the program ends without an error")
        return 0
    print(found)
    return 1


if __name__ == "__main__":
    sys.exit(main())
