"""Inputs of a graph by their names in the user's program: `tokens`, `self.layers.0.weight`, `cache['keys'][0]`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from torch import fx

from ..dialects.locations import SourcePosition
from ..dialects.short_form import ShortLine
from ..passes.recording import PassRecord
from ..runtime.launch_steps import Access, LaunchSequence, Step
from ..runtime.report import GraphReport
from ..torch_internals.dynamo import source_expressions
from .importing.locations import frames
from .joint.partition_report import PartitionReport

Value = TypeVar("Value")
_NAME = re.compile(r'aten\.name = "(\w+)"')


def written_names(graph_module: fx.GraphModule) -> list[str]:
    """The name of each input of a graph that Dynamo captured; a parameter's is its path from the module."""
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    return [_readable(source) for source in source_expressions(placeholders)]


def writing_lines(graph_module: fx.GraphModule) -> list[tuple[SourcePosition, ...]]:
    """The lines that write each input of a graph that Dynamo captured, itself or a view of it. AOTAutograd's copies into inputs have no
    lines of their own."""
    inputs = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    bases = {node: node for node in inputs}
    lines: dict[fx.Node, dict[SourcePosition, None]] = {node: {} for node in inputs}
    for node in graph_module.graph.nodes:
        first = node.args[0] if node.args else None
        if node.op not in ("call_method", "call_function") or not isinstance(first, fx.Node) or first not in bases:
            continue
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        writes = name in _WRITERS or (name.endswith("_") and not name.endswith("__"))
        if writes:
            lines[bases[first]] |= dict.fromkeys(frames(node.meta)[-1:])
        if writes or name in _VIEWS:
            bases[node] = bases[first]
    return [tuple(lines[node]) for node in inputs]


_WRITERS = frozenset({"setitem", "iadd", "isub", "imul", "itruediv", "ipow", "iand", "ior", "ixor"})
_VIEWS = frozenset({
    "getitem", "view", "reshape", "transpose", "permute", "narrow", "select", "unsqueeze", "squeeze", "expand", "t", "flatten", "detach",
    "view_as", "diagonal", "unfold", "movedim", "swapaxes", "slice",
})  # fmt: skip


def _readable(source: str) -> str:
    """`L['model']._modules['layers']._modules['0']._parameters['weight']` -> `model.layers.0.weight`; `L['x'][0]` -> `x[0]`"""
    source = re.sub(r"\._(?:modules|parameters|buffers)\['(.*?)'\]", r".\1", source)
    return re.sub(r"\b[LG]\['(\w+)'\]", r"\1", source)


def renamed_graph(report: GraphReport, names: Mapping[str, str], lines: Mapping[str, tuple[SourcePosition, ...]]) -> GraphReport:
    """The report with new names for the graph's inputs, in the IR too. `lines`: those of the program that write an input, by its old name;
    a copy into it, which has no line, gets these."""
    copies = tuple(replace(copy, lines=copy.lines or tuple(p.with_text for p in lines.get(copy.written, ()))) for copy in report.copies)
    writes = tuple(replace(write, name=names.get(write.name, write.name)) for write in report.writes)
    inputs = tuple(names.get(name, name) for name in report.inputs)
    return replace(
        report,
        writes=writes,
        inputs=inputs,
        stages=_renamed_stages(report.stages, names),
        copies=copies,
        sequence=_renamed_sequence(report.sequence, names, lines),
        passes=_renamed_passes(report.passes, names),
    )


def renamed_partition(report: PartitionReport, names: Mapping[str, str]) -> PartitionReport:
    """The report with new names for the joint graph's inputs, in the IR too."""
    saved = tuple(replace(value, name=names.get(value.name, value.name)) for value in report.saved)
    stages, passes = _renamed_stages(report.stages, names), _renamed_passes(report.passes, names)
    return replace(report, saved=saved, stages=stages, passes=passes)


def _renamed_sequence(
    sequence: LaunchSequence, names: Mapping[str, str], lines: Mapping[str, tuple[SourcePosition, ...]]
) -> LaunchSequence:
    def renamed(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(replace(access, buffer=names.get(access.buffer, access.buffer)) for access in accesses)

    def placed(step: Step) -> Step:
        return replace(step, positions=lines.get(step.writes[0].buffer, ())) if step.kind == "copy" and not step.positions else step

    steps = tuple(replace(placed(step), reads=renamed(step.reads), writes=renamed(step.writes)) for step in sequence.steps)
    buffers = tuple(replace(b, name=names.get(b.name, b.name), memory=names.get(b.memory, b.memory)) for b in sequence.buffers)
    return LaunchSequence(steps, buffers)


def _renamed_passes(passes: Sequence[PassRecord], names: Mapping[str, str]) -> tuple[PassRecord, ...]:
    if not names:
        return tuple(passes)
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?!\w)")

    def renamed(line: ShortLine) -> ShortLine:
        return replace(line, text=pattern.sub(lambda match: names[match[0]], line.text))

    return tuple(replace(record, lines=tuple(map(renamed, record.lines))) for record in passes)


def _renamed_stages(stages: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    def name(match: re.Match[str]) -> str:
        found = names.get(match[1], match[1]).replace("\\", r"\\").replace('"', r"\"")
        return f'aten.name = "{found}"'

    return {stage: _NAME.sub(name, text) for stage, text in stages.items()}


def by_argument(reports: Sequence[GraphReport], values: Sequence[Value]) -> dict[str, Value]:
    """What belongs to each input of the program, by AOTAutograd's name for the input, such as `primals_1`. Empty if the first graph, the
    forward, has another number of inputs than the captured one: AOTAutograd merged or added some."""
    return dict(zip(reports[0].inputs, values, strict=True)) if reports and len(reports[0].inputs) == len(values) else {}
