"""Conclusions from the runs of a study, as plain data: curves, causes, claims, comparisons. Start at `analysis`."""
