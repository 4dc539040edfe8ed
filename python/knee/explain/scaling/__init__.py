"""Scaling curves: runs grouped into series, with their law, knee, recommended thread count, and accounting of time."""
