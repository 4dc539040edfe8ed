"""The end of a study's help: levels of factors, and examples."""

LEVELS = [
    ("threads", "1,2,4  1-8  1..64:*2  cores  cpus  1-cores  1..cpus:*2"),
    (
        "placement",
        "cores-close, cores-spread, threads-close, threads-spread, none (unpinned), cpus like 0-3; `knee place --help`"
        " lists all.",
    ),
    ("memory", "local, bind:0, interleave:0-3, weighted-interleave:0-3, preferred:0"),
    ("bind", "each, set"),
    ("cache", "cold, warm"),
    ("workload", "names that `knee workloads` lists"),
    ("NAME", "values of a workload's argument, or of {NAME} in a command: size=1000,2000 or size=1..64:*2"),
    ("env:NAME", "values of the program's variable NAME: env:OMP_SCHEDULE=static,dynamic"),
]
"""Factors and the levels that each takes."""

EXAMPLES = [
    "-- ./program --threads {threads} input",
    "-n 1-8 --for openmp -- ./program input",
    "--factor size=1000,2000 -- ./program {threads} {size}",
    "sumeuler --n 8000 --blocks 10",
    "study.toml --budget 10m",
]
"""What may follow the name of the verb."""
