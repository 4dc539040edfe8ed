"""The factorial part of the report: correct shares, all results of `knee analyze`, and nothing without a design."""

import html
import json

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import rewrite

from knee import cli
from knee.explain.factorial.apart import Apart
from knee.explain.factorial.inside import depends
from knee.explain.factorial.variation import variation
from knee.opened import Study
from knee.plots.factorial import effects, interaction
from knee.report.page import page
from knee.report.tables.factorial import parts
from knee.stats.intervals import ratio
from knee.stats.linear.design import Factor
from knee.stats.practical import SMALLEST, size
from knee.store import StudyError

ADDS_UP = {"cores-close": {n: (8 / n, 8.0) for n in (1, 2, 4)}, "cores-spread": {n: (10 / n, 10.0) for n in (1, 2, 4)}}
CROSSES = {"cores-close": {1: (8.0, 8.0), 4: (2.0, 8.0)}, "cores-spread": {1: (4.0, 4.0), 4: (4.0, 16.0)}}


def test_what_explains_the_times_is_what_was_made_to(simulated):
    opened = Study.read(simulated(ADDS_UP, noise=0.01).path)
    found = opened.analysis.factorial
    assert found is not None
    shares = {one.name: one.share for one in found.anova.sources}
    # log 2 twice over threads, log 1.25 over placements, and on logarithms they only add up.
    threads, placements = 2 / 3 * np.log(2) ** 2, (np.log(1.25) / 2) ** 2
    assert shares["threads"] == pytest.approx(threads / (threads + placements), abs=0.01)
    assert shares["placement"] == pytest.approx(placements / (threads + placements), abs=0.01)
    assert found.scale == "log"
    assert not found.anova.of("threads", "placement").significant or shares["threads x placement"] < 0.001
    assert sum(shares.values()) == pytest.approx(1)


def test_the_report_the_json_and_python_have_all_that_analyze_prints(simulated):
    opened = Study.read(simulated(ADDS_UP).path)
    done = CliRunner().invoke(cli.verbs, ["analyze", str(opened.folder.path), "--json"])
    printed = json.loads(done.output)
    assert opened.factorial().to_json() == printed
    assert opened.analysis.to_json()["factorial"] == printed
    text, found = html.unescape(page(opened)), opened.analysis.factorial
    assert found is not None
    titles = [part.title for part in parts(found)]
    assert titles == [
        "Allocation of variation",
        "Effects",
        "Does it matter?",
        "Predicted responses",
        "Within each level of threads",
        "What to trust",
    ]
    for part in parts(found):
        assert f"<h4>{part.title}</h4>" in text
        cells = [cell for table in part.tables for row in table.rows for cell in (table.title, *row)]
        assert [one for one in (*cells, *part.says) if one not in text] == []


def test_python_can_ask_as_the_command_can(simulated):
    opened = Study.read(simulated(ADDS_UP).path)
    found = opened.factorial(
        response="cpu",
        factors=("placement",),
        transform="log",
        contrasts=("placement=cores-spread-placement=cores-close",),
    )
    assert (found.response, list(found.factors)) == ("cpu", ["placement"])
    assert found.contrasts[0].ratio == pytest.approx(1.25, rel=0.02)
    with pytest.raises(StudyError, match="unknown factor"):
        opened.factorial(factors=("colour",))
    with pytest.raises(TypeError):
        opened.factorial(color="blue")


def drawn(opened: Study) -> dict:
    return {one.name: one for one in opened.figures}


def test_effects_are_drawn_as_ratios_with_a_line_where_nothing_is(simulated):
    figure = drawn(Study.read(simulated(ADDS_UP).path))["effects"]
    found = {(row["source"], row["levels"]): row for row in figure.rows}
    assert len(found) == 3 + 2 + 6
    spread = found["placement", "cores-spread"]
    assert spread["times"] == pytest.approx(1.25**0.5, rel=0.01)
    assert spread["times low"] < spread["times"] < spread["times high"]
    assert np.exp(spread["low"]) == pytest.approx(spread["times low"])
    chart = json.dumps(figure.chart.to_dict())
    assert '"values": [{"value": 1.0}]' in chart
    assert '"type": "log"' in chart
    plain = effects.chart(figure.rows, "none", "wall", "s").to_dict()
    assert '"values": [{"value": 0.0}]' in json.dumps(plain)
    assert '"type": "log"' not in json.dumps(plain)


def test_of_many_effects_whole_sources_are_drawn_and_the_others_named():
    rows = [
        {"source": name, "levels": str(n)} for name, many in (("a", 40), ("b", 20), ("a x b", 30)) for n in range(many)
    ]
    assert {row["source"] for row in effects.drawn(rows)} == {"a", "b"}
    assert effects.sees(rows).endswith("In the table only: a x b.")
    assert len(effects.drawn(rows[:40] * 3)) == 120, "the first source is drawn whatever it takes"


def test_interactions_are_the_means_of_both_factors(simulated):
    opened = Study.read(simulated(CROSSES, noise=0.02).path)
    [one] = opened.analysis.factorial.interactions
    means = {tuple(mean.levels.values()): mean.mean.value for mean in one.means}
    expected = {
        ("1", "cores-close"): 8.0,
        ("1", "cores-spread"): 4.0,
        ("4", "cores-close"): 2.0,
        ("4", "cores-spread"): 4.0,
    }
    assert means == pytest.approx(expected, rel=0.03)
    assert one.p < 0.001
    figure = drawn(opened)["interaction-1"]
    assert "Parallel lines: no interaction" in figure.sees
    assert figure.rows[0].keys() == {"threads", "placement", "mean wall", "low", "high"}
    assert '"field": "along", "scale": {"base": 2' in json.dumps(figure.chart.to_dict()), "threads are numbers"


def test_levels_that_cross_are_compared_inside_the_other_factor(simulated):
    opened = Study.read(simulated(CROSSES, noise=0.01).path)
    found = opened.analysis.factorial
    [pair] = [one for one in found.pairs if one.factor == "placement"]
    assert pair.ratio.estimate == pytest.approx(1.0, abs=0.02)
    assert pair.size == "depends"
    assert {one.level: one.ratio.estimate for one in pair.inside} == pytest.approx({"1": 2.0, "4": 0.5}, rel=0.03)
    [said] = [line for part in parts(found) for line in part.says if "depends on" in line]
    assert said.startswith("placement cores-close / cores-spread depends on threads: 2.0")
    assert said in html.unescape(page(opened))
    asked = (
        "placement=cores-close-placement=cores-spread",
        "placement=cores-close,threads=1-placement=cores-spread,threads=1",
    )
    assert [one.size for one in opened.factorial(contrasts=asked).contrasts] == ["depends", "matters"]
    # The two counts differ at either placement: on one by four, on the other not at all.
    assert {one.factor for one in found.pairs if one.inside} == {"placement"}


def test_levels_that_only_add_up_depend_on_nothing(simulated):
    found = Study.read(simulated(ADDS_UP, noise=0.01).path).analysis.factorial
    assert [one.inside for one in found.pairs] == [[]] * len(found.pairs)


def dependent(crossing: float, levels: int, blocks: int, trials: int, noise: float = 0.03) -> int:
    """Return how often two levels are reported to depend on a factor, at half of whose levels they differ."""
    random, many = np.random.default_rng(levels + blocks), 0
    partner = Factor.of("b", [str(n) for n in range(levels)])
    signs = np.where(np.arange(levels) % 2, -1.0, 1.0)
    for _ in range(trials):
        own = np.log1p(crossing) * signs + random.normal(0, noise, (blocks, levels))
        alone = size(ratio(np.exp(own.mean(axis=1)), np.ones(blocks)).interval)
        many += bool(depends(Apart(own, own, own), [(partner, partner.codes)], alone, SMALLEST))
    return many


@pytest.mark.parametrize(("levels", "blocks"), [(2, 5), (8, 5), (4, 20)])
def test_what_noise_crosses_is_seldom_said_to_depend(levels, blocks):
    assert dependent(0.0, levels, blocks, 1000) <= 0.02 * 1000
    assert dependent(0.04, levels, blocks, 1000) <= 0.10 * 1000, "a crossing too small to matter"
    assert dependent(0.2, levels, blocks, 300) >= 0.9 * 300


def test_words_are_set_beside_each_other_and_threads_run_along_the_axis():
    levels = {"runtime": ["near", "random", "rayon"], "threads": ["1", "2"]}
    assert interaction.across(levels) == ("threads", "runtime")
    assert interaction.across({"n": ["1", "2"], "threads": ["4"]})[0] == "threads"
    assert interaction.across({"a": ["x", "y"], "b": ["x", "y", "z"]}) == ("b", "a")


@pytest.mark.parametrize("scale", ["none", "log", "sqrt", "inverse"])
@pytest.mark.parametrize("levels", [{"a": ["x", "y"], "b": ["u", "v"]}, {"a": ["x", "y"], "n": ["30", "32"]}])
def test_an_interaction_can_be_drawn_on_every_scale(scale, levels):
    from knee.stats.intervals import Interval
    from knee.stats.linear.comparisons import Mean
    from knee.stats.linear.least_squares import Estimate

    first, second = levels
    means = [
        Mean({first: a, second: b}, Estimate(2.0, 0.1, Interval(1.5, 2.5)))
        for a in levels[first]
        for b in levels[second]
    ]
    chart = interaction.chart(means, levels, scale, "s").to_dict()
    assert ("xOffset" in json.dumps(chart)) == ("b" in levels)


def test_residuals_have_a_point_for_every_run_in_all_three_pictures(simulated):
    opened = Study.read(simulated(ADDS_UP).path)
    found = {one.name: one for one in opened.figures if one.group == "residuals"}
    assert list(found) == ["residuals", "quantiles", "residuals-order"]
    assert [len(one.rows) for one in found.values()] == [30, 30, 30]
    assert sum(row["residual"] for row in found["residuals"].rows) == pytest.approx(0, abs=1e-4)
    ordered = [row["residual"] for row in found["quantiles"].rows]
    assert ordered == sorted(ordered)
    assert [row["order"] for row in found["residuals-order"].rows] == list(range(1, 31))


def test_drift_is_seen_in_running_order(simulated):
    folder = simulated(ADDS_UP, noise=0.001)
    # Inside a block, where the model has no place for it: from its first run to its last each gets slower.
    slower = {spec["id"]: 1.02 ** ((int(spec["id"]) - 1) % 6) for spec in folder.read_plan()}
    rewrite(folder.records, lambda one: one | {"wall_ns": int(one["wall_ns"] * slower[one["id"]])})
    rows = drawn(Study.read(folder.path))["residuals-order"].rows
    first, last = ([row["residual"] for row in rows if (row["order"] - 1) % 6 == place] for place in (0, 5))
    assert max(first) < min(last)


@pytest.mark.parametrize(
    "curves",
    [
        {"cores-close": ADDS_UP["cores-close"]},
        {"cores-close": ADDS_UP["cores-close"], "none": {1: (8.0, 8.0), 2: (5.0, 8.0)}},
    ],
    ids=["one factor", "a cell is missing"],
)
def test_without_a_design_there_is_nothing(simulated, curves):
    opened = Study.read(simulated(curves).path)
    assert variation(opened.runs, 4) is None
    assert opened.analysis.to_json()["factorial"] is None
    assert "What explains the variation" not in page(opened)
    assert not {"effects", "interaction-1", "residuals-order"} & drawn(opened).keys()


def test_times_without_any_noise_are_no_test_of_it(simulated):
    assert variation(Study.read(simulated(ADDS_UP, noise=0.0).path).runs, 4) is None
