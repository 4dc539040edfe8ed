"""Speedup, run time and efficiency over thread counts."""
