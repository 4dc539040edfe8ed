"""Figures, one per file. Each takes results and returns an Altair chart; colours and sizes are given in one place,
:mod:`knee.plots.style`, so that the report can switch between light and dark.
"""

from knee.plots import cpu_use, efficiency, machine_map, over_time, run_time, speedup
from knee.plots import runs as run_list

__all__ = ["cpu_use", "efficiency", "machine_map", "over_time", "run_list", "run_time", "speedup"]
