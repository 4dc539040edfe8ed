"""Scaling curves: speedup, efficiency, the law that a curve follows, its knee."""
