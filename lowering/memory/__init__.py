"""Buffers: allocation, lifetimes, reuse."""
