"""Claims are confirmed, refuted or undecided by the interval; those that cannot be measured give the reason."""

import json
import tomllib

import jsonschema
import pytest
from conftest import ROOT, judged, rewrite

from knee.explain.claims.judge import NUMBERS
from knee.explain.claims.variation import FIELDS
from knee.opened import Study
from knee.report.page import page
from knee.store import KINDS, StudyError
from knee.store.claims import claim_schema
from knee.store.claims.kinds import OF_THREADS
from knee.study.options.file import from_file

TIMES = {
    "cores-close": {n: (8 / min(n, 4), 8.0) for n in (1, 2, 3, 4, 6, 8)},
    "cores-spread": {n: (8 / min(n, 2), 8.0) for n in (1, 2, 4)},
}
SCHEMA = json.loads((ROOT / "schema/study.schema.json").read_text())
PROGRAM = "[program]\ncommand = ['x']\n"


def test_the_interval_decides(simulated):
    two = 'speedup = { threads = 2, placement = "cores-close" }'
    claims = judged(
        simulated(TIMES),
        f"{two}\nabove = 1.9\nbelow = 2.1",
        f"{two}\nabove = 2.2",
        f"{two}\nabove = 2.0",
        f"{two}\nbelow = 1.5",
    )
    assert [one.answer for one in claims] == ["confirmed", "refuted", "undecided", "refuted"]
    assert claims[0].value == pytest.approx(2, abs=0.05)
    assert claims[0].interval.low < claims[0].value < claims[0].interval.high
    assert claims[0].asked == "speedup of threads=2, placement=cores-close: above 1.9 and below 2.1"


def test_two_cells_are_compared_block_by_block_in_any_response(simulated):
    of = 'of = { threads = 4, placement = "cores-spread" }, over = { threads = 4, placement = "cores-close" }'
    claims = judged(
        simulated(TIMES), f"ratio = {{ {of} }}\nabove = 1.9", f"ratio = {{ {of} }}\nresponse = 'cpu'\nbelow = 1.1"
    )
    assert [one.answer for one in claims] == ["confirmed", "confirmed"]
    assert [round(one.value) for one in claims] == [2, 1]
    assert claims[1].asked.startswith("cpu of threads=4, placement=cores-spread over that of threads=4")


def test_a_knee_may_be_claimed_where_there_are_counts_enough(simulated):
    claims = judged(
        simulated(TIMES),
        'knee = { placement = "cores-close" }\nabove = 3\nbelow = 5',
        'knee = { placement = "cores-spread" }\nabove = 1',
        "knee = {}\nabove = 1",
    )
    assert [one.answer for one in claims] == ["confirmed", "not measurable here", "not measurable here"]
    assert "no knee was found" in claims[1].why
    assert claims[2].why == "2 series have no levels: a claim must name one"


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("speedup = { threads = 64 }", "no run has threads=64"),
        ('speedup = { threads = 1, placement = "cores-close" }', "no run has fewer threads than 1"),
        ("speedup = { threads = 2 }", "2 cells have threads=2: the claim must also name placement"),
        ('speedup = { threads = 2, placement = "cores-close" }\nneeds = { sockets = 4 }', "it needs 4 sockets"),
        (
            'speedup = { threads = 2, placement = "cores-close" }\nneeds = { threads_per_core = 2 }',
            "this machine has 1",
        ),
        ('speedup = { threads = 2, placement = "cores-close" }\nresponse = "instructions"', "unknown response"),
    ],
)
def test_what_cannot_be_measured_says_why_and_has_no_number(simulated, claim, why):
    (one,) = judged(simulated(TIMES), f"{claim}\nabove = 1")
    assert one.answer == "not measurable here"
    assert why in one.why
    assert one.value != one.value


def test_bad_runs_are_excluded_from_claims(simulated):
    folder = simulated(TIMES)
    lines = [json.loads(line) for line in folder.records.read_text().splitlines()]
    specs = {spec["id"]: spec for spec in folder.read_plan()}
    for one in lines:
        if specs[one["id"]]["threads"] == 2 and one["block"] > 1:
            one["exit"] = {"code": 1}
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in lines))
    (one,) = judged(folder, 'speedup = { threads = 2, placement = "cores-close" }\nabove = 1')
    assert (one.answer, one.why) == ("not measurable here", "fewer than two blocks have a good run of both")


def test_the_page_and_the_analysis_hold_the_claims(simulated):
    folder = simulated(TIMES)
    judged(folder, "source = 'a paper'\nspeedup = { threads = 4, placement = 'cores-close' }\nabove = 3")
    opened = Study.read(folder.path)
    text = page(opened)
    assert '<h2 id="title-claims">Claims</h2>' in text
    assert "a paper" in text
    assert "confirmed" in text
    assert opened.analysis.to_json()["claims"][0]["answer"] == "confirmed"


def test_a_study_without_claims_has_no_table(simulated):
    assert "title-claims" not in page(Study.read(simulated(TIMES).path))


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("", "claim 1: says: a claim needs a sentence"),
        ("says = 1", "claim 1: says: it is not text"),
        ("says = 'x'", "claim 1: it needs one of ratio, difference, value, speedup, knee"),
        ("says = 'x'\nspeedup = { threads = 2 }\nknee = {}", "claim 1: it needs one of"),
        ("says = 'x'\nspeedup = { threads = 2 }", "claim 1: it has no bound"),
        ("says = 'x'\nspeedup = { threads = 2 }\nabove = true", "claim 1: it has no bound"),
        ("says = 'x'\nspeedup = { threads = 2 }\nabove = 2\nbelow = 1", "no number is above 2 and below 1"),
        ("says = 'x'\nexplains = 1\nabove = 2", "claim 1: explains: it does not name a factor"),
        ("says = 'x'\nexplains = 'a'\nat = 1\nabove = 2", "claim 1: at: it is not a table of levels"),
        ("says = 'x'\nknee = {}\nat = {}\nabove = 2", "claim 1: at: it belongs to explains, not to knee"),
        (
            "says = 'x'\nknee = {}\nresponse = 'cpu'\nabove = 2",
            "claim 1: response: it belongs to ratio, difference, value",
        ),
        ("says = 'x'\nknee = {}\nper = 'cpu'\nabove = 2", "claim 1: per: it belongs to ratio, difference, value"),
        ("says = 'x'\nknee = {}\nabove = nan", "claim 1: it has no bound"),
        ("says = 'x'\nknee = {}\nbelow = inf", "claim 1: it has no bound"),
        ("says = 'x'\nspeedup = { threads = true }\nabove = 2", "claim 1: speedup: it is not a table of levels"),
        ("says = 'x'\nspeedup = {}\nabove = 2", "claim 1: speedup: it needs a thread count"),
        ("says = 'x'\nspeedup = { threads = [2] }\nabove = 2", "claim 1: speedup: it is not a table of levels"),
        ("says = 'x'\nratio = { of = {} }\nabove = 2", "claim 1: ratio: it compares two cells"),
        ("says = 'x'\nknee = {}\nabove = 2\nneeds = { gpus = 1 }", "claim 1: needs: it is not a table of numbers"),
        ("says = 'x'\nknee = {}\nover = 2", "claim 1: over: unknown key"),
        (
            "says = 'x'\nratio = { of = {}, over = {} }\ntimes = 2\nabove = 2",
            "claim 1: times: it belongs to difference",
        ),
        (
            "says = 'x'\ndifference = { of = {}, from = {} }\ntimes = 0\nabove = 2",
            "claim 1: times: it is not a number above 0",
        ),
        ("says = 'x'\ndifference = { of = {}, over = {} }\nabove = 2", "claim 1: difference: it compares two cells"),
        (
            "says = 'x'\nratio = { of = {}, over = {} }\nagainst = ''\nabove = 2",
            "claim 1: against: it names no response",
        ),
        (
            "says = 'x'\nratio = { of = {}, over = {} }\nagainst = 'cpu'\nper = 'wall'\nabove = 2",
            "claim 1: per: it cannot be combined with against",
        ),
        ("says = 'x'\nvalue = {}\nagainst = 'cpu'\nabove = 2", "claim 1: against: it belongs to ratio, not to value"),
        ("says = 'x'\nbend = {}\nabove = 2", "claim 1: bend: it needs the key between"),
        ("says = 'x'\nslope = {}\nabove = 2", "claim 1: slope: it needs the key between"),
        (
            "says = 'x'\nslope = { threads = 2 }\nbetween = [1, 2]\nabove = 2",
            "claim 1: slope: its thread counts belong",
        ),
        ("says = 'x'\nslope = {}\nbetween = [1]\nabove = 2", "claim 1: between: it is not two thread counts"),
        ("says = 'x'\nslope = {}\nbetween = [1, 'all']\nabove = 2", "claim 1: between: it is not two thread counts"),
        ("says = 'x'\nslope = {}\nbetween = [0, 2]\nabove = 2", "claim 1: between: it is not two thread counts"),
        ("says = 'x'\nknee = {}\nbetween = [1, 2]\nabove = 2", "claim 1: between: it belongs to slope, bend, order"),
        ("says = 'x'\norder = { of = {} }\nbetween = [1, 2]\nabove = 1", "claim 1: order: it compares two cells"),
        (
            "says = 'x'\norder = { of = {a = 1}, over = {a = 2} }\nbetween = [1, 2]\nabove = 1\nbelow = 2",
            "claim 1: an order takes either above or below",
        ),
        ("says = 'x'\ntrend = {}\nabove = 1", "claim 1: trend: it needs the key sampled"),
        ("says = 'x'\ntrend = {}\nsampled = 1\nabove = 1", "claim 1: sampled: it is not text"),
        ("says = 'x'\ntrend = {}\nsampled = 'x'\nduring = ''\nabove = 1", "claim 1: during: it names no phase"),
        ("says = 'x'\ntrend = {}\nsampled = 'x'\nlast = 0.6\nabove = 1", "claim 1: last: it is not a share"),
        ("says = 'x'\ntrend = {}\nsampled = 'x'\nlast = 0\nabove = 1", "claim 1: last: it is not a share"),
        ("says = 'x'\ntrend = {}\nsampled = 'x'\nresponse = 'cpu'\nabove = 1", "claim 1: response: it belongs to"),
        (
            "says = 'x'\nvariation = {}\namong = 'blocks'\nabove = 1",
            "claim 1: among: bad value 'blocks'; expected runs or threads",
        ),
        (
            "says = 'x'\nvariation = {}\namong = 'threads'\nper = 'cpu'\nabove = 1",
            "claim 1: per: it cannot be combined",
        ),
        (
            "says = 'x'\nvariation = {}\namong = 'threads'\nresponse = 'wall'\nabove = 1",
            "claim 1: response: bad value 'wall'; with among = \"threads\" expected cpu or run-delay",
        ),
    ],
)
def test_a_wrong_claim_is_named_with_its_key(tmp_path, claim, reason):
    path = tmp_path / "s.toml"
    path.write_text(f"{PROGRAM}[[claim]]\n{claim}\n")
    with pytest.raises(StudyError, match="bad study: ") as error:
        from_file(path)
    assert reason in str(error.value)
    # That bounds are finite, and in which order, is beyond a schema.
    if not any(word in claim for word in ("nan", "inf", "above = 2\nbelow = 1")):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(path.read_text()), SCHEMA)


def test_the_smaller_end_of_a_range_stands_first(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(f"{PROGRAM}[[claim]]\nsays = 'x'\nslope = {{}}\nbetween = [8, 1]\nabove = 1\n")
    with pytest.raises(StudyError, match="claim 1: between: it is not two thread counts, smaller first"):
        from_file(path)


def test_the_schema_of_claims_is_that_of_the_table_of_kinds():
    assert SCHEMA["properties"]["claim"]["items"] == claim_schema()


def test_every_kind_is_judged():
    assert KINDS.keys() == NUMBERS.keys()
    assert set(OF_THREADS) == FIELDS.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_the_guide_tells_every_kind_and_its_keys(kind):
    guide = (ROOT / "docs/reference/study-file.md").read_text().split("## Claims")[1].split("\n## ")[0]
    assert f"`{kind} = " in guide
    assert [key for key in KINDS[kind].keys if f"`{key} = " not in guide] == []


def test_a_speedup_names_what_it_is_a_speedup_in(simulated):
    speedup = 'speedup = { threads = 2, placement = "cores-close" }\nabove = 0.5'
    one, per = judged(simulated(TIMES), f"{speedup}\nresponse = 'cpu'", f"{speedup}\nper = 'cpu'")
    assert one.asked == "speedup in cpu of threads=2, placement=cores-close: above 0.5"
    assert per.asked == "speedup in time per cpu of threads=2, placement=cores-close: above 0.5"


def test_claims_go_along_with_the_study(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        f"{PROGRAM}[[claim]]\nsays = 'x'\nknee = {{ placement = 'none' }}\nabove = 2\nneeds = {{ sockets = 2 }}\n"
    )
    first = from_file(path)
    assert first.claims[0]["needs"] == {"sockets": 2}
    path.write_text(first.to_toml())
    assert from_file(path).claims == first.claims


def crossed(simulated):
    """A study of two workloads and two runtimes, one of which takes 1.2 times as long in each of them."""
    times = {"a, slow": 1.2, "a, fast": 1.0, "b, slow": 6.0, "b, fast": 5.0}
    folder = simulated({name: {1: (took, took)} for name, took in times.items()}, noise=0.005)

    def named(spec: dict) -> dict:
        workload, runtime = spec["cell"].pop("placement").split(", ")
        return spec | {"cell": {**spec["cell"], "placement": "none", "workload": workload, "runtime": runtime}}

    rewrite(folder.plan, named)
    return folder


def test_a_ratio_is_the_mean_over_what_it_leaves_open(simulated):
    claims = judged(
        crossed(simulated),
        'ratio = { of = { runtime = "slow" }, over = { runtime = "fast" } }\nabove = 1.15\nbelow = 1.25',
        'ratio = { of = { workload = "b" }, over = { workload = "a" } }\nabove = 4.8\nbelow = 5.2',
    )
    assert [one.answer for one in claims] == ["confirmed", "confirmed"]


def test_both_sides_of_a_ratio_leave_the_same_open(simulated):
    folder = crossed(simulated)
    kept = [json.loads(line) for line in folder.plan.read_text().splitlines()]
    gone = {spec["id"] for spec in kept if spec["cell"]["workload"] == "b" and spec["cell"]["runtime"] == "fast"}
    records = [json.loads(line) for line in folder.records.read_text().splitlines()]
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in records if one["id"] not in gone))
    claims = judged(
        folder,
        'ratio = { of = { runtime = "slow" }, over = { runtime = "fast" } }\nabove = 1',
        'ratio = { of = { runtime = "fast", workload = "a" }, over = { runtime = "slow" } }\nabove = 1',
    )
    assert all("match different cells" in one.why for one in claims)


def test_a_share_of_the_variation_may_be_claimed(simulated):
    claims = judged(
        crossed(simulated),
        'explains = "workload"\nabove = 0.9',
        'explains = "runtime"\nabove = 0.005\nbelow = 0.05',
        'explains = "colour"\nabove = 0.1',
        'explains = "runtime"\nresponse = "remote_cache"\nabove = 0.1',
    )
    assert [one.answer for one in claims] == ["confirmed", "confirmed", *["not measurable here"] * 2]
    assert claims[2].why == "colour does not vary"
    assert "unknown response 'remote_cache'" in claims[3].why
    assert claims[0].asked == "share of the variation of time that workload explains: above 0.9"


def test_counts_of_the_machine_stand_for_numbers(simulated):
    (one,) = judged(simulated(TIMES), 'speedup = { threads = "cpus", placement = "cores-close" }\nabove = 3')
    assert one.value == pytest.approx(4, abs=0.1)


def counted(simulated):
    """A study with a counting run for every cell: no faults on one thread, some on four."""
    folder = simulated({"cores-close": {n: (8 / n, 8.0) for n in (1, 4)}})
    specs, lines = folder.read_plan(), folder.read_records()
    faults = {1: 0, 4: 12}
    for spec, one in list(zip(specs, lines, strict=True)):
        own = {"id": f"c{spec['id']}"}
        specs.append({**spec, **own, "role": "counting"})
        count = {"instructions": 16_000_000_000, "minor-faults": faults[spec["threads"]] + spec["block"] % 2}
        lines.append({**one, **own, "counters": count})
    folder.plan.write_text("".join(json.dumps(one) + "\n" for one in specs))
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return folder


def test_a_counter_may_be_divided_by_the_time_of_the_run_that_counts(simulated):
    claims = judged(
        counted(simulated),
        'value = { threads = 1 }\nresponse = "instructions"\nper = "cpu"\nabove = 1.9e9\nbelow = 2.1e9',
        'ratio = { of = { threads = 4 }, over = { threads = 1 } }\nresponse = "instructions"\nper = "wall"\nabove = 3',
    )
    assert [one.answer for one in claims] == ["confirmed", "confirmed"]


def test_a_ratio_may_hold_a_counter_against_another_response(simulated):
    """A run that counts is held against one that is timed: 16 G instructions over 8 s or 2 s."""
    of = 'ratio = { of = { threads = 1 }, over = { threads = 4 } }\nresponse = "instructions"'
    one, none = judged(
        counted(simulated),
        f'{of}\nagainst = "wall"\nabove = 7.5e9\nbelow = 8.5e9',
        f'{of}\nagainst = "colour"\nabove = 1',
    )
    assert (one.answer, one.asked.partition(":")[0]) == (
        "confirmed",
        "instructions of threads=1 over wall of threads=4",
    )
    assert one.value == pytest.approx(8e9, rel=0.02)
    assert "unknown response 'colour'" in none.why


def test_a_count_of_zero_has_a_mean_and_no_ratio(simulated):
    claims = judged(
        counted(simulated),
        'value = { threads = 1 }\nresponse = "minor-faults"\nabove = -1\nbelow = 2',
        'ratio = { of = { threads = 4 }, over = { threads = 1 } }\nresponse = "minor-faults"\nabove = 1',
        'speedup = { threads = 4 }\nresponse = "minor-faults"\nabove = 1',
    )
    assert [one.answer for one in claims] == ["confirmed", "not measurable here", "not measurable here"]
    # Three blocks of five have one fault, the others none.
    assert claims[0].value == pytest.approx(0.6)
    assert claims[0].interval.low < 0.6 < claims[0].interval.high
    why = "a ratio needs positive values, but minor-faults of threads=1"
    assert [one.why.split(", placement")[0].removesuffix(" is not always positive") for one in claims[1:]] == [why, why]


def masked(folder) -> None:
    """Restrict a study to two siblings of one core, on a machine with two sockets and four cores."""
    machine = json.loads(folder.machine.read_text())
    threads = range(8)
    machine["sockets"] = [{"id": 0, "cpus": [0, 1, 4, 5]}, {"id": 1, "cpus": [2, 3, 6, 7]}]
    node = {"memory_bytes": 1 << 30, "distances": [10, 20, 30]}
    machine["nodes"] = [one | node for one in (*machine["sockets"], {"id": 2, "cpus": []})]
    machine["cores"] = [
        {"id": core, "socket": core // 2, "node": core // 2, "cpus": [core, core + 4]} for core in range(4)
    ]
    machine["hardware_threads"] = [
        {"id": cpu, "cpus": [cpu], "core": cpu % 4, "socket": cpu % 4 // 2, "node": cpu % 4 // 2} for cpu in threads
    ]
    machine["allowed"]["cpus"] = [0, 4]
    folder.machine.write_text(json.dumps(machine))


@pytest.mark.parametrize(
    ("needs", "why"),
    [
        ("sockets = 2", "it needs 2 sockets; this machine has 1 socket that this process may use"),
        ("cores = 2", "it needs 2 cores; this machine has 1 core that this process may use"),
        ("nodes = 3", "it needs 3 nodes; this machine has 2 nodes that this process may use"),
        (
            "hardware_threads = 3",
            "it needs 3 hardware threads; this machine has 2 hardware threads that this process may use",
        ),
        (
            "threads_per_core = 3",
            "it needs 3 threads per core; this machine has 2 threads per core that this process may use",
        ),
        ("sockets = 1, cores = 1, nodes = 2, hardware_threads = 2, threads_per_core = 2", ""),
    ],
)
def test_a_claim_needs_what_the_study_may_use(simulated, needs, why):
    folder = simulated(TIMES)
    masked(folder)
    (one,) = judged(folder, f'speedup = {{ threads = 2, placement = "cores-close" }}\nneeds = {{ {needs} }}\nabove = 1')
    assert (one.answer, one.why) == (("not measurable here", why) if why else ("confirmed", one.why))
