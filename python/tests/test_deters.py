"""Deters' study as it would be on his machine, from made-up records: every table and figure of his, and its claims."""

import json
import math
import random
import tomllib

import pytest
from conftest import ROOT, machine, record

from knee.opened import Study
from knee.report.page import page
from knee.store import Folder
from knee.study.design import plan
from knee.study.design.cells import cells_of
from knee.study.design.placements import Placements
from knee.study.options.file import from_file
from knee.study.run.create import create

BASE = {"remote_cache": 4e6, "remote_dram": 9e6, "local_dram": 3e7}
WORK = {"heat": 6.0, "cilksort": 2.0, "matmul": 1.0, "strassen": 0.6}
NEAR = {"remote_cache": 0.55, "remote_dram": 0.6, "local_dram": 0.99}
"""What near stealing leaves of each counter."""


def four_sockets() -> dict:
    """Four sockets of eight cores, a node each."""
    here = machine(32)
    sets = [list(range(8 * socket, 8 * socket + 8)) for socket in range(4)]
    here["sockets"] = [{"id": number, "cpus": cpus} for number, cpus in enumerate(sets)]
    here["nodes"] = [
        {
            "id": number,
            "cpus": cpus,
            "memory_bytes": 1 << 30,
            "distances": [10 if n == number else 21 for n in range(4)],
        }
        for number, cpus in enumerate(sets)
    ]
    return here


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Folder:
    """The study of his claims on that machine, with the effects that he found."""
    draw, here = random.Random(7), four_sockets()
    study_spec = from_file(ROOT / "examples/studies/deters.toml")
    placements = Placements({"cores-close": list(range(32))})
    specs = plan.run_specs(study_spec, cells_of(study_spec, here, placements), placements, here)
    made = create(tmp_path_factory.mktemp("deters") / "s", study_spec.to_toml(), json.dumps(here), specs)
    lines = [json.dumps(_record(spec, draw)) + "\n" for spec in specs]
    made.records.write_text("".join(lines))
    return made


def _record(spec: dict, draw: random.Random) -> dict:
    cell = spec["cell"]
    near, alone = cell["runtime"] == "near", cell["threads"] == 1
    speedup = 1 if alone else {"heat": 14, "cilksort": 18, "matmul": 25, "strassen": 20}[cell["workload"]]
    speedup *= 1.06 if near and not alone else 1
    took = 10 / speedup * math.exp(draw.gauss(0, 0.01))
    counters = {}
    if spec["role"] == "counting":
        for name, count in BASE.items():
            kept = NEAR[name] if near and not alone else 1
            value = count * WORK[cell["workload"]] ** 2 * kept * math.exp(draw.gauss(0, 0.08))
            counters[name] = {"value": value, "unit": "lines"}
    return record(spec["id"], spec["block"], took, took * cell["threads"], counters=counters)


def test_it_has_two_runtimes_four_benchmarks_six_replications():
    tables = tomllib.loads((ROOT / "examples/studies/deters.toml").read_text())
    assert len(tables["program"]["workload"]) == 4
    assert tables["factors"]["runtime"] == ["random", "near"]
    assert tables["design"]["blocks"] == 6
    assert len(tables["claim"]) == 7


def test_what_he_found_is_found_and_his_claims_are_confirmed(folder):
    study = Study.read(folder.path)
    assert study.analysis.bad == {}
    answers = {one.says: (one.answer, one.why) for one in study.analysis.claims}
    assert {answer for answer, _ in answers.values()} == {"confirmed"}, answers
    remote = study.analysis.responses["remote_cache"]
    assert not isinstance(remote, str)
    assert remote.scale == "log", "spread grows with the mean: the logarithm, as he took it"
    assert remote.anova.of("runtime").significant
    assert 0.005 < remote.anova.of("runtime").share < 0.2
    assert remote.anova.sources[-1].share < 0.05
    assert remote.within_factor == "workload", "though threads may vary more"
    assert [one.level for one in remote.within] == list(remote.factors["workload"])
    local = study.analysis.responses["local_dram"]
    assert not isinstance(local, str)
    assert local.anova.of("runtime").share < 0.005
    contrast = study.factorial(response="remote_cache", contrasts=("runtime=near-runtime=random",)).contrasts[0]
    assert contrast.ratio == pytest.approx(math.sqrt(NEAR["remote_cache"]), rel=0.1), "half of the runs have one thread"


def test_its_report_has_every_table_and_figure_of_his(folder):
    text = page(Study.read(folder.path))
    for response in ("", " of speedup", " of remote_cache", " of remote_dram", " of local_dram"):
        assert f">What explains the variation{response}</h3>" in text
    for heading in ("Allocation of variation", "Effects", "Does it matter?", "Predicted responses"):
        assert text.count(f"<h4>{heading}</h4>") == 5, heading
    for figure in ("effects", "residuals", "quantiles", "residuals-order", "interaction-1"):
        for response in ("", "speedup-", "remote-cache-", "remote-dram-", "local-dram-"):
            assert f'data-figure="{response}{figure}"' in text
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
    assert "no PMU cpu on this machine" in str(study.analysis.responses["remote_cache"])
    assert "no values: remote_cache: unavailable: no PMU cpu on this machine." in page(study)
    assert study.analysis.to_json()["responses"]["remote_cache"]["why"]
