"""Error of what r examples rebuild: Brukhim et al. (2023), Theorem 6.

    python simulations/compression.py

is ``boosttheory simulate compression``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
