"""PyTorch's logs, which `TORCH_LOGS` turns on by name, and its structured trace, which `TORCH_TRACE` turns on and tlparse reads."""

from __future__ import annotations

import logging
from typing import Any

from .entries import private
from .log_names import LOG_NAMES, register_log_names

# A child of Dynamo's logger: its messages reach PyTorch's handlers, which write them in PyTorch's format.
_PARENT = "torch._dynamo.backends.mlirind"


def _plain_logger(parent: str, name: str) -> logging.Logger:
    return logging.getLogger(f"{parent}.{name}")


_artifact_logger: Any = private(
    "torch._logging.getArtifactLogger",
    "loggers that TORCH_LOGS turns on by name",
    "TORCH_LOGS shows no stages, kernels and hints",
    _plain_logger,
)
_trace: Any = private(
    "torch._logging.trace_structured",
    "the stages of each graph in TORCH_TRACE",
    "TORCH_TRACE holds PyTorch's own artifacts alone",
)
_trace_log = logging.getLogger("torch.__trace")


def named_logger(name: str) -> logging.Logger:
    """The logger that a name in `TORCH_LOGS` turns on; one of `LOG_NAMES`."""
    register_log_names()
    try:
        logger: logging.Logger = _artifact_logger(_PARENT, name)
    except ValueError:  # the name could not be registered
        logger = _plain_logger(_PARENT, name)
    return logger


def is_on(logger: logging.Logger) -> bool:
    """Whether its name is turned on. A logger that is off does not propagate, but takes the level of Dynamo's."""
    return logger.propagate and logger.isEnabledFor(logging.DEBUG)


def logs_are_on() -> bool:
    """Whether one of `LOG_NAMES` is turned on."""
    return any(is_on(named_logger(name)) for name in LOG_NAMES)


def trace_is_on() -> bool:
    """Whether PyTorch writes a structured trace. Its handler without a folder removes itself at the first record."""
    return _trace is not None and any(getattr(handler, "root_dir", "") is not None for handler in _trace_log.handlers)


def trace_artifact(name: str, text: str, encoding: str = "string") -> None:
    """Writes a text, or JSON if `encoding` is "json", to the trace of the code that is being compiled."""
    if _trace is not None:
        _trace("artifact", metadata_fn=lambda: {"name": name, "encoding": encoding}, payload_fn=lambda: text)
