"""Claims about differences and variation: zeros are values, and variation is between launches or threads."""

import json
import random

import pytest
from conftest import THREAD, judged, rewrite

from knee.opened import Study

ONE_CELL = {"cores-close": {4: (2.0, 8.0)}}
TWO_COUNTS = {"cores-close": {n: (8 / n, 8.0) for n in (1, 4)}}


def counted(folder, name: str, of: dict[int, float]):
    """Give every run a counter, by its thread count, with a little noise where it is not 0."""
    plan = {spec["id"]: spec for spec in folder.read_plan()}
    draw = random.Random(1)

    def count(one: dict) -> dict:
        value = of[plan[one["id"]]["threads"]] * draw.uniform(0.9, 1.1)
        return one | {"counters": {name: {"value": value, "unit": "bytes"}}}

    rewrite(folder.records, count)
    return folder


def test_a_difference_from_nothing_is_decided(simulated):
    folder = counted(simulated(TWO_COUNTS), "remote_dram", {1: 0, 4: 8.6e10})
    many = "difference = { of = { threads = 4 }, from = { threads = 1 } }\nresponse = 'remote_dram'"
    none = "difference = { of = { threads = 1 }, from = { threads = 1 } }\nresponse = 'remote_dram'"
    ratio = "ratio = { of = { threads = 4 }, over = { threads = 1 } }\nresponse = 'remote_dram'"
    claims = judged(
        folder,
        f"{many}\nabove = 1e10",
        f"{many}\nbelow = 1e10",
        f"{many}\nabove = 8.6e10",
        f"{none}\nabove = -1\nbelow = 1",
        f"{ratio}\nabove = 1000",
    )
    answers = ["confirmed", "refuted", "undecided", "confirmed", "not measurable here"]
    assert [one.answer for one in claims] == answers
    assert claims[0].value == pytest.approx(8.6e10, rel=0.1)
    assert claims[0].asked == "remote_dram of threads=4 minus that of threads=1: above 1e+10"
    assert claims[3].value == 0


def test_a_difference_from_many_times_as_much_is_decided(simulated):
    folder = counted(simulated(TWO_COUNTS), "remote_dram", {1: 5e6, 4: 8e9})
    apart = "difference = { of = { threads = 4 }, from = { threads = 1 } }\nresponse = 'remote_dram'"
    claims = judged(folder, f"{apart}\ntimes = 100\nabove = 0", f"{apart}\ntimes = 1e4\nabove = 0")
    assert [one.answer for one in claims] == ["confirmed", "refuted"]
    assert claims[0].asked == "remote_dram of threads=4 minus 100 times that of threads=1: above 0"


def test_a_difference_needs_two_blocks_with_both(simulated):
    folder = simulated(TWO_COUNTS)
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["block"] > 1 else {}))
    (one,) = judged(folder, "difference = { of = { threads = 4 }, from = { threads = 1 } }\nbelow = 0")
    assert (one.answer, one.why) == ("not measurable here", "fewer than two blocks have a good run of both")


def test_launches_vary_as_much_as_they_were_made_to(simulated):
    wide = "variation = { threads = 4 }"
    claims = judged(
        simulated(ONE_CELL, noise=0.5, blocks=12),
        f"{wide}\nabove = 0.1",
        f"{wide}\nbelow = 0.1",
        f"{wide}\nabove = 0.5",
        f"{wide}\nresponse = 'cpu'\nper = 'wall'\nbelow = 0.001",
    )
    assert [one.answer for one in claims] == ["confirmed", "refuted", "undecided", "confirmed"]
    assert claims[0].interval.low < 0.53 < claims[0].interval.high
    assert claims[0].asked == "variation of time of threads=4: above 0.1"


@pytest.mark.parametrize(
    ("blocks", "claim", "why"),
    [
        (2, "variation = { threads = 4 }", "fewer than three blocks have a good run"),
        (5, "variation = { threads = 3 }", "no run has threads=3"),
        (5, "variation = { threads = 4 }\nresponse = 'minor-faults'", "it needs positive values"),
        (5, "variation = { threads = 4 }\namong = 'threads'", "was asked to use 4 threads, only 0 were seen"),
    ],
)
def test_what_has_no_variation_says_why(simulated, blocks, claim, why):
    folder = simulated(ONE_CELL, blocks=blocks)
    rewrite(folder.records, lambda one: one | {"counters": {"minor-faults": 0}})
    (one,) = judged(folder, f"{claim}\nabove = 0")
    assert one.answer == "not measurable here"
    assert why in one.why


def seen(folder, *fields: dict):
    """Give every run these threads, and a main thread that only waits for them."""
    main = THREAD | {"cpu_ns": 1000, "run_delay_ns": 0}
    threads = [main, *(THREAD | {"tid": 2 + n, **one} for n, one in enumerate(fields))]
    rewrite(folder.records, lambda one: one | {"observed_threads": threads})
    return folder


def test_threads_of_a_run_vary_by_the_largest_over_the_least(simulated):
    times = [{"cpu_ns": 10**9 * n, "run_delay_ns": 10**6} for n in (15, 3, 2, 1)]
    among = 'variation = { threads = 4 }\namong = "threads"'
    claims = judged(
        seen(simulated(ONE_CELL), *times),
        f"{among}\nabove = 10",
        f"{among}\nbelow = 10",
        f"{among}\nresponse = 'run-delay'\nbelow = 1.5",
    )
    assert [one.answer for one in claims] == ["confirmed", "refuted", "confirmed"]
    # The main thread, the fifth, only waited.
    assert [one.value for one in claims] == pytest.approx([15, 15, 1])
    assert claims[0].asked == "largest over smallest cpu of the threads of threads=4: above 10"


def test_threads_vary_between_launches_too(simulated):
    folder = seen(simulated(ONE_CELL), *[{"cpu_ns": 10**9}] * 4)
    rewrite(
        folder.records,
        lambda one: (
            one | {"observed_threads": [THREAD | {"cpu_ns": 10**9 * (one["block"] if n else 1)} for n in range(4)]}
        ),
    )
    (one,) = judged(folder, 'variation = { threads = 4 }\namong = "threads"\nabove = 2')
    assert one.answer == "undecided"
    # Block 1 has equal threads, block 5 one with a fifth of the others' time.
    assert one.value == pytest.approx(120 ** (1 / 5))


@pytest.mark.parametrize(
    ("thread", "response", "why"),
    [
        ({"cpu_ns": 10**9}, "run-delay", "the kernel does not report run_delay_ns for the threads of run"),
        (
            {"cpu_ns": 10**9, "run_delay_ns": None},
            "run-delay",
            "the kernel does not report run_delay_ns for the threads",
        ),
        ({"cpu_ns": 10**9, "run_delay_ns": 0}, "run-delay", "has run_delay_ns 0"),
    ],
)
def test_what_is_not_known_of_threads_is_no_number(simulated, thread, response, why):
    folder = seen(simulated(ONE_CELL), *[thread] * 4)
    (one,) = judged(folder, f"variation = {{ threads = 4 }}\namong = 'threads'\nresponse = '{response}'\nabove = 2")
    assert one.answer == "not measurable here"
    assert why in one.why


def test_threads_of_no_run_do_not_vary(simulated):
    folder = simulated(ONE_CELL)
    folder.records.write_text("")
    (one,) = judged(folder, "variation = { threads = 4 }\namong = 'threads'\nabove = 2")
    assert (one.answer, one.why) == ("not measurable here", "no run has threads=4")


def test_an_interval_without_an_end_is_kept_as_unknown(simulated):
    folder = simulated(ONE_CELL, blocks=4, noise=0.0)
    rewrite(folder.records, lambda one: one | ({"wall_ns": 4 * 10**9} if one["block"] == 4 else {}))
    (one,) = judged(folder, "variation = { threads = 4 }\nabove = 0.1")
    assert (one.answer, one.interval.high) == ("undecided", float("inf"))
    written = Study.read(folder.path).analysis.to_json()["claims"][0]["interval"]
    assert json.loads(json.dumps(written)) == {"low": 0.0, "high": None}
