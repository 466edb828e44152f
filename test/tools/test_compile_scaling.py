"""benchmarks/compile_scaling.py times functions by their names."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_the_timed_parts_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    parts = importlib.import_module("compile_scaling").PARTS
    assert parts
    missing = [part for part in parts if not callable(getattr(importlib.import_module(f"mlirind.{part[0]}"), part[1], None))]
    assert missing == []
    sys.modules.pop("compile_scaling")
