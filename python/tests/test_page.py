"""The page without a browser: its size on a large machine, and what its tables hold."""

import gzip
import json

from knee.opened import OpenedStudy
from knee.plots import cpu_use
from knee.report.page import page

COUNTS = (1, 2, 4, 8, 16, 24, 32, 48, 64)


def with_samples(folder, period_ns: int = 10_000_000):
    """Give every run of a made-up study a series of samples in which all threads compute all the time."""
    (folder.path / "samples").mkdir()
    threads = {spec["id"]: spec["threads"] for spec in folder.read_plan()}
    records = folder.read_records()
    for record in records:
        lines = ["t_ns,source,name,value"]
        times = range(0, record["wall_ns"], period_ns)
        lines += [f"{t},thread:{n},cpu_ns,{t}" for t in times for n in range(threads[record["id"]])]
        with gzip.open(folder.path / "samples" / f"{record['id']}.csv.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
        record["samples"] = f"samples/{record['id']}.csv.gz"
    folder.records.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_a_study_of_64_threads_stays_under_two_megabytes(simulated):
    curve = {n: (3.2 / n, 3.2) for n in COUNTS}
    folder = simulated({"cores-close": curve, "none": curve})
    with_samples(folder)
    study = OpenedStudy.read(folder.path)
    assert len(page(study).encode()) < 2_000_000
    members = {series.name: series.runs for series in study.analysis.series}
    rows = cpu_use.rows(members, folder.path)
    assert 0 < len(rows) <= cpu_use.MOST_ROWS
    assert any(row["run"].endswith("64 threads") for row in rows), "the largest count is what a reader asks about"
    assert all(row["use"] > 0.9 for row in rows[5 : cpu_use.BINS - 5])


def test_samples_that_are_torn_leave_their_figure_out_and_the_rest_in(simulated):
    folder = simulated({"cores-close": {1: (0.5, 0.5), 2: (0.25, 0.5)}})
    with_samples(folder)
    for path in (folder.path / "samples").iterdir():
        path.write_bytes(path.read_bytes()[:30])
    text = page(OpenedStudy.read(folder.path))
    assert 'data-figure="speedup"' in text
    assert 'data-figure="cpu-use"' not in text


def test_a_simulated_study_says_so_at_the_top(simulated):
    text = page(OpenedStudy.read(simulated({"cores-close": {1: (0.5, 0.5), 2: (0.25, 0.5)}}).path))
    assert "Simulated: no machine was measured." in text


def probed(nodes: int) -> dict:
    """Return what a probe of a made-up machine found: two curves, and a square for each pair of nodes and cpus."""
    figure = {"measure": "m", "unit": "ns", "statistic": "least", "quartiles": [1.0, 2.0], "samples": 5}
    curve = [
        figure | {"probe": "latency", "value": 1.0 + power, "at": {"page": page, "bytes": str(1 << power)}}
        for page in ("base", "huge")
        for power in range(13, 28)
    ]
    pairs = [(a, b) for a in range(nodes) for b in range(nodes)]
    nodes_of = [
        figure
        | {
            "probe": "latency",
            "value": 80.0 if a == b else 140.0,
            "at": {"page": "huge", "bytes": "1024", "reader_node": str(a), "memory_node": str(b), "matrix": "yes"},
        }
        for a, b in pairs
    ]
    cpus = [
        figure | {"probe": "core-to-core", "value": 50.0, "at": {"first": str(a), "second": str(b)}}
        for a, b in pairs
        if a < b
    ]
    return {
        "schema": 1,
        "claimed_caches": {"L1": 32768, "L2": 1 << 20},
        "knees": {},
        "figures": curve + nodes_of + cpus,
    }


def test_what_was_probed_is_drawn_where_there_is_something_to_see(simulated):
    folder = simulated({"cores-close": {1: (0.5, 0.5), 2: (0.25, 0.5)}})
    folder.memory.write_text(json.dumps(probed(4)))
    charts = OpenedStudy.read(folder.path).charts
    assert {"memory-latency", "memory-latency-squares", "memory-core-to-core-squares"} <= charts.keys()
    assert "memory-bandwidth-squares" not in charts
    text = page(OpenedStudy.read(folder.path))
    assert 'data-figure="memory-latency"' in text
    assert "one colour are equally near" in text
    folder.memory.write_text(json.dumps(probed(1)))
    alone = OpenedStudy.read(folder.path).charts
    assert "memory-latency" in alone
    assert "memory-latency-squares" not in alone, "one square says nothing"
