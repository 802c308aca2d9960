"""The notebooks of the course run, and each teaches what it has to."""

import re
from pathlib import Path

import pytest

COURSE = sorted((Path(__file__).resolve().parent.parent / "docs" / "course").glob("*.md"))
CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n(---\n.*?^---\n|(?::[^\n]*\n)*)(.*?)^```$", re.DOTALL | re.MULTILINE
)
notebooks = pytest.mark.parametrize("path", COURSE, ids=[path.stem for path in COURSE])


def test_there_are_three_notebooks():
    assert [path.stem for path in COURSE] == ["false_lemma", "lists", "tripletboost"]


@notebooks
def test_the_cells_run(path, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    names = {"__name__": path.stem}
    try:
        for number, (_, cell) in enumerate(CELL.findall(path.read_text(encoding="utf-8"))):
            exec(compile(cell, f"{path.name}, cell {number}", "exec"), names)
        assert plt.get_fignums()
    finally:
        plt.close("all")


@notebooks
def test_an_exercise_and_its_solution_end_it(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[-2:] == ["Exercise", "Solution"]
    assert "hide-input" in text.rpartition("## Solution")[2]


@notebooks
def test_every_figure_has_words_and_a_licence(path):
    drawings = [options for options, cell in CELL.findall(path.read_text()) if "plt.subplots" in cell]
    assert len(drawings) >= 2
    for options in drawings:
        assert re.search(r"image: \{alt: \"\w", options)
        assert re.search(r"caption: .*CC BY 4\.0\.$", options, re.MULTILINE)
