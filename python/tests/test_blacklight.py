"""Kyrola's studies as they would be on Blacklight, from made-up records: his claims, and the curves that he drew."""

import json
import random

import pytest
import vl_convert as vlc
from claimed.machines import described
from conftest import ROOT, VALID, record, rewrite

from knee.opened import Study
from knee.report.specification import specification
from knee.store import Folder
from knee.study.design import plan
from knee.study.design.cells import cells_of
from knee.study.design.placements import Placements
from knee.study.options.file import from_file
from knee.study.run.create import create

BLADES = "pack:64 [numa] core:2 pu:1"
"""Sixty-four nodes of two threads, so that almost every array is far."""

THREADS = 128
READERS = (0, 32, 64, 96)
OWN, FAR = 6.0, 36.0
"""Nanoseconds of a cache line: a gigabyte in some 0.38 and 2.37 s would be 23 and 141; only their ratio matters."""

STEPS = {"1 A": (384, 1), "2 B": (2366, 0), "3 B": (2380, 0), "4 A": (2200, 1), "5 A": (390, 1)}
"""His milliseconds for a gigabyte, and the pages with the reader."""


def made(path, study: str) -> Study:
    """The study on that machine, with what he found there."""
    here, draw = described(BLADES), random.Random(7)
    study_spec = from_file(ROOT / "examples/studies" / f"{study}.toml")
    placements = Placements({"cores-close": list(range(THREADS))})
    specs = plan.run_specs(study_spec, cells_of(study_spec, here, placements), placements, here)
    folder: Folder = create(path / "s", study_spec.to_toml(), json.dumps(here), specs)
    facts = {"blacklight-ownership": owned}.get(study, rounds)
    lines = []
    for spec in specs:
        workload = spec["program"]["workload"]
        phases = [{"name": "trials", "begin_ns": 0, "end_ns": 10**9, "wall_ns": 10**9, "cpu_ns": 10**9, "counters": {}}]
        metric = {"name": "trials", "value": 1.0, "unit": "s"}
        reported = {name: f"{value}" for name, value in facts(workload, spec["cell"], draw).items()}
        more = {"phases": phases, "metric": metric, "facts": reported}
        lines.append(json.dumps(record(spec["id"], spec["block"], 1.0, 1.0, **more)) + "\n")
    folder.records.write_text("".join(lines))
    return Study.read(folder.path)


def owned(_: str, cell: dict, draw: random.Random) -> dict:
    size = 1 if cell["size"] == "1G" else 0.125
    times = {f"time, step {step}": size * time * draw.lognormvariate(0, 0.01) for step, (time, _) in STEPS.items()}
    return times | {f"pages with the reader, step {step}": share for step, (_, share) in STEPS.items()}


def rounds(workload: str, cell: dict, draw: random.Random) -> dict:
    if workload == "allocate":
        return {"time a base page": 30.6 * 15 ** draw.random()}
    lockstep, freed = workload == "lockstep", cell.get("allocation") == "freed"
    slower = 2 if workload == "random" else 1

    def time(reader: int, owner: int) -> float:
        fast = reader == 0 or freed or lockstep
        near = owner // 2 == reader // 2
        return slower * (OWN if near and fast else FAR) * draw.lognormvariate(0, 0.01)

    kept = freed and cell.get("size") == "4M"
    facts = {"pages with the owner": 0.7 if kept else 1.0}
    if lockstep:
        facts |= {"time a line, array own": time(0, 0), "time a line, array far": time(0, 64)}
    else:
        facts["far pages with the reader"] = 0.0
        for who, reader in (("first", 0), ("later", 32)):
            for array, owner in (("own", reader), ("near", reader + 1), ("far", 120)):
                facts[f"time a line, array {array}, reader {who}"] = time(reader, owner)
    for reader in READERS:
        facts[f"time by owner, reader {reader}"] = " ".join(f"{time(reader, owner):.4f}" for owner in range(THREADS))
    return facts


@pytest.mark.parametrize("study", ["blacklight", "blacklight-reallocation", "blacklight-ownership"])
def test_on_his_machine_all_that_he_claimed_would_be_confirmed(tmp_path, study):
    claims = made(tmp_path, study).analysis.claims
    assert len(claims) >= 11
    assert [(one.says, one.answer, one.why) for one in claims if one.answer != "confirmed"] == []


@pytest.mark.parametrize("study", ["blacklight", "blacklight-reallocation"])
def test_beside_other_programs_pages_lie_where_they_lie(tmp_path, study):
    folder = made(tmp_path, study).folder
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": 0.3}})
    asked = ("does not move to", "No page")
    claims = [one for one in Study.read(folder.path).analysis.claims if any(words in one.says for words in asked)]
    assert claims
    assert {one.answer for one in claims} == {"confirmed"}


def test_his_curves_are_drawn_one_for_each_reader_over_the_owners(tmp_path):
    study = made(tmp_path, "blacklight-reallocation")
    figures = {figure.choice: figure for figure in study.figures if figure.group == "owners"}
    assert list(figures) == [f"{memory}, {size}" for memory in ("freed", "fresh", "reused") for size in ("128M", "4M")]
    table = figures["reused, 128M"].rows
    times = {(row["series"], row["owner"]): row["ns a line"] for row in table}
    assert len(times) == len(READERS) * THREADS
    assert times["reader 0", 0] == pytest.approx(OWN, rel=0.05)
    assert times["reader 32", 32] == pytest.approx(FAR, rel=0.05)
    freed = {(row["series"], row["owner"]): row["ns a line"] for row in figures["freed, 128M"].rows}
    assert freed["reader 32", 32] == pytest.approx(OWN, rel=0.05)
    drawn = vlc.vegalite_to_svg(specification(figures["reused, 128M"], "light"))
    assert all(f">reader {reader}<" in drawn for reader in READERS)


def test_his_five_reads_are_drawn_one_after_the_other(tmp_path):
    figures = {one.choice: one for one in made(tmp_path, "blacklight-ownership").figures if one.group == "reads"}
    assert list(figures) == ["128M", "1G"]
    for size, scale in (("128M", 0.125), ("1G", 1.0)):
        found = {row["read"]: row["time, ms"] for row in figures[size].rows}
        assert list(found) == list(STEPS)
        assert found == {step: pytest.approx(scale * time, rel=0.05) for step, (time, _) in STEPS.items()}
    drawn = vlc.vegalite_to_svg(specification(figures["1G"], "light"))
    assert all(f">{step}<" in drawn for step in STEPS)


def test_studies_that_read_no_arrays_have_no_such_curves(tmp_path, simulated):
    assert not [one for one in made(tmp_path, "blacklight-ownership").figures if one.group == "owners"]
    assert not [one for one in Study.read(simulated({"none": {1: (1.0, 1.0)}}).path).figures if one.group == "owners"]
