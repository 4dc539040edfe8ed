"""Drift and outliers: found if present, and not confused with variation between blocks."""

import numpy as np
import pytest
from conftest import rewrite

from knee.opened import Study
from knee.report.tables.design import design_rows
from knee.stats.proportion import clopper_pearson
from knee.stats.residuals import drift, outliers


def study(random, cells: int, blocks: int, *, mood: float, rise: float = 0.0, lost: float = 0.0):
    """Return times, order, cells and blocks of a simulated study with 1 % noise and a total rise of ``rise``."""
    cell = np.concatenate([random.permutation(cells) for _ in range(blocks)])
    block, order = np.repeat(np.arange(blocks), cells), np.arange(float(cells * blocks))
    logs = 0.3 * cell + random.normal(0, mood, blocks)[block] + random.normal(0, 0.01, order.size)
    kept = random.random(order.size) >= lost
    return tuple(column[kept] for column in (np.exp(logs + rise * order / order[-1]), order, cell, block))


def found(trials: int, cells: int, blocks: int, **how: float) -> int:
    random = np.random.default_rng(cells + blocks)
    return sum(drift(*study(random, cells, blocks, **how)).found for _ in range(trials))


@pytest.mark.parametrize(("cells", "blocks"), [(6, 5), (12, 3), (1, 12)])
@pytest.mark.parametrize("mood", [0.0, 0.03])
def test_variation_between_blocks_is_no_drift(cells, blocks, mood):
    assert found(1000, cells, blocks, mood=mood) <= 0.02 * 1000


@pytest.mark.nightly
@pytest.mark.parametrize(("cells", "blocks"), [(6, 5), (12, 3), (4, 10), (1, 12), (8, 2), (3, 30)])
@pytest.mark.parametrize("mood", [0.0, 0.01, 0.1])
@pytest.mark.parametrize("lost", [0.0, 0.1])
def test_variation_between_blocks_is_no_drift_in_many_trials(cells, blocks, mood, lost):
    assert clopper_pearson(found(5000, cells, blocks, mood=mood, lost=lost), 5000).high <= 0.02


@pytest.mark.parametrize(
    ("cells", "blocks", "mood", "rise"),
    [(6, 5, 0.0, 0.08), (6, 5, 0.03, 0.2), (12, 5, 0.03, 0.1), (12, 2, 0.03, 0.1), (1, 20, 0.0, 0.05)],
)
def test_a_drift_is_found_despite_variation_between_blocks(cells, blocks, mood, rise):
    assert found(200, cells, blocks, mood=mood, rise=rise) >= 0.9 * 200


def test_a_drift_has_its_size():
    random = np.random.default_rng(1)
    found = drift(*study(random, 6, 5, mood=0.0, rise=0.116))
    assert found.found
    assert found.change == pytest.approx(np.exp(0.116), rel=0.03)
    falls = drift(*study(random, 6, 5, mood=0.0, rise=-0.116))
    assert (falls.found, falls.change < 1) == (True, True)


def test_what_is_slower_later_in_each_block_alone_is_no_drift():
    random, cells, blocks = np.random.default_rng(3), 2, 5
    cell = np.concatenate([random.permutation(cells) for _ in range(blocks)])
    block, order = np.repeat(np.arange(blocks), cells), np.arange(float(cells * blocks))
    logs = 0.3 * cell + 0.4 * (order % 2) + random.normal(0, 0.02, order.size)
    one = drift(np.exp(logs), order, cell, block)
    assert not one.found
    assert 0.8 < one.change < 1.25, "later blocks take as long as earlier ones"
    assert drift(np.exp(0.3 * cell + 0.1 * order), order, cell, block).found, "this one goes on"


def test_too_few_runs_or_blocks_are_not_tested():
    random = np.random.default_rng(2)
    assert not drift(*study(random, 7, 1, mood=0.0)).tested
    assert not drift(*study(random, 12, 1, mood=0.0)).tested, "one run of each cell leaves nothing beside the cells"
    assert drift(*study(random, 6, 2, mood=0.0)).tested


def test_an_outlier_differs_from_its_cell_not_from_its_block():
    random = np.random.default_rng(3)
    values, _, cells, blocks = study(random, 6, 5, mood=0.05)
    values[17] *= 1.15
    values[blocks == 1] *= 1.5
    assert list(np.flatnonzero(outliers(values, cells, blocks))) == [17]


def test_a_cell_that_scatters_has_no_outliers():
    random = np.random.default_rng(4)
    values, _, cells, blocks = study(random, 4, 5, mood=0.0)
    values[cells == 1] = [1.0, 1.1, 1.2, 1.3, 1.4]
    assert not outliers(values, cells, blocks).any()
    assert not outliers(np.array([]), np.array([]), np.array([])).any()


@pytest.mark.parametrize(("cells", "blocks"), [(6, 5), (3, 5), (12, 10), (1, 20)])
@pytest.mark.parametrize("mood", [0.0, 0.05])
@pytest.mark.parametrize("lost", [0.0, 0.1])
def test_few_runs_are_outliers_by_chance(cells, blocks, mood, lost):
    random, trials = np.random.default_rng(5), 300
    odd = 0
    for _ in range(trials):
        values, _, of_cell, of_block = study(random, cells, blocks, mood=mood, lost=lost)
        odd += int(outliers(values, of_cell, of_block).sum())
    assert odd <= 0.015 * trials * cells * blocks


def test_variation_between_blocks_gives_neither_drift_nor_outliers(simulated):
    folder = simulated({"p": {n: (8 / n, 8.0) for n in (1, 2, 3, 4)}}, noise=0.01)
    moods = (1.0, 1.12, 1.04, 1.25, 1.08)
    blocks = {spec["id"]: spec["block"] for spec in folder.read_plan()}
    rewrite(folder.records, lambda one: one | {"wall_ns": int(one["wall_ns"] * moods[blocks[one["id"]] - 1])})
    opened = Study.read(folder.path)
    rows = {row["what"]: row["value"] for row in design_rows(opened)}
    assert rows["drift"].startswith("no clear drift within or between blocks: ")
    assert rows["outliers"] == "none"
