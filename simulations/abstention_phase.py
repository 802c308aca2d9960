"""Abstention by triplets and pairs: Perrot & von Luxburg (2019), Theorem 4, general C.

    python simulations/abstention_phase.py

is ``boosttheory simulate abstention_phase``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
