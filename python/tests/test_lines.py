"""Whether threads are met at cache lines that they use in turn, and at the same bytes of them."""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import record, skipped
from test_hotspots import AGAIN, LOOP, LOOPS, STALLS, sampled
from told import named

from knee.explain.signs.computing.lines import Lines, lines
from knee.stats.intervals import Interval
from knee.store.records.run import joined

RUNS, ENOUGH = 5, 40
"""Runs of a real program, and samples at shared lines in all of them."""

PROGRAMS = Path(__file__).parents[2] / "bench/planted/programs/c"


def met(spots: dict[str, int], at: int, same: int, apart: int, **more: float):
    """Return evidence whose samples with all threads met shared lines so often."""
    found = sampled(spots, **more)
    for run in found.tests["hot spots"].runs:
        spots_of = run.record["hotspots"]
        spots_of["shared"] = {"addressed": spots_of["samples"], "lines": at, "same": same, "apart": apart}
        spots_of["places"][0]["lines"] = at
    return found


@pytest.mark.parametrize(
    ("same", "apart", "expected"),
    [
        (110, 5, ("true sharing",)),
        (5, 110, ("false sharing",)),
        (50, 60, ("false sharing", "true sharing")),
        (20, 5, ("false sharing", "true sharing")),
    ],
    ids=["shared data", "only the line", "both", "of most it is not known"],
)
def test_samples_at_shared_lines_say_what_the_sharing_is(same, apart, expected):
    found = met(STALLS, 120, same, apart)
    assert list(named(found)) == [expected]


def test_the_signs_say_how_many_and_where():
    found = lines(met(STALLS, 120, 110, 5))
    assert (found.met, found.function) == (720, "work")
    assert "% of the samples are at cache lines that threads use in turn, most of them in work; 96 %" in found.said
    assert Lines(Interval(0.1, 0.2), 10, 0, 0, None).kinds == ("false sharing", "true sharing")


def test_shared_lines_are_named_also_where_one_thread_works_at_the_same_instructions():
    """Of an atomic operation that takes most of the time on one thread, too, instructions alone tell nothing."""
    assert list(named(met(AGAIN, 120, 110, 5))) == [("true sharing",)]


def test_where_hardly_a_sample_is_at_a_shared_line_it_is_no_sharing():
    assert list(named(met(STALLS, 1, 1, 0))) == [("spinning", "duplicated work")]
    # A few: most loads of a table may be met too seldom to be known.
    assert list(named(met(STALLS, 12, 6, 0))) == [("false sharing", "true sharing")]
    assert list(named(met(STALLS, 40, 40, 0))) == [("false sharing", "true sharing")], "neither many nor few"


def test_the_line_of_a_lock_that_threads_try_again_and_again_is_no_true_sharing():
    assert list(named(met(LOOPS, 120, 120, 0, on_one=0.3, twice=0.4))) == [("spinning",)]
    assert ("true sharing",) not in named(met(LOOPS, 120, 120, 0))


def test_work_that_is_done_again_is_named_where_samples_are_at_no_line_and_grow_everywhere():
    several = {**LOOP, **dict.fromkeys(("work+0", "work+8", "work+20", "work+32"), 70)}
    assert list(named(met(several, 1, 1, 0))) == [("duplicated work",)]


def test_where_code_has_no_places_other_runs_tell_a_lock_from_shared_data():
    def found(same: int, apart: int, **more: float) -> list[tuple[str, ...]]:
        made = met(LOOP, 120, same, apart, **more)
        for name in ("hot spots", "hot spots, base"):
            for run in made.tests[name].runs:
                run.record["hotspots"] |= {"places": [], "unnamed": run.record["hotspots"]["samples"]}
        return list(named(made))

    assert found(110, 5) == [("true sharing",)]
    assert ("true sharing",) not in found(110, 5, on_one=0.1), "a lock that threads try again and again"
    assert ("false sharing",) in found(5, 110, on_one=0.1), "its waiters meet at the same bytes"


def test_more_samples_at_lines_than_in_all_are_none():
    (run, *_) = met(STALLS, 120, 110, 5).tests["hot spots"].runs
    shared = {"addressed": 100, "lines": 120, "same": 110, "apart": 5}
    made = joined(0, run.spec, record("0001", 1, 1.0, 1.0) | {"hotspots": run.record["hotspots"] | {"shared": shared}})
    assert made.record["hotspots"]["unavailable"] == "more samples are at shared lines than have registers"


@pytest.mark.parametrize(("name", "kind"), [("true_sharing", "true sharing"), ("false_sharing", "false sharing")])
def test_real_programs_show_whether_they_share_data_or_lines(binary, tmp_path, name, kind):
    program = tmp_path / name
    source = PROGRAMS / f"{name}.c"
    subprocess.run(["gcc", "-O2", "-pthread", source, "-o", program], check=True)
    # On a busy machine the threads of some runs are hardly ever on their cpus at the same time.
    shared = [_hotspots(binary, program)["shared"] for _ in range(RUNS)]
    met, same, apart = (sum(one[of] for one in shared) for of in ("lines", "same", "apart"))
    assert met > ENOUGH
    assert Lines(Interval(0.0, 1.0), met, same, apart, None).kinds == (kind,)


def _hotspots(binary: str, program: Path) -> dict:
    words = [binary, "run", "--json", "--hotspots", "-n", "2", "--", program, "2", "0.62", "100000"]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    spots = json.loads(done.stdout)["hotspots"]
    if "unavailable" in spots or "shared" not in spots:
        skipped("shared cache lines", "this kernel takes no samples with registers")
    return spots
