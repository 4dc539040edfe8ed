"""Figures, one per file. Each takes results and returns an Altair chart; colours and sizes are given in one place,
:mod:`knee.plots.style`, so that the report can switch between light and dark.
"""
