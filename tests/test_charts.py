"""Tightness charts: valid SVG, the same in words."""

import xml.etree.ElementTree as ET

import pytest

from boosttheory.charts import Curve, tightness_chart

CURVES = [
    Curve("stated", "n/2", [1, 2, 4], [2.0, 1.0, 0.5]),
    Curve("worst known", "a search", [1, 2, 4], [1.0, 0.5, 0.25]),
]


def test_a_chart_is_svg_that_follows_the_theme():
    drawn = tightness_chart(CURVES, x="n", y="error", caption="A bound.", vacuous=(1, 2))
    root = ET.fromstring(drawn.svg)
    assert root.tag.endswith("svg")
    assert "currentColor" in drawn.svg
    assert "prefers-color-scheme:dark" in drawn.svg
    text = " ".join(root.itertext())
    for words in ("n/2 (stated)", "a search (worst known)", "the bound says nothing", "error"):
        assert words in text
    assert drawn.caption == "A bound."


def test_a_chart_in_words():
    drawn = tightness_chart(
        CURVES, x="n", y="error", caption="A bound.", vacuous=(1, 2), log_x=True, log_y=True
    )
    assert drawn.alt == (
        "A bound. Over n from 1 to 4: n/2 (stated), error from 2 to 0.5; a search (worst known), error from "
        "1 to 0.25. The bound says nothing from 1 to 2."
    )


def test_a_chart_is_the_same_each_time():
    first, second = (tightness_chart(CURVES, x="n", y="error", caption="A bound.") for _ in range(2))
    assert first == second


@pytest.mark.parametrize("curve", [Curve("stated", "b", [], []), Curve("stated", "b", [1, 2], [1])])
def test_a_curve_without_its_points(curve):
    with pytest.raises(ValueError, match="curve 'b' has"):
        tightness_chart([curve], x="n", y="error", caption="A bound.")
