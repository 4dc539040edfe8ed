"""The page without a browser: its size on a large machine, and what its tables hold."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
import tomli_w
import vl_convert as vlc
from big_study import SMALL, write_study
from conftest import VALID, keep_samples, rewrite

from knee.opened import Study
from knee.plots.resources import cpu_use
from knee.report import bundle
from knee.report.first_screen import command_words, first_screen
from knee.report.page import page
from knee.report.tables import facts
from knee.report.tables.design import design_rows, programs

COUNTS = (1, 2, 4, 8, 16, 24, 32, 48, 64)


def with_samples(folder, period_ns: int = 10_000_000):
    """Give every run of a made-up study a series of samples in which all threads compute all the time."""

    def noted(spec, record):
        times = range(0, record["wall_ns"], period_ns)
        return [(t, f"thread:{n}", "cpu_ns", t) for t in times for n in range(spec["threads"])]

    keep_samples(folder, noted)


def test_a_study_of_64_threads_stays_under_two_megabytes(simulated):
    curve = {n: (3.2 / n, 3.2) for n in COUNTS}
    folder = simulated({"cores-close": curve, "none": curve})
    with_samples(folder)
    study = Study.read(folder.path)
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
    text = page(Study.read(folder.path))
    assert 'data-figure="speedup"' in text
    assert 'data-figure="cpu-use"' not in text
    assert 'data-figure="over-time"' not in text


def test_the_program_is_shown_with_its_own_letters(simulated):
    folder = simulated({"cores-close": {1: (0.5, 0.5), 2: (0.25, 0.5)}})
    command = ["sh", "-c", "prüfung < 'in put' && echo \"<b>\""]
    rewrite(folder.plan, lambda spec: spec | {"program": {"command": command}})
    text = page(Study.read(folder.path))
    assert "prüfung &lt; &#39;in put&#39; &amp;&amp; echo" in text
    assert "<b>" not in text


def test_a_simulated_study_says_so_at_the_top(simulated):
    text = page(Study.read(simulated({"cores-close": {1: (0.5, 0.5), 2: (0.25, 0.5)}}).path))
    assert "Simulated: no machine was measured." in text


def probed(nodes: int) -> dict:
    """Return what a probe of a made-up machine found: two curves, and a square for each pair of nodes and cpus."""
    figure = {"measure": "m", "unit": "ns", "quartiles": [1.0, 2.0], "samples": 5}
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
        "start": "2026-01-01T00:00:00.000Z",
        "quick": True,
        "seconds": 1.0,
        "claimed_caches": {"L1": 32768, "L2": 1 << 20},
        "knees": {},
        "figures": curve + nodes_of + cpus,
    }


def test_what_was_probed_is_drawn_where_there_is_something_to_see(simulated):
    folder = simulated({"cores-close": {1: (0.5, 0.5), 2: (0.25, 0.5)}})
    folder.memory.write_text(json.dumps(probed(4)))
    charts = Study.read(folder.path).charts
    assert {"memory-latency", "memory-latency-squares", "memory-core-to-core-squares"} <= charts.keys()
    assert "memory-bandwidth-squares" not in charts
    text = page(Study.read(folder.path))
    assert 'data-figure="memory-latency"' in text
    assert "one colour are equally near" in text
    folder.memory.write_text(json.dumps(probed(1)))
    alone = Study.read(folder.path).charts
    assert "memory-latency" in alone
    assert "memory-latency-squares" not in alone, "one square says nothing"


class Outline(HTMLParser):
    """Headings, tables without a name, and figures without a sentence of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.levels: list[int] = []
        self.unnamed: list[str] = []
        self.ids: list[str] = []
        self.described: list[str] = []
        self.table: dict | None = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.append(given.get("id", ""))
        if tag in ("h1", "h2", "h3", "h4"):
            self.levels.append(int(tag[1]))
        if tag == "table" and "aria-label" not in given:
            self.table = given
        if tag == "caption":
            self.table = None
        if given.get("role") == "figure":
            self.described.append(given["aria-describedby"])

    def handle_endtag(self, tag):
        if tag == "table" and self.table is not None:
            self.unnamed.append(str(self.get_starttag_text()))
            self.table = None


def test_headings_have_no_gaps_tables_names_and_figures_a_sentence(simulated):
    curve = {n: (3.2 / n, 3.2) for n in (1, 2, 4)}
    study = Study.read(simulated({"cores-close": curve, "none": {n: (4 / n, 4.0) for n in (1, 2, 4)}}).path)
    text = page(study)
    outline = Outline(text.split('<script type="application/json"')[0])
    assert outline.levels[0] == 1
    assert outline.levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(outline.levels))
    assert outline.unnamed == []
    assert len(outline.described) == len(study.charts) > 8
    assert set(outline.described) <= set(outline.ids)
    assert len([one for one in outline.ids if one]) == len({one for one in outline.ids if one}), "an id is one's own"


def test_every_chart_is_what_vega_lite_takes(simulated):
    """The page does not check: this does, and draws each of them."""
    curve = {n: (3.2 / n, 3.2) for n in (1, 2, 4)}
    study = Study.read(simulated({"cores-close": curve, "none": curve}, noise=0.05).path)
    for name, chart in study.charts.items():
        drawn = vlc.vegalite_to_svg(chart.to_dict(validate=True) | {"width": 560})
        assert drawn.count("<path") > 3, name


def test_the_script_is_made_once_and_a_torn_one_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bundle.bundle.cache_clear()
    made = bundle.bundle()
    [kept] = (tmp_path / "knee").iterdir()
    assert kept.read_text() == made
    assert "</script" not in made
    kept.write_text(made[:1000])
    bundle.bundle.cache_clear()
    assert bundle.bundle() == made
    kept.write_text("kept" + bundle.END)
    bundle.bundle.cache_clear()
    assert bundle.bundle() == "kept" + bundle.END
    bundle.bundle.cache_clear()


def test_without_a_place_to_keep_it_the_script_is_made_all_the_same(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(bundle.vlc, "javascript_bundle", lambda snippet: f"made; {snippet}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    bundle.bundle.cache_clear()
    assert bundle.bundle().startswith("made; ")
    # In a container a user may have no home.
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", mock.Mock(side_effect=RuntimeError("Could not determine home directory.")))
    bundle.bundle.cache_clear()
    assert bundle.bundle().startswith("made; ")
    bundle.bundle.cache_clear()


def test_a_factorial_study_of_270_runs_stays_under_two_megabytes(simulated):
    counts = (1, 2, 3, 4, 6, 8, 10, 12, 16)
    names = ("cores-close", "cores-spread", "threads-close", "threads-spread", "sockets-close", "none")
    study = Study.read(simulated({name: {n: (8 / n, 8.0) for n in counts} for name in names}, noise=0.03).path)
    text = page(study)
    assert len(text.encode()) < 2_000_000
    assert "<summary>Levels of threads (36 rows)</summary>" in text, "long tables are folded"


def test_a_study_of_120_runs_stays_under_two_megabytes(tmp_path):
    study = Study.read(write_study(tmp_path / "study", SMALL, 10).path)
    assert study.analysis.made == 120
    assert len(page(study).encode()) < 2_000_000


def test_programs_and_factors_are_those_of_the_design_in_their_order(simulated):
    folder = simulated({"none": {n: (8.0 / n, 8.0) for n in (1, 2, 4, 16)}}, copies={2: 9.0})
    sizes = {1: 100, 2: 20, 4: 3}

    def with_size(spec: dict) -> dict:
        n = spec["threads"]
        if spec.get("role") == "copies":
            return spec | {"program": {"command": ["copies"]}}
        if n == 16:
            return spec | {"threads": 1, "role": "baseline", "cell": {}, "program": {"command": ["serial"]}}
        return spec | {"cell": spec["cell"] | {"size": sizes[n]}, "program": {"command": ["solve", str(sizes[n])]}}

    rewrite(folder.plan, with_size)
    study = Study.read(folder.path)
    rows = {row["what"]: row["value"] for row in design_rows(study)}
    assert {name: rows[name] for name in rows if name.startswith("factor ")} == {
        "factor placement": "unpinned",
        "factor size": "3, 20, 100",
        "factor threads": "1, 2, 4",
    }
    assert programs(study) == [
        (f"threads={n}, size={size}", {"command": ["solve", str(size)]}) for n, size in sizes.items()
    ]
    text = page(study)
    assert "<summary>The program with threads=4, size=3</summary>" in text
    assert "more programs" not in text


def test_a_page_shows_a_handful_of_programs_and_says_how_many_more(simulated):
    folder = simulated({"none": {1: (8.0, 8.0)}}, blocks=8)
    rewrite(folder.plan, lambda spec: spec | {"cell": spec["cell"] | {"input": f"g{spec['block']}"},
                                              "program": {"command": ["solve", f"g{spec['block']}"]}})  # fmt: skip
    text = page(Study.read(folder.path))
    assert text.count("<summary>The program with input=g") == 5
    assert "<p>3 more are in plan.jsonl.</p>" in text


def test_what_too_few_runs_cannot_say_is_not_said(simulated):
    opened = Study.read(simulated({"cores-close": {2: (4.0, 8.0)}, "none": {2: (4.0, 8.0)}}, blocks=1).path)
    rows = {row["what"]: row["value"] for row in design_rows(opened)}
    assert rows["drift"] == "not tested: fewer than 8 good runs"
    assert [row["it is"] for row in facts.contrast_rows(opened.analysis)] == ["cannot tell"]
    assert not {"speedup", "speedup-log", "efficiency"} & opened.charts.keys()
    assert "run-time" in opened.charts
    assert 'data-figure="run-time"' in page(opened)


def test_of_one_thread_count_nothing_is_the_best(simulated):
    opened = Study.read(simulated({"none": {2: (4.0, 8.0)}}).path)
    assert [row["use"] for row in facts.scaling_rows(opened.analysis)] == ["–"]


def test_without_noise_there_is_no_drift_to_test(simulated):
    opened = Study.read(simulated({"none": {1: (8.0, 8.0), 2: (4.0, 8.0)}}, noise=0.0).path)
    rows = {row["what"]: row["value"] for row in design_rows(opened)}
    assert rows["drift"] == "not tested: too few blocks, or no runs that differ"


def test_every_table_says_of_which_figure_it_is(simulated):
    text = page(Study.read(simulated({"none": {1: (8.0, 8.0), 2: (4.0, 8.0)}}).path))
    assert '<summary aria-label="Table of Speedup, logarithmic">Table</summary>' in text
    assert "<summary>Table</summary>" not in text


UP = {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (2.0, 8.0)}


def test_the_first_screen_is_verdict_warnings_advice_claims_then_command_machine_date_and_runs(simulated):
    folder = simulated({"cores-close": UP, "none": {n: (1.3 * s, c) for n, (s, c) in UP.items()}}, blocks=6)
    with folder.study_spec.open("a") as file:
        file.write('[[claim]]\nsays = "it pays"\nspeedup = { threads = 4, placement = "cores-close" }\nabove = 2\n')
    folder.records.write_text("".join(folder.records.read_text().splitlines(keepends=True)[:-1]))
    text = page(Study.read(folder.path)).split("<body>")[1]
    expected = [
        'class="verdict">made up: 4 threads are ',
        "<li>Not finished: 35 of 36 runs are made.</li>",
        "<dt>use</dt><dd>4 threads on cores-close</dd>",
        '<dt>claims</dt><dd><a href="#title-claims">1 of 1 confirmed</a></dd>',
        "<dt>rests on</dt>",
        "<dt>command</dt><dd>program</dd>",
        "<dt>machine</dt><dd>4 cpus, Linux 6.1</dd>",
        "<dt>date</dt><dd>2026-01-01</dd>",
        "<dt>runs</dt><dd>35 good, 0 disturbed, 0 rejected</dd>",
        '<nav class="contents" aria-label="Contents">',
        'id="title-speedup"',
        'id="title-summary"',
        'id="title-why"',
        'id="title-checklist"',
        'id="title-variance"',
        "What explains the variation</h3>",
        'id="title-residuals"',
    ]
    places = [text.find(one) for one in expected]
    assert -1 not in places, expected[places.index(-1)]
    assert places == sorted(places)
    assert text.index('id="title-variance"') > text.index('id="title-unknown"'), "the last part"


def test_contents_name_every_main_heading(simulated):
    text = page(Study.read(simulated({"cores-close": UP, "none": UP}).path)).split('<script type="application/json"')[0]
    contents, rest = text.split("</nav>")
    linked = re.findall(r'<a href="#(title-[^"]+)">', contents.split("<nav")[1])
    assert linked == re.findall(r'<h2 id="([^"]+)"', rest)
    assert {"title-speedup", "title-why", "title-design", "title-variance"} <= set(linked)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ({"command": ["./solve", "{threads}", "a b"]}, "./solve {threads} 'a b'"),
        ({"command": ["./solve"], "env": {"OMP_NUM_THREADS": "{threads}"}}, "OMP_NUM_THREADS={threads} ./solve"),
        ({"workload": "mine", "args": {"pattern": "diamond", "cache": ""}}, "knee run mine --pattern=diamond"),
        ({"workload": "heat", "env": {"MALLOC_ARENA_MAX": 1}}, "MALLOC_ARENA_MAX=1 knee run heat"),
        ({"workload": {"heat": {}, "sort": {}}}, "the workloads heat, sort"),
    ],
)
def test_a_command_is_shown_as_one_would_type_it(simulated, program, said):
    folder = simulated({"none": {1: (8.0, 8.0)}})
    folder.study_spec.write_text(tomli_w.dumps({"schema": 1, "program": program}))
    assert command_words(Study.read(folder.path)) == said


def test_a_command_has_the_level_of_a_factor_that_replaces_an_argument(simulated):
    folder = simulated({"none": {1: (8.0, 8.0)}})
    program = {"workload": "query", "args": {"scale": "10", "repeat": "3", "layout": "blocked"}}
    factors = {"scale": [1], "layout": ["blocked", "one-node"], "threads": [1, 2]}
    folder.study_spec.write_text(tomli_w.dumps({"schema": 1, "program": program, "factors": factors}))
    assert command_words(Study.read(folder.path)) == "knee run query --scale=1 --repeat=3 --layout={layout}"


def test_no_count_is_recommended_where_one_cannot_tell(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.98, 1.0)}}, noise=0.2, seed=3)
    assert [line.label for line in first_screen(Study.read(folder.path)).lines if line.label == "use"] == []


def test_a_command_to_copy_names_the_folder_and_not_whose_it_is(simulated, monkeypatch):
    folder = simulated({"cores-close": UP})
    validity = VALID | {"other_busy": 0.9}
    rewrite(folder.records, lambda one: one | {"validity": validity, "observed_threads": []})
    shown = first_screen(Study.read(folder.path))
    assert shown.headline.startswith("made up: no verdict. Other programs used 90 % of the cpus")
    assert shown.warnings[-1] == "Disturbed: 15 of 15 runs.", "why is said in the headline"
    (todo,) = [line for line in shown.lines if line.label == "do"]
    assert todo.text.endswith("knee study --resume study --wait-quiet --rerun-disturbed")
    monkeypatch.chdir(folder.path.parent.parent)
    relative = folder.path.relative_to(folder.path.parent.parent)
    (todo,) = [line for line in first_screen(Study.read(relative)).lines if line.label == "do"]
    assert f"knee study --resume {relative} " in todo.text


def test_printed_a_study_is_short_and_a_notebook_shows_the_verdict(simulated):
    study = Study.read(simulated({"cores-close": UP, "none": UP}, name="a <b> & c").path)
    assert repr(study) == f"<knee study 'a <b> & c': 30 of 30 runs in {str(study.folder.path)!r}>"
    assert repr(study.analysis) == study.verdict
    assert "speedup" in repr(study.figures[0])
    assert len(repr(study.figures[0])) < 1000
    shown = study._repr_html_()
    assert "a &lt;b&gt; &amp; c: 4 threads are " in shown
    assert "<b>" in shown
    assert "30 of 30 runs, 0 rejected" in shown
    assert len(shown) < 2000


def test_a_command_has_the_factors_of_the_program_that_are_no_arguments_of_the_file(simulated):
    folder = simulated({"none": {1: (8.0, 8.0)}})
    study_spec = {"program": {"workload": "mine", "args": {"graph": "g"}}, "factors": {"order": ["id", "hubs-first"]}}
    folder.study_spec.write_text(tomli_w.dumps({"schema": 1} | study_spec))
    program = {"workload": "mine", "args": {"graph": "g"}, "params": {"order": "id"}}
    rewrite(folder.plan, lambda spec: spec | {"program": program})
    assert command_words(Study.read(folder.path)) == "knee run mine --graph=g --order={order}"
