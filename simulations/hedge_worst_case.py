"""The path to 15/32: Brukhim et al. (2023), Lemma 1.

    python simulations/hedge_worst_case.py

is ``boosttheory simulate hedge_worst_case``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
