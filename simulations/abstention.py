"""Abstention with all pairs: Perrot & von Luxburg (2019), Theorems 4 and 5, Example 1.

    python simulations/abstention.py

is ``boosttheory simulate abstention``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
