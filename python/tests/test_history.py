"""`knee compare` over several studies: speedups over time, of made-up studies whose truth is known."""

import json
import re

import pytest
from conftest import VALID, rewrite
from test_compare import compare, text

from knee.plots.history import chart
from knee.store import Folder


@pytest.fixture
def studies(simulated, tmp_path):
    """Makes a study of a name, date and time on 4 threads; on 1 thread it takes 8 s."""

    def make(name: str, date: str, four_s: float, **more) -> Folder:
        curve = {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (four_s, 8.0)}
        folder = simulated({"cores-close": curve}, name=name, seed=len(name), **({"blocks": 8} | more))
        rewrite(folder.records, lambda one: one | {"start": f"{date}T10:00:00.000Z", "simulated": False})
        return Folder(folder.path.rename(tmp_path / name))

    return make


@pytest.fixture
def three(studies):
    """Three studies, named against the order of their dates; the last one scales worse."""
    return [
        studies("zero", "2026-01-01", 2.0),
        studies("worse", "2026-03-01", 3.0),
        studies("alike", "2026-02-01", 2.0),
    ]


def test_speedups_stand_in_the_order_of_dates_with_intervals_and_are_drawn(three, tmp_path):
    picture = tmp_path / "over-time.svg"
    done = compare(*(one.path for one in three), "--out", picture, "--session-spread", "0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(picture)
    drawn = picture.read_text()
    assert drawn.index("2026-01-01 zero") < drawn.index("2026-02-01 alike") < drawn.index("2026-03-01 worse")
    for name in ("cores-close on 2 threads", "cores-close on 4 threads"):
        assert name in drawn
    said = text(done)
    told = r"cores-close on 4 threads: lower, now 2\.[67]\dx \[2\.\d\d, 2\.\d\d\]"
    assert re.search(rf"worse against the study before: {told}; equal within 3 %: cores-close on 2 threads\.", said)


def test_studies_of_one_name_and_day_have_labels_of_their_own(studies, tmp_path):
    made = [studies(name, "2026-01-01", 2.0) for name in ("one", "two", "three")]
    paths = [one.path.parent / f"pr{number}" / "both" for number, one in enumerate(made)]
    for one, path in zip(made, paths, strict=True):
        path.parent.mkdir()
        one.path.rename(path)
    picture = tmp_path / "h.svg"
    done = compare(*paths, "--out", picture)
    assert done.returncode == 0, done.stderr
    drawn = picture.read_text()
    assert all(f"pr{number}/both" in drawn for number in range(3))


def test_speedups_over_other_fewest_threads_are_lines_of_their_own(simulated, tmp_path):
    paths = []
    for number, counts in enumerate([(1, 2, 4), (1, 2, 4), (2, 4), (2, 4)]):
        curve = {n: (8.0 / n, 8.0) for n in counts}
        folder = simulated({"cores-close": curve}, name=f"s{number}", seed=number, blocks=8)
        rewrite(folder.records, lambda one, n=number: one | {"start": f"2026-01-0{n + 1}T10:00:00.000Z"})
        paths.append(folder.path.rename(tmp_path / f"s{number}"))
    found = json.loads(compare(*paths, "--json", "--out", tmp_path / "h.svg", "--session-spread", "0").stdout)
    four = [(one["speedup"], one["change"]) for one in found["points"] if one["threads"] == 4]
    assert [(round(speedup), change) for speedup, change in four] == [
        (4, "first"),
        (4, "equal"),
        (2, "first"),
        (2, "equal"),
    ]
    drawn = (tmp_path / "h.svg").read_text()
    assert "cores-close on 4 threads over 1" in drawn
    assert "cores-close on 4 threads over 2" in drawn


def test_the_json_has_every_point_and_what_changed(three, tmp_path):
    paths = [one.path for one in three]
    done = compare(*paths, "--json", "--out", tmp_path / "h.svg", "--session-spread", "0")
    found = json.loads(done.stdout)
    assert [name.rsplit("/", 1)[1] for name in found["studies"]] == ["zero", "alike", "worse"]
    four = [one for one in found["points"] if one["threads"] == 4]
    assert [one["change"] for one in four] == ["first", "equal", "lower"]
    assert all(one["interval"]["low"] < one["speedup"] < one["interval"]["high"] for one in four)
    assert [round(one["speedup"]) for one in four] == [4, 4, 3]


def test_small_changes_between_sessions_cannot_be_told(studies, tmp_path):
    folders = [studies("a", "2026-01-01", 2.0), studies("bb", "2026-01-02", 2.0), studies("ccc", "2026-01-03", 2.05)]
    done = compare(*(one.path for one in folders), "--json", "--out", tmp_path / "h.svg")
    found = json.loads(done.stdout)
    assert {one["change"] for one in found["points"]} == {"first", "cannot tell"}
    assert found["session_spread"] == 0.03


def test_what_other_programs_may_have_taken_is_no_change(studies, tmp_path):
    folders = [studies("a", "2026-01-01", 2.0), studies("bb", "2026-01-02", 2.0), studies("ccc", "2026-01-03", 2.6)]

    def beside(one):
        return one | {"validity": VALID | {"other_busy": 0.4}}

    for folder in folders:
        rewrite(folder.records, beside)
    done = compare(*(one.path for one in folders), "--json", "--out", tmp_path / "h.svg", "--session-spread", "0")
    assert {one["change"] for one in json.loads(done.stdout)["points"]} == {"first", "cannot tell"}


def test_an_interval_without_an_end_leaves_the_axis_alone():
    rows = [{"study": n, "series": "a", "threads": 2, "speedup": 1.5, "low": 0.4, "high": 200.0, "change": "equal"}
            for n in ("x", "y")]  # fmt: skip
    layers = chart(rows).to_dict()["layer"]
    assert {tuple(layer["encoding"]["y"]["scale"]["domain"]) for layer in layers} == {(0, 2.2)}
    assert layers[0]["mark"]["clip"]


def test_another_machine_is_said(three, tmp_path):
    machine = three[1].machine
    found = json.loads(machine.read_text())
    found["facts"]["kernel"] = "6.9"
    machine.write_text(json.dumps(found))
    done = compare(*(one.path for one in three), "--out", tmp_path / "h.svg")
    assert "worse: different machines: kernel is 6.1 before, 6.9 now." in text(done)


def test_what_cannot_be_drawn_is_an_error(three, studies, tmp_path):
    paths = [one.path for one in three]
    done = compare(*paths, "--out", tmp_path / "h.gif")
    assert (done.returncode, "unknown kind of picture" in done.stderr) == (2, True)
    done = compare(*paths, "--out", tmp_path / "missing/h.svg")
    assert (done.returncode, "No such file or directory" in done.stderr) == (2, True)
    done = compare(*paths[:2], "--out", tmp_path / "h.svg")
    assert (done.returncode, "--out needs three or more studies" in done.stderr) == (2, True)
    empty = studies("empty", "2026-01-05", 2.0)
    empty.records.write_text("")
    done = compare(*paths, empty.path, "--out", tmp_path / "h.svg")
    assert (done.returncode, "empty has no runs yet" in done.stderr) == (2, True)


@pytest.mark.parametrize("option", [("--fail-undecided",), ("--smallest-effect", "5%")])
def test_what_is_for_a_verdict_is_refused_where_there_is_none(three, option):
    done = compare(*(one.path for one in three), *option)
    assert (done.returncode, f"{option[0]} needs two studies" in done.stderr) == (2, True)


def test_a_count_that_a_study_between_lacks_is_compared_with_the_one_before_that(studies):
    fours = {"zero": 2.0, "middle": 2.0, "last": 3.0}
    made = [studies(name, f"2026-0{at + 1}-01", four) for at, (name, four) in enumerate(fours.items())]
    kept = {spec["id"] for spec in made[1].read_plan() if spec["threads"] != 4}
    for path in (made[1].plan, made[1].records):
        lines = [line for line in path.read_text().splitlines() if json.loads(line)["id"] in kept]
        path.write_text("\n".join(lines) + "\n")
    found = json.loads(compare(*(one.path for one in made), "--json", "--session-spread", "0").stdout)
    assert f"cores-close on 4 threads (against {made[0].path}): lower" in found["sentence"]
    assert "equal within 3 %: cores-close on 2 threads." in found["sentence"]
    assert [one["before"] for one in found["points"] if one["threads"] == 4] == [None, str(made[0].path)]


def test_json_is_drawn_only_where_that_is_asked_for(three, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert json.loads(compare(*(one.path for one in three), "--json").stdout)["points"]
    assert not (tmp_path / "history.svg").exists()
