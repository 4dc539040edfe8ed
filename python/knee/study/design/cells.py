"""The design: thread ladder, placements that differ on this machine, and the cells they span."""

from __future__ import annotations

import itertools
from typing import Any, cast

from knee.store import Level, StudyError
from knee.study.design.placements import Placements
from knee.study.spec import StudySpec

NAMED_PLACEMENTS = ("cores-close", "cores-spread", "threads-close")

Cell = dict[str, Level]

ALL_UP_TO = 16
"""Up to so many hardware threads every count is tried; beyond, the edges and what lies between them."""


def ladder(machine: dict[str, Any]) -> list[int]:
    """Return the thread counts worth trying: 1, every edge of the topology, points between, and one beyond all cpus.

    An edge is where the next thread has to go somewhere new: the end of a core, a cache, a node, a socket, of all
    cores, of all hardware threads.

    Examples
    --------
    >>> two = {"allowed": {"cpus": [0, 1]}, "cores": [{"cpus": [0]}, {"cpus": [1]}], "nodes": [], "sockets": [],
    ...        "caches": []}
    >>> ladder(two)
    [1, 2, 3]
    """
    allowed = set(machine["allowed"]["cpus"])
    total = len(allowed)
    if total <= ALL_UP_TO:
        return [*range(1, total + 2)]
    groups = [group for kind in ("caches", "nodes", "sockets") for group in machine[kind]]
    cores = [set(core["cpus"]) & allowed for core in machine["cores"]]
    edges = {1, total, sum(1 for core in cores if core)}
    for group in groups:
        inside = set(group["cpus"]) & allowed
        edges |= {len(inside), sum(1 for core in cores if core & inside)}
    points = sorted(edge for edge in edges if edge > 0)
    between = {(low + high) // 2 for low, high in itertools.pairwise(points)}
    powers = {2**k for k in range(total.bit_length())}
    return sorted({*points, *between, *powers, total + 1} - {0})


def placements_of(study_spec: StudySpec) -> Placements:
    """Return the placements of the study spec, or all that differ on this machine and ``none``."""
    asked = study_spec.factors.get("placement")
    if asked:
        return Placements.of(map(str, asked))
    return Placements.of(NAMED_PLACEMENTS).distinct().with_kernel()


def cells_of(study_spec: StudySpec, machine: dict[str, Any], placements: Placements) -> list[Cell]:
    """Return every combination of levels that can be: all factors, threads and placements included.

    Left out are thread counts of the default ladder that lie beyond a placement's places and one more, threads tied
    each to a cpu of its own (factor ``bind``) where there are not as many cpus, or the kernel decides, and what the
    study spec excludes.
    """
    ladders = _ladders(machine, placements)
    counts: list[Level] = [*sorted({count for points in ladders.values() for count in points})]
    named: dict[str, list[Level]] = {"workload": [*study_spec.workloads]} if study_spec.workloads else {}
    factors: dict[str, list[Level]] = {
        "threads": counts,
        **named,
        **study_spec.factors,
        "placement": [*placements.names],
    }
    factors["threads"] = _counts(factors["threads"], machine)
    count = 1
    for levels in factors.values():
        count *= len(levels)
    if count * study_spec.blocks > 1_000_000:
        raise StudyError(f"too many runs: {count} cells in {study_spec.blocks} blocks", hint="use fewer levels")
    made = [dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values())]
    if "threads" not in study_spec.factors:
        made = [cell for cell in made if cell["threads"] in ladders[str(cell["placement"])]]
    made = [cell for cell in made if cell.get("bind") != "each" or _fits(cell, placements)]
    if not made:
        raise StudyError(
            "bad factor: bind: nowhere is a cpu for each thread", hint="name a placement, or fewer threads"
        )
    return _admitted(made, factors, study_spec.exclude)


def _admitted(cells: list[Cell], factors: dict[str, list[Level]], excluded: list[dict[str, Any]]) -> list[Cell]:
    """Return the cells that no exclusion names: a table of levels, or lists of levels, all of which a cell has."""
    for one in excluded:
        for name, levels in one.items():
            known = [str(level) for level in factors.get(name, [])]
            strange = [level for level in _listed(levels) if level not in known]
            if strange:
                hint = f"{name} has {', '.join(known)}" if known else f"its factors are {', '.join(factors)}"
                raise StudyError(f"bad exclude: {name}={strange[0]}: the study has no such level", hint=hint)
    kept = [cell for cell in cells if not any(_named_by(one, cell) for one in excluded)]
    if not kept:
        raise StudyError("bad exclude: nothing is left to run", hint="exclude less")
    return kept


def _named_by(excluded: dict[str, Any], cell: Cell) -> bool:
    return all(str(cell[name]) in _listed(levels) for name, levels in excluded.items())


def _listed(levels: Any) -> list[str]:
    return [str(level) for level in (cast("list[Any]", levels) if isinstance(levels, list) else [levels])]


def _counts(levels: list[Level], machine: dict[str, Any]) -> list[Level]:
    """Return thread counts as numbers, ascending; those of a machine that fall together are one."""
    allowed = set(machine["allowed"]["cpus"])
    own = {"cpus": len(allowed), "cores": sum(1 for core in machine["cores"] if set(core["cpus"]) & allowed)}
    return [*sorted({own.get(str(level)) or int(level) for level in levels})]


def _ladders(machine: dict[str, Any], placements: Placements) -> dict[str, list[int]]:
    """Return the thread counts worth trying on each placement: the machine's, up to one beyond the last place."""
    counts = ladder(machine)
    ladders: dict[str, list[int]] = {}
    for name in placements.names:
        places = placements.places(name)
        inside = [n for n in counts if places is None or n <= places + 1]
        ladders[name] = sorted({*inside, *([places, places + 1] if places else [])})
    return ladders


def _fits(cell: Cell, placements: Placements) -> bool:
    return placements.fits(str(cell["placement"]), int(cell["threads"]))


def copied(cells: list[Cell], placements: Placements) -> list[Cell]:
    """Return the cells that copies stand beside: those of the most threads that fit, one for each pinned series."""
    controls: dict[str, Cell] = {}
    for cell in cells:
        if int(cell["threads"]) > 1 and _fits(cell, placements):
            key = str(sorted((name, str(level)) for name, level in cell.items() if name != "threads"))
            largest = controls.get(key, cell)
            controls[key] = max(largest, cell, key=lambda one: int(one["threads"]))
    return [*controls.values()]
