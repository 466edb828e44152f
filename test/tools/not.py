"""`%not COMMAND...` in a RUN line: succeeds where the command exits with 1 (and not where it crashes)."""

import subprocess
import sys

sys.exit(subprocess.run(sys.argv[1:]).returncode != 1)
