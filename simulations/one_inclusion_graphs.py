"""Drawings of small one-inclusion graphs with their best orientations, as SVG, with their words beside them.

python simulations/one_inclusion_graphs.py --out reports
"""

from __future__ import annotations

import argparse
from pathlib import Path

from boosttheory.concepts import full_class, hamming_ball, six_cycle
from boosttheory.drawings import one_inclusion_graph
from boosttheory.figures import LICENCE
from boosttheory.rows import atomic_write

GRAPHS = {
    "cube": (full_class(2, 3), 1, "All functions from three points to two labels."),
    "six_cycle": (six_cycle(), 1, "A pseudo-cube in [3]^2 without a 2 x 2 square."),
    "square_of_three": (full_class(3, 2), 2, "All of [3]^2 with lists of two."),
    "ball": (hamming_ball(3, 1, 3), 1, "The ball of radius 1 in [3]^3."),
    "star": (hamming_ball(4, 1), 1, "Zero and the singletons on four points."),
}


def main() -> None:
    """Write one SVG and one text file for each graph."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("reports"))
    out = parser.parse_args().out
    for name, (family, k, caption) in GRAPHS.items():
        figure = one_inclusion_graph(family, k, caption=caption)
        atomic_write(out / f"one_inclusion_{name}.svg", figure.svg)
        atomic_write(out / f"one_inclusion_{name}.txt", f"{figure.caption} {LICENCE}\n{figure.alt}\n")
        print(f"{out / f'one_inclusion_{name}.svg'}: {figure.alt}")


if __name__ == "__main__":
    main()
