import re
import xml.etree.ElementTree as ET

import pytest

from boosttheory.claims import Figure
from boosttheory.concepts import FiniteClass, box, full_class, six_cycle, zero_and_singletons
from boosttheory.drawings import describe, one_inclusion_graph
from boosttheory.oneinclusion import orient

SPACE = "{http://www.w3.org/2000/svg}"


def texts(figure):
    return ["".join(node.itertext()).strip() for node in ET.fromstring(figure.svg).iter(f"{SPACE}text")]


def test_a_drawing_names_each_pattern_and_its_out_degree():
    figure = one_inclusion_graph(six_cycle(), caption="A cycle.")
    assert sorted(texts(figure)) == sorted(["1"] * 6 + ["00", "01", "11", "12", "20", "22"])
    assert figure.caption.startswith("A cycle. Each circle")


def test_a_drawing_follows_the_reader_s_colours_and_is_reproducible():
    figure = one_inclusion_graph(zero_and_singletons(3))
    assert "currentColor" in figure.svg
    assert "prefers-color-scheme:dark" in figure.svg
    assert "#010203" not in figure.svg
    assert "<script" not in figure.svg
    assert not re.search(r'(href|src)="http', figure.svg)
    assert one_inclusion_graph(zero_and_singletons(3)).svg == figure.svg


@pytest.mark.parametrize(
    ("family", "k", "arrows"),
    [(six_cycle(), 1, 6), (full_class(3, 2), 2, 6), (full_class(3, 2), 1, 12), (FiniteClass(["ab"]), 1, 0)],
)
def test_an_arrow_stands_for_each_vertex_left_out(family, k, arrows):
    best = orient(family, k)
    assert int((~best.chosen).sum()) == arrows
    figure = one_inclusion_graph(family, k)
    # the first patch is the background
    plain = len(re.findall(r'<g id="patch_', one_inclusion_graph(family, 9).svg))
    assert len(re.findall(r'<g id="patch_', figure.svg)) == plain + arrows


def test_the_description_tells_the_lists():
    family = FiniteClass(["ab", "bb"])
    said = describe(orient(family), family.labels)
    assert "2 patterns with a 1-list orientation of out-degree 1" in said
    assert re.search(r"ab-bb lists (ab|bb)\.$", said)
    single = FiniteClass(["a"])
    assert describe(orient(single), single.labels).endswith("No edge leaves a vertex out.")


@pytest.mark.parametrize("family", [full_class(2, 5), full_class(7, 2), box([2, 2, 2, 2, 2])])
def test_a_class_too_large_to_read_is_refused(family):
    with pytest.raises(ValueError, match="restrict it first"):
        one_inclusion_graph(family)


def test_a_notebook_shows_the_drawing_with_its_words():
    html = Figure("<svg></svg>", 'a "graph"', "x < y")._repr_html_()
    assert html == (
        '<figure role="img" aria-label="a &quot;graph&quot;"><svg></svg>'
        "<figcaption>x &lt; y</figcaption></figure>"
    )
