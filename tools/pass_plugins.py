"""Loads Python files and modules that register users' passes, for `mlirind-opt`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from ..errors import MlirindError


def load_plugin(name: str) -> None:
    """Runs a file ("fold_relu.py") or imports a module ("my_package.passes") that calls `mlirind.register_pass`.

    Raises MlirindError if it is missing or raises.
    """
    is_file = name.endswith(".py")
    if is_file and not Path(name).is_file():
        raise MlirindError(f"--load-pass-plugin={name}: no such file")
    try:
        if is_file:
            _run_file(Path(name).resolve())
        else:
            importlib.import_module(name)
    except Exception as error:
        raise MlirindError(f"--load-pass-plugin={name}: {type(error).__name__}: {error}") from error


def _run_file(path: Path) -> None:
    """Imports a file once, under a unique module name. As for a script, its folder is on the import path."""
    name = f"mlirind_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or name in sys.modules:
        return
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
