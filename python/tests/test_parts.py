"""Parts of the loss: when they are above 0 beyond chance, and what others leave of them."""

import pytest

from knee.explain.causes.cause import Part


@pytest.mark.parametrize(
    ("part", "certain"),
    [
        (Part(0.2, 0.1, 0.3), True),
        (Part(0.2, 0.05, 0.35), False),
        # The upper end is cut off where it cannot be more.
        (Part(0.2, 0.01, 0.21), False),
        (Part(0.2, 0.15, 0.6), True),
    ],
)
def test_a_part_is_certain_by_its_lower_end(part, certain):
    assert part.certain is certain


def test_a_part_of_another_one_is_no_larger_than_it():
    assert Part(0.3, 0.2, 0.4).at_most(Part(0.1, 0.05, 0.15)) == Part(0.1, 0.05, 0.15)
    assert Part(0.1, 0.05, 0.15).at_most(Part(0.3, 0.01, 0.4)) == Part(0.1, 0.01, 0.15)
