"""The cache on disk, which processes share."""

import os
import tempfile
from pathlib import Path


def cache_root() -> Path:
    """The user's cache folder for this project: MLIRIND_CACHE_DIR, else a folder in XDG_CACHE_HOME or ~/.cache."""
    user_cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111  (pathlib raises without a home)
    return Path(os.environ.get("MLIRIND_CACHE_DIR") or Path(user_cache, "mlirind"))


def store(path: Path, content: bytes) -> None:
    """Writes a file atomically. If the cache can't be written, compilation is only slower."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)
    except OSError:
        return
