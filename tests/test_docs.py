"""The examples of docs/ run."""

import doctest
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BOOSTTHEORY_DATA", ROOT.parent / "shared" / "data"))
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if "BOOSTTHEORY_DATA" in text and not DATA.is_dir():
        pytest.skip(f"{page.name} needs real data; set BOOSTTHEORY_DATA")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOSTTHEORY_DATA", str(DATA))
    # a closing fence right after an output would be read as part of it
    examples = re.sub(r"^```.*$", "", text, flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert not result.failed, "".join(said)
