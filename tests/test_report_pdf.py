import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import fake_ledger
import pytest
from click.testing import CliRunner

from boosttheory.claims import load
from boosttheory.cli import main
from boosttheory.report import pdf
from boosttheory.report.formulas import _typst, formula, pieces, prose, prose_html, typst
from boosttheory.rows import claim_fields, run, write_rows

FIGURE = {
    "svg": '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><circle r="8"/></svg>',
    "alt": "a disc",
    "caption": "One disc.",
}
needs_typst = pytest.mark.skipif(
    not pdf.available(), reason="typst is not installed: the extra pdf brings it"
)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    fake_ledger.forget()
    fake_ledger.write(tmp_path)
    yield run(load("toy_ledger"))
    fake_ledger.forget()


def report(*words, code=0):
    done = CliRunner().invoke(main, ["report", *map(str, words)])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def source(latex):
    return " ".join(part for part, _ in typst(latex))


@pytest.mark.parametrize(
    ("latex", "made"),
    [
        (r"x", "x"),
        (r"\frac12", "frac(1, 2)"),
        (r"\sqrt[3]{x}", "root(3, x)"),
        (r"x_i^2", "attach(scripts(x), b: i, t: 2)"),
        (r"\max_x y", 'attach(limits("max"), b: x) #h(0.1667em) y'),
        (r"\left(x\right)", r"lr(\( x \))"),
        (r"\bigl(x", r"lr(size: #1.2em, \() x"),
        (r"\hat h", "hat(h)"),
        (r"\binom nk", r"lr(\( mat(delim: #none, n; k) \))"),
        (
            r"\begin{cases}a&b\\c&d\end{cases}",
            r"lr(\{ mat(delim: #none, align: #left, column-gap: #1em, a, b; c, d))",
        ),
        (r"\#\$\_/", r'\# \$ \_ class("normal", \/)'),
        (r"\text{if }x", "if  x"),
        (r"\mathbb 1", '"𝟙"'),
    ],
)
def test_formulas_become_typst(latex, made):
    assert re.sub(r"\s+", " ", source(latex)) == re.sub(r"\s+", " ", made)


@pytest.mark.parametrize("claim", load().values(), ids=lambda claim: claim.id)
def test_every_formula_of_the_ledger_converts_to_both(claim):
    for latex in (claim.statement, *claim.assumes):
        assert typst(latex)
        assert 'class="tex"' not in formula(latex)
        assert len(pieces(latex)) == len(typst(latex))


def test_a_formula_that_does_not_convert_is_named():
    with pytest.raises(ValueError, match=r"nosuchthing.*does not convert"):
        typst(r"\nosuchthing")
    with pytest.raises(ValueError, match="no rule for the MathML element mglyph"):
        _typst(ET.fromstring("<mglyph/>"))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("n^2 <= m", "n<sup>2</sup> ≤ m"),
        ("e^{-η} != 1", "e<sup>−η</sup> ≠ 1"),
        ("W_+, w_{T+1}(i)", "W_+, w<sub>T+1</sub>(i)"),
        ("x_t <b>", "x<sub>t</sub> &lt;b&gt;"),
        ("n_labels, lem1_m975.json, a ^ b", "n_labels, lem1_m975.json, a ^ b"),
        ("{1,2}^N", "{1,2}<sup>N</sup>"),
    ],
)
def test_plain_words_get_their_indices(text, made):
    assert str(prose_html(text)) == made
    assert "".join(part for part, _ in prose(text))


@needs_typst
def test_the_pdf_is_the_same_twice_and_holds_every_claim(rows, tmp_path):
    rows[0]["figure"] = FIGURE
    rows += [claim_fields(claim) | {"check": None} for claim in load().values()]
    made = pdf.build(rows, title="A # *title* $x$")
    assert made.startswith(b"%PDF-")
    assert made == pdf.build(rows, title="A # *title* $x$")
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed: the text is not looked at")
    (tmp_path / "a.pdf").write_bytes(made)

    def read(*command):
        return subprocess.run([*command], capture_output=True, text=True, check=True).stdout

    text = read("pdftotext", "a.pdf", "-")
    assert [row["claim"] for row in rows if row["claim"] not in text] == []
    assert "A # *title* $x$" in text
    assert "One disc." in text
    fonts = read("pdffonts", "a.pdf").splitlines()[2:]
    assert fonts
    assert all(re.search(r" yes (yes|no) +(yes|no) +\d+ +0$", line) for line in fonts)


@needs_typst
def test_nothing_in_rows_is_read_as_typst(rows):
    evil = '#panic("no") $ \\ " ] } *bold* <script> @x `'
    for key in (
        "title",
        "statement",
        "note",
        "locator",
        "scope",
        "worst",
        "description",
        "claim",
        "check",
        "file",
    ):
        rows[0][key] = evil
    rows[0] |= {"assumes": [evil], "uses": [evil], "mutants": {evil: evil}, "rescues": {evil: True}}
    rows[0] |= {"by_hand": [evil], "table": [{evil: evil}], "version": evil, "surprises": [evil]}
    rows[0] |= {"figure": {"svg": evil, "alt": evil, "caption": evil}}
    assert pdf.build(rows, title=evil).startswith(b"%PDF-")


@needs_typst
@pytest.mark.parametrize(
    "svg", ["<svg", "<html/>", "", FIGURE["svg"].replace("<circle", "<image href='x.png'/><circle")]
)
def test_a_bad_figure_does_not_spoil_the_pdf(rows, svg):
    rows[0]["figure"] = FIGURE | {"svg": svg}
    assert pdf.build(rows).startswith(b"%PDF-")


@needs_typst
def test_no_rows_and_a_huge_witness_make_a_pdf(rows):
    assert pdf.build([]).startswith(b"%PDF-")
    rows[1]["worst"] = "7" * 10_000_000
    assert len(pdf.build(rows)) < 500_000


@needs_typst
def test_the_command_writes_both(rows, tmp_path):
    write_rows("a.jsonl", rows)
    done = report("a.jsonl", "--out", "site", "--json")
    assert json.loads(done.stdout)["pdf"] == "site/index.pdf"
    assert (tmp_path / "site/index.pdf").read_bytes().startswith(b"%PDF-")
    assert json.loads(report("a.jsonl", "--out", "other", "--no-pdf", "--json").stdout)["pdf"] is None
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["index.html"]


def test_without_typst_the_page_comes_and_the_message_says_how(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "available", lambda: False)
    write_rows("a.jsonl", rows)
    assert "pip install 'boosttheory[pdf]'" in report("a.jsonl", "--out", "site").stderr
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["index.html"]
    assert "boosttheory[pdf]" in report("a.jsonl", "--out", "site", "--pdf", code=2).stderr
    with pytest.raises(ModuleNotFoundError, match="pdf"):
        pdf.build(rows)
