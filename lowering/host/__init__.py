"""From the `host` launch sequence to one native function in the LLVM dialect."""
