"""The documentation builds without a warning and without a network, and leaves nothing out."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from boosttheory.claims import load

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("sphinx", "numpydoc", "myst_nb")
needs_sphinx = pytest.mark.skipif(not all(map(find_spec, TOOLS)), reason="needs pip install '.[docs]'")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("api"))
    shutil.copy(ROOT / "CONTRIBUTING.md", folder)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", folder / "docs", folder / "site"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@needs_sphinx
def test_every_claim_has_a_section(site):
    pages = {name: (site / f"{name}.html").read_text() for name in ("perrot2019", "brukhim2023")}
    assert [c.id for c in load().values() if f'id="{c.id}"' not in pages[c.paper]] == []


@needs_sphinx
def test_every_module_has_a_page(site):
    modules = {path.stem for path in (ROOT / "boosttheory").glob("[!_]*.py")} - {"numba_engine"}
    assert [name for name in sorted(modules) if not (site / f"api/boosttheory.{name}.html").exists()] == []


@needs_sphinx
def test_the_worked_example_is_included(site):
    assert "square_of_the_mean_minus_the_product" in (site / "add_a_theorem.html").read_text()


@needs_sphinx
def test_notebooks_are_executed_and_can_be_downloaded(site):
    for name in ("tripletboost", "false_lemma", "lists"):
        page = (site / f"course/{name}.html").read_text()
        assert page.count("<img") >= 2
        assert "MathJax" not in page
        (found,) = site.glob(f"_downloads/*/{name}.ipynb")
        cells = json.loads(found.read_text())["cells"]
        assert sum(bool(cell.get("outputs")) for cell in cells) >= 6
        assert found.stat().st_size < 250_000


@needs_sphinx
def test_the_start_leads_to_every_page(site):
    start = (site / "index.html").read_text()
    assert [
        page.stem for page in (site.parent / "docs").glob("*.md") if f"{page.stem}.html" not in start
    ] == []
