"""Genres of movies: Perrot & von Luxburg (2019), Section 4.

    python simulations/movielens.py --data PATH

is ``boosttheory simulate movielens``, with the same options; the trial is in `boosttheory.movielens`.
"""

from boosttheory.cli.simulate import script

if __name__ == "__main__":
    script(__file__)
