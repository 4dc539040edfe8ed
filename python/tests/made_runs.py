"""Simulated runs with known true times, without a folder, for simulations of thousands of studies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from conftest import THREAD, VALID, machine, record

from knee.explain.disturbance import disturbances
from knee.explain.scaling.series import group
from knee.explain.scaling.summary import summarize
from knee.explain.verdict.form import Verdict
from knee.explain.verdict.results import Results
from knee.explain.verdict.study import make
from knee.store.records.run import Run, joined


@dataclass(frozen=True)
class Made:
    """Parameters of simulated runs: true times by thread count, variation of blocks and of runs, and other programs.

    ``others`` is the share of a run's time that its threads together waited for a cpu, by thread count; ``cost`` is how
    much of that share made the run longer, from 0 to 1.
    """

    times: dict[int, float]
    blocks: int = 5
    mood: float = 0.05
    noise: float = 0.02
    others: dict[int, float] = field(default_factory=dict)
    cost: float = 1.0


def runs(made: Made, draw: np.random.Generator) -> list[Run]:
    """Return the runs of a study on cores-close, each on as many cpus as it has threads."""
    out: list[Run] = []
    for block in range(1, made.blocks + 1):
        mood = np.exp(draw.normal(0, made.mood))
        for n, true in made.times.items():
            free = true * mood * np.exp(draw.normal(0, made.noise))
            share = made.others.get(n, 0.0)
            # A run that is longer by `lost` of its time took free / (1 - lost).
            wall = free / (1 - made.cost * share)
            name = f"{len(out) + 1:04d}"
            spec = {
                "schema": 1,
                "id": name,
                "role": "measure",
                "cell": {"threads": n, "placement": "cores-close"},
                "block": block,
                "program": {"command": ["p"]},
                "threads": n,
                "cpus": list(range(n)),
                "bind": "set",
            }
            valid = VALID | {"other_busy": share / n}
            waited = [THREAD | {"run_delay_ns": int(share * wall * 1e9)}]
            out.append(joined(len(out), spec, record(name, block, wall, wall, validity=valid, observed_threads=waited)))
    return out


def verdict(made: Made, draw: np.random.Generator) -> Verdict:
    """Return the verdict on simulated runs."""
    made_runs = runs(made, draw)
    series = group(made_runs, len(machine(max(made.times))["allowed"]["cpus"]))
    summaries = {one.name: summarize(one) for one in series}
    return make(Results("made", made_runs, series, summaries, [], [], disturbances(made_runs, 4)))
