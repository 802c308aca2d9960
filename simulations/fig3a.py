"""Many objects, by the proportion of triplets: Perrot & von Luxburg (2019), Figure 3a.

    python simulations/fig3a.py

is ``boosttheory simulate fig3a``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
