"""Error over rounds: Perrot & von Luxburg (2019), Theorem 2.

    python simulations/training_error.py

is ``boosttheory simulate training_error``, with the same options; the trial is in `boosttheory.trials`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
