"""Scaling curves: runs grouped into series, their law, knee and thread count to use, and where the time went."""
