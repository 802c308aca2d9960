"""The page in a real browser: `make browser` brings one and axe-core; else these tests are skipped."""

import os
import re
import shutil
from pathlib import Path

import fake_ledger
import pytest
from chrome import PROGRAM, Chrome

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import load
from boosttheory.report.html import build
from boosttheory.rows import claim_fields, run

ROOT = Path(__file__).resolve().parent.parent
AXE = Path(os.environ.get("BOOSTTHEORY_AXE", ROOT / ".venv/axe/node_modules/axe-core/axe.min.js"))
PICTURES = os.environ.get("BOOSTTHEORY_PICTURES")
CHART = tightness_chart(
    [
        Curve("stated", "a bound <1/n>", [1, 2, 4], [1, 0.5, 0.25]),
        Curve("worst known", "a & b", [1, 4], [1, 0.2]),
    ],
    x="n",
    y="error",
    caption="A bound.",
    vacuous=(1, 2),
)
FIGURE = {"svg": CHART.svg, "alt": CHART.alt, "caption": CHART.caption}
EVIL = "</td><script>throw 1</script><img src=x onerror='throw 2'>"

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no chromium: make browser installs it")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Evidence of a small ledger, and every statement of the real one without evidence."""
    home = tmp_path_factory.mktemp("ledger")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(home)
        fake_ledger.forget()
        fake_ledger.write(home)
        made = run(load("toy_ledger"))
        fake_ledger.forget()
    made[0] |= {"figure": FIGURE, "note": EVIL, "scope": EVIL}
    return made + [claim_fields(claim) | {"check": None} for claim in load().values()]


@pytest.fixture(scope="module")
def page(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(build(rows, title="A page", old=rows[:3]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chrome(tmp_path_factory):
    profile = tmp_path_factory.mktemp("profile")
    made = Chrome(profile)
    yield made
    made.close()
    shutil.rmtree(profile, ignore_errors=True)


def ids(chrome):
    return chrome.run(
        "[...document.querySelectorAll('#table tbody tr:not([hidden]) th a')].map(a => a.innerText)"
    )


def test_nothing_is_said_to_the_console_and_no_request_leaves(chrome, page):
    chrome.open(page)
    bad = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    assert [event for event in chrome.events if event["method"] in bad] == []
    asked = [
        e["params"]["request"]["url"] for e in chrome.events if e["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith("data:")] == [page.resolve().as_uri()]


def test_the_page_works_without_scripts(chrome, page):
    chrome.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chrome.open(page)
        assert len(ids(chrome)) > 5
        assert chrome.run("document.querySelector('.filter') === null")
    finally:
        chrome.send("Emulation.setScriptExecutionDisabled", value=False)


def test_every_anchor_exists(chrome, page):
    chrome.open(page)
    lost = (
        "[...document.querySelectorAll('a')].map(a => a.getAttribute('href')).filter(h => h[0] === '#')"
        ".filter(h => !document.getElementById(decodeURIComponent(h.slice(1))))"
    )
    assert chrome.run(lost) == []


def test_charts_are_drawn(chrome, page):
    chrome.open(page)
    sizes = "[...document.querySelectorAll('figure img')].map(i => i.decode().then(() => i.naturalWidth))"
    assert chrome.run(f"Promise.all({sizes})") == [640]


def test_sorting(chrome, page):
    chrome.open(page)
    before = ids(chrome)
    click = "document.querySelectorAll('#table thead button')[{}].click()"
    chrome.run(click.format(1))
    order = chrome.run(
        "[...document.querySelectorAll('#table tbody td:nth-child(2)')].map(c => +c.dataset.sort)"
    )
    assert order == sorted(order)
    assert (
        chrome.run("document.querySelector('#table th:nth-child(2)').getAttribute('aria-sort')")
        == "ascending"
    )
    chrome.run(click.format(1))
    assert chrome.run("document.querySelectorAll('[aria-sort]').length") == 1
    assert (
        chrome.run("document.querySelector('#table th:nth-child(2)').getAttribute('aria-sort')")
        == "descending"
    )
    chrome.run(click.format(0))
    assert ids(chrome) == before


def test_filtering(chrome, page):
    chrome.open(page)
    choose = (
        "(() => {{ const c = document.querySelectorAll('.filter input, .filter select')[{}];"
        "c.value = {!r}; c.dispatchEvent(new Event('input'));"
        "return document.querySelector('.filter output').value }})()"
    )
    assert re.fullmatch(r"1 of \d+ claims", chrome.run(choose.format(3, "refuted")))
    assert ids(chrome) == ["toy.thm2"]
    chrome.run(choose.format(3, ""))
    chrome.run(choose.format(4, "negative"))
    assert ids(chrome) == ["toy.thm2"]
    chrome.run(choose.format(4, ""))
    chrome.run(choose.format(2, "exhaustive"))
    assert ids(chrome) == ["toy.thm1", "toy.thm2.weak", "toy.alg1"]
    chrome.run(choose.format(0, "TOY repair"))
    assert ids(chrome) == ["toy.thm2.weak"]
    chrome.run(choose.format(0, "no such word"))
    assert ids(chrome) == []
    chrome.run(choose.format(0, ""))
    chrome.run(choose.format(2, ""))
    chrome.run(choose.format(1, "brukhim2023"))
    assert {name.split(".")[0] for name in ids(chrome)} == {"multiclass"}


def test_the_keyboard_reaches_what_the_mouse_does(chrome, page):
    chrome.open(page)
    chrome.send("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
    assert chrome.run("document.activeElement.className") == "skip"
    assert chrome.run("document.querySelectorAll('#table thead button').length") == 6
    assert chrome.run("[...document.querySelectorAll('.dag a')].every(a => a.tabIndex === 0)")
    chrome.run("document.querySelector('.dag a[data-node=\"toy.thm2\"]').focus()")
    assert chrome.run("document.querySelectorAll('.dag .near').length") > 1


# widths at 100 pixels, from the table of advance widths of the embedded font
WIDTHS = {"√": 79.4, "(": 35.7, "⌊": 34.9, "∑": 93.6, "𝟙": 40.4, "ℋ": 95.1}


@pytest.mark.parametrize("sign", WIDTHS)
def test_signs_are_drawn_by_the_embedded_font(chrome, page, sign):
    chrome.open(page)
    measure = (
        "(() => {{ const s = document.createElement('span'); s.textContent = {!r};"
        "s.style = 'font: 100px ' + {!r} + '; position: absolute'; document.body.append(s);"
        "const w = s.getBoundingClientRect().width; s.remove(); return w }})()"
    )
    assert chrome.run(measure.format(sign, "BTMath, monospace")) == pytest.approx(WIDTHS[sign], abs=0.2)
    assert chrome.run("getComputedStyle(document.querySelector('math')).fontFamily").startswith("BTMath")


def test_roots_and_brackets_stretch(chrome, page):
    chrome.open(page)
    box = (
        "(() => {{ const p = document.createElement('p'); p.innerHTML = {!r}; p.style = 'font-size: 40px';"
        "document.body.append(p); const r = p.querySelector('[id=x]').getBoundingClientRect(); p.remove();"
        "return [r.width, r.height] }})()"
    )
    frac = "<mfrac><mfrac><mn>1</mn><mi>x</mi></mfrac><mfrac><mi>y</mi><mn>2</mn></mfrac></mfrac>"
    _, tall = chrome.run(box.format(f"<math><mrow><mo id=x>(</mo>{frac}<mo>)</mo></mrow></math>"))
    _, low = chrome.run(box.format("<math><mrow><mo id=x>(</mo><mi>x</mi><mo>)</mo></mrow></math>"))
    assert tall > 1.5 * low
    wide, high = chrome.run(box.format(f"<math><msqrt id=x>{frac}</msqrt></math>"))
    inner, inside = chrome.run(box.format(f"<math><mrow id=x>{frac}</mrow></math>"))
    assert high > inside
    assert wide > inner + 15


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_sticks_out_or_lies_upon_other_things(chrome, page, width, dark):
    chrome.open(page, width=width, dark=dark)
    assert chrome.run("document.documentElement.scrollWidth") <= width
    ground = chrome.run("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert (brightness < 80) == dark
    upon = """(() => { const cards = [...document.querySelectorAll('article > *, section > *')];
        let found = [];
        for (const c of cards) { const n = c.nextElementSibling; if (!n) continue;
          const [a, b] = [c.getBoundingClientRect(), n.getBoundingClientRect()];
          if (a.height && b.height && b.top < a.bottom - 1) found.push(n.outerHTML.slice(0, 80)); }
        return found })()"""
    assert chrome.run(upon) == []
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        scheme = "dark" if dark else "light"
        for part in ("summary", "errata", "graph", "method"):
            chrome.picture(Path(PICTURES, f"{part}-{width}-{scheme}.png"), f"#{part}")


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: make browser fetches it by npm")
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violation(chrome, page, dark):
    chrome.open(page, dark=dark)
    chrome.run(AXE.read_text(encoding="utf-8") + "; true")
    found = chrome.run("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
    assert [(v["id"], v["help"], [n["html"][:120] for n in v["nodes"][:3]]) for v in found] == []


def test_ten_thousand_rows_sort(chrome, rows, tmp_path):
    many = [
        rows[0] | {"claim": f"toy.c{i}", "table": [], "figure": {}, "seconds": i * 7919 % 10007}
        for i in range(10_000)
    ]
    page = tmp_path / "many.html"
    page.write_text(build(many), encoding="utf-8")
    chrome.open(page)
    for _ in range(2):
        chrome.run("document.querySelectorAll('#table thead button')[5].click()")
    seconds = chrome.run(
        "[...document.querySelectorAll('#table tbody td:nth-child(6)')].map(c => +c.dataset.sort)"
    )
    assert seconds == sorted(seconds, reverse=True)
