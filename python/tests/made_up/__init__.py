"""Plays run specs on machines that exist only as descriptions, and writes records as the runner would.

The explanation is scored on these records for causes that a machine with two cpus cannot show (`bench/truth.py`). So
nothing here may know how the explanation works: it imports neither `knee.explain` nor `knee.stats`, and has its own
arithmetic. It was written before the explanation.

- `machine`: the machine, and what the topology does not say: bandwidths, clock, yield of SMT.
- `program`: a program described by a few numbers, one for each cause.
- `speeds`: how fast threads run that share cores, caches and memory.
- `play`: the course of one run: serial part, parallel part, locks, quota.
- `noise`: variation of blocks and runs, drift, outliers.
- `others`: another program that comes and goes beside a study's runs.
- `spots`: samples of instructions and of the memory that they use, since records have those of real programs.
- `write`: the record.
- `drawn`: the counted list of instances with their truth.
"""
