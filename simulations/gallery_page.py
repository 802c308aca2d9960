"""The page docs/gallery.md and its pictures, from what `boosttheory simulate all` has written.

    python simulations/gallery_page.py --figures reports/figures --docs docs

A figure that was not run keeps no place on the page; the documentation builds from what is there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from boosttheory.gallery import FIGURES, Drawing
from boosttheory.rows import atomic_write

HEAD = """# Gallery

Every figure of the simulations at its reduced size, with its data and the command that draws it.
[](simulations.md) says how to draw the full size, and where the figures differ from the paper. {absent}
"""


def section(drawing: Drawing, page: str) -> str:
    """Return the section of one figure, from the page that the command wrote beside it."""
    title, caption, command = (part.strip() for part in page.strip().split("\n\n"))
    return (
        f"\n#{title}\n\n![{drawing.title}](gallery/{drawing.name}.svg)\n\n{caption}\n\n"
        f"```console\n$ {command}\n```\n\nData: [{drawing.name}.csv](gallery/{drawing.name}.csv)\n"
    )


def main() -> None:
    """Write the page, and copy pictures and data beside it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figures", type=Path, default=Path("reports/figures"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    given = parser.parse_args()
    drawn = [drawing for drawing in FIGURES.values() if (given.figures / f"{drawing.name}.md").exists()]
    sections = []
    for drawing in drawn:
        for suffix in ("svg", "csv"):
            name = f"{drawing.name}.{suffix}"
            atomic_write(given.docs / "gallery" / name, (given.figures / name).read_bytes())
        sections.append(section(drawing, (given.figures / f"{drawing.name}.md").read_text(encoding="utf-8")))
    absent = [f"`{drawing.name}`" for drawing in FIGURES.values() if drawing not in drawn]
    head = HEAD.format(absent=f"Not drawn here, for want of data: {', '.join(absent)}." if absent else "")
    atomic_write(given.docs / "gallery.md", head + "".join(sections))
    print(f"{given.docs / 'gallery.md'}: {len(drawn)} figures")


if __name__ == "__main__":
    main()
