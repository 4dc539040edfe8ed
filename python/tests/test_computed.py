"""More, or fewer, threads compute than were asked for: said once, and only where it can be told."""

import json
import subprocess

import pytest
from conftest import rewrite, shown, skipped

from knee import _binary
from knee.explain.computed import OtherCount
from knee.explain.verdict.computed import sentence
from knee.opened import Study
from knee.report.page import page

ADVICE = "check how the program reads its thread count"
WORK = f"{ADVICE}, and whether it has work for so many"


def counted(folder, threads_of, showing: int = 5) -> Study:
    """A study whose runs show so many threads, by the number that was asked for; in some blocks only."""
    specs = {spec["id"]: spec for spec in folder.read_plan()}

    def change(one: dict) -> dict:
        asked = specs[one["id"]]["threads"]
        n = threads_of(asked) if one["block"] <= showing else asked
        return one | {"computing_threads": n}

    rewrite(folder.records, change)
    return Study.read(folder.path)


def line(study: Study) -> str | None:
    return next((one.text for one in study.analysis.verdict.lines if one.label == "threads"), None)


CURVE = {"cores-close": {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (2.0, 8.0)}}
FLAT = {"cores-close": dict.fromkeys((1, 2, 4), (8.0, 8.0))}


def test_a_thread_too_many_is_said_in_terminal_report_and_analysis(simulated, monkeypatch):
    study = counted(simulated(CURVE), lambda n: n + 1)
    said = f"asked for 1, 2 and 4 threads, 2, 3 and 5 computed: {ADVICE}"
    assert line(study) == said
    assert shown(study, monkeypatch).count(said) == 1
    assert page(study).count(said) >= 1
    [first, *_] = study.analysis.to_json()["computed"]
    assert first == {"series": "cores-close", "asked": 1, "computed": 2, "showing": 5, "runs": 5}


def test_a_serial_program_is_called_one_and_asked_about_once(simulated):
    study = counted(simulated(FLAT, noise=0.003), lambda _: 1)
    assert line(study) == f"asked for 2 and 4 threads, 1 computed: {WORK}"
    assert "check" not in [one.label for one in study.analysis.verdict.lines]


def test_a_study_in_which_all_is_well_says_nothing(simulated):
    study = counted(simulated(CURVE), lambda n: n)
    assert (line(study), study.analysis.computed) == (None, [])


def test_few_runs_that_show_it_are_not_enough(simulated):
    assert line(counted(simulated(CURVE), lambda n: n + 1, showing=2)) is None


def other(series: str, asked: int, found: int) -> OtherCount:
    return OtherCount(series, asked, found, 5, 5)


def test_a_series_is_named_where_the_others_are_well():
    assert sentence([other("unpinned", 1, 2)], 2) == f"unpinned: asked for 1 thread, 2 computed: {ADVICE}"
    both = [other("cores-close", 2, 1), other("unpinned", 2, 1)]
    assert sentence(both, 2) == f"asked for 2 threads, 1 computed: {WORK}"


def test_of_many_thread_counts_the_first_and_the_last_are_named():
    found = [other("unpinned", n, n + 1) for n in (1, 2, 4, 8, 16)]
    assert sentence(found, 1) == f"asked for 1 to 16 threads, 2 to 17 computed: {ADVICE}"
    mixed = [other("unpinned", 1, 2), other("unpinned", 4, 2)]
    assert sentence(mixed, 1) == f"asked for 1 and 4 threads, 2 computed: {ADVICE}"


PROGRAM = """
import multiprocessing, sys, time

def work():
    # CPU time: beside other programs it takes longer, and all have as much.
    while time.process_time() < 0.6:
        pass

workers = [multiprocessing.Process(target=work) for _ in range(int(sys.argv[1]))]
for one in workers: one.start()
for one in workers: one.join()
"""


@pytest.mark.parametrize(("told", "said"), [("2", "asked for 1 thread, 2 computed"), ("{threads}", None)])
def test_a_real_study_says_so(binary, tmp_path, told, said):
    if len(_binary.ask("machine")["allowed"]["cpus"]) < 2:
        skipped("a real study of threads", "no two cpus")
    (tmp_path / "program.py").write_text(PROGRAM)
    words = ["--factor", "threads=1,2", "--factor", "placement=none", "--blocks", "3", "--out", "s"]
    command = [binary, "study", *words, "--", "python3", "program.py", told]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    analysis = json.loads((tmp_path / "s/analysis.json").read_text())
    lines = [one["text"] for one in analysis["verdict"]["lines"] if one["label"] == "threads"]
    assert lines == ([f"{said}: {ADVICE}"] if said else [])
