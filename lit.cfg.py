"""lit: every test/**/*.mlir is a test. `lit test`, or `lit -v test/passes/x.mlir` for one."""

import os
import sys
from pathlib import Path

import lit.formats

config.name = "mlirind"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = str(Path(__file__).absolute().parent)
config.test_exec_root = config.test_source_root

# -P: run from the repository's root, its folder `mlirind/` must not hide the installed package.
config.substitutions += [
    ("%mlirind-opt", f"{sys.executable} -P -m mlirind.tools.mlirind_opt"),
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
