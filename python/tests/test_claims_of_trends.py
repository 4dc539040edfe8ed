"""Claims about trends: simulated rises, falls and drops are found, and gaps give no number."""

import itertools
import math

import pytest
from conftest import judged, keep_samples, rewrite

MS = 1_000_000
RUN = 1000 * MS
TWO = {"cores-close": {n: (1.0, float(n)) for n in (1, 4)}}
TOTAL = "mbm_total_bytes"


def rising(t: float) -> float:
    """Return bytes up to a share of the run: the rate grows from 1 to 3, and is one half in the last tenth."""
    grown = t + t**2
    return grown if t <= 0.9 else 0.9 + 0.81 + 0.5 * (t - 0.9)


def noted(spec, record, *, course=rising, every=10 * MS, name=TOTAL):
    """All threads compute in the first half of the run and one in the second, and two caches have traffic."""
    factor = math.exp(0.05 * math.sin(record["block"]))
    for t in range(0, RUN + 1, every):
        cpu = [(t, f"thread:{n}", "cpu_ns", t if n == 0 else min(t, RUN // 2)) for n in range(spec["threads"])]
        counted = int(1e9 * course(t / RUN) ** factor)
        yield from [*cpu, (t, "resctrl:L3:0", name, counted), (t, "resctrl:L3:1", name, counted)]


def sampled(folder, rows=noted, **record):
    keep_samples(folder, rows)
    rewrite(folder.records, lambda one: one | {"wall_ns": RUN, "counters": {TOTAL: 1}} | record)
    return folder


def trend(name: str = TOTAL, threads: int = 4, more: str = "above = 1") -> str:
    return f'trend = {{ threads = {threads} }}\nsampled = "{name}"\n{more}'


def test_what_rises_falls_and_drops_is_decided(simulated):
    claims = judged(
        sampled(simulated(TWO)),
        trend(),
        trend(more="below = 1"),
        trend(more="last = 0.1\nbelow = 0.5"),
        trend("cpu_ns", more="below = 0.5"),
        trend("cpu_ns", threads=1, more="above = 0.99\nbelow = 1.01"),
        trend(more="above = 1.28"),
    )
    answers = ["confirmed", "refuted", "confirmed", "confirmed", "confirmed", "undecided"]
    assert [one.answer for one in claims] == answers
    # Half of the run: 0.75; the rest: 1.71 + 0.05 - 0.75.
    assert claims[0].value == pytest.approx(1.01 / 0.75, rel=0.05)
    # The last tenth: 0.05; the tenth before: 1.71 - 1.44.
    assert claims[2].value == pytest.approx(0.05 / 0.27, rel=0.05)
    assert claims[3].value == pytest.approx(1 / 4, abs=0.01)
    assert claims[0].asked == "mbm_total_bytes of threads=4 in the second half over that in the first half: above 1"
    assert claims[2].asked.startswith("mbm_total_bytes of threads=4 in the last 10 % over that in the same time before")


def test_launches_are_replicates_samples_are_not(simulated):
    folder = sampled(simulated(TWO), lambda spec, record: noted(spec, record, every=50 * MS))
    [one] = judged(folder, trend())
    keep_samples(folder, lambda spec, record: noted(spec, record, every=5 * MS))
    [other] = judged(folder)
    assert one.interval.high - one.interval.low == pytest.approx(other.interval.high - other.interval.low, rel=0.01)


def test_a_quantity_that_stops_is_zero_and_one_that_never_began_has_no_number(simulated):
    folder = sampled(simulated(TWO), lambda s, r: noted(s, r, course=lambda t: min(t, 0.5)))
    assert [one.answer for one in judged(folder, trend(more="below = 0.1"))] == ["confirmed"]
    keep_samples(folder, lambda s, r: noted(s, r, course=lambda t: max(0.0, t - 0.5)))
    (_, one) = judged(folder, trend())
    assert one.answer == "not measurable here"
    assert "was 0 in the part before" in one.why


def test_one_run_that_began_late_is_not_left_out(simulated):
    """That run rises more than all others."""
    folder = simulated(TWO)
    late = lambda s, r: noted(s, r, course=lambda t: max(0.0, t - 0.5) if r["block"] == 1 else 1.05 * t)  # noqa: E731
    (one,) = judged(sampled(folder, late), trend(more="below = 1.1"))
    assert (one.answer, "was 0 in the part before" in one.why) == ("not measurable here", True)


def test_a_phase_is_looked_at_alone_every_time_that_it_was_called(simulated):
    def waves(t: float) -> float:
        """Two phases, 0.1 to 0.5 and 0.5 to 0.9, in which the rate is 1 and then 2; outside it is 10."""
        edges = [(0.0, 10), (0.1, 1), (0.3, 2), (0.5, 1), (0.7, 2), (0.9, 10), (1.0, 0)]
        return sum(rate * max(0.0, min(t, end) - begin) for (begin, rate), (end, _) in itertools.pairwise(edges))

    calls = [{"name": "match", "begin_ns": b * 100 * MS, "end_ns": e * 100 * MS} for b, e in ((1, 5), (5, 9))]
    phases = [{"wall_ns": 400 * MS, "cpu_ns": 400 * MS, "counters": {}} | call for call in calls]
    folder = sampled(simulated(TWO), lambda s, r: noted(s, {"block": 0}, course=waves), phases=phases)
    during, whole, none = judged(
        folder,
        trend(more="during = 'match'\nabove = 1.9\nbelow = 2.1"),
        trend(more="above = 1.9\nbelow = 2.1"),
        trend(more="during = 'load'\nabove = 1"),
    )
    assert (during.answer, whole.answer) == ("confirmed", "refuted")
    assert during.asked.startswith("mbm_total_bytes of threads=4 in the second half of match over that in the first")
    assert none.why.endswith("has no phase load")


def test_a_sampled_level_is_averaged(simulated):
    folder = sampled(simulated(TWO), lambda s, r: noted(s, {"block": 0}, name="llc_occupancy", course=lambda t: 1 + t))
    (one,) = judged(folder, trend("llc_occupancy", more="above = 1.3"))
    assert one.value == pytest.approx(1.75 / 1.25, rel=0.01)


def test_what_is_counted_in_runs_of_their_own_is_looked_for_in_their_samples(simulated):
    folder = sampled(simulated(TWO))
    rewrite(folder.plan, lambda spec: spec | {"role": "counting"})
    claims = judged(folder, trend(), trend("cpu_ns", more="below = 0.5"))
    assert [one.answer for one in claims] == ["confirmed", "confirmed"]


def test_what_a_program_counts_is_0_before_it_begins_and_stays_where_it_ended(simulated):
    def matches(spec, record):
        """Matches from 0.2 s to 0.8 s, twice as fast in the first half, sampled only when the count changes."""
        for t in range(0, RUN + 1, 10 * MS):
            yield t, "thread:1", "cpu_ns", t
            if 200 * MS <= t <= 800 * MS:
                yield t, "workload", "matches", 2 * min(t - 200 * MS, 300 * MS) + max(0, t - 500 * MS)

    phase = {"name": "match", "begin_ns": 100 * MS, "end_ns": 900 * MS, "wall_ns": 1, "cpu_ns": 1, "counters": {}}
    folder = sampled(simulated(TWO), matches, phases=[phase])
    during, whole = judged(
        folder, trend("matches", more="during = 'match'\nabove = 0.4\nbelow = 0.6"), trend("matches", more="below = 1")
    )
    assert [one.answer for one in (during, whole)] == ["confirmed", "confirmed"]
    assert during.value == pytest.approx(0.5)


def torn(spec, record):
    """One cache was not read for a while in the first block's runs."""
    for row in noted(spec, record):
        if record["block"] > 1 or row[1] != "resctrl:L3:1" or not 0.2 <= row[0] / RUN <= 0.3:
            yield row


def test_a_launch_with_a_gap_does_not_count_and_one_alone_is_none(simulated):
    folder = sampled(simulated(TWO), torn)
    assert judged(folder, trend())[0].answer == "confirmed"
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["block"] > 2 else {}))
    (_, one) = [judged(folder)[0], judged(folder)[0]]
    assert (one.answer, one.why) == ("not measurable here", "fewer than two blocks have a good run of it")


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (trend("nothing"), "nothing was not sampled (run 0"),
        (trend("state"), "state is sampled, but it is not a quantity"),
        (trend(threads=3), "no run has threads=3"),
        (trend(more="last = 0.01\nbelow = 1"), "a part of 10 ms has fewer than 3 samples (run 0"),
    ],
)
def test_what_was_not_sampled_says_why(simulated, claim, why):
    (one,) = judged(sampled(simulated(TWO)), claim)
    assert one.answer == "not measurable here"
    assert why in one.why


@pytest.mark.parametrize("damage", ["missing", "cut off", "another file", "not text", "lost", "never taken"])
def test_unreadable_samples_give_a_reason_and_no_number(simulated, damage):
    folder = sampled(simulated(TWO))
    [path, *_] = sorted(folder.samples.iterdir())
    why = "cannot read samples: "
    if damage == "missing":
        path.unlink()
        why += f"{path}: No such file or directory"
    elif damage == "cut off":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "another file":
        path.write_text("t_ns,source,name,value\n")
        why += f"{path}: Not a gzipped file"
    elif damage == "not text":
        keep_samples(folder, lambda spec, record: [("now", "a", TOTAL, 1)])
    else:
        gone = {"samples_lost": "the disk was full"} if damage == "lost" else {}
        rewrite(folder.records, lambda one: {key: one[key] for key in one if key != "samples"} | gone)
        why = f"has no samples: {gone.get('samples_lost', 'it was not sampled')}"
    claims = judged(folder, trend(threads=1), trend(threads=4))
    told = [one.why for one in claims if one.answer == "not measurable here"]
    assert told
    assert all(why in one for one in told)
