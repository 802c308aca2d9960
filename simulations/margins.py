"""Margins over rounds: Perrot & von Luxburg (2019), Theorem 3, part 2.

    python simulations/margins.py

is ``boosttheory simulate margins``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
