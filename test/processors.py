"""Runs tests as if the processor could do less: `make test-processors`, or
python test/processors.py [--setting NAME] [pytest arguments]

Each setting is one run of pytest, by default of the tests whose results depend on the processor (`DEPENDENT`). It limits the
instructions of PyTorch's kernels (ATEN_CPU_CAPABILITY), of oneDNN's (ONEDNN_MAX_CPU_ISA), or of ours (MLIRIND_TARGET_FEATURES).
A setting is skipped where the processor lacks the instructions that it takes away.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from mlirind.lowering.cpu.target import host_flags

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

TESTS = Path(__file__).resolve().parent
AVX2 = frozenset({"avx2", "fma"})
AVX512 = frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl"})
# The tests that compare the values of kernels with eager's.
DEPENDENT = ("cases", "lowering", *(f"runtime/test_{name}_kernels.py" for name in ("math", "pointwise", "reduction")), "test_models.py")


@dataclass(frozen=True)
class Setting:
    """Environment variables, and the processor's flags without which they say nothing new."""

    name: str
    variables: dict[str, str]
    needs: frozenset[str] = frozenset()


SETTINGS = (
    Setting("aten-default", {"ATEN_CPU_CAPABILITY": "default"}),
    Setting("aten-avx2", {"ATEN_CPU_CAPABILITY": "avx2"}, AVX512),
    Setting("onednn-sse41", {"ONEDNN_MAX_CPU_ISA": "SSE41"}),
    Setting("onednn-avx2", {"ONEDNN_MAX_CPU_ISA": "AVX2"}, AVX512),
    Setting("onednn-avx512", {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE"}, AVX512),
    Setting("kernels-128", {"MLIRIND_TARGET_FEATURES": "-avx,-avx2,-fma,-avx512f"}, AVX2),
    Setting("kernels-256", {"MLIRIND_TARGET_FEATURES": "-avx512f"}, AVX512),
    Setting(
        "least",
        {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41", "MLIRIND_TARGET_FEATURES": "-avx,-avx2,-fma,-avx512f"},
    ),
)


def run(setting: Setting, arguments: list[str]) -> tuple[int, float]:
    """The exit code of pytest under a setting, and its seconds."""
    print(f"== {setting.name}: {' '.join(f'{k}={v}' for k, v in setting.variables.items())}", flush=True)
    start = time.monotonic()
    command = [sys.executable, "-P", "-m", "pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", *arguments]
    code = subprocess.run(command, cwd=TESTS.parent, env={**os.environ, **setting.variables}).returncode
    return code, time.monotonic() - start


def main(arguments: list[str] | None = None) -> int:
    """1 if a test fails under a setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setting", action="append", choices=[s.name for s in SETTINGS], help="may be repeated; default: all")
    args, rest = parser.parse_known_args(arguments)
    chosen = [s for s in SETTINGS if s.name in (args.setting or [s.name])]
    skipped = [s.name for s in chosen if not host_flags() >= s.needs]
    outcomes = {s.name: run(s, rest or [str(TESTS / name) for name in DEPENDENT]) for s in chosen if s.name not in skipped}
    for name in skipped:
        print(f"{name}: skipped, the processor lacks the instructions that it takes away")
    for name, (code, seconds) in outcomes.items():
        print(f"{name}: {'passed' if code == 0 else 'FAILED'} in {seconds:.0f} s")
    return int(any(code for code, _ in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
