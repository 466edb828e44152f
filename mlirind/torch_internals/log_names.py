"""The names that the compiler adds to `TORCH_LOGS`.

PyTorch refuses a name that no one registered when it reads the variable, at the end of `import torch`. Before that it calls what packages
register as `torch.backends`: here `register_log_names`. This module registers no entry of the boundary and imports no other module of the
package, since every program that imports torch imports it.
"""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)

# PyTorch has names for some of these, which show what Inductor says under them.
LOG_NAMES = {
    "aten": "mlirind: the joint graph and each graph, after the passes on ATen's operators",
    "loop": "mlirind: each graph as kernels",
    "host": "mlirind: each graph as a launch sequence",
    "kernels": "mlirind: the kernels and ATen calls of each graph, and the code of CPU kernels",
    "fusion": "which operators share a kernel, and why others do not",
    "perf_hints": "what keeps a graph from running faster",
}


def register_log_names() -> None:
    """Makes the names valid in `TORCH_LOGS`, and in the call that does the same. Raises nothing, since torch could not be imported then."""
    try:
        from torch._logging._internal import log_registry, register_artifact

        for name, description in LOG_NAMES.items():
            if not log_registry.is_artifact(name) and not log_registry.is_log(name):
                register_artifact(name, description, visible=True, off_by_default=True)
    except Exception:
        log.debug("PyTorch takes no names for TORCH_LOGS", exc_info=True)
