"""Recursive boosting against a nearly worst weak learner: Brukhim et al. (2023), Algorithm 3.

    python simulations/recursive.py

is ``boosttheory simulate recursive``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
