"""Abstention of TripletBoost: Perrot & von Luxburg (2019), Theorems 4 and 5.

    python simulations/abstention_gap.py

is ``boosttheory simulate abstention_gap``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
