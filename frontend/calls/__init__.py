"""Calls in an FX graph that the importer can't take as they are: custom operators that write, Triton kernels, tokens, random draws."""
