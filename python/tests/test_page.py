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
