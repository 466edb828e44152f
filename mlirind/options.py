"""Every option and its environment variable: one typed object. (`disk_cache/` reads `MLIRIND_CACHE_DIR`.)"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Any, get_args, get_origin

from .errors import MlirindError


def _flag(name: str, default: str = "0") -> Any:
    """A switch in the environment; empty, 0, false, no and off, in any case, mean off."""
    return field(default_factory=lambda: os.environ.get(name, default).lower() not in ("", "0", "false", "no", "off"))


def _number(name: str) -> int | None:
    """An integer in the environment; None if there is none."""
    text = os.environ.get(name, "")
    if text and not text.isdecimal():
        raise MlirindError(f"{name}={text!r}: a number from 0 is wanted")
    return int(text) if text else None


COMPARE = "compare"  # a word of `kernel_debug`


# The options that torch.compile's modes set.
MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "reduce-overhead": {"cuda_graphs": True},
    "max-autotune": {"cuda_graphs": True, "max_autotune": True},
    "max-autotune-no-cudagraphs": {"max_autotune": True},
}


@dataclass(frozen=True)
class Options:
    """The options of `torch.compile(..., backend="mlirind", options={...})`. Environment variables give the defaults."""

    verify_each: bool = _flag("MLIRIND_VERIFY_EACH")  # run the verifiers after every pass
    print_ir_before_all: bool = _flag("MLIRIND_PRINT_IR_BEFORE_ALL")  # print the module before every pass, to stderr
    print_ir_after_all: bool = _flag("MLIRIND_PRINT_IR_AFTER_ALL")  # print the module after every pass, to stderr
    print_ir_after_change: bool = _flag("MLIRIND_PRINT_IR_AFTER_CHANGE")  # print the module after every pass that changed it, to stderr
    timing: bool = _flag("MLIRIND_TIMING")  # print where the time of a compilation goes, to stderr
    pattern_log: bool = _flag("MLIRIND_PATTERN_LOG")  # print what each pattern matches, or where its nearest miss ends, to stderr
    reproducer: bool = True  # write a file that repeats a pass's failure
    dump_dir: str | None = field(default_factory=lambda: os.environ.get("MLIRIND_DUMP_DIR"))  # reproducers' folder; None: the temporary one
    access_log: str | None = field(default_factory=lambda: os.environ.get("MLIRIND_ACCESS_LOG"))  # a file: how accesses are proved
    report: str | None = field(default_factory=lambda: os.environ.get("MLIRIND_REPORT"))  # a folder: an HTML page of what is compiled
    fallback: bool = True  # run a graph that can't be compiled through the FX interpreter; False: raise
    reuse_memory: bool = _flag("MLIRIND_REUSE_MEMORY", "1")  # reuse the memory of dead buffers
    stop_after: str | None = None  # run the graph as ATen calls: "import": before any pass on it, "aten": after the passes on `aten`
    partition: str = "min-cut"  # what the forward saves: "default" what autograd would, "min-cut" less: the rest is recomputed
    activation_memory_budget: float = 1.0  # 0..1: the share of what min-cut saves at 1; the rest is recomputed, in the cheapest way
    rewrite_limit: int | None = field(default_factory=lambda: _number("MLIRIND_REWRITE_LIMIT"))  # the last pass or rewrite that happens
    check: str = field(default_factory=lambda: os.environ.get("MLIRIND_CHECK", ""))  # "graphs", "passes", "kernels": compare with eager
    host: str = field(default_factory=lambda: os.environ.get("MLIRIND_HOST", "native"))  # "python": a graph runs as a Python function
    kernel_debug: str = field(
        default_factory=lambda: os.environ.get("MLIRIND_KERNEL_DEBUG", "")
    )  # "print", "time", "nan", "compare", with commas
    pre_grad: str | Sequence[str] = ()  # users' passes on the graph of torch functions, before AOTAutograd, by name
    joint_before: str | Sequence[str] = ()  # passes on the joint graph of forward and backward, a pipeline or names; before its own
    joint_after: str | Sequence[str] = ()  # and after them
    post_grad_before: str | Sequence[str] = ()  # on each graph as `aten`, before the compiler's own passes
    post_grad_after: str | Sequence[str] = ()  # and after them
    rounding: str = "library"  # of products' sums: "eager": no product gets other sizes; "free": passes on the CPU change the order
    fuse_attention: bool = _flag("MLIRIND_FUSE_ATTENTION", "1")  # attention that is written out becomes PyTorch's fused operator
    pad_products: bool = False  # pad matrix products to sizes that are multiples of 16 bytes
    freezing: bool = _flag("MLIRIND_FREEZING")  # inference: compute once what depends on parameters alone, fold into weights
    group_linears: bool = False  # linear layers of one input with weights of equal sizes become one batched product
    max_autotune: bool = _flag("MLIRIND_MAX_AUTOTUNE")  # try each kernel on a GPU with several schedules, keep the fastest on disk
    fallback_random: bool = True  # random numbers are eager's; False: others, drawn inside kernels from seeds of PyTorch's generator
    cuda_graphs: bool = _flag("MLIRIND_CUDA_GRAPHS")  # capture a graph's work on a GPU as a CUDA graph, and replay it
    replay: bool = _flag("MLIRIND_REPLAY")  # small graphs on a GPU: capture a call's launches, replay them for the same input addresses
    cache: bool = _flag("MLIRIND_CACHE", "1")  # keep compiled graphs on disk, for other processes
    target_features: str | None = field(default_factory=lambda: os.environ.get("MLIRIND_TARGET_FEATURES"))  # LLVM features, e.g. "-avx512f"

    @property
    def compares_kernels(self) -> bool:
        """Whether each kernel is compared with ATen."""
        return self.check == "kernels" or COMPARE in self.kernel_debug.split(",")

    @staticmethod
    def from_dict(given: dict[str, Any] | None, mode: str | None = None) -> "Options":
        """Reads the `options=` and the `mode=` of torch.compile; an unknown name raises with the list of known ones."""
        if mode is not None and mode not in MODES:
            raise MlirindError(f"unknown mode {mode!r} for backend 'mlirind': known modes are {', '.join(MODES)}")
        given = MODES[mode or "default"] | (given or {})
        known = {f.name: f.type for f in fields(Options)}
        for name, value in given.items():
            if name not in known:
                raise MlirindError(f"unknown option {name!r} for backend 'mlirind': known options are {', '.join(known)}")
            if not isinstance(value, _classes(known[name])):
                raise MlirindError(f"option {name}={value!r}: {getattr(known[name], '__name__', known[name])} is wanted")
        options = Options(**given)
        if options.stop_after not in (None, "import", "aten"):
            raise MlirindError(f"option stop_after={options.stop_after!r}: 'import' and 'aten' are possible")
        if options.partition not in ("min-cut", "default"):
            raise MlirindError(f"option partition={options.partition!r}: 'min-cut' and 'default' are possible")
        if options.rounding not in ("library", "eager", "free"):
            raise MlirindError(f"option rounding={options.rounding!r}: 'library', 'eager' and 'free' are possible")
        if not 0 <= options.activation_memory_budget <= 1:
            raise MlirindError(f"option activation_memory_budget={options.activation_memory_budget}: a number from 0 to 1 is wanted")
        if not set(filter(None, options.kernel_debug.split(","))) <= {"print", "time", "nan", COMPARE}:
            raise MlirindError(
                f"option kernel_debug={options.kernel_debug!r}: 'print', 'time', 'nan' and 'compare' are possible, with commas"
            )
        if options.check not in ("", "graphs", "passes", "kernels"):
            raise MlirindError(f"option check={options.check!r}: 'graphs', 'passes' and 'kernels' are possible")
        if options.host not in ("native", "python"):
            raise MlirindError(f"option host={options.host!r}: 'native' and 'python' are possible")
        return options


def _classes(wanted: Any) -> tuple[type, ...]:
    """The classes of the values that an option of type `wanted` takes; an integer is a float."""
    members = (float, int) if wanted is float else get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
    return tuple(get_origin(member) or member for member in members)
