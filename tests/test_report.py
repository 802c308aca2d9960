import base64
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise

import fake_ledger
import pytest
from click.testing import CliRunner

from boosttheory.claims import Verdict, load
from boosttheory.cli import main
from boosttheory.report import choose, closure, counts, entries, evidence, tightness
from boosttheory.report.contents import METHOD, certificates, changes, downstream, findings
from boosttheory.report.formulas import formula
from boosttheory.report.graph import LARGEST, draw
from boosttheory.report.html import build
from boosttheory.rows import run, write_rows

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr", "mspace"}


class Page(HTMLParser):
    """Collect tags and visible text, and demand that tags nest."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.tags, self.text = [], [], ""
        self.feed(text)
        assert not self.stack

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.stack.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & set(self.stack):
            self.text += data


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
    assert "Traceback" not in done.output
    return done


def test_entries_tell_verdicts_and_relations(rows):
    found = {entry.id: entry for entry in entries(rows)}
    assert [entry.phrase for entry in found.values()] == [
        "holds on every case (as printed)",
        "refuted (as printed)",
        "holds on every case (as printed)",
        "conforms (canonical reading)",
        "not checked (as printed)",
    ]
    assert found["toy.thm2"].repaired_by == ["toy.thm2.weak"]
    assert found["toy.thm1"].used_by == ["toy.thm2"]
    assert not any(entry.stale for entry in found.values())
    assert evidence(rows[0]) == "exhaustive, 9 cases: x in [-2, 2] by halves"
    assert counts(found.values()) == {
        "statements": {"holds on every case": 2, "refuted": 1, "not checked": 1},
        "definitions": {},
        "algorithms": {"conforms": 1},
    }
    assert [entry.id for entry in choose(entries(rows), ["toy.thm2.*"])] == ["toy.thm2", "toy.thm2.weak"]


@pytest.mark.parametrize(
    ("low", "high", "margin", "text"),
    [
        ("1/3", "1/3", 1 / 3, "1/3"),
        ("-2", "-2", -2.0, "−2"),
        ("12345678901234567/3", "12345678901234567/3", 4e15, "≈ 4.115e+15"),
        ("sqrt(2) + sqrt(3) + sqrt(5)", "sqrt(2) + sqrt(3) + sqrt(5)", 5.382332, "≈ 5.382"),
        ("inf", "inf", None, "∞"),
    ],
)
def test_tightness_is_exact_where_short(low, high, margin, text):
    assert tightness({"low": low, "high": high, "margin": margin, "supports": True, "refutes": False}) == text


def test_tightness_of_the_undecided_is_a_range():
    row = {"low": "-inf", "high": "1/4", "margin": 0.25, "supports": False, "refutes": False}
    assert tightness(row) == "between −∞ and 1/4"


def test_page_holds_all_there_is_to_know(rows):
    page = build(rows, title="A & B")
    parsed = Page(page)
    for words in (
        "A & B",
        "9 cases: x in [-2, 2] by halves",
        "the cube",
        "“not strictly” holds on the counterexample",
        "Errata",
        "Repair: The repair",
        "boosttheory check toy.thm1 --ledger toy_ledger",
        "toy_ledger/thm1_squares.py:",
        "9 lines of results",
        "Equality at zero; <b>nothing</b> else.",
        "no verdict rests on chance",
        "Counted apart: 1 algorithm (1 conforms)",
        *(str(verdict) for verdict in Verdict),
    ):
        assert words in parsed.text, words
    assert set(METHOD) == set(Verdict)
    assert {"toy.thm1", "toy.thm2", "errata", "method"} <= {attrs.get("id") for _, attrs in parsed.tags}


def test_results_without_rows_are_listed(rows):
    rows[0]["claim"] = "triplet.thm2"
    text = Page(build(rows)).text
    assert "Figure 1, Section 2: a figure" in text
    assert "Theorem 4, Section 3.3: not among the rows" in text
    assert "Theorem 4, Section 3.3" not in Page(build(rows, ids=["toy"])).text


def test_page_is_self_contained_and_its_anchors_exist(rows):
    licence = "https://creativecommons.org/licenses/by/4.0/"
    page = build(rows)
    assert page.count(f'href="{licence}"') == 1  # followed by a click, never loaded
    page = page.replace(licence, "#")
    parsed = Page(page)
    ids = [attrs["id"] for _, attrs in parsed.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in parsed.tags:
        assert "src" not in attrs
        assert not any(name.startswith("on") for name in attrs)
        if "href" in attrs:
            assert attrs["href"].startswith(("#", "data:application/json;base64,"))
            assert attrs["href"][:1] != "#" or attrs["href"][1:] in {"", *ids}
    namespaced = page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?://|url\((?!\"data:)", namespaced)
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_page_comes_from_rows_alone(rows, tmp_path):
    write_rows("rows.jsonl", rows)
    program = (
        "import sys; from boosttheory.rows import read_rows; from boosttheory.report.html import build\n"
        "page = build(read_rows('rows.jsonl'))\n"
        "assert 'refuted (as printed)' in page\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "assert not loaded & {'proofs_checks', 'toy_ledger', 'numpy', 'sympy'}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_everything_is_escaped(rows):
    evil = "<script>alert(1)</script>\"'&"
    for key in (
        "title",
        "statement",
        "note",
        "locator",
        "scope",
        "worst",
        "description",
        "paper",
        "claim",
        "check",
        "file",
    ):
        rows[0][key] = evil
    rows[0] |= {
        "assumes": [evil],
        "uses": [evil],
        "mutants": {evil: evil},
        "rescues": {evil: True},
        "by_hand": [evil],
    }
    rows[0] |= {"table": [{evil: evil}], "version": evil, "commit": evil, "expect": evil, "surprises": [evil]}
    page = build(rows, title=evil)
    assert "<script>alert" not in page
    assert page.count("<script>") == 1
    Page(page)


def test_formulas_become_mathml_and_bad_ones_code():
    made = str(formula(r"\frac{1}{2} < x, \qquad y", True))
    assert made.count('<math displaystyle="true">') == 3
    assert "<mfrac>" in made
    assert str(formula(r"\nosuchthing <b>")) == r'<code class="tex">\nosuchthing &lt;b&gt;</code>'
    assert str(formula(r"\left( a \qquad b \right)")).count("<math") == 1
    assert str(formula("P(x=y)=z")).count("<math>") == 2
    assert str(formula(r"a\text{ if <b> }b")).split("<wbr>")[1] == " if &lt;b&gt; "


def test_stale_rows_are_shown_as_stale(rows, tmp_path):
    home = tmp_path / "toy_ledger/thm2_false.py"
    home.write_text(home.read_text() + "# changed\n")
    stale = [entry.id for entry in entries(rows) if entry.stale]
    assert stale == ["toy.thm2", "toy.thm2.weak", "toy.alg1", "toy.open"]
    assert "4 stale claims" in Page(build(rows)).text


def test_a_changed_library_makes_rows_stale(rows):
    rows[0]["library_hash"] = "0" * 16
    rows[2]["library_hash"] = ""  # a row older than the field
    found = entries(rows)
    assert [entry.changed for entry in found] == ["library", "", "", "", ""]


def test_what_a_claim_rests_on_is_the_worst_of_it(rows):
    rows[0]["uses"] = ["toy.gone"]
    rows[2]["uses"] = ["toy.alg1", "toy.thm2"]
    rows[3]["uses"] = ["toy.thm2.weak"]  # a circle is no reason to hang
    found = {entry.id: entry for entry in entries(rows)}
    assert {name: entry.ground for name, entry in found.items()} == {
        "toy.thm1": "open",
        "toy.thm2": "bad",
        "toy.thm2.weak": "bad",
        "toy.alg1": "bad",
        "toy.open": "open",
    }
    assert closure(["toy.thm1"], found) == ["toy.thm1", "toy.thm2", "toy.thm2.weak", "toy.alg1"]


def test_foreign_rows_are_not_stale_and_import_nothing(rows):
    rows[0]["file"] = "antigravity/../this.py"
    rows[1]["file"] = "no_such_package/thm.py"
    assert not any(entry.stale for entry in entries(rows))
    assert "antigravity" not in sys.modules


def test_no_rows_give_an_honest_empty_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "no rows" in report().stderr
    assert "no result rows, so no verdict" in " ".join(
        Page((tmp_path / "reports/index.html").read_text()).text.split()
    )


def test_report_writes_a_page_or_a_folder(rows, tmp_path):
    write_rows("a.jsonl", rows[:3])
    write_rows("b.jsonl", rows[2:])
    done = report(
        "a.jsonl", "b.jsonl", "--out", "site", "--title", "Ours", "--json", "--select", "toy.thm2.*,toy.alg1"
    )
    assert json.loads(done.stdout)["claims"] == 3
    assert "1 rows come again" in done.stderr
    text = (tmp_path / "site/index.html").read_text()
    assert '<h1 dir="auto">Ours</h1>' in text
    assert 'id="toy.thm1"' not in text
    report("a.jsonl", "--out", "one.html")
    assert (tmp_path / "one.html").stat().st_size < 2e6


def test_a_page_that_cannot_be_written_leaves_the_old_one_whole(rows, tmp_path):
    write_rows("a.jsonl", rows)
    (tmp_path / "file").write_text("old")
    done = report("a.jsonl", "--out", "file/page.html", code=2)
    assert done.stderr.count("\n") == 1
    assert "cannot write file/page.html" in done.stderr
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "magic"}, "kind='magic'"),
        ({"role": None}, "role=None"),
        ({"supports": "yes"}, "supports='yes'"),
        ({"mutants": 3}, "mutants=3"),
        ({"schema": 99}, "newer"),
    ],
)
def test_bad_rows_are_one_sentence(rows, tmp_path, change, words):
    report_before = tmp_path / "reports"
    (tmp_path / "bad.jsonl").write_text(json.dumps(rows[0] | change) + "\n")
    done = report("bad.jsonl", code=2)
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not report_before.exists()


def test_missing_and_truncated_files_are_one_sentence(rows, tmp_path):
    assert "none.jsonl" in report("none.jsonl", code=2).stderr
    write_rows("a.jsonl", rows)
    text = (tmp_path / "a.jsonl").read_text()
    (tmp_path / "a.jsonl").write_text(text[: len(text) // 2])
    assert "a.jsonl, line" in report("a.jsonl", code=2).stderr


def test_rows_that_lack_what_is_only_shown_still_build(rows):
    for key in (
        "title",
        "note",
        "scope",
        "table",
        "description",
        "seconds",
        "version",
        "worst",
        "low",
        "high",
        "margin",
    ):
        rows[0].pop(key)
    assert "Theorem 1, Section 1" in Page(build(rows)).text


def test_a_huge_witness_and_many_rows_build_fast(rows):
    rows[0]["worst"] = rows[1]["worst_data"] = "x" * 10_000_000
    many = [rows[0] | {"claim": f"toy.c{i}", "worst": "1", "table": []} for i in range(2000)]
    assert len(build(rows)) < 1e6
    page = build(many)
    assert page.count("<article") == 2000


def test_findings_are_computed(rows):
    rows[0]["uses"], rows[3]["uses"] = ["toy.thm2"], ["toy.thm1"]
    rows[2]["repairs"] = []
    first, second, *_ = (finding.text for finding in findings(entries(rows)))
    assert (
        "Theorem 2, Section 1 (Perrot and von Luxburg), “A false statement”, is refuted (as printed)" in first
    )
    assert "falls short by 1. 2 claims here rest on it." in first
    assert second == "2 of 4 statements stand; 1 rest on nothing that is refuted or open."
    rows[1] |= {"refutes": False, "supports": True, "uses": []}
    text = [finding.text for finding in findings(entries(rows))]
    assert text[0].startswith("3 of 4 statements stand")
    assert "cannot be improved: some case attains equality" in text[1]
    assert findings([]) == []


def test_what_rests_on_a_refuted_claim_and_on_its_repair(rows):
    rows[3]["uses"] = ["toy.thm2"]
    rows[4]["uses"] = ["toy.alg1", "toy.thm2.weak"]
    found = {entry.id: entry for entry in entries(rows)}
    below = [(item.entry.id, item.through) for item in downstream(found["toy.thm2"], found)]
    assert below == [("toy.alg1", []), ("toy.open", ["toy.thm2.weak"])]
    text = " ".join(Page(build(rows)).text.split())
    assert "toy.open , “Nobody knows”, rests on it" in text.replace("toy.open,", "toy.open ,")
    assert "it also rests on the repair toy.thm2.weak" in text


def test_a_counterexample_can_be_downloaded(rows):
    (name, text), *_ = certificates(entries(rows)[1].refuting[0]).items()
    assert name == "toy.thm2.square_exceeds.json"
    assert json.loads(text)["worst_data"] == 1
    rows[1]["certificates"] = {"a b.json": '{"k": 1}'}
    (link,) = (attrs for _, attrs in Page(build(rows)).tags if "download" in attrs)
    assert link["download"] == "a b.json"
    assert base64.b64decode(link["href"].partition(",")[2]) == b'{"k": 1}'


def test_two_sets_of_rows_are_compared(rows, tmp_path):
    old = [dict(row) for row in rows[:-1]]
    old[0] |= {"refutes": True, "supports": False, "low": "-1", "high": "-1", "statement": "x > 0"}
    old[2] |= {"claim": "toy.gone", "repairs": []}
    found = {(change.id, change.what): change for change in changes(entries(old), entries(rows))}
    assert found["toy.thm1", "verdict"].before == "refuted (as printed)"
    assert found["toy.thm1", "verdict"].after == "holds on every case (as printed)"
    assert found["toy.thm1", "statement"].before == "x > 0"
    assert ("toy.open", "new claim") in found
    assert ("toy.gone", "gone") in found
    assert changes(entries(rows), entries([row | {"seconds": 99.0} for row in rows])) == []
    write_rows("old.jsonl", old)
    write_rows("new.jsonl", rows)
    report("new.jsonl", "--compare", "old.jsonl", "--out", "site", "--no-pdf")
    assert 'id="changes"' in (tmp_path / "site/index.html").read_text()
    report("new.jsonl", "--compare", "old.jsonl", "--select", "toy.open", "--out", "site", "--no-pdf")
    text = Page((tmp_path / "site/index.html").read_text()).text
    assert "new claim" in text
    assert "toy.gone" not in text
    assert "no.jsonl" in report("new.jsonl", "--compare", "no.jsonl", "--no-pdf", code=2).stderr


def test_the_graph_shows_claim_and_ground_apart(rows):
    rows[3]["uses"] = ["toy.thm2", "toy.alg1"]
    drawing = draw(entries(rows), alt="<all>")
    assert 'aria-label="&lt;all&gt;"' in drawing
    assert drawing.count("<a href=") == 5
    assert drawing.count('class="edge repair"') == 1
    (node,) = re.findall(r'<a href="#toy.alg1".*?</a>', drawing)
    assert "own-good on-bad" in node
    assert "✓ ✗" in node
    assert "it or something that it rests on is refuted" in node
    assert "var(" not in draw(entries(rows), alt="", standalone=True)
    positions = [tuple(map(float, found)) for found in re.findall(r'<rect x="(\S+)" y="(\S+)"', drawing)]
    assert len(set(positions)) == 5
    assert draw([], alt="") == draw(entries(rows) * LARGEST, alt="") == ""


def test_claims_of_a_circle_are_drawn(rows):
    rows[0]["uses"], rows[1]["uses"] = ["toy.thm2"], ["toy.thm1"]
    assert draw(entries(rows), alt="").count("<a href=") == 5


def test_modules_are_linked_where_they_are(rows, tmp_path):
    write_rows("a.jsonl", rows)
    report("a.jsonl", "--out", "deep/site", "--no-pdf")
    page = (tmp_path / "deep/site/index.html").read_text()
    (place,) = set(re.findall(r'href="([^"]*thm1_squares[^"]*)"', page))
    path, line = place.split("#L")
    assert (tmp_path / "deep/site" / path).resolve() == tmp_path / "toy_ledger/thm1_squares.py"
    assert int(line) == rows[0]["line"]
    report("a.jsonl", "--out", "site", "--no-pdf", "--source", "https://host/blob/main/")
    page = (tmp_path / "site/index.html").read_text()
    assert 'href="https://host/blob/main/toy_ledger/thm1_squares.py#L' in page
    assert "thm1_squares.py#L" not in build(rows)


def test_versions_and_seeds_are_told(rows):
    text = " ".join(Page(build(rows)).text.split())
    for words in ("Computed withPython 3.", "numpy", "Seed0", "Library"):
        assert words in text


def test_ten_thousand_claims_build(rows):
    many = [
        rows[0] | {"claim": f"toy.c{i}", "uses": [f"toy.c{i - 1}"] * (i > 0), "table": []}
        for i in range(10_000)
    ]
    page = build(many)
    assert page.count("<article") == 10_000
    assert "More than 400 claims" in page
