"""Every example's study in a short form, for real."""

import os
import shlex
import shutil
import subprocess
import tomllib

import pytest
import tomli_w
from conftest import ROOT, skipped

from knee.opened import Study

OF_ENGINES = ("engines-tpch", "engines-spark", "engines-mining")
BLACKLIGHT = (
    "blacklight",
    "blacklight-reallocation",
    "blacklight-ownership",
    "blacklight-spawn",
    "blacklight-spawn-rehearsed",
)
PEREGRINE = ("peregrine", "peregrine-over-time", "peregrine-siblings", "smt-when")
FLARE = ("flare", "flare-layouts", "flare-sequential")
WITHOUT = ("deters", "deters-rehearsal", "ghc", "ghc-issue-rate", *BLACKLIGHT, *PEREGRINE, *FLARE, *OF_ENGINES)
"""Older studies, which have a short form below, and those of engines, which `test_engines*.py` look at."""
STUDIES = sorted(path for path in (ROOT / "examples/studies").glob("*.toml") if path.stem not in WITHOUT)
NEEDS = {"ghc": "ghc", "haskell": "ghc", "victim": "ghc", "openmp": "gcc", "regions": "cargo", "go": "go"}


@pytest.fixture(scope="session")
def built() -> None:
    path = os.environ["PATH"] + ":/usr/local/go/bin"
    subprocess.run([ROOT / "examples/build.sh"], check=True, env=os.environ | {"PATH": path})


SMALL = {"sumeuler": {"n": 500}, "parfib": {"n": 24}, "mandel": {"size": 64}}

OLDER = {
    "deters": {"heat": {"rows": 64, "columns": 64, "steps": 4}, "cilksort": {"n": 20000}}
    | {name: {"n": 64} for name in ("matmul", "strassen")},
    "deters-rehearsal": {"heat": {"rows": 512, "columns": 64, "steps": 2}, "cilksort": {"n": 50000}}
    | {name: {"n": 256} for name in ("matmul", "strassen")},
    "ghc": SMALL,
    "ghc-issue-rate": SMALL | {"smt": {}},
    "smt-when": {
        "computing": {"n": 64},
        "latency": {"tables": 2, "size": "64K", "steps": 1000},
        "bandwidth": {"rows": 64, "columns": 64, "steps": 4},
        "evicting": {"tables": 2, "size": "16K", "steps": 1000},
    },
    "blacklight": {
        "sequential": {"owners": "all", "readers": "quarters", "stride": 16},
        "random": {"owners": "all", "readers": "quarters"},
        "lockstep": {"shift": "all"},
        "allocate": {},
    },
    "blacklight-reallocation": {},
    "blacklight-ownership": {},
    "blacklight-spawn": {"heat": {"rows": 64, "columns": 64, "steps": 4}, "cilksort": {"n": 20000}},
    "blacklight-spawn-rehearsed": {"heat": {"rows": 64, "columns": 64, "steps": 4}, "cilksort": {"n": 20000}},
    "peregrine": {},
    "peregrine-over-time": {},
    "peregrine-siblings": {"mine": {"graph": "chung-lu:orkut:100", "plan": "explore"}, "parfib": {"n": 24}},
    "flare": {},
    "flare-layouts": {},
    "flare-sequential": {},
}
"""Older studies in a short form: each workload's arguments instead of its real size."""

COMMON = {
    "blacklight": {"size": "1M"},
    "peregrine": {"graph": "rmat:8", "pattern": "diamond", "repeat": 2},
    "peregrine-over-time": {"graph": "chung-lu:orkut:100"},
    **{study: {"scale": 0.01, "cache": ""} for study in FLARE},
}

SMALLER = {
    "blacklight-reallocation": {"128M": "1M", "4M": "512K"},
    "blacklight-ownership": {"1G": "2M", "128M": "1M"},
}
"""Levels that factors and claims have instead."""


SHORTER = {
    "ghc-haskell": {'"{threads}"]': '"{threads}", "24", "12"]'},
    "sumeuler-ghc": {'"8000"': '"2000"', "19455782": "1216588"},
    "sumeuler-openmp": {'"8000"': '"2000"', "19455782": "1216588"},
}
"""Sizes that examples have instead, and what they print then."""


def shortened(study: str) -> dict:
    text = (ROOT / "examples/studies" / f"{study}.toml").read_text()
    for large, small in SMALLER.get(study, {}).items():
        text = text.replace(f'"{large}"', f'"{small}"')
    tables = tomllib.loads(text)
    if OLDER[study]:
        assert tables["program"]["workload"].keys() == OLDER[study].keys()
        for name, own in OLDER[study].items():
            tables["program"]["workload"][name] |= own
    if study in COMMON:
        # The serial version does the same work.
        for program in (tables[name] for name in ("program", "baseline") if name in tables):
            program["args"] |= COMMON[study]
    # A variation needs a third block; so does a trend, since a sampler that gets no cpu for a while spoils a run.
    three = any(f"{kind} = " in text for kind in ("variation", "trend"))
    tables["design"] = tables.get("design", {}) | {"blocks": 3 if three else 2}
    if study == "ghc":
        tables["factors"]["threads"] = [1, 2, 6, 8, 14]
    return tables


@pytest.mark.parametrize("study", OLDER)
def test_an_older_study_runs_in_a_short_form_and_all_its_claims_are_decided_or_say_why_not(binary, tmp_path, study):
    file = tmp_path / f"{study}.toml"
    file.write_text(tomli_w.dumps(shortened(study)))
    done = subprocess.run([binary, "study", "--out", tmp_path / "s", file], capture_output=True, text=True, check=False)
    opened = Study.read(tmp_path / "s")
    # Where a core has fewer hardware threads than the original's, no more threads are pinned to it.
    bad = opened.analysis.bad
    assert all("probes pin one thread to each cpu" in run.record["output"]["stderr_tail"]
               for run in opened.runs if run.spec["id"] in bad)  # fmt: skip
    assert not bad or study == "ghc-issue-rate"
    assert done.returncode == (1 if bad else 0), done.stderr
    claims = opened.analysis.claims
    assert len(claims) >= 4
    for one in claims:
        lacking = "; this machine has" in one.why or ": unavailable: no hardware PMU" in one.why
        assert one.answer != "not measurable here" or lacking, one


@pytest.mark.parametrize("study", STUDIES, ids=[path.stem for path in STUDIES])
@pytest.mark.usefixtures("built")
def test_an_example_runs(binary, tmp_path, study):
    need = NEEDS.get(study.stem.rpartition("-")[2])
    if need and not shutil.which(need) and not (ROOT / "examples/build").joinpath(study.stem).exists():
        skipped(f"examples/studies/{study.name}", f"no {need}")
    file = study
    if study.stem in SHORTER:
        text = study.read_text().replace('"../', f'"{ROOT}/examples/')
        for long, short in SHORTER[study.stem].items():
            assert long in text
            text = text.replace(long, short)
        file = tmp_path / study.name
        file.write_text(text)
    words = [
        "--out",
        str(tmp_path / "s"),
        "--blocks",
        "2",
        "--factor",
        "threads=1,2",
        "--factor",
        "placement=cores-close",
    ]
    done = subprocess.run([binary, "study", *words, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    opened = Study.read(tmp_path / "s")
    assert opened.analysis.bad == {}
    assert opened.analysis.series
    assert (tmp_path / "s/report.html").stat().st_size < 2_000_000


def test_the_studies_in_the_guide_of_memory_can_be_planned(binary, tmp_path):
    guide = (ROOT / "docs/guides/memory.md").read_text().splitlines()
    studies = [shlex.split(line)[2:] for line in guide if line.startswith("knee study ")]
    assert len(studies) == 2
    for number, words in enumerate(studies):
        asked = [binary, "plan", "--out", str(tmp_path / str(number)), *words]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
