"""A triplet classifier: Perrot & von Luxburg (2019), Figure 1.

    python simulations/fig1.py

is ``boosttheory simulate fig1``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
