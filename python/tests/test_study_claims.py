"""Every claim of every study file can be confirmed, refuted, undecided, and not measurable, on made-up machines.

What the originals found lies within the bounds of every claim, too: `claimed/originals.py` does not read the files.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from claimed.folder import Plan, answered, judged, planned, recorded, reported
from claimed.machines import SMALL as SMALL_MACHINE
from claimed.machines import described, of_original
from claimed.originals import found, over_time
from claimed.values import SMALL, WIDE, check_sampled, numbers, quantities, rates
from conftest import ROOT

from knee.explain.claims.evidence import Claim, NoNumberError
from knee.explain.claims.machine import require, resolved
from knee.store import RunSpec

STUDIES = {path.stem: path for path in sorted((ROOT / "examples/studies").glob("*.toml"))}
CLAIMS = {
    f"{name} {number}": (path, claim)
    for name, path in STUDIES.items()
    for number, claim in enumerate(tomllib.loads(path.read_text()).get("claim", []), 1)
}
each_claim = pytest.mark.parametrize(("path", "claim"), CLAIMS.values(), ids=CLAIMS.keys())


@pytest.mark.parametrize("outcome", ["confirmed", "refuted", "undecided"])
@each_claim
def test_a_claim_can_be(path: Path, claim: Claim, outcome: str, tmp_path: Path):
    made = planned(path, of_original(path.stem))
    scatter = WIDE if outcome == "undecided" else SMALL
    for at, number in enumerate(numbers(claim, made)[outcome]):
        chosen = quantities(claim, made, number, scatter) if "trend" not in claim else lambda _: {}
        answer = answered(claim, made, tmp_path / f"{at}", chosen, rates(claim, made, number, scatter))
        assert answer.answer == outcome, (number, answer)


@each_claim
def test_a_claim_says_why_it_is_not_measurable(path: Path, claim: Claim, tmp_path: Path):
    small = planned(path, SMALL_MACHINE)
    try:
        require(claim.get("needs", {}), described(SMALL_MACHINE))
    except NoNumberError:
        answer = judged(claim, small, tmp_path / "small", lambda spec: recorded(spec, {}, small))
        why = r"it needs \d+ .*; this machine has \d+"
    else:
        # Two cores are enough for it: then what it measures is missing.
        made = planned(path, of_original(path.stem))
        answer = judged(claim, made, tmp_path / "missing", lambda spec: _without_counters(spec, made, claim))
        why = r"has no samples|exit status 1|no PMU|fewer than (two|three) blocks have a good run"
    assert answer.answer == "not measurable here", answer
    assert re.search(why, answer.why), answer.why


def _without_counters(spec: RunSpec, made: Plan, claim: Claim) -> dict[str, Any]:
    """Return the record of a run without counters and samples; if the claim needs neither, of one that failed."""
    record = recorded(spec, {}, made)
    record["counters"] = {name: {"unavailable": "no PMU"} for name in record["counters"]}
    of_counters = {*(made.study_spec.counters or ()), "issue-rate", "remote-bytes", "remote-share"}
    if "trend" not in claim and not {claim.get("response"), claim.get("per")} & of_counters:
        record["exit"] = {"code": 1}
    return record


@each_claim
def test_what_the_original_found_lies_within_the_bounds(path: Path, claim: Claim, tmp_path: Path):
    made = planned(path, of_original(path.stem))
    if "trend" in claim:
        check_sampled(claim, made)
    answer = answered(
        claim,
        made,
        tmp_path / "s",
        lambda spec: {name: value for name, value in found(path.stem, spec).items() if name in reported(spec, made)},
        over_time if "trend" in claim else None,
    )
    assert answer.answer != "not measurable here", answer.why
    assert claim.get("above", -float("inf")) < answer.value < claim.get("below", float("inf")), answer


@each_claim
def test_the_ends_of_a_range_are_run(path: Path, claim: Claim):
    if "between" in claim:
        made = planned(path, of_original(path.stem))
        counts = {spec["threads"] for spec in made.specs}
        assert set(resolved(claim, described(made.text))["between"]) <= counts
