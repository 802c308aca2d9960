"""Margins by the number of triplets: Perrot & von Luxburg (2019), Section 3.2, remark on Theorem 3.

    python simulations/margins_triplets.py

is ``boosttheory simulate margins_triplets``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
