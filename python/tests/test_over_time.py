"""CPU use and memory traffic over time: simulated rates are found, and what was not measured is not drawn."""

import json

import pytest
from conftest import keep_samples, rewrite

from knee.opened import Study
from knee.plots.resources import over_time
from knee.report.page import page

MS = 1_000_000
PERIOD = 10 * MS
SECOND = {n: (1.0, float(n)) for n in (1, 2, 4)}
TWO = {"cores-close": SECOND, "cores-spread": SECOND}

NAMES = (over_time.TOTAL, over_time.LOCAL)
COUNTED = {name: {"value": 1.0, "unit": "bytes"} for name in NAMES}


def bytes_by(t_ns: int, first_half: float, second_half: float) -> int:
    """Bytes since the start of a traffic that changes after half a second, in GB/s."""
    return int(first_half * min(t_ns, 500 * MS) + second_half * max(0, t_ns - 500 * MS))


def traffic(t_ns: int) -> list[tuple]:
    """Two caches: 2 GB/s in one all the time, 1 and then 3 GB/s in the other, of which 0.5 and 2 GB/s are local."""
    return [
        (t_ns, "resctrl:L3:0", over_time.TOTAL, bytes_by(t_ns, 2, 2)),
        (t_ns, "resctrl:L3:1", over_time.TOTAL, bytes_by(t_ns, 1, 3)),
        (t_ns, "resctrl:L3:0", over_time.LOCAL, bytes_by(t_ns, 0.5, 2)),
        (t_ns, "resctrl:L3:1", over_time.LOCAL, bytes_by(t_ns, 0, 0)),
    ]


def noted(spec, record) -> list[tuple]:
    """All threads compute all the time, and the caches have traffic."""
    times = range(MS, 1000 * MS, PERIOD)
    threads = [(t, f"thread:{n}", "cpu_ns", t) for t in times for n in range(spec["threads"])]
    return threads + [row for t in times for row in traffic(t)]


def sampled(folder, rows=noted, counters=COUNTED):
    """The study with samples, every run of which counted these."""
    keep_samples(folder, rows)
    rewrite(folder.plan, lambda spec: spec | ({"counters": [*counters]} if counters else {}))
    rewrite(folder.records, lambda one: one | {"wall_ns": 1000 * MS, "counters": counters})
    return Study.read(folder.path)


def members(study) -> dict:
    return {series.name: series.runs for series in study.analysis.series}


def table(study, series: str = "cores-close", threads: int = 4) -> list[dict]:
    rows = over_time.rows(members(study), study.folder.path)
    return [row for row in rows if (row["series"], row["threads"]) == (series, threads)]


def drawn(study) -> dict:
    return {figure.name: figure for figure in study.figures}


def test_rates_are_what_was_made_up(simulated):
    study = sampled(simulated(TWO))
    rows = over_time.rows(members(study), study.folder.path)
    assert {(row["series"], row["threads"]) for row in rows} == {(name, n) for name in TWO for n in (1, 2, 4)}
    for threads in (1, 2, 4):
        found = table(study, "cores-spread", threads)
        assert [row["cpus busy"] for row in found] == pytest.approx([threads] * len(found), rel=1e-3)
    found = table(study)
    assert len(found) == 24, "bins are no shorter than 40 ms"
    early = [row for row in found if row["time s"] < 0.47]
    late = [row for row in found if row["time s"] > 0.53]
    assert [row["GB/s"] for row in early] == pytest.approx([3.0] * len(early), rel=1e-3)
    assert [row["GB/s"] for row in late] == pytest.approx([5.0] * len(late), rel=1e-3)
    assert [row["remote GB/s"] for row in early] == pytest.approx([2.5] * len(early), rel=1e-3)
    assert [row["remote GB/s"] for row in late] == pytest.approx([3.0] * len(late), rel=1e-3)


def without(source: str, begin_ms: int, end_ms: int):
    """Samples in which readings of a cache failed for a while; its count goes on from where it was, as knee's does."""

    def rows(spec, record):
        lost = bytes_by(end_ms * MS, 1, 3) - bytes_by(begin_ms * MS, 1, 3)
        for t, of, name, value in noted(spec, record):
            if of != source or t < begin_ms * MS:
                yield t, of, name, value
            elif t >= end_ms * MS:
                yield t, of, name, value - (lost if name == over_time.TOTAL else 0)

    return rows


def test_a_missing_reading_is_a_gap_and_no_zero(simulated):
    study = sampled(simulated(TWO), without("resctrl:L3:1", 300, 400))
    found = table(study)
    gap = [row["time s"] for row in found if row["GB/s"] is None]
    assert min(gap) == pytest.approx(0.3, abs=0.03)
    assert max(gap) == pytest.approx(0.4, abs=0.03)
    # A part of the machine is not the machine: the other cache's traffic is not drawn alone.
    rest = [row["GB/s"] for row in found if row["GB/s"] is not None]
    assert len(rest) + len(gap) == len(found)
    assert min(rest) == pytest.approx(3.0, rel=1e-3)
    assert max(rest) == pytest.approx(5.0, rel=1e-3)
    assert all(row["remote GB/s"] is None for row in found if row["time s"] in gap)
    assert all(row["cpus busy"] == pytest.approx(4, rel=1e-3) for row in found)
    assert "A gap is where a reading is missing." in drawn(study)["over-time"].sees


@pytest.mark.parametrize(("begin", "end", "where"), [(0, 200, "begin"), (800, 1000, "end")])
def test_what_was_read_late_or_no_more_is_not_drawn_as_nothing(simulated, begin, end, where):
    study = sampled(simulated(TWO), without("resctrl:L3:0", begin, end))
    found = table(study)
    lost = [row for row in found if (row["time s"] < 0.19 if where == "begin" else row["time s"] > 0.81)]
    assert lost
    assert all(row["GB/s"] is None for row in lost)
    assert all(row["GB/s"] is not None for row in found if 0.23 < row["time s"] < 0.77)


def test_a_count_that_falls_is_a_gap_and_no_rate(simulated):
    def falls(spec, record):
        for t, source, name, value in noted(spec, record):
            fallen = name == over_time.TOTAL and source == "resctrl:L3:0" and t > 700 * MS
            yield t, source, name, value - 2 * 600 * MS if fallen else value

    found = table(sampled(simulated(TWO), falls))
    rates = [row["GB/s"] for row in found if row["GB/s"] is not None]
    assert 0 < len(found) - len(rates) <= 3
    assert min(rates) == pytest.approx(3.0, rel=1e-3)
    assert max(rates) == pytest.approx(5.0, rel=1e-3)


def test_local_traffic_read_after_the_total_is_no_negative_remote_traffic(simulated):
    def ahead(spec, record):
        for t, source, name, value in noted(spec, record):
            yield t, source, name, value * 10 if name == over_time.LOCAL else value

    assert min(row["remote GB/s"] for row in table(sampled(simulated(TWO), ahead))) == 0.0


def test_total_alone_has_no_remote_line(simulated):
    study = sampled(simulated(TWO), counters={over_time.TOTAL: COUNTED[over_time.TOTAL]})
    assert set(table(study)[0]) == {"series", "threads", "time s", "cpus busy", "GB/s"}
    figure = drawn(study)["over-time"]
    assert "other nodes" not in figure.sees
    assert "remote" not in json.dumps(figure.chart.to_dict())


def test_other_sources_of_the_name_are_not_added(simulated):
    def more(spec, record):
        return [*noted(spec, record), *((t, "other:0", over_time.TOTAL, 9 * t) for t in range(MS, 1000 * MS, PERIOD))]

    assert max(row["GB/s"] for row in table(sampled(simulated(TWO), more))) == pytest.approx(5.0, rel=1e-3)


def test_a_record_that_has_no_sum_lends_no_line_to_the_caches_that_could_be_read(simulated):
    """One cache was never read: the samples hold the others, and they are not the machine."""
    why = "L3:1: Unavailable: the hardware has no count for this group now"
    study = sampled(simulated(TWO), counters={over_time.TOTAL: {"unavailable": why}})
    assert set(table(study)[0]) == {"series", "threads", "time s", "cpus busy"}
    assert drawn(study)["over-time"].sees == (f"Lines are busy cpus. Memory traffic is not drawn: {why}.")


def test_cpus_alone_are_drawn_and_the_option_is_named_when_nobody_asked(simulated):
    study = sampled(simulated(TWO), counters={})
    figure = drawn(study)["over-time"]
    assert "the study did not ask for it (--counters mbm_total_bytes,mbm_local_bytes)" in figure.sees
    text = json.dumps(figure.chart.to_dict())
    assert "GB/s" not in text
    assert "cpus busy" in text


def test_a_series_without_traffic_beside_one_that_has_it_is_named(simulated):
    study = sampled(simulated(TWO))
    spread = {spec["id"] for spec in study.folder.read_plan() if spec["cell"]["placement"] == "cores-spread"}
    none = {name: {"unavailable": "resctrl is not mounted"} for name in NAMES}
    rewrite(study.folder.records, lambda one: one | ({"counters": none} if one["id"] in spread else {}))
    study = Study.read(study.folder.path)
    assert "No traffic is known of cores-spread: resctrl is not mounted." in drawn(study)["over-time"].sees
    assert {row["GB/s"] for row in table(study, "cores-spread")} == {None}


def test_whose_traffic_it_is_is_said(simulated):
    scope = "everything in the root group of resctrl: no monitoring group for the program (EACCES)"
    study = sampled(simulated(TWO), counters={name: one | {"scope": scope} for name, one in COUNTED.items()})
    assert f"What was counted: {scope}." in drawn(study)["over-time"].sees


def test_bins_are_no_finer_than_samples(simulated):
    def few(spec, record):
        return [row for row in noted(spec, record) if (row[0] - MS) % (200 * MS) == 0]

    found = table(sampled(simulated(TWO), few))
    assert [row["time s"] for row in found] == pytest.approx([0.101, 0.301, 0.501, 0.701])


def test_one_sample_has_no_rate(simulated):
    study = sampled(simulated(TWO), lambda spec, record: [row for row in noted(spec, record) if row[0] == MS])
    assert "over-time" not in drawn(study)


def test_a_thread_that_comes_late_computed_nothing_before(simulated):
    def late(spec, record):
        times = range(MS, 1000 * MS, PERIOD)
        helpers = [(t, "thread:9", "cpu_ns", t - 495 * MS) for t in times if t > 500 * MS]
        return [(t, "thread:1", "cpu_ns", t) for t in times] + helpers

    found = table(sampled(simulated(TWO), late, {}))
    assert all(row["cpus busy"] == pytest.approx(1, rel=1e-3) for row in found if row["time s"] < 0.47)
    assert all(row["cpus busy"] == pytest.approx(2, rel=1e-3) for row in found if row["time s"] > 0.53)


def test_a_reused_thread_id_counts_from_zero(simulated):
    def again(spec, record):
        return [(t, "thread:1", "cpu_ns", t if t < 500 * MS else t - 499 * MS) for t in range(MS, 1000 * MS, PERIOD)]

    found = table(sampled(simulated(TWO), again, {}))
    assert all(0.5 < row["cpus busy"] < 1.1 for row in found)


def test_the_menu_begins_with_the_largest_count_that_has_places(simulated):
    folder = simulated({"cores-close": {n: (1.0, n) for n in (1, 2, 4, 5)}, "none": {n: (1.0, n) for n in (1, 2, 5)}})
    rewrite(folder.plan, lambda spec: spec | {"cpus": spec["cpus"][:2]})
    study = sampled(folder)
    assert over_time.first_count(members(study), 1) == 2, "two places, and one cpu where the kernel decides"
    assert over_time.first_count(members(study), 8) == 5
    spec = drawn(study)["over-time"].chart.to_dict()
    [menu] = spec["params"]
    assert (menu["value"], menu["bind"]["options"]) == (2, [1, 2, 4, 5])


def test_colour_is_the_series_and_dash_is_the_quantity(simulated):
    spec = drawn(sampled(simulated(TWO)))["over-time"].chart.to_dict()
    busy, more = spec["layer"]
    busy, total, remote = (layer["layer"][0] for layer in (busy, *more["layer"]))
    assert busy["encoding"]["y"]["axis"]["title"] == "cpus busy"
    assert total["encoding"]["y"]["axis"]["title"] == "memory traffic, GB/s"
    for line in (busy, total, remote):
        assert line["encoding"]["color"]["field"] == "series"
        scale = line["encoding"]["strokeDash"]["scale"]
        dashes = dict(zip(scale["domain"], map(tuple, scale["range"]), strict=True))
        assert dashes["cpus busy"] == (1, 0), "solid"
        assert len(set(dashes.values())) == 3
    assert spec["resolve"]["scale"]["y"] == "independent"


def test_a_large_study_keeps_its_largest_counts_and_a_small_page(simulated):
    curve = {n: (1.0, n) for n in (1, 2, 4, 8, 16, 32)}
    placements = ("cores-close", "cores-spread", "threads-close", "none")
    study = sampled(simulated(dict.fromkeys(placements, curve)))
    assert len(study.runs) == 120
    assert len(page(study).encode()) < 2_000_000
    many = {f"p{n}": curve for n in range(80)}
    rows = over_time.rows({name: members(study)["unpinned"] for name in many}, study.folder.path)
    assert {row["threads"] for row in rows} == {32}, "whole counts only: a series must not be missing from one"
    assert len({row["series"] for row in rows}) == 80
