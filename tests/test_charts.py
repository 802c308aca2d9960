"""Tightness charts: valid SVG, the same in words."""

import re
import xml.etree.ElementTree as ET

import pytest

from boosttheory.charts import Curve, tightness_chart

SPACE = "{http://www.w3.org/2000/svg}"
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


def test_points_lie_where_the_axes_say():
    curves = [curve._replace(y=[10 * value for value in curve.y]) for curve in CURVES]
    drawn = tightness_chart(curves, x="n", y="error", caption="A bound.")
    root = ET.fromstring(drawn.svg)
    spots = {t.text: (float(t.get("x", 0)), float(t.get("y", 0))) for t in root.iter(f"{SPACE}text")}
    paths = {path.get("class"): path.get("d") for path in reversed([*root.iter(f"{SPACE}path")])}
    line, dots = paths["r0"], paths["r2"]
    start = [float(number) for number in re.findall(r"-?\d+", line)[:2]]
    assert start == pytest.approx([spots["1"][0], spots["20"][1] - 8], abs=1)
    assert dots.count("M") == 3


def test_a_chart_is_small():
    many = [Curve("stated", "a bound", range(1, 101), [1 / n for n in range(1, 101)])]
    assert len(tightness_chart(many, x="n", y="error", caption="A bound.").svg) < 3000


@pytest.mark.parametrize(
    "curve", [Curve("stated", "b", [0, 1], [1, 1]), Curve("stated", "b", [1, 2], [0, 1])]
)
def test_a_logarithm_needs_positive_numbers(curve):
    with pytest.raises(ValueError, match="curve 'b' is not positive"):
        tightness_chart([curve], x="n", y="error", caption="A bound.", log_x=True, log_y=True)


@pytest.mark.parametrize("low", [1e-30, 1e-3, 0.5, 7, 1e5, 1e40])
@pytest.mark.parametrize("factor", [1.0, 1.05, 3, 40, 1e9])
@pytest.mark.parametrize("log", [False, True])
def test_every_axis_has_round_numbers(low, factor, log):
    drawn = tightness_chart(
        [Curve("stated", "b", [low, low * factor], [low, low * factor])],
        x="n",
        y="error",
        caption="A bound.",
        log_x=log,
        log_y=log,
    )
    words = [t.text for t in ET.fromstring(drawn.svg).iter(f"{SPACE}text")]
    assert 5 <= len(words) <= 24


@pytest.mark.parametrize("curve", [Curve("stated", "b", [], []), Curve("stated", "b", [1, 2], [1])])
def test_a_curve_without_its_points(curve):
    with pytest.raises(ValueError, match="curve 'b' has"):
        tightness_chart([curve], x="n", y="error", caption="A bound.")
