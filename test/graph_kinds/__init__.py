"""Small programs of every kind of graph that `torch.compile` sends, and how one is compared with eager: `test/test_graph_kinds.py` runs all
of them, `python test/graph_kinds_table.py --backend NAME` prints what another backend makes of them."""

from . import control_flow, data_numbers, data_sizes, numbers, objects, positions, types, views
from .program import GraphProgram

KINDS = {
    "data_sizes": data_sizes,
    "positions": positions,
    "numbers": numbers,
    "control_flow": control_flow,
    "views": views,
    "types": types,
    "objects": objects,
    "data_numbers": data_numbers,
}


def all_programs() -> list[tuple[str, GraphProgram]]:
    """Each program with its kind."""
    return [(kind, program) for kind, module in KINDS.items() for program in module.programs.all]
