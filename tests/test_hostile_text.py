"""Names from outside, in any script and of any intent, from files through models to pages and charts."""

import csv
import io
import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from boosttheory import FiniteClass, TripletBoostClassifier, figures
from boosttheory.charts import Curve, tightness_chart
from boosttheory.cli import console, main, shown
from boosttheory.drawings import one_inclusion_graph
from boosttheory.files import printable
from boosttheory.report import entries, pdf
from boosttheory.report.formulas import _quoted, formula, typst
from boosttheory.report.html import build
from boosttheory.rows import write_rows

NAMES = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "closing": "</script></style></svg></title>]]>-->",
    "link": "javascript:alert(1)",
    "attribute": "' onmouseover='alert(1)",
    "jinja": "{{ 7*7 }}{% for x in y %}",
    "typst": '#eval("1+1") $x$ #[a] *b* @label <label> \\',
    "mathtext": r"$\frac{a}$ $\unknown",
    "rich": "[red]x[/blue] [link=http://x]y[/link]",
    "ansi": "\x1b[2J\x1b]0;title\x07red\x9b31m",
    "formula": '=HYPERLINK("http://x")',
    "formulas": "+1-1@SUM(A1)",
    "hebrew": "שלום",
    "arabic": "مرحبا 123",
    "override": "abc\u202egpj.exe",
    "isolate": "\u2067open",
    "combining": "Z" + "\u0301" * 200,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
    "line separators": "a\u2028b\u2029c\x85d",
    "nul": "a b",
    "long": "long" * 2500,
    "astral": "𝔘𝔫𝔦\U000e0001",
    "quote": 'a"b,c;d',
    "none": "None",
    "nan": "NaN",
}
ACTIVE = {"script", "img", "iframe", "object", "embed", "form", "base", "link"}


class Page(HTMLParser):
    """Collects tags, and attributes that could run something."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.handlers, self.links = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.handlers += [name for name, _ in attributes if name.startswith("on")]
        self.links += [value or "" for name, value in attributes if name in ("href", "src", "xlink:href")]


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Answers about objects with all of the names, in classes with some of them."""
    monkeypatch.chdir(tmp_path)
    names = list(NAMES.values())
    rng = np.random.default_rng(0)
    labels = [names[:2] * 20, [NAMES["ansi"], NAMES["hebrew"]] * 20]
    rows = {tuple(rng.choice(len(names), 3, replace=False).tolist()) for _ in range(1500)}
    rows = [row for row in sorted(rows) if (row[0], row[2], row[1]) not in rows]
    for file, table in (
        ("answers.csv", [[names[i] for i in row] for row in rows]),
        ("labels.csv", [["object", "class"], *zip(names, labels[1], strict=False)]),
        ("new.csv", [[f"new {names[0]}", names[1], names[2]], ["=new()", names[3], names[4]]]),
    ):
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL).writerows(table)
        Path(file).write_bytes(text.getvalue().encode())
    return names


def test_fit_and_predict_with_every_name(study, tmp_path):
    done = run("fit", "answers.csv", "--labels", "labels.csv", "--rounds", 40, "--cv", 2, "--model", "m.npz")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert r"\x1b[2J" in done.stdout
    assert f"\u2068{NAMES['hebrew']}\u2069 " in done.stdout
    model = TripletBoostClassifier.load("m.npz")
    assert sorted(model.reference_names_) == sorted(study)
    assert sorted(model.classes_) == sorted([NAMES["ansi"], NAMES["hebrew"]])
    done = run("predict", "m.npz", "new.csv")
    assert done.exit_code == 0, done.output
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.output)
    done = run("predict", "m.npz", "new.csv", "--json", "--out", "p.csv")
    assert {row["class"] for row in json.loads(done.stdout)["predictions"]} <= set(model.classes_)
    with open("p.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # names are keys of the reader's own tables: they are kept as they are, never changed against formulas
    assert {row["object"] for row in rows} == {f"new {NAMES['script']}", "=new()"}


@pytest.mark.parametrize("name", NAMES)
def test_files_keep_names(tmp_path, name):
    from boosttheory.triplet_files import read_answers

    rows = [[NAMES[name], "b", "c"], ["c", NAMES[name], "b"]]
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    (tmp_path / "a.csv").write_bytes(text.getvalue().encode())
    (tmp_path / "a.json").write_text(json.dumps(rows))
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for ending in ("csv", "json", "jsonl"):
        found = read_answers(tmp_path / f"a.{ending}")
        assert [[found.names[code] for code in row] for row in found.rows.tolist()] == rows


@pytest.mark.parametrize("name", NAMES)
def test_errors_name_what_is_wrong_without_controls(tmp_path, name):
    path = tmp_path / f"{name}.csv"
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["id", NAMES[name]], ["a", "b"], ["a", "c"]])
    path.write_bytes(text.getvalue().encode())
    for words in (
        ["fit", path, "--labels", path, "--id", "nobody"],
        ["fit", path, "--labels", path, "--id", NAMES[name], "--class", NAMES[name] + "x"],
        ["explain", NAMES[name]],
        ["verify", NAMES[name][:100]],
        ["hunt", NAMES[name]],
        ["simulate", NAMES[name]],
    ):
        done = run(*words)
        assert done.exit_code == 2, done.output
        said = done.stderr.split("Error: ", 1)[1].rstrip("\n")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", said)
        assert done.exception is None or isinstance(done.exception, SystemExit)


def test_tables_of_classes_with_every_label(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(
        [[a, b] for a in list(NAMES.values())[:4] for b in "xy"]
    )
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(
        [[NAMES["ansi"], NAMES["rich"]], [NAMES["hebrew"], "x"]]
    )
    Path("c.csv").write_bytes(text.getvalue().encode())
    done = run("class", "c.csv")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert "\\x1b[2J" in done.stdout


def evil_rows(text):
    """Rows of two claims in which whatever can be text is the text."""
    check = {
        "schema": 1, "claim": f"a.{text[:300]}", "check": text[:300], "kind": "statistical", "refutes": False,
        "supports": True, "by_hand": [text], "whole": False, "paper": text, "locator": text, "title": text,
        "role": "statement", "reading": "as printed", "statement": text, "assumes": [text], "uses": [],
        "repairs": [f"a.{text[:300]}"], "note": text, "expect": text, "version": text, "commit": text,
        "source_hash": text, "library_hash": text, "environment": text, "file": f"{text}/x.py", "scope": text,
        "cases": 3, "low": text, "high": text, "margin": 0.5, "error": 1e-9, "worst": text,
        "worst_data": {text: text}, "mutants": {text: text, f"{text}2": None}, "coarse": [text],
        "rescues": {text: True}, "surprises": [text], "table": [{text: text}], "line": 3, "description": text,
        "delta": text, "certificates": {text: text}, "seconds": 1.0,
        "figure": {"svg": f"<svg xmlns='http://www.w3.org/2000/svg'><title>{text}</title></svg>", "alt": text,
                   "caption": text},
    }  # fmt: skip
    refuted = check | {"claim": "a.b", "refutes": True, "supports": False, "kind": "witness", "repairs": []}
    return [check, refuted]


def plain_page():
    return Page(build(evil_rows("plain"), title="plain", old=evil_rows("other"), source="../"))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_runs_and_loads_nothing(name):
    text = NAMES[name]
    made = build(evil_rows(text), title=text, old=evil_rows("other"), source="../")
    page, plain = Page(made), plain_page()
    assert page.handlers == []
    for tag in ACTIVE:
        assert page.tags.count(tag) == plain.tags.count(tag)
    assert [link for link in page.links if not link.startswith(("#", "data:", "../", "https://"))] == []
    assert [link for link in page.links if link.startswith("https://")] == [
        link for link in plain.links if link.startswith("https://")
    ]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", made)
    made.encode()


def test_text_from_right_to_left_is_set_apart_on_the_page():
    made = build(evil_rows(NAMES["hebrew"]), title=NAMES["hebrew"])
    for start in ("h1", "h3", 'p class="prose"', "code"):
        assert f'<{start} dir="auto">{NAMES["hebrew"]}' in made
    assert re.search(r"a, code, span, td, th, dd, li \{ unicode-bidi: isolate; \}", made)


@pytest.mark.parametrize("name", NAMES)
def test_a_pdf_shows_text_and_evaluates_none(name):
    pytest.importorskip("typst")
    made = pdf.build(evil_rows(NAMES[name]), title=NAMES[name])
    assert made.startswith(b"%PDF")
    assert b"/JavaScript" not in made
    assert b"/JS" not in made


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{\") #eval(\"1/0\") (\"}",
        r'\text{") #panic("x") ("}',
        r'x #panic("x")',
        r'\text{"+panic("x")+"}',
        r'\operatorname{a"+panic("x")+"b}',
        r"\#panic(1)",
        r"\mathrm{a\"b}",
        r"\operatorname{\"+panic()+\"}",
        r"a \text{$ #panic(1) $} b",
        r"\href{javascript:alert(1)}{x}",
        r"\text{<script>alert(1)</script>}",
        r"\text{</mtext></math><img src=x onerror=alert(1)>}",
        r"\hspace{1em;color:red}",
        "x" * 10_000,
        "\\text{" + NAMES["hebrew"] + "}",
        "{" * 300 + "x" + "}" * 300,
    ],
)
def test_formulas_run_nothing(latex):
    made = Page(str(formula(latex, True)))
    known = {"math", "wbr", "code", "mrow", "mstyle", "mtext", "mspace", "mpadded", "mphantom"}
    assert {tag for tag in made.tags if tag not in known and not re.fullmatch("m[a-z]+", tag)} == set()
    assert made.handlers == made.links == []
    engine = pytest.importorskip("typst")
    pieces = []
    with suppress(ValueError):  # what does not convert is shown as it is
        pieces = typst(latex)
    source = "\n".join(f"${text}$" for text, kind in pieces if kind)
    assert engine.compile(source.encode(), format="pdf").startswith(b"%PDF")


@pytest.mark.parametrize("text", ['"+panic("x")+"', '\\" #panic(1) "', "a\\", "\\u{41}"])
def test_quoted_text_of_a_formula_ends_where_it_ends(text):
    engine = pytest.importorskip("typst")
    assert engine.compile(f"${_quoted(text)}$".encode(), format="pdf").startswith(b"%PDF")


@pytest.mark.parametrize("name", NAMES)
def test_drawings_show_labels_as_they_are(name):
    text = NAMES[name][:200]
    family = FiniteClass([[text, "x"], [text, "y"], ["z", "x"]])
    svg = one_inclusion_graph(family, 1).svg
    root = ET.fromstring(svg)
    assert {element.tag.rpartition("}")[2] for element in root.iter()}.isdisjoint(ACTIVE)
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on")]
    assert printable(text)[:20].strip() in "".join(root.itertext())


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"mathtext", "typst", "ansi", "nul", "line separators"}))
def test_charts_escape_their_words(name):
    text = NAMES[name][:100]
    made = tightness_chart([Curve("stated", text, [1, 2], [1, 4])], x=text, y=text, caption=text)
    root = ET.fromstring(made.svg)
    assert {element.tag.rpartition("}")[2] for element in root.iter()}.isdisjoint(ACTIVE)


def test_tables_keep_what_a_spreadsheet_would_take_for_a_formula(tmp_path):
    figures.write_csv(tmp_path / "t.csv", [{"name": text} for text in NAMES.values()])
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        assert [row["name"] for row in csv.DictReader(file)] == list(NAMES.values())


def test_messages_take_no_markup_and_no_controls(capsys):
    out = console(stderr=False)
    for text in NAMES.values():
        out.print(text, soft_wrap=True)
    said = capsys.readouterr().out
    assert NAMES["rich"] in said
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", said)


def test_only_names_from_right_to_left_are_set_apart():
    for name, text in NAMES.items():
        made = shown(text)
        assert (made != printable(text)) is (name in ("hebrew", "arabic"))
        assert not any(unicodedata.category(c) == "Cc" for c in made)
    assert shown(NAMES["emoji"]) == NAMES["emoji"]


def test_lone_surrogates_are_shown_and_refused_where_they_cannot_be_written(tmp_path):
    assert printable("a\ud800b") == "a\\ud800b"
    (tmp_path / "rows.jsonl").write_text(json.dumps(evil_rows("a\ud800b")[0]) + "\n")
    from boosttheory.rows import read_rows

    build(read_rows(tmp_path / "rows.jsonl")).encode()
    with pytest.raises(ValueError, match="surrogates not allowed"):
        write_rows(tmp_path / "rows.jsonl", read_rows(tmp_path / "rows.jsonl"))
    assert read_rows(tmp_path / "rows.jsonl")


def test_the_report_command_end_to_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows("rows.jsonl", [row for text in ("<b>", NAMES["override"]) for row in evil_rows(text)])
    done = run("report", "rows.jsonl", "--out", "p.html", "--no-pdf", "--title", NAMES["script"])
    assert done.exit_code == 0, done.output
    page = Page(Path("p.html").read_text(encoding="utf-8"))
    assert page.tags.count("script") == 1
    assert [entry.id for entry in entries(evil_rows("x"))] == ["a.x", "a.b"]
