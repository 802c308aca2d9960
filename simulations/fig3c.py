"""Training time: Perrot & von Luxburg (2019), Figure 3c.

    python simulations/fig3c.py

is ``boosttheory simulate fig3c``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
