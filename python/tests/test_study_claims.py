"""Every claim of every study file can be confirmed, refuted, undecided, and not measurable, on made-up machines."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from claimed.folder import Plan, answered, planned
from claimed.machines import SMALL as SMALL_MACHINE
from claimed.machines import of_original
from claimed.values import SMALL, WIDE, numbers, quantities, rates
from conftest import ROOT

STUDIES = {path.stem: path for path in sorted((ROOT / "examples/studies").glob("*.toml"))}
CLAIMS = {
    f"{name} {number}": (path, claim)
    for name, path in STUDIES.items()
    for number, claim in enumerate(tomllib.loads(path.read_text()).get("claim", []), 1)
}
each_claim = pytest.mark.parametrize(("path", "claim"), CLAIMS.values(), ids=CLAIMS.keys())


@pytest.mark.parametrize("outcome", ["confirmed", "refuted", "undecided"])
@each_claim
def test_a_claim_can_be(path: Path, claim: dict, outcome: str, tmp_path: Path):
    made = planned(path, of_original(path.stem))
    scatter = WIDE if outcome == "undecided" else SMALL
    for at, number in enumerate(numbers(claim, made)[outcome]):
        chosen = quantities(claim, made, number, scatter) if "trend" not in claim else lambda _: {}
        found = answered(claim, made, tmp_path / f"{at}", chosen, rates(claim, made, number, scatter))
        assert found.answer == outcome, (number, found)
