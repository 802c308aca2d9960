from collections import Counter

import pytest

from boosttheory.papers import PAPERS, RESULTS


def test_each_result_is_listed_once_under_its_paper():
    assert max(Counter(result.id for result in RESULTS).values()) == 1
    assert max(Counter((result.paper, result.locator) for result in RESULTS).values()) == 1
    for result in RESULTS:
        assert result.id.startswith(PAPERS[result.paper].prefix + ".")
        assert result.locator


@pytest.mark.parametrize(("paper", "last"), [("perrot2019", 6), ("brukhim2023", 36)])
def test_each_numbered_equation_belongs_to_one_result(paper, last):
    listed = [number for result in RESULTS if result.paper == paper for number in result.equations]
    assert sorted(listed) == list(range(1, last + 1))


@pytest.mark.parametrize(
    ("paper", "kind", "numbers"),
    [
        ("perrot2019", "Theorem", range(1, 6)),
        ("perrot2019", "Algorithm", [1]),
        ("perrot2019", "Example", [1]),
        ("perrot2019", "Figure", range(1, 4)),
        ("brukhim2023", "Definition", range(1, 16)),
        ("brukhim2023", "Lemma", range(1, 12)),
        ("brukhim2023", "Theorem", range(1, 9)),
        ("brukhim2023", "Algorithm", range(1, 7)),
        ("brukhim2023", "Corollary", [1]),
    ],
)
def test_no_number_is_missing(paper, kind, numbers):
    heads = {result.locator.split(",")[0].rstrip("abc") for result in RESULTS if result.paper == paper}
    assert {f"{kind} {number}" for number in numbers} <= heads


def test_a_reference_is_one_line_without_address():
    for paper in PAPERS.values():
        assert "\n" not in paper.reference
        assert "http" not in paper.reference + paper.bibtex
        assert paper.title in paper.bibtex
        assert paper.authors[-1] in paper.reference
