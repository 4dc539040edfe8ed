"""Stopping rules: declared beforehand, checked after each block, and reported."""

import contextlib
import json
import subprocess
from unittest import mock

import numpy as np
import pytest
from conftest import rewrite

from knee.explain.stopping import MORE_BLOCKS, enough, narrow_after
from knee.stats.intervals import ratio
from knee.store import End, Folder, read_end, runs
from knee.study.run import execute


def study(binary: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, "study", *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("noise", "width", "stops"), [(0.01, 0.05, True), (0.2, 0.05, False), (0.01, 0.001, False)])
def test_narrow_intervals_end_a_study(simulated, noise, width, stops):
    folder = simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (2.0, 8.0)}}, blocks=13, noise=noise)
    why = enough(runs(folder), {"width": width})
    assert (why is not None) is stops
    if why:
        assert f"within {100 * width:g} % after block 5; 8 more were made" in why
        assert "threads=" in why


def test_a_single_cell_uses_the_interval_of_its_mean(simulated):
    found = simulated({"cores-close": {1: (8.0, 8.0)}}, blocks=13, noise=0.2)
    assert enough(runs(found), {"width": 0.01}) is None
    assert (
        "within 100 % after block 5; 8 more were made; the widest now, of placement=cores-close, threads=1, is"
        in str(enough(runs(found), {"width": 1.0}))
    )


def test_no_interval_ends_a_study_before_eight_blocks_more_than_five(simulated):
    folder = simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0)}}, blocks=12, noise=0.0001)
    assert enough(runs(folder), {"width": 0.5}) is None


def covered(spread: float, cells: int, trials: int) -> np.ndarray:
    """Return the coverage of the interval of each ratio when a width of 5 % has ended the study."""
    random, hits, most = np.random.default_rng([cells, round(1000 * spread)]), np.zeros(cells - 1), 80
    for _ in range(trials):
        noise = random.normal(0, spread / 2**0.5, (cells, most))
        times = {json.dumps({"threads": n + 1}): np.exp(noise[n]) for n in range(cells)}
        after = narrow_after(times, most - MORE_BLOCKS, 0.05) or most
        base, *others = (values[: after + MORE_BLOCKS] for values in times.values())
        hits += [not ratio(base, other).interval.excludes(1.0) for other in others]
    return hits / trials


@pytest.mark.parametrize("spread", [0.025, 0.1])
def test_intervals_that_were_waited_for_cover_what_they_promise(spread):
    assert 0.88 <= covered(spread, 2, 2000).mean() <= 0.92


@pytest.mark.nightly
@pytest.mark.parametrize("spread", [0.025, 0.05, 0.075, 0.1, 0.125, 0.15])
@pytest.mark.parametrize("cells", [2, 4])
def test_intervals_that_were_waited_for_cover_what_they_promise_in_many_trials(spread, cells):
    shares = covered(spread, cells, 10_000)
    assert all(0.88 <= share <= 0.92 for share in shares), shares


def test_a_bad_run_keeps_an_interval_wide(simulated):
    folder = simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0)}}, blocks=13, noise=0.001)
    lines = [json.loads(line) for line in folder.records.read_text().splitlines()]
    cells = {spec["id"]: spec["cell"] for spec in folder.read_plan()}
    for line in lines:
        if cells[line["id"]]["threads"] == 2:
            line["exit"] = {"code": 1}
    folder.records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert enough(runs(folder), {"width": 0.5}) is None


def test_no_block_starts_that_would_exceed_the_budget(simulated):
    folder = simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0)}}, blocks=3, noise=0.0)
    # All records of a made-up study begin at once, so there is nothing between its runs: 12 s a block.
    assert enough(runs(folder), {"budget_s": 49}) is None
    assert enough(runs(folder), {"budget_s": 47}) == "36 s of 47 s are used, and one block takes up to 12 s"


def test_a_first_block_that_alone_counts_is_no_measure_of_the_others(simulated):
    folder = simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0)}}, blocks=3, noise=0.0)
    counting = next(spec["id"] for spec in folder.read_plan() if spec["block"] == 1 and spec["threads"] == 1)
    rewrite(folder.plan, lambda spec: spec | ({"role": "counting"} if spec["id"] == counting else {}))
    rewrite(folder.records, lambda one: one | ({"wall_ns": 20 * 10**9} if one["id"] == counting else {}))
    # 24 s, and then 12 s a block.
    assert enough(runs(folder), {"budget_s": 61}) is None
    assert enough(runs(folder), {"budget_s": 59}) == "48 s of 59 s are used, and one block takes up to 12 s"


def test_a_study_goes_on_while_its_runs_took_little_time(simulated):
    made = runs(simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0)}}, blocks=3, noise=0.0))
    assert enough(made, {"blocks": 3, "at_least_s": 37.0}) is None
    assert enough(made, {"blocks": 4, "at_least_s": 35.0}) is None, "these are made anyway"
    assert enough(made, {"blocks": 3, "at_least_s": 35.0}) == "3 blocks took 36 s of runs, and 35 s were asked for"


@pytest.mark.serial
def test_a_real_study_makes_at_most_four_times_as_many_blocks_for_its_time(binary, tmp_path):
    def walls(name: str, least: str) -> list[float]:
        words = ["--out", str(tmp_path / name), "--factor", "threads=1", "--factor", "placement=cores-close"]
        done = study(binary, *words, "--blocks", "3", "--at-least", least, "--", "sleep", "0.05")
        assert done.returncode == 0, done.stderr
        return [one["wall_ns"] / 1e9 for one in Folder(tmp_path / name).read_records()]

    assert len(walls("short", "1m")) == 12
    assert len(walls("long", "0.1s")) == 3
    between = walls("between", "0.22s")
    assert len(between) >= 3
    assert sum(between) >= 0.22 or len(between) == 12
    assert sum(between[:-1]) < 0.22 or len(between) == 3
    page = (tmp_path / "long" / "report.html").read_text()
    assert "until 3 blocks or more took 0.1 s; after block 3: 3 blocks took" in page


@pytest.mark.parametrize("before", ["0005", "0006"], ids=["between two blocks", "inside a block"])
def test_a_pause_is_not_counted_as_measuring_time(simulated, before):
    folder = simulated({"p": {1: (1.0, 1.0), 2: (1.0, 2.0)}}, blocks=4, noise=0.0)

    def begun(one: dict) -> dict:
        # A run every three seconds, one of which it runs; the study goes on the next day.
        day = 2 if one["id"] >= before else 1
        return one | {"start": f"2026-01-0{day}T00:00:{3 * int(one['id']):02d}.000Z"}

    rewrite(folder.records, begun)
    assert enough(runs(folder), {"budget_s": 29}) is None
    assert enough(runs(folder), {"budget_s": 27}) == "22 s of 27 s are used, and one block takes up to 6 s"


@pytest.mark.parametrize("step", ["set forward", "set back"])
def test_a_clock_that_is_set_after_the_first_run_uses_no_budget(simulated, step):
    folder = simulated({"p": {1: (1.0, 1.0)}}, blocks=4, noise=0.0)
    first, later = ("01", "03") if step == "set forward" else ("03", "01")

    def begun(one: dict) -> dict:
        day = first if one["id"] == "0001" else later
        return one | {"start": f"2026-01-{day}T00:00:{3 * int(one['id']):02d}.000Z"}

    rewrite(folder.records, begun)
    made = runs(folder)
    assert enough(made[:2], {"budget_s": 4}) is None
    # Three seconds a run, in the order of the plan; the first has no gap before it.
    assert enough(made[2:], {"budget_s": 5}) == "4 s of 5 s are used, and one block takes up to 3 s"
    assert enough(made, {"budget_s": 14}) is None


@pytest.mark.serial
def test_a_real_study_ends_by_its_budget_and_resume_makes_no_more(binary, tmp_path):
    out = tmp_path / "s"
    words = ["--out", str(out), "--factor", "threads=1", "--factor", "placement=cores-close"]
    done = study(binary, *words, "--blocks", "9", "--budget", "0.3s", "--", "sleep", "0.05")
    assert done.returncode == 0, done.stderr
    folder = Folder(out)
    made = len(folder.read_records())
    assert 2 <= made < 9
    analysis = json.loads((out / "analysis.json").read_text())
    assert analysis["planned"] == analysis["made"] == made
    assert study(binary, "--resume", str(out)).returncode == 0
    assert len(folder.read_records()) == made
    page = (out / "report.html").read_text()
    assert "the next block would go beyond 0.3 s; after block" in page


@pytest.mark.parametrize(
    ("kept", "asked", "end"),
    [
        (lambda block, odd: False, [2, 3, 4, 5, 6], 5),
        # Stopped between two blocks: the rule is asked before anything is run.
        (lambda block, odd: block <= 6, [7], 6),
        # A run of an older block is missing, and a later block was begun: both are completed first.
        (lambda block, odd: block in (1, 3, 4, 5, 6, 7) if odd else block <= 6, [8], 7),
    ],
    ids=["from the beginning", "after a stop between blocks", "after a stop inside a block"],
)
def test_the_rule_is_checked_only_before_an_unstarted_block(simulated, monkeypatch, kept, asked, end):
    folder = simulated({"p": {1: (8.0, 8.0), 2: (4.0, 8.0)}}, blocks=9, noise=0.0001)
    lines = {line["id"]: line for line in folder.read_records()}
    stay = [lines[one["id"]] for one in folder.read_plan() if kept(one["block"], int(one["id"]) % 2)]
    folder.records.write_text("".join(json.dumps(line) + "\n" for line in stay))
    runner = mock.Mock(exchange=lambda spec, hint: json.dumps(lines[spec["id"]]).encode() + b"\n")
    monkeypatch.setattr(execute, "started", lambda samples: contextlib.nullcontext(runner))
    made: list[int] = []

    def rule() -> str | None:
        made.append(max(one["block"] for one in folder.read_records()) + 1)
        return "it is enough" if made[-1] > 5 else None

    execute.run(folder, lambda spec, record, left: None, rule)
    assert made == asked
    assert read_end(folder) == End(end, "it is enough")
    assert len(folder.read_records()) == 2 * end
    assert execute.remaining(folder) == []


def test_a_build_is_made_once_for_each_of_its_levels_before_everything(binary, tmp_path):
    out, log = tmp_path / "s", tmp_path / "log"
    words = ["--out", str(out), "--factor", "threads=1,2", "--factor", "v=a,b", "--blocks", "2"]
    steps = ["--factor", "placement=none", "--build", f"echo build {{v}} >> {log}", "--setup", f"echo setup >> {log}"]
    done = study(binary, *words, *steps, "--no-report", "--", "sh", "-c", f"grep 'build {{v}}' {log}")
    assert done.returncode == 0, done.stderr
    lines = log.read_text().splitlines()
    assert sorted(lines) == ["build a", "build b", "setup"]
    assert lines[-1] == "setup"


def test_a_build_that_fails_ends_the_study_before_its_first_run(binary, tmp_path):
    out = tmp_path / "s"
    done = study(binary, "--out", str(out), "--build", "echo no rule >&2; exit 3", "--", "true")
    assert done.returncode == 2
    assert "build failed: echo no rule >&2; exit 3: exit status 3: no rule" in done.stderr
    assert not Folder(out).records.exists()
