"""The studentized range against scipy's adaptive integrals and printed tables."""

import pytest
from scipy import stats

from knee.stats.linear.studentized_range import beyond, table_value


@pytest.mark.parametrize("levels", [2, 3, 10, 40])
@pytest.mark.parametrize("freedom", [1, 2, 7, 8, 9, 40, 3000])
def test_probabilities_equal_scipys(levels, freedom):
    for value in (0.0, 0.1, 1.0, 3.0, 5.0, 9.0, 40.0):
        theirs = float(stats.studentized_range.sf(value, levels, freedom))
        assert beyond(value, levels, freedom) == pytest.approx(theirs, abs=1e-10), value


@pytest.mark.parametrize(
    ("level", "levels", "freedom", "printed"),
    [
        (0.95, 2, 10, 3.151),
        (0.95, 3, 10, 3.877),
        (0.95, 10, 20, 5.008),
        (0.99, 4, 12, 5.502),
        (0.90, 3, 5, 3.717),
        (0.95, 2, 1, 17.97),
    ],
)
def test_table_values_equal_printed_tables(level, levels, freedom, printed):
    assert table_value(levels, freedom, level) == pytest.approx(printed, rel=3e-4)


@pytest.mark.parametrize(("levels", "freedom"), [(2, 1), (3, 20), (9, 200)])
def test_a_table_value_is_exceeded_as_often_as_it_says(levels, freedom):
    assert beyond(table_value(levels, freedom), levels, freedom) == pytest.approx(0.10, abs=1e-10)
    assert table_value(levels, freedom) == pytest.approx(
        float(stats.studentized_range.ppf(0.90, levels, freedom)), rel=1e-6
    )


def test_two_means_give_students_t():
    """The range of two is root two times the size of Student's t."""
    assert beyond(3.0, 2, 12) == pytest.approx(2 * float(stats.t.sf(3.0 / 2**0.5, 12)), rel=1e-9)


def test_an_impossible_range_has_probability_zero():
    assert beyond(1e6, 5, 100) == pytest.approx(0.0, abs=1e-15)
