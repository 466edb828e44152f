"""Where the cache is; writes a file as a whole or not at all."""

import os
import tempfile
from pathlib import Path


def cache_root() -> Path:
    """The user's cache folder for this project: MLIRIND_CACHE_DIR, else a folder in XDG_CACHE_HOME or ~/.cache."""
    given = os.environ.get("MLIRIND_CACHE_DIR") or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "mlirind")  # noqa: PTH118
    return Path(os.path.expanduser(given))  # noqa: PTH111  (pathlib raises without a home)


def replace_file(path: Path, content: bytes, prefix: str = tempfile.template) -> None:
    """Writes a file under a name that begins with `prefix`, and renames it: a reader finds a whole file or none. If it fails, it leaves no
    file. Raises OSError."""
    descriptor, name = tempfile.mkstemp(prefix=prefix, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
