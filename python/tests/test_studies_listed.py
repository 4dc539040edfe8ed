"""Every statement of the five older studies is listed with the claims that test it, or with why none can."""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from claimed.listed import ORIGINALS, claims, faults, rows
from claimed.machines import ORIGINALS as MACHINES
from claimed.machines import of_original
from conftest import ROOT

sys.path.append(str(ROOT / "bench"))

from studies import SHORT

PAGE = ROOT / "docs/studies/README.md"
FILES = claims(ROOT / "examples/studies")
KEYS: dict[str, str] = tomllib.loads(Path(__file__).with_name("studies_statements.toml").read_text())


def test_the_page_has_every_statement_and_quotes_every_claim_of_an_original():
    assert list(faults(PAGE.read_text(), FILES, KEYS)) == []


def test_the_page_has_the_short_form_of_each_study():
    forms = [line for line in PAGE.read_text().splitlines() if line.startswith("knee study ")]
    assert forms == [" ".join(["knee study", *how, f"examples/studies/{name}.toml"]) for name, how in SHORT.items()]
    assert all((ROOT / form.split()[-1]).exists() for form in forms)


def test_each_study_has_statements_and_claims():
    letters = Counter(key[0] for key in KEYS)
    assert letters.keys() == set("PFKDG")
    assert [key for letter in "PFKDG" for key in [f"{letter}{n + 1}" for n in range(letters[letter])]] == list(KEYS)
    naming = [name for name, those in FILES.items() for one in those if ORIGINALS.search(one.get("source", ""))]
    assert {of_original(name.removesuffix(".toml")) for name in naming} == set(MACHINES.values())


@pytest.mark.parametrize("name", FILES)
def test_no_two_claims_of_a_file_say_the_same(name: str):
    said = Counter(claim["says"] for claim in FILES[name])
    assert [one for one, many in said.items() if many > 1] == []
    assert not any('"' in one or "|" in one for one in said), "they are quoted in a table"


ONE = {"a.toml": [{"says": "It scales; well", "source": "Flare on 72 cores"}, {"says": "It is nice", "source": "us"}]}
GOOD = """
| statement | where |
|---|---|
| `F1` It scales | [a.toml](../a.toml): "It scales; well"; a.toml: "It is nice" |
| `F2` Machines differ | no claim: nobody can test this in a study |

| another | table |
|---|---|
| of | others |
"""


def test_a_good_page_has_no_faults():
    assert [row.key for row in rows(GOOD)] == ["F1", "F2"]
    assert list(faults(GOOD, ONE, {"F1": "it scales", "F2": "machines differ"})) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("It scales; well", "It scales well", "F1: a.toml has no claim 'It scales well'"),
        ("It scales; well", "It scales well", "a.toml: no row quotes its claim 'It scales; well'"),
        ("[a.toml](../a.toml)", "b.toml", "F1: b.toml has no claim 'It scales; well'"),
        ("a.toml: ", "see a.toml: ", "F1: it neither quotes claims nor says why there is none"),
        ("nobody can test this in a study", "so it is", "F2: the reason why there is no claim is too short"),
        ("no claim: nobody can test this in a study", "", "F2: it neither quotes claims nor says why there is none"),
        ("`F2` Machines differ", "`F2`", "F2: it does not say what the statement is"),
        ("`F2` ", "`F3` ", "F3: it is no key of a statement"),
        ("`F2` ", "`F3` ", "F2: it has no row: machines differ"),
        ("`F2` ", "`F1` ", "F1: it has several rows"),
        ("`F2` ", "", "Machines differ: it is no key of a statement"),
        ("| `F2` Machines differ | no claim: nobody can test this in a study |", "| | |", "a row: it is no key"),
    ],
)
def test_a_page_with_a_mistake_has_a_fault(old: str, new: str, fault: str):
    assert old in GOOD
    found = list(faults(GOOD.replace(old, new, 1), ONE, {"F1": "it scales", "F2": "machines differ"}))
    assert any(one.startswith(fault) for one in found), found
