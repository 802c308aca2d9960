"""Sphinx settings, and the directive that prints the ledger."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from boosttheory import __version__
from boosttheory.claims import Claim, load
from boosttheory.papers import PAPERS
from boosttheory.report.formulas import formula, prose_html

project = "boosttheory"
author = "The boosttheory developers"
copyright = "the boosttheory developers; text and figures under CC BY 4.0, code under BSD 3-Clause"
release = version = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}  # autosummary writes in the first one
exclude_patterns = ["_build"]
templates_path = ["templates"]
html_theme = "alabaster"
html_theme_options = {"page_width": "72em", "description": "Executable theory of boosting"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_static_path = ["static"]
html_math_renderer = "mathml"
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
nb_execution_raise_on_error = True
nb_execution_timeout = 300
# an empty profile: notebooks run alike for everybody, and kernels do not warn of their local sockets
_profile = tempfile.TemporaryDirectory(prefix="boosttheory-ipython-")
Path(_profile.name, "profile_default").mkdir()
Path(_profile.name, "profile_default", "ipython_kernel_config.py").write_text(
    "c.IPKernelApp.log_level = 40\n"
)
os.environ["IPYTHONDIR"] = _profile.name
autodoc_typehints = "none"  # the docstrings name every type
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
METADATA = re.compile(r"set_\w+_request")  # made by scikit-learn, with references to its own pages


def _raw(html: object) -> nodes.raw:
    return nodes.raw("", str(html), format="html")


def _line(word: str, *rest: nodes.Node) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong(word, word), nodes.Text(" "), *rest)


def _links(ids: tuple[str, ...], known: set[str]) -> list[nodes.Node]:
    parts: list[nodes.Node] = []
    for name in ids:
        parts += [nodes.Text(", " if parts else "")]
        parts += [nodes.reference("", name, internal=True, refid=name) if name in known else nodes.Text(name)]
    return parts


def _section(claim: Claim, ledger: dict[str, Claim]) -> nodes.section:
    title = f"{claim.locator}: {claim.title}"
    section = nodes.section("", nodes.title(title, title), ids=[claim.id], names=[claim.id])
    section += _line("Id:", nodes.literal(claim.id, claim.id), nodes.Text(f", {claim.role}, {claim.reading}"))
    if claim.assumes:
        section += _line("Hypotheses:", _raw(", ".join(map(str, map(formula, claim.assumes)))))
    section += nodes.paragraph("", "", _raw(formula(claim.statement, display=True)))
    section += _line("Verdict that every run has to compute:", nodes.Text(str(claim.expect)))
    if claim.note:
        section += nodes.paragraph("", "", _raw(prose_html(claim.note)))
    for word, ids in (("Repairs", claim.repairs), ("Rests on", claim.uses)):
        if ids:
            section += _line(word, *_links(ids, ledger.keys()))
    repaired = tuple(other.id for other in ledger.values() if claim.id in other.repairs)
    if repaired:
        section += _line("Repaired by", *_links(repaired, ledger.keys()))
    evidence = nodes.bullet_list()
    for check in claim.checks:
        mutants = "; ".join(check.mutants)
        text = f"{check.name.replace('_', ' ')} ({check.kind}): {check.scope}" + (
            f". Mutants that have to be refuted: {mutants}" if mutants else ""
        )
        evidence += nodes.list_item("", nodes.paragraph("", "", _raw(prose_html(text))))
    section += evidence
    return section


class Ledger(Directive):
    """``{ledger} KEY``: every claim of one paper, in the order of the ledger."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return one section a claim."""
        ledger = load()
        paper = PAPERS[self.arguments[0]]
        own = [claim for claim in ledger.values() if claim.paper == self.arguments[0]]
        return [nodes.paragraph("", paper.reference), *(_section(claim, ledger) for claim in own)]


def bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Mark the bars of |S| as bars: reStructuredText takes them for the name of a substitution."""
    example = False
    for number, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            parts = re.split(r"(`[^`]*`)", line)
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[number] = "".join(parts)


def visit_math(writer: Any, node: nodes.math | nodes.math_block) -> None:
    """Write MathML: MathJax would ask the network for itself."""
    writer.body.append(str(formula(node.astext(), display=isinstance(node, nodes.math_block))))
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the directive, and what mends docstrings."""
    app.add_directive("ledger", Ledger)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    app.connect("autodoc-process-docstring", bars)
    app.connect("autodoc-skip-member", lambda *event: True if METADATA.fullmatch(event[2]) else None)
    return {"parallel_read_safe": True}
