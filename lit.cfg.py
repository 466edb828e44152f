"""lit: every test/**/*.mlir is a test. `lit test`, or `lit -v test/passes/x.mlir` for one."""

import os
import subprocess
import sys
from pathlib import Path

import lit.formats

config.name = "mlirind"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = str(Path(__file__).absolute().parent)
config.test_exec_root = config.test_source_root


def opt_command() -> str:
    """The command of mlirind-opt: a client of a process that has imported the compiler, forks for each command, and ends with lit."""
    tools = Path(config.test_source_root, "test", "tools")
    its_input, _ = os.pipe()  # the other end closes when lit ends
    server = subprocess.Popen([sys.executable, "-P", tools / "opt_server.py"], stdin=its_input, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    path = server.stdout.readline().strip()
    if not path:
        raise RuntimeError(f"{tools / 'opt_server.py'} does not start")
    return f"{sys.executable} -I -S {tools / 'opt_client.py'} {path}"


# -P: run from the repository's root, its folder `mlirind/` must not hide the installed package.
config.substitutions += [
    ("%mlirind-opt", opt_command()),
    ("%FileCheck", f"{sys.executable} -P -m filecheck"),
    ("%python", f"{sys.executable} -P"),
    ("%not", f"{sys.executable} -P {config.test_source_root}/test/tools/not.py"),
]
# What a pass leaves behind is verified in every test.
config.environment["MLIRIND_VERIFY_EACH"] = "1"
# CPU code is that of one processor, whichever runs the tests; what is special of another says so in its RUN line. No kernel is run.
config.environment["MLIRIND_TARGET_FEATURES"] = "+avx,+avx2,+fma,-avx512f"
for name in ("PYTHONPATH", "HOME", "XDG_CACHE_HOME", "MLIRIND_CACHE_DIR", "MLIRIND_TARGET_FEATURES"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
