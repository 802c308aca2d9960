"""Iris, by metric: Perrot & von Luxburg (2019), Figure 2c.

    python simulations/fig2c.py

is ``boosttheory simulate fig2c``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
