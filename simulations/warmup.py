"""Better than 1/k is too weak: Brukhim et al. (2023), Section 2.

    python simulations/warmup.py

is ``boosttheory simulate warmup``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
