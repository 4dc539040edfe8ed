"""Deters' study as it would be on his machine, from made-up records: every table and figure of his, and its claims."""

import json
import math
import random
import tomllib

import pytest
from claimed.machines import described, of_original
from conftest import ROOT, record

from knee.opened import Study
from knee.report.page import page
from knee.store import Folder
from knee.study.design import plan
from knee.study.design.cells import cells_of
from knee.study.design.placements import Placements
from knee.study.options.file import from_file
from knee.study.run.create import create

BASE = {"remote_cache": 4e6, "remote_dram": 9e6, "local_dram": 3e7}
WORK = {"heat": 1.8, "cilksort": 1.2, "matmul": 0.8, "strassen": 0.55}
PHASES = {"heat": "steps", "cilksort": "sort", "matmul": "multiply", "strassen": "multiply"}
LOCAL = {"remote_cache": 0.74, "remote_dram": 0.77, "local_dram": 0.995}
"""What a locality runtime leaves of each counter, and data in blocks as well."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Folder:
    """The study of his claims on that machine, with the effects that he found."""
    draw, here = random.Random(7), described(of_original("deters"))
    study_spec = from_file(ROOT / "examples/studies/deters.toml")
    placements = Placements({"cores-close": list(range(32))})
    specs = plan.run_specs(study_spec, cells_of(study_spec, here, placements), placements, here)
    made = create(tmp_path_factory.mktemp("deters") / "s", study_spec.to_toml(), json.dumps(here), specs)
    lines = [json.dumps(_record(spec, draw)) + "\n" for spec in specs]
    made.records.write_text("".join(lines))
    return made


def _record(spec: dict, draw: random.Random) -> dict:
    cell = spec["cell"]
    alone = cell["threads"] == 1
    local, blocked = cell["runtime"] != "random" and not alone, cell["layout"] == "blocked" and not alone
    speedup = 1 if alone else {"heat": 14, "cilksort": 18, "matmul": 25, "strassen": 20}[cell["workload"]]
    speedup *= 1.06 if local and blocked else 1
    took = 10 / speedup * math.exp(draw.gauss(0, 0.01))
    counters, phase = {}, PHASES[cell["workload"]]
    if spec["role"] == "counting":
        for name, count in BASE.items():
            kept = LOCAL[name] ** (local + blocked)
            counters[name] = int(count * WORK[cell["workload"]] * kept * math.exp(draw.gauss(0, 0.08)))
    away = 0.02 if local and blocked else 0.8 if local else 0.75
    own = {"away-bytes": int(1e9 * away), "home-bytes": int(1e9 * (1 - away)), "steals-cache": 10**6}
    own["steals-far"] = 0 if cell["runtime"] == "within-socket" else 3 * 10**6
    ends = {"begin_ns": 0, "end_ns": int(took * 1e9), "wall_ns": int(took * 1e9), "cpu_ns": int(took * 1e9)}
    phases = [{"name": phase, **ends, "counters": own | counters}]
    # Of the whole run there is more: arrays are filled, too.
    whole = {name: {"value": 2 * count, "unit": "lines"} for name, count in counters.items()}
    metric = {"name": phase, "value": took, "unit": "s"}
    more = {"phases": phases, "metric": metric, "counters": whole}
    return record(spec["id"], spec["block"], took, took * cell["threads"], **more)


def test_it_has_his_runtimes_and_layouts_four_benchmarks_six_replications():
    tables = tomllib.loads((ROOT / "examples/studies/deters.toml").read_text())
    assert len(tables["program"]["workload"]) == 4
    assert tables["factors"]["runtime"] == ["random", "within-socket", "near"]
    assert tables["factors"]["layout"] == ["one-node", "blocked"]
    assert tables["design"]["blocks"] == 6
    assert len(tables["claim"]) == 14


def test_what_he_found_is_found_and_his_claims_are_confirmed(folder):
    study = Study.read(folder.path)
    assert study.analysis.bad == {}
    answers = {one.says: (one.answer, one.why) for one in study.analysis.claims}
    assert {answer for answer, _ in answers.values()} == {"confirmed"}, answers
    remote = study.analysis.responses["measured:remote_cache"]
    assert not isinstance(remote, str)
    assert remote.scale == "log", "spread grows with the mean: the logarithm, as he took it"
    assert remote.anova.of("runtime").significant
    assert 0.005 < remote.anova.of("runtime").share < 0.2
    assert remote.anova.sources[-1].share < 0.05
    assert remote.within_factor == "workload", "though threads may vary more"
    assert [one.level for one in remote.within] == list(remote.factors["workload"])
    local = study.analysis.responses["measured:local_dram"]
    assert not isinstance(local, str)
    assert local.anova.of("runtime").share < 0.005
    contrast = study.factorial(
        response="measured:remote_cache", contrasts=("runtime=within-socket-runtime=random",)
    ).contrasts[0]
    assert contrast.ratio == pytest.approx(math.sqrt(LOCAL["remote_cache"]), rel=0.1), (
        "half of the runs have one thread"
    )


def test_its_report_has_every_table_and_figure_of_his(folder):
    text = page(Study.read(folder.path))
    for response in ("", " of speedup", *(f" of measured:{name}" for name in BASE), " of away-bytes", " of home-bytes"):
        assert f">What explains the variation{response}</h3>" in text
    for heading in ("Allocation of variation", "Effects", "Does it matter?", "Predicted responses"):
        assert text.count(f"<h4>{heading}</h4>") == 7, heading
    for figure in ("effects", "residuals", "quantiles", "residuals-order", "interaction-1"):
        for response in ("", "speedup-", *(f"measured-{name}-" for name in BASE)):
            assert f'data-figure="{response}{figure}"' in text
    # These bytes are the same in every run of a cell here, so that nothing is left over.
    assert 'data-figure="away-bytes-interaction-1"' in text
    assert 'data-figure="away-bytes-residuals"' not in text
    assert '<h2 id="title-claims">Claims</h2>' in text
    assert len(text) < 3_000_000


def test_a_response_that_is_not_there_says_why(folder, tmp_path):
    lines = [json.loads(line) for line in folder.records.read_text().splitlines()]
    copy = create(tmp_path / "s", folder.study_spec.read_text(), folder.machine.read_text(), folder.read_plan())
    why = {"unavailable": "no PMU cpu on this machine"}
    for line in lines:
        line["counters"] = dict.fromkeys(line["counters"], why)
    copy.records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    study = Study.read(copy.path)
    assert "no PMU cpu on this machine" in str(study.analysis.responses["measured:remote_cache"])
    assert "no values: measured:remote_cache: unavailable: no PMU cpu on this machine." in page(study)
    assert study.analysis.to_json()["responses"]["measured:remote_cache"]["why"]
