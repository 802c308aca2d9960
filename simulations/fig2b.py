"""Moons, by noise: Perrot & von Luxburg (2019), Figure 2b.

    python simulations/fig2b.py

is ``boosttheory simulate fig2b``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
