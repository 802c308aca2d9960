"""Many objects, by noise: Perrot & von Luxburg (2019), Figure 3b.

    python simulations/fig3b.py

is ``boosttheory simulate fig3b``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
