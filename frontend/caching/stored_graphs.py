"""Compiled graphs in the cache: which may be looked up, keys, reading and writing. Imports neither MLIR nor the compiler."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import hashlib
import json
import logging
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from ...disk_cache import container, folder
from ...disk_cache.container import DamagedEntry
from ...disk_cache.folder import UntrustedFolder
from ...options import Options
from ...runner import Runner
from ...runtime.artifacts import remote, surroundings
from ...runtime.artifacts.native_graph import NativeGraph, NotCacheable
from ...runtime.artifacts.parts import GraphParts
from ...runtime.artifacts.remote import ForeignEntry, RemoteFailure
from ...runtime.host.described_callables import Repeat
from ...runtime.report_requests import reports_wanted
from ...torch_internals.aot import boxed_function, mark_boxed
from ...torch_internals.cache_artifacts import record_artifact, write_artifacts_with
from ...torch_internals.logs import logs_are_on
from ...torch_internals.modes import without_dispatch_modes
from ...torch_internals.trees import tree_leaves
from ..calling.constants import with_constants
from ..calling.eager_rerun import rerun_in_eager
from ..calling.guarded import guarded_by
from ..counters import counters
from .stored_calls import read_call, written_call
from .users_code import NoIdentity, code_on_traced_graphs

if TYPE_CHECKING:
    from ..importing.subgraph_bodies import SubgraphBody

log = logging.getLogger(__name__)

# Options that ask for what a compilation prints or writes, so that a graph is compiled in each process.
_PRINT = (
    "verify_each", "print_ir_before_all", "print_ir_after_all", "print_ir_after_change", "timing", "pattern_log", "access_log", "report",
    "rewrite_limit",
)  # fmt: skip
# Options that ask for more than native code.
_NOT_NATIVE = ("stop_after", "kernel_debug", "freezing", "check")
NEED_A_COMPILATION = (*_PRINT, *_NOT_NATIVE)
# Options that change no code.
WITHOUT_EFFECT = frozenset({"reproducer", "dump_dir", "cache"})
_DRAWS = b"mlirindrandom"  # the namespace of operators that draw from a seed


def check_options(options: Options) -> None:
    """Raises NotCacheable if graphs can't be stored with these options, or must be compiled for what their compilation prints."""
    wanted = _NOT_NATIVE if _in_memory.get() is not None else NEED_A_COMPILATION
    found = next((name for name in wanted if getattr(options, name)), "" if options.host == "native" else "host")
    if found:
        raise NotCacheable(f"option {found}")
    if _in_memory.get() is not None:
        return
    if reports_wanted():
        raise NotCacheable("a report is wanted")
    if logs_are_on():
        raise NotCacheable("logs of compilations are wanted")


def gpus_of(values: Iterable[Any]) -> list[int]:
    """The numbers of the GPUs of tensors, and of those in lists, tuples and dicts. Raises NotCacheable for a tensor on another device."""
    devices = {leaf.device for value in values for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)} - {torch.device("cpu")}
    for device in devices:
        if device.type != "cuda" or device.index is None:
            raise NotCacheable(f"a tensor on {device}")
    return sorted(device.index for device in devices)


def key_of(options: Options, gpus: Sequence[int], graph: Callable[[], Any]) -> str:
    """The key for options, the GPUs of a graph, users' patterns and passes, and what `graph()` gives, which JSON can hold. Raises
    NotCacheable."""
    given = {f.name: repr(getattr(options, f.name)) for f in dataclasses.fields(options) if f.name not in WITHOUT_EFFECT}
    try:
        parts = [graph(), given, code_on_traced_graphs(options), surroundings.of_process(), surroundings.of_moment()]
        if gpus:
            parts.append(surroundings.of_gpus(gpus))
    except NotCacheable:
        raise
    except Exception as error:
        log.debug("a graph has no key", exc_info=True)
        raise NotCacheable(f"no key: {type(error).__name__}: {error}") from error
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


Entry = tuple[dict[str, Any], list[bytes]]  # the header and the pieces of a file


def read_entry(key: str) -> Entry | None:
    """An entry of the folder, else of the remote cache; None if there is none, or if it can't be read or is damaged."""
    found = _kept_entry(key)
    return _remote_entry(key) if found is None and remote.remote_is_on() and _in_memory.get() is None else found


def _kept_entry(key: str) -> Entry | None:
    entries = _in_memory.get()
    try:
        content = folder.read(key) if entries is None else entries.contents.get(key)
        if content is None:
            return None
        entry = container.unpack_entry(key, content)
        if entries is None:
            record_artifact(key, content)
        return entry
    except (UntrustedFolder, OSError) as error:
        log.debug("the cache can't be read", exc_info=True)
        warn(f"the cache can't be read: {_reason(error)}")
    except DamagedEntry as error:
        discard(key, error)
    return None


def _remote_entry(key: str) -> Entry | None:
    """An entry of the remote cache, which is then also in the folder."""
    try:
        content = remote.fetch(key)
        if content is None:
            counters.cache["remote miss"] += 1
            return None
        entry = container.unpack_entry(key, content)
    except (ForeignEntry, DamagedEntry) as error:
        count(f"an entry can't be used: {error}")
        return None
    except RemoteFailure as error:
        warn(f"the remote cache can't be read: {error}")
        return None
    counters.cache["remote hit"] += 1
    _keep(key, content)
    return entry


def _keep(key: str, content: bytes) -> bool:
    """Writes a file into the folder; False if that failed."""
    try:
        folder.write(key, content)
        record_artifact(key, content)
    except Exception as error:
        return _not_written(error)
    return True


def _not_written(error: Exception) -> bool:
    log.debug("the cache can't be written", exc_info=True)
    warn(f"the cache can't be written: {_reason(error)}")
    return False


def write_entry(key: str, header: dict[str, Any], pieces: Sequence[bytes]) -> bool:
    """Writes a file, and into the remote cache; False if the file can't be written. Raises NotCacheable."""
    try:
        if surroundings.sources_changed():
            raise NotCacheable("the compiler's own files have changed since they were imported")
        content = container.pack_entry(key, header, pieces)
    except NotCacheable:
        raise
    except Exception as error:
        return _not_written(error)
    entries = _in_memory.get()
    if entries is not None:
        entries.contents[key] = content
        return True
    if remote.remote_is_on():
        try:
            remote.put(key, content)
        except RemoteFailure as error:
            warn(f"the remote cache can't be written: {error}")
    return _keep(key, content)


@dataclass
class EntriesInMemory:
    """Files in place of those in the folder, by their keys; why graphs have none."""

    contents: dict[str, bytes]
    reasons: list[str] = field(default_factory=list)


_in_memory: contextvars.ContextVar[EntriesInMemory | None] = contextvars.ContextVar("in_memory", default=None)


@contextlib.contextmanager
def entries_in_memory(contents: Mapping[str, bytes]) -> Iterator[EntriesInMemory]:
    """A context in which files are read from these contents, and written to them, and the folder is left alone."""
    entries = EntriesInMemory(dict(contents))
    token = _in_memory.set(entries)
    try:
        yield entries
    finally:
        _in_memory.reset(token)


def _write_artifact(key: str, content: bytes) -> None:
    """Puts an entry into the cache that another process gave to `torch.compiler.save_cache_artifacts`."""
    try:
        if not folder.is_key(key):
            raise DamagedEntry("its name is no key")
        container.unpack_entry(key, content)
        folder.write(key, content)
    except Exception as error:
        log.debug("an artifact can't be written", exc_info=True)
        warn(f"an entry of a file of artifacts can't be written: {_reason(error)}")


write_artifacts_with(_write_artifact)


def _reason(error: Exception) -> str:
    """What went wrong, without a file's name, so that failures of several files are logged once."""
    if isinstance(error, OSError) and error.strerror:
        return f"{folder.folder()}: {error.strerror}"
    return str(error)


def discard(key: str, error: Exception) -> None:
    """Counts and removes a file that can't be used."""
    log.debug("an entry can't be used", exc_info=error)
    count(f"an entry can't be used: {error}")
    if _in_memory.get() is None:
        folder.remove_file(key)


def load_graph(
    key: str, constants: Sequence[torch.Tensor], name: str, again: Callable[[], Repeat | None], otherwise: Runner
) -> Runner | None:
    """The runner of a graph in the cache; None if there is none that can be used. `again()`: what runs the graph again for the text of an
    exception; `otherwise`: runs it for inputs for which a condition is false."""
    entry = read_entry(key)
    if entry is None:
        return None
    header, pieces = entry
    try:
        graph = NativeGraph.unpacked(header, pieces, read_call)
        if header["constants"] != len(constants):
            raise DamagedEntry("it has another number of constants")
        runner = graph.runner(name, again() if header["repeats"] else None)
        if header["captures"] is not None:
            from ...runtime.cuda.capturing.policies import read_policy  # not needed on the CPU

            runner = read_policy(header["captures"]).around(runner, name)
        runner = with_constants(runner, constants)
        return guarded_by(runner, [str(condition) for condition in header["conditions"]], otherwise, name)
    except Exception as error:
        discard(key, error)
    return None


def save_graph(key: str, made: GraphParts, constants: Sequence[torch.Tensor]) -> bool:
    """Writes what was compiled; False if that failed. Raises NotCacheable."""
    if not made.done or made.native is None:
        raise NotCacheable("it does not run as one native function")
    if [id(t) for t in made.constants] != [id(t) for t in constants]:
        raise NotCacheable("its compilation makes constants")
    if made.refusal:
        raise NotCacheable(made.refusal)
    missing = made.native.missing_symbols()
    if missing:
        raise NotCacheable(f"its code needs {', '.join(missing)}")
    header, pieces = made.native.packed(lambda number, call: written_call(call, _body_key(key, number), _save_body))
    captures = None
    if made.captures is not None:
        from ...runtime.cuda.capturing.policies import written_policy  # not needed on the CPU

        captures = written_policy(made.captures)
    header |= {"conditions": made.conditions, "constants": len(constants), "repeats": made.repeats, "captures": captures}
    return write_entry(key, header, pieces)


def _body_key(key: str, number: int) -> str:
    """The key of the body of a call, by the key of the graph and the number of the call in it."""
    return hashlib.sha256(f"{key} body {number}".encode()).hexdigest()


def _save_body(key: str, body: SubgraphBody) -> StoredGraph:
    """Writes the entry of a body. Raises NotCacheable."""
    if body.compiled is None or not save_graph(key, body.parts, ()):
        raise NotCacheable("the body of a call can't be written")
    return StoredGraph(key, "body", (), pickled_graph(body.compiled))


def count(reason: Exception | str, prefix: str = "") -> None:
    """Counts a reason why a graph is not cached, and logs it once."""
    text = f"{prefix}{reason}"
    entries = _in_memory.get()
    if entries is not None:
        entries.reasons.append(text)
        return
    if isinstance(reason, NoIdentity):
        _log_once(logging.INFO, f"a graph is not cached: {reason}")
    elif text not in counters.cache:
        log.info("a graph is not cached: %s", text)
    counters.cache[text] += 1


def warn(text: str) -> None:
    """Counts a failure of the cache, and warns of it once in a process."""
    _log_once(logging.WARNING, text)
    counters.cache[text] += 1


def _log_once(level: int, text: str) -> None:
    if text not in _logged:
        _logged.add(text)
        log.log(level, "%s", text)


_logged: set[str] = set()


@dataclass(frozen=True)
class StoredGraph:
    """What another process needs to load a graph without tracing it: its key in the cache, its constant tensors, and the traced graph
    itself, pickled. That runs where native code can't: for the text of an exception, and if a condition is false. `tangents`: the inputs of
    a backward graph that are gradients."""

    key: str
    name: str
    constants: tuple[torch.Tensor, ...]
    graph: bytes = field(repr=False)
    tangents: tuple[int, ...] = ()

    def runner(self) -> Runner | None:
        """The graph from the cache; None if it is not there any more."""
        return load_graph(self.key, self.constants, self.name, self._again, self.traced_runner())

    def traced_runner(self) -> Runner:
        """The traced graph as a callable, unpickled when it is first called."""
        loaded = functools.cache(lambda: boxed_function(self._graph_module().forward))

        def run(inputs: list[Any]) -> Any:
            return loaded()(inputs)

        return mark_boxed(run)

    def _again(self) -> Repeat:
        loaded = functools.cache(lambda: rerun_in_eager(self._graph_module()))

        def again(inputs: list[Any]) -> str | None:
            rerun = loaded()
            return None if rerun is None else rerun(inputs)

        return again

    def _graph_module(self) -> fx.GraphModule:
        if _DRAWS in self.graph:
            from ..calls import random_in_kernels  # noqa: F401  (defines the operators)
        graph_module: fx.GraphModule = pickle.loads(self.graph)
        return graph_module


def pickled_graph(graph_module: fx.GraphModule) -> bytes:
    """A graph with its constants, without what is known of its nodes. Raises NotCacheable."""
    copy = fx.Graph()
    copy.output(copy.graph_copy(graph_module.graph, {}))
    for node in copy.nodes:
        node.meta = {}
    names = {str(node.target) for node in copy.find_nodes(op="get_attr")}
    try:
        with without_dispatch_modes():
            return pickle.dumps(fx.GraphModule({name: getattr(graph_module, name) for name in names}, copy))
    except Exception as error:
        raise NotCacheable(f"the graph can't be pickled: {type(error).__name__}: {error}") from error
