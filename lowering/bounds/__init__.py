"""Proves that no kernel accesses memory outside of its buffers."""
