"""What runs compiled graphs: the JIT, the callable, the reports."""
