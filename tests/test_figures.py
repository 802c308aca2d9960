import base64
import re
from dataclasses import asdict

import pytest

from boosttheory.claims import Claim, Figure, Verdict
from boosttheory.report.html import build
from boosttheory.rows import read_rows, row, write_rows

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
FIGURE = Figure(SVG, 'a <b> & "c"', "Two <i> words.")


def with_figure(figure):
    claim = Claim(
        id="multiclass.toy",
        paper="brukhim2023",
        locator="nowhere",
        title="a toy",
        statement="1=1",
        expect=Verdict.HOLDS_ON_EVERY_CASE,
        note="A toy.",
    )

    @claim.check("exhaustive", scope="one case", over=[1], figure=figure)
    def one_is_positive(case):
        return case

    return row(one_is_positive.run())


def test_a_row_carries_the_figure_of_its_check(tmp_path):
    found = with_figure(lambda: FIGURE)
    assert found["figure"] == asdict(FIGURE)
    assert with_figure(None)["figure"] == {}
    write_rows(tmp_path / "rows.jsonl", [found])
    assert read_rows(tmp_path / "rows.jsonl")[0]["figure"] == asdict(FIGURE)


def test_a_report_shows_a_figure_as_an_image_that_runs_nothing():
    page = build([with_figure(lambda: FIGURE)])
    assert "<script>alert" not in page
    assert "a &lt;b&gt; &amp; &#34;c&#34;" in page
    assert "Two &lt;i&gt; words." in page
    (coded,) = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]*)"', page)
    assert base64.b64decode(coded).decode() == SVG
    assert "<figure>" not in build([with_figure(None)])


@pytest.mark.parametrize("figure", [{}, {"svg": SVG}, {"svg": 3, "alt": [1], "caption": None}])
def test_a_report_survives_a_figure_with_parts_missing(figure):
    assert "<h1" in build([with_figure(None) | {"figure": figure}])
