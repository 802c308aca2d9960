"""The gallery of the documentation: complete, licensed, small, and what its script writes."""

import csv
import runpy
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from boosttheory.cli import main
from boosttheory.figures import LICENCE
from boosttheory.gallery import FIGURES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SHOWN = [drawing for drawing in FIGURES.values() if not drawing.needs_data]


@pytest.mark.parametrize("drawing", SHOWN, ids=[drawing.name for drawing in SHOWN])
def test_a_figure_has_its_place(drawing):
    sections = (DOCS / "gallery.md").read_text(encoding="utf-8").split("\n## ")
    (section,) = [one for one in sections if f"(gallery/{drawing.name}.svg)" in one]
    assert section.startswith(f"{drawing.title}\n")
    for part in (drawing.locator, drawing.caption, LICENCE, f"$ boosttheory simulate {drawing.name}\n"):
        assert part in section
    for suffix in ("svg", "csv"):
        assert (DOCS / "gallery" / f"{drawing.name}.{suffix}").stat().st_size > 100
        assert f"gallery/{drawing.name}.{suffix}" in section


def test_the_pictures_are_small_and_name_no_machine():
    files = list((DOCS / "gallery").iterdir())
    assert sum(file.stat().st_size for file in files) < 1_500_000
    assert {file.stem for file in files} == {drawing.name for drawing in SHOWN}
    assert not any(str(ROOT.parent).encode() in file.read_bytes() for file in files)


def test_the_script_writes_what_was_run(tmp_path, monkeypatch, capsys):
    done = CliRunner().invoke(main, ["simulate", "warmup", "--jobs", "1", "--out", str(tmp_path)])
    assert done.exit_code == 0
    words = ["gallery_page.py", "--figures", str(tmp_path), "--docs", str(tmp_path / "docs")]
    monkeypatch.setattr(sys, "argv", words)
    runpy.run_path(str(ROOT / "simulations" / "gallery_page.py"), run_name="__main__")
    assert "1 figures" in capsys.readouterr().out
    page = (tmp_path / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert page.count("\n## ") == 1
    assert "`fig1`, `fig2a`" in page
    assert {path.name for path in (tmp_path / "docs" / "gallery").iterdir()} == {"warmup.svg", "warmup.csv"}


def means(name, column, *methods):
    """Accuracies to two places by the value of a column, as the tables of the pages round them."""
    with (DOCS / "gallery" / f"{name}.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    found = {(float(row[column]), row["method"]): f"{float(row['accuracy']):.2f}" for row in rows}
    return [[found[value, method] for method in methods] for value in sorted({value for value, _ in found})]


def test_numbers_on_the_page_are_those_of_the_figures():
    page = (DOCS / "simulations.md").read_text(encoding="utf-8")
    methods = ("TripletBoost", "t-STE", "kernel SVM", "CompTree", "1NN", "SAMME")
    table = page[page.index(f"| | {' | '.join(methods)} |") :].split("\n\n")[0].splitlines()[2:]
    printed = [[cell.strip(" *") for cell in line.split("|")[2:-1]] for line in table]
    assert printed == means("fig2a", "proportion", *methods) + means("fig2b", "noise", *methods)[1:]
    words = " ".join(page.split())
    for name, column in (("fig3a", "proportion"), ("fig3b", "noise")):
        for method in ("TripletBoost", "CompTree"):
            numbers = [number for (number,) in means(name, column, method)]
            assert ", ".join(numbers) in words, (name, method)
