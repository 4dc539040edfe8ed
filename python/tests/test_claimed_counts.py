"""Thread counts of claims: a study plans them by itself, on the machine of its original every one."""

import tomllib

import pytest
from claimed.folder import planned
from claimed.machines import described, of_original
from conftest import ROOT, machine

from knee.store import claimed_counts, own_counts, role_of
from knee.study.design.cells import cells_of, ladder
from knee.study.design.placements import Placements
from knee.study.options.file import from_file

ORIGINALS = {
    "peregrine": {16, 24, 32, 48, 96},
    "peregrine-over-time": {1, 2, 24, 47, 94},
    "peregrine-siblings": {1, 2},
    "flare": {1, 2, 4, 8, 16, 18, 36, 64, 72},
    "flare-layouts": {1, 18, 72},
    "flare-sequential": {1, 2},
}
"""The thread counts that each study's claims are about."""


def fits(cell: dict, asked: dict, own: dict[str, int]) -> bool:
    return all(str(cell[name]) == str(own.get(str(level), level)) for name, level in asked.items())


@pytest.mark.parametrize("study", ORIGINALS)
def test_on_the_machine_of_the_original_every_claim_has_its_runs(study):
    made = planned(ROOT / f"examples/studies/{study}.toml", of_original(study))
    measured = [spec for spec in made.specs if role_of(spec) == "measure"]
    own, cells = own_counts(described(made.text)), [spec["cell"] for spec in measured]
    assert ORIGINALS[study] <= {cell["threads"] for cell in cells}
    for claim in tomllib.loads((ROOT / f"examples/studies/{study}.toml").read_text())["claim"]:
        sides = [side for kind in ("ratio", "difference", "order") for side in claim.get(kind, {}).values()]
        sides += [claim[kind] for kind in ("value", "speedup", "slope", "trend") if kind in claim]
        ends = [{"threads": count} for count in claim.get("between", [])]
        assert sides
        for side in (side | end for side in sides for end in ends or [{}]):
            assert any(fits(cell, side, own) for cell in cells), (claim["says"], side)


def test_flare_has_no_claim_on_the_count_that_is_kept_for_a_prediction():
    assert 32 not in claimed_counts(from_file(ROOT / "examples/studies/flare.toml").claims, machine(72))


def test_a_claim_that_the_machine_cannot_judge_adds_no_count():
    claims = [{"speedup": {"threads": 5}, "needs": {"sockets": 2}}, {"ratio": {"of": {"threads": 7}, "over": {"n": 1}}}]
    assert claimed_counts(claims, machine(16)) == {7}
    assert claimed_counts(claims, machine(6)) == set()
    two = machine(16) | {"sockets": [{"id": 0, "cpus": [0]}, {"id": 1, "cpus": [1]}]}
    assert claimed_counts(claims, two) == {5, 7}


def test_words_and_the_ends_of_a_range_are_counts():
    claims = [{"slope": {}, "between": [3, "cores"]}, {"explains": "runtime", "at": {"threads": "cpus"}}]
    assert claimed_counts(claims, machine(8)) == {3, 8}


def test_counts_of_claims_join_those_of_the_topology(tmp_path):
    file = tmp_path / "s.toml"
    claim = '[[claim]]\nsays = "x"\nspeedup = { threads = 5 }\nabove = 1\n'
    file.write_text(f'schema = 1\n[program]\ncommand = ["p", "{{threads}}"]\n{claim}')
    placements = Placements({"cores-close": [*range(16)], "cores-close+within:socket:0": [*range(4)], "none": None})
    counts: dict[object, list[object]] = {}
    for cell in cells_of(from_file(file), machine(16), placements):
        counts.setdefault(cell["placement"], []).append(cell["threads"])
    assert counts["cores-close"] == counts["none"] == sorted({*ladder(machine(16)), 5})
    assert counts["cores-close+within:socket:0"] == [1, 2, 4], "as far as it has places"
