"""How passes change a graph: replacements, new calls, other layouts."""
