"""Small graphs under valgrind's memcheck, each with this compiler and with a backend that runs no code of its own; minutes, not in CI.

    python test/memcheck.py [BACKEND ...]

Backends: mlirind, eager (AOTAutograd around ATen).
Prints what valgrind reports of mlirind's run and not of eager's, and whatever has a frame in generated code, which lies in no file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("MLIRIND_CACHE", "0")  # compile in each process

# Valgrind has no AVX-512; `malloc` is what it watches.
ENVIRONMENT = {
    "PYTHONMALLOC": "malloc", "OMP_NUM_THREADS": "1", "ATEN_CPU_CAPABILITY": "default", "MLIRIND_TARGET_FEATURES": "-avx512f",
    "TORCH_DISABLE_ADDR2LINE": "1",
}  # fmt: skip
TOP = 2  # frames that tell errors apart
IGNORED = {"Leak_DefinitelyLost", "Leak_PossiblyLost", "Leak_IndirectlyLost", "Leak_StillReachable"}


def programs() -> list[tuple[str, Callable[..., Any], list[Any]]]:
    """Name, function, arguments: every kind of kernel in one graph, a training step, what fails."""
    import torch
    import torch.nn.functional as F
    from gpu.test_programs import PROGRAMS

    def kernels(x: torch.Tensor, y: torch.Tensor) -> list[Any]:
        return [program(x, y) for program in PROGRAMS.values()]

    def training(table: torch.Tensor, w: torch.Tensor, tokens: torch.Tensor) -> list[torch.Tensor]:
        hidden = F.layer_norm(F.gelu(F.linear(table[tokens], w)), (w.shape[0],))
        loss = F.cross_entropy(F.linear(hidden, table), tokens)
        return list(torch.autograd.grad(loss, [table, w]))

    def calls(x: torch.Tensor, w: torch.Tensor) -> list[Any]:
        return [torch.complex(x, x).abs(), torch.topk(x, 2).values, x.mm(w.repeat(1, 40)), x.t(), x]

    def out_of_range(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return (x * 2)[index] + 1

    x, y, w = torch.randn(5, 19), torch.randn(5, 19), torch.randn(19, 19)
    parameters = [torch.randn(11, 19, requires_grad=True), torch.randn(19, 19, requires_grad=True)]
    return [
        ("kernels", kernels, [x, y]),
        ("kernels in bfloat16", PROGRAMS["layer norm"], [x.bfloat16(), y.bfloat16()]),
        ("training", training, [*parameters, torch.tensor([3, 10, 0])]),
        ("calls", calls, [x, w]),
        ("index out of range", out_of_range, [x, torch.tensor([1, 100])]),
    ]


def run(backend: str) -> None:
    """The programs, three calls each, in this process."""
    import torch
    from mlirind.frontend.backend import mlirind

    torch.manual_seed(0)
    for name, function, arguments in programs():
        torch._dynamo.reset()
        options = {"backend": "aot_eager"} if backend == "eager" else {"backend": mlirind, "options": {"fallback": False}}
        compiled = torch.compile(function, dynamic=False, **options)
        for _ in range(3):
            try:
                compiled(*arguments)
            except IndexError as error:
                print(name, type(error).__name__, flush=True)
        print(name, flush=True)


def errors(backend: str) -> dict[tuple[str, ...], bool]:
    """What valgrind reports of a run, as kind and innermost frames; whether a frame is in no file."""
    tests = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = ["valgrind", "--tool=memcheck", "--xml=yes", f"--xml-file={report}", "--num-callers=30", "--error-limit=no"]
        path = os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])
        command += ["--leak-check=no", sys.executable, "-P", str(tests / "memcheck.py"), "--run", backend]
        done = subprocess.run(command, env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path, "MLIRIND_CACHE_DIR": folder})
        if done.returncode:
            raise SystemExit(f"{backend}: exit code {done.returncode}")
        found = {}
        for error in ElementTree.parse(report).getroot().iter("error"):
            frames = error.findall("stack")[0].findall("frame")
            kind = error.findtext("kind", "")
            names = [frame.findtext("fn") or Path(frame.findtext("obj") or "generated code").name for frame in frames]
            found[kind, *names[:TOP]] = any(frame.find("obj") is None for frame in frames)
    return {key: generated for key, generated in found.items() if key[0] not in IGNORED}


def main() -> None:
    """Compares the runs."""
    backends = sys.argv[1:] or ["eager", "mlirind"]
    runs = {backend: errors(backend) for backend in backends}
    for backend, found in runs.items():
        new = [key for key, generated in found.items() if generated or key not in runs.get("eager", {})]
        print(f"{backend}: {len(found)} errors, {len(new)} of its own", *map(str, new), sep="\n  ")


if __name__ == "__main__":
    run(sys.argv[2]) if sys.argv[1:2] == ["--run"] else main()
