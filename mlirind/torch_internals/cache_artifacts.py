"""Entries of the cache of graphs in PyTorch's portable caches: `torch.compiler.save_cache_artifacts` and `load_cache_artifacts`.

PyTorch refuses a whole file of artifacts if it does not know the type of one. So the package's second entry point of the group
`torch.backends` imports this module at the end of `import torch`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .entries import private

_PURPOSE = "entries of the cache of graphs in files of `torch.compiler.save_cache_artifacts`"
_WITHOUT = "these files have no graphs of the project"

_Artifact: Any = private("torch.compiler._cache.CacheArtifact", _PURPOSE, _WITHOUT)
_Factory: Any = private("torch.compiler._cache.CacheArtifactFactory", _PURPOSE, _WITHOUT)
_Manager: Any = private("torch.compiler._cache.CacheArtifactManager", _PURPOSE, _WITHOUT)

_TYPE = "mlirind"
_loaded: list[tuple[str, bytes]] = []
_writers: list[Callable[[str, bytes], None]] = []


def _define() -> bool:
    class GraphArtifact(_Artifact):
        """An entry, which `load_cache_artifacts` puts into the cache."""

        @staticmethod
        def type() -> str:
            """The name in a file of artifacts."""
            return _TYPE

        def populate_cache(self) -> None:
            """Writes the entry now, or when the cache is used first."""
            _loaded.append((self.key, self.content))
            _write_loaded()

    _Factory.register(GraphArtifact)
    return True


_defined = None not in (_Artifact, _Factory, _Manager) and _define()


def record_artifact(key: str, content: bytes) -> None:
    """Adds an entry to what `save_cache_artifacts` will return."""
    if _defined:
        _Manager.record_artifact(_TYPE, key, content)


def write_artifacts_with(write: Callable[[str, bytes], None]) -> None:
    """Entries that `load_cache_artifacts` read, and reads from now on, go to `write`."""
    _writers[:] = [write]
    _write_loaded()


def _write_loaded() -> None:
    while _writers and _loaded:
        _writers[0](*_loaded.pop())


def register_artifact_type() -> None:
    """Does nothing: PyTorch calls it at the end of `import torch`, for which it imports this module."""
