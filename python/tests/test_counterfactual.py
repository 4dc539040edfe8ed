"""Which curves are dashed: unpinned ones, and those in which threads share cores while others are free."""

import json

import pytest
from conftest import machine, rewrite

from knee.explain.scaling.counterfactual import counterfactuals, shares_cores
from knee.opened import Study

CURVE = {1: (4.0, 4.0), 2: (2.0, 4.0), 4: (1.0, 4.0)}


def smt(cores: int) -> dict:
    """A machine with two hardware threads per core: cpus n and n + cores are siblings."""
    made = machine(cores)
    made["cores"] = [{"id": n, "socket": 0, "node": 0, "cpus": [n, n + cores]} for n in range(cores)]
    made["allowed"]["cpus"] = list(range(2 * cores))
    return made


@pytest.mark.parametrize(
    ("cpus", "found"),
    [((0,), False), ((0, 4), True), ((0, 1), False), ((0, 4, 1, 5), True), (tuple(range(8)), False), ((), False)],
)
def test_two_threads_on_a_core_while_another_is_free_share_it(cpus, found):
    assert shares_cores(cpus, smt(4)) is found


def test_a_core_that_is_not_allowed_is_not_free():
    made = smt(4)
    made["allowed"]["cpus"] = [0, 4, 1, 5]
    assert not shares_cores((0, 4, 1, 5), made)
    assert shares_cores((0, 4), made)


def placed(folder, orders: dict[str, list[int]]):
    """The study with these orders of cpus, on a machine with four cores of two hardware threads."""

    def put(spec):
        order = orders.get(spec["cell"]["placement"], [])
        return spec | {"cpus": order[: spec["threads"]]}

    rewrite(folder.plan, put)
    folder.machine.write_text(json.dumps(smt(4)))
    return Study.read(folder.path)


def test_the_main_curve_is_solid_and_counterfactuals_are_dashed_in_one_legend(simulated):
    folder = simulated(dict.fromkeys(["cores-close", "threads-close", "none"], CURVE))
    study = placed(folder, {"cores-close": [0, 1, 2, 3, 4], "threads-close": [0, 4, 1, 5, 2]})
    assert counterfactuals(study.analysis.series, study.machine) == ["threads-close", "unpinned"]
    drawn = {figure.name: figure for figure in study.figures}
    assert "for comparison" in drawn["speedup"].sees
    assert "(threads-close; unpinned)" in drawn["speedup"].sees
    for name in ("speedup", "efficiency", "run-time", "cpu-seconds"):
        text = json.dumps(drawn[name].chart.to_dict())
        assert '"domain": ["cores-close", "threads-close", "unpinned"], "range": [[1, 0], [6, 4], [6, 4]]' in text
        assert text.count('"title": null') >= 3, "channels that share a title share a legend"
    assert '"strokeDash": [2, 3]' in json.dumps(drawn["speedup"].chart.to_dict()), "the ideal"


def test_where_there_is_nothing_to_hold_them_against_none_is_dashed(simulated):
    study = placed(simulated({"none": CURVE}), {})
    assert counterfactuals(study.analysis.series, study.machine) == []
    assert "for comparison" not in next(figure.sees for figure in study.figures if figure.name == "speedup")
