"""Measures instances: the truth of the dial, then a study that knee explains. Finished instances are kept."""

from __future__ import annotations

import json
import subprocess
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from beside import comes_and_goes
from planted.dials import THREADS, Unmeasured, truth
from planted.instances import Instance

from knee import _binary
from knee.store import write_whole

STUDY_S = 600.0
"""A study that takes longer fails."""


def measure(chosen: list[Instance], folder: Path) -> None:
    """Measure the instances that have no result yet, and print one line for each.

    Parameters
    ----------
    chosen
        The instances.
    folder
        Folder of the results: ``NAME.json``, and the study ``NAME``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number, instance in enumerate(chosen, 1):
        file = folder / f"{instance.name}.json"
        if file.exists():
            continue
        result = _measured(instance, folder)
        write_whole(file, json.dumps(result) + "\n")
        said = result.get("unmeasured") or f"t = {result['truth']['value']:.3f}, names {result['findings']}"
        print(f"{number} of {len(chosen)}: {instance.name}: {said}", flush=True)


def _measured(instance: Instance, folder: Path) -> dict[str, object]:
    try:
        # The truth is that of a quiet machine, also for an instance that is explained under load.
        found = _known(instance, folder) or asdict(truth(instance))
        with comes_and_goes(sum(map(ord, instance.name))) if instance.loaded else nullcontext():
            return {"truth": found, "findings": _explained(instance, folder / instance.name)}
    except Unmeasured as error:
        return {"unmeasured": str(error)}


def _known(instance: Instance, folder: Path) -> dict[str, Any] | None:
    """Return the truth of a loaded instance that the calm one has already."""
    file = folder / f"{replace(instance, loaded=False).name}.json"
    if not instance.loaded or not file.exists():
        return None
    return json.loads(file.read_text()).get("truth")


def _explained(instance: Instance, folder: Path) -> list[dict[str, object]]:
    """Let knee explain a study of the program; return its findings at the largest thread count."""
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
