"""Runs mypy over the package: `python tools/check_types.py`.

mypy expects `mlirind.dialects` in `mlirind/dialects`, which is not where the repository has it. So it reads a folder of symbolic links
with that structure.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUBPACKAGES = ("frontend", "dialects", "passes", "lowering", "runtime", "tools")


def main() -> int:
    """The exit code of mypy."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder, "mlirind")
        package.mkdir()
        for path in [*(ROOT / "mlirind").iterdir(), *(ROOT / name for name in SUBPACKAGES)]:
            (package / path.name).symlink_to(path)
        options = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
        return subprocess.run([sys.executable, "-m", "mypy", *options, "-p", "mlirind"], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
