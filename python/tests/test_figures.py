"""Figures on their own: series that look different, labels that are whole, and levels that hold anything."""

import re

import vl_convert as vlc

from knee.opened import OpenedStudy
from knee.plots import interaction, speedup
from knee.plots.style import COLOURS, SHAPES
from knee.report.export import specification
from knee.report.figures import figures
from knee.stats.comparisons import Mean
from knee.stats.contrasts import Interval
from knee.stats.least_squares import Estimate

CURVE = {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (2.0, 8.0)}
OTHER = {1: (9.0, 9.0), 2: (5.0, 9.0), 4: (2.0, 9.0)}


def drawn(folder) -> dict:
    return {figure.name: figure for figure in figures(OpenedStudy.read(folder.path))}


def picture(figure) -> str:
    return vlc.vegalite_to_svg(specification(figure, "light"))


def shape_ranges(spec: object) -> list[list[str]]:
    """Return the range of every scale of shapes in a specification."""
    if isinstance(spec, list):
        return [found for one in spec for found in shape_ranges(one)]
    if not isinstance(spec, dict):
        return []
    own = [spec["shape"]["scale"]["range"]] if isinstance(spec.get("shape"), dict) else []
    return own + [found for one in spec.values() for found in shape_ranges(one)]


def test_colours_and_shapes_repeat_at_different_places(simulated):
    looks = [(COLOURS["light"][n % len(COLOURS["light"])], SHAPES[n % len(SHAPES)]) for n in range(56)]
    assert len(set(looks)) == 56
    curves = {one.name: one.curve for one in OpenedStudy.read(simulated({"none": CURVE}).path).analysis.series}
    chart = speedup.chart({f"series {n}": curves["none"] for n in range(9)})
    assert shape_ranges(chart.to_dict()) == [SHAPES]
    levels = {"threads": ["1", "2"], "build": [f"b{n}" for n in range(9)]}
    one = Estimate(1.0, 0.1, Interval(0.9, 1.1))
    means = [Mean({"threads": n, "build": b}, one) for n in levels["threads"] for b in levels["build"]]
    assert shape_ranges(interaction.chart(means, levels, "none", "s").to_dict()) == [SHAPES]


LONG = "input=a graph of the whole web as it was crawled in the summer of 2020, "


def test_names_that_begin_alike_have_labels_of_their_own(simulated):
    names = [f"{LONG}part {n}" for n in (1, 2)]
    found = drawn(simulated(dict(zip(names, (CURVE, OTHER), strict=True))))
    for name in ("speedup", "effects"):
        labels = re.findall(r">([^<>]*crawled[^<>]*)<", picture(found[name]))
        assert set(names) <= set(labels), name


def test_a_level_may_hold_a_line_break_and_quotation_marks(simulated):
    names = ['one\nline\'s "end"', "back\\slash"]
    found = drawn(simulated(dict(zip(names, (CURVE, OTHER), strict=True))))
    assert "back\\slash" in picture(found["effects"])
