"""Measures instances: the truth of the dial, then a study that knee explains. Finished instances are kept."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from beside import comes_and_goes
from planted.dials import THREADS, Unmeasured, truth
from planted.instances import Instance
from planted.on_one_cpu import more_work
from planted.side_by_side import shared
from planted.undivided import surely, undivided

import knee
from knee import _binary

MEASURED, OWN = Path(knee.__file__).parent, Path(__file__).parents[2] / "python/knee"
"""The package that is measured, and that of this folder."""

EXPLAINING = (
    "explain/asking", "explain/causes", "explain/disturbance.py", "explain/evidence", "explain/factorial",
    "explain/ledger", "explain/responses.py", "explain/scaling", "explain/signs", "stats", "study/questions",
)  # fmt: skip
"""Rooms and files that decide what is asked and what is named."""

STUDY_S = 600.0
"""A study that takes longer fails."""


def measure(chosen: list[Instance], folder: Path, results: Path) -> None:
    """Measure the instances that have no result yet, and print one line for each.

    Parameters
    ----------
    chosen
        The instances.
    folder
        Folder of the studies.
    results
        File with a line of JSON for each instance: its name, and its truth and findings or why it was not measured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = measured(results)
    for number, instance in enumerate(chosen, 1):
        if instance.name in found:
            continue
        result = {**_measured(instance, folder, found), "code": code()}
        found[instance.name] = result
        with results.open("a") as file:
            file.write(json.dumps({"name": instance.name, **result}) + "\n")
        said = result.get("unmeasured") or f"t = {result['truth']['value']:.3f}, names {result['findings']}"
        print(f"{number} of {len(chosen)}: {instance.name}: {said}", flush=True)


def stale() -> str | None:
    """Return why the explanation that would be measured is not that of this folder; None if it is."""
    if code() == code(OWN):
        return None
    return f"{MEASURED} explains in another way than {OWN}: install knee again, or set PYTHONPATH={OWN.parent}"


def code(package: Path = MEASURED) -> str:
    """Return a fingerprint of the explanation: results of another one do not count."""
    places = [package / one for one in EXPLAINING]
    files = sorted(file for one in places for file in ([one] if one.is_file() else one.rglob("*.py")))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def measured(results: Path) -> dict[str, dict[str, Any]]:
    """Return the results of this explanation by the name of their instance."""
    if not results.exists():
        return {}
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    return {line.pop("name"): line for line in lines if line.pop("code") == code()}


def _measured(instance: Instance, folder: Path, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    findings: list[dict[str, object]] = []

    def explain() -> None:
        with comes_and_goes(sum(map(ord, instance.name))) if instance.loaded else nullcontext():
            findings.extend(_explained(instance, folder / instance.name))

    # The truth is that of a quiet machine, also for an instance that is explained under load.
    known = found.get(replace(instance, loaded=False).name, {}).get("truth") if instance.loaded else None
    try:
        if known is not None:
            explain()
        dial = known or {
            **asdict(truth(instance, halfway=explain)), "own": _own(instance), "base": _base(instance)
        }  # fmt: skip
    except Unmeasured as error:
        return {"unmeasured": str(error)}
    return {"truth": dial, "findings": findings}


def _own(instance: Instance) -> dict[str, float]:
    """Return what its program has at dial 0."""
    where = instance.base, instance.directory
    # Threads that spin on one cpu compute more there, too.
    more = {} if instance.cause == "spinning" else more_work(*where)
    return {**surely(undivided(*where)), **shared(*where), **more}


def _base(instance: Instance) -> dict[str, float] | None:
    """Return what its cause costs at dial 0, where that can be measured."""
    amount = undivided(instance.base, instance.directory).get(instance.cause or "")
    return asdict(amount) if amount else None


def _explained(instance: Instance, folder: Path) -> list[dict[str, object]]:
    """Let knee explain a study of the program; return its findings at the largest thread count."""
    # Left by a call that was interrupted: only instances without a result are studied.
    shutil.rmtree(folder, ignore_errors=True)
    words = [str(_binary.find()), "study", "--explain", "--no-pilot", "--out", str(folder.absolute())]
    words += ["--factor", f"threads=1,{THREADS}", "--", *instance.command]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=STUDY_S, check=False, cwd=instance.directory
        )
    except subprocess.TimeoutExpired as error:
        raise Unmeasured(f"the study took longer than {STUDY_S:.0f} s") from error
    if done.returncode not in (0, 1):
        raise Unmeasured(f"the study failed: {done.stderr.strip()[-300:]}")
    analysis = json.loads((folder / "analysis.json").read_text())
    return [{key: one.get(key) for key in ("cause", "left", "part")} for one in analysis["findings"]]
