"""The cells of a study: all combinations of levels, with the default thread counts and placements."""

from __future__ import annotations

import itertools
import math
from typing import Any, cast

from knee.store import Level, StudyError, claimed_counts, own_counts
from knee.study.design.placements import Placements
from knee.study.kinds.near import suggestion
from knee.study.kinds.ranges import expanded
from knee.study.spec import StudySpec

NAMED_PLACEMENTS = ("cores-close", "cores-spread", "threads-close")

Cell = dict[str, Level]

SERIES = 6
"""Thread counts of a study that names none, up to all cores: the fewest from which a scaling law is fitted."""

TOO_CLOSE = 1.2
"""Edges of the topology and powers of two nearer to a chosen count than this ratio are passed over."""


def ladder(machine: dict[str, Any]) -> list[int]:
    """Return the thread counts of a study that names none: six up to all cores, and all hardware threads.

    With fewer than six cores these are all counts. Otherwise they are 1, 2, all cores, then the cores of a cache, node
    or socket, of two, four of them, then powers of two, spread evenly over the logarithm.

    Examples
    --------
    >>> two = {"allowed": {"cpus": [0, 1]}, "cores": [{"cpus": [0]}, {"cpus": [1]}], "nodes": [], "sockets": [],
    ...        "caches": []}
    >>> ladder(two)
    [1, 2]
    """
    allowed = set(machine["allowed"]["cpus"])
    cores = [set(core["cpus"]) & allowed for core in machine["cores"]]
    total = len(allowed)
    most = sum(1 for core in cores if core) or total
    groups = [set(group["cpus"]) & allowed for kind in ("caches", "nodes", "sockets") for group in machine[kind]]
    sizes = {sum(1 for core in cores if core & group) for group in groups} - {0, 1}
    edges = {size * 2**k for size in sizes for k in range(most.bit_length())}
    chosen = _spread({1, min(2, most), most}, edges, most)
    # Where there are few cores, their hardware threads complete the six.
    return sorted(_spread(chosen | {total}, set(), total))


def _spread(chosen: set[int], edges: set[int], most: int) -> set[int]:
    """Add counts until there are six, each time the one farthest from all others; edges first, then round numbers."""
    powers = {2**k for k in range(most.bit_length())}
    halfway = {3 * power for power in powers}
    found = set(chosen)
    for candidates, ratio in (
        (edges, TOO_CLOSE),
        (powers, TOO_CLOSE),
        (halfway, TOO_CLOSE),
        ({*range(1, most + 1)}, 1.0),
    ):
        left = {count for count in candidates if 1 <= count <= most} - found
        while left and len(found) < SERIES:
            # Of equally good counts the larger one: the knee is rather there.
            gap, count = max((round(min(abs(math.log(one / two)) for two in found), 9), one) for one in left)
            if gap < math.log(ratio):
                break
            found.add(count)
            left.remove(count)
    return found


def placements_of(study_spec: StudySpec, machine: dict[str, Any]) -> Placements:
    """Return the placements of the study; by default those that differ here and ``none``, or one where none matters."""
    asked = study_spec.factors.get("placement")
    if asked:
        return Placements.of(map(str, asked))
    if not placements_matter(machine):
        return Placements.of(NAMED_PLACEMENTS[:1])
    return Placements.of(NAMED_PLACEMENTS).distinct().with_kernel()


def placements_matter(machine: dict[str, Any]) -> bool:
    """Return whether a machine has what placements choose between: nodes, SMT siblings, or shared last-level caches."""
    allowed = set(machine["allowed"]["cpus"])
    last = max((cache["level"] for cache in machine["caches"]), default=0)
    kinds = {"caches": [cache for cache in machine["caches"] if cache["level"] == last]}
    kinds |= {kind: machine[kind] for kind in ("nodes", "cores")}
    sizes = {kind: [n for one in groups if (n := len(allowed & set(one["cpus"])))] for kind, groups in kinds.items()}
    several_caches = len(sizes["caches"]) > 1 and max(sizes["caches"]) > 1
    return several_caches or len(sizes["nodes"]) > 1 or max(sizes["cores"], default=1) > 1


def cells_of(study_spec: StudySpec, machine: dict[str, Any], placements: Placements) -> list[Cell]:
    """Return every possible combination of levels, threads and placements included.

    Left out are default thread counts above a placement's number of places, one thread per cpu (factor ``bind``) where
    there are fewer cpus or the kernel decides, and what the study spec excludes.
    """
    ladders = _ladders(machine, placements, claimed_counts(study_spec.claims, machine))
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
    if count * study_spec.most_blocks > 1_000_000:
        raise StudyError(f"too many runs: {count} cells in {study_spec.most_blocks} blocks", hint="use fewer levels")
    made = [dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values())]
    if "threads" not in study_spec.factors:
        made = [cell for cell in made if cell["threads"] in ladders[str(cell["placement"])]]
    made = [cell for cell in made if cell.get("bind") != "each" or _fits(cell, placements)]
    if not made:
        message = "bad factor: bind: no placement has a cpu for each thread"
        raise StudyError(message, hint="name a placement, or fewer threads")
    return _admitted(made, factors, study_spec.exclude)


def _admitted(cells: list[Cell], factors: dict[str, list[Level]], excluded: list[dict[str, Any]]) -> list[Cell]:
    """Return the cells that are not excluded. An exclusion is a table of levels, all of which the cell has."""
    for one in excluded:
        for name, levels in one.items():
            known = [str(level) for level in factors.get(name, [])]
            strange = [level for level in _listed(levels) if level not in known]
            if strange:
                if known:
                    hint = suggestion(strange[0], known, f"{name} has {', '.join(known)}")
                else:
                    hint = suggestion(name, factors, f"the factors are {', '.join(factors)}")
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
    """Return thread counts as ascending numbers, equal ones merged: words and ranges become numbers."""
    own = own_counts(machine)
    counts: set[int] = set()
    for level in levels:
        many = own.get(str(level), level)
        counts.update(expanded(many, "threads", own) if isinstance(many, str) else [int(many)])
    return [*sorted(counts)]


def _ladders(machine: dict[str, Any], placements: Placements, claimed: set[int]) -> dict[str, list[int]]:
    """Return the default thread counts on each placement: the machine's and those of claims, up to its last place."""
    counts = {*ladder(machine), *claimed}
    ladders: dict[str, list[int]] = {}
    for name in placements.names:
        places = placements.places(name)
        inside = [n for n in counts if places is None or n <= places]
        ladders[name] = sorted({*inside, *([places] if places else [])})
    return ladders


def _fits(cell: Cell, placements: Placements) -> bool:
    return placements.fits(str(cell["placement"]), int(cell["threads"]))


def copied(cells: list[Cell], placements: Placements) -> list[Cell]:
    """Return the cells to compare with copies: the most threads that fit, one cell for each pinned series."""
    controls: dict[str, Cell] = {}
    for cell in cells:
        if int(cell["threads"]) > 1 and _fits(cell, placements):
            key = str(sorted((name, str(level)) for name, level in cell.items() if name != "threads"))
            largest = controls.get(key, cell)
            controls[key] = max(largest, cell, key=lambda one: int(one["threads"]))
    return [*controls.values()]
