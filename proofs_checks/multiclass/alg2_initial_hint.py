"""Algorithm 2 (initial hint), Brukhim, Daniely, Mansour & Moran 2023."""

from itertools import product
from typing import NamedTuple

import numpy as np

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.recursive import initial_hint

claim = Claim(
    id="multiclass.alg2",
    paper="brukhim2023",
    locator="Algorithm 2, Section 3",
    title="initial hint",
    role=Role.ALGORITHM,
    statement=r"S_{j+1}=\{(x,y)\in S_j:h_j(x)\ne y\},\quad\mu(x)=\{h_1(x),\dots,h_p(x)\}",
    assumes=(r"S_1=S", r"h_j\text{ is the answer to the uniform distribution on }S_j"),
    expect=Verdict.CONFORMS,
    note="Line 6 of the text prints S_{i+1} and S_i for S_{j+1} and S_j. Two things are left open there: a "
    "set S_j may be empty before p rounds are done, and then has no uniform distribution (the shipped "
    "function stops); and two hypotheses may name the same label, so that a list has at most p labels.",
)


class Answers(NamedTuple):
    """Labels of the sample, and what the hypothesis of each round predicts on it."""

    y: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


def answers():
    """All answers on up to three examples; the labels of the sample up to renaming."""
    for y, p, n_labels in (
        ((0,), 3, 3),
        ((0, 0), 3, 2),
        ((0, 1), 3, 2),
        ((0, 0, 1), 2, 3),
        ((0, 1, 0), 2, 3),
        ((0, 1, 2), 2, 3),
    ):
        for rows in product(product(range(n_labels), repeat=len(y)), repeat=p):
            yield Answers(y, rows)


def wrong(left, row, y):
    """The points of S_j that are predicted wrongly."""
    return {i for i in left if row[i] != y[i]}


def right(left, row, y):
    """The points of S_j that are predicted correctly."""
    return {i for i in left if row[i] == y[i]}


def everything(left, row, y):
    """All points of S_j."""
    return left


def read(case, survivors):
    """Run the printed lines on sets: the supports of the distributions, and the lists."""
    left, asked = set(range(len(case.y))), []
    named: list[list[int]] = [[] for _ in case.y]
    for row in case.rows:
        if not left:
            break
        asked.append(tuple(sorted(left)))
        for labels, label in zip(named, row, strict=True):
            if label not in labels:
                labels.append(label)
        left = survivors(left, row, case.y)
    return asked, named, len(left)


@claim.check(
    "exhaustive",
    scope="all answers: m = 1, p = 3, K = 3; m = 2, p = 3, K = 2; m = 3, p = 2, K = 3; labels up to renaming",
    over=answers,
    relation="equivalence",
)
def shipped_function_is_the_algorithm(case, *, survivors=wrong, dropped=0):
    """Whether distributions, lists and the number left are those of the printed lines."""
    asked, rows = [], iter(case.rows)

    def weak(weights, lists):
        support = np.flatnonzero(weights)
        asked.append(tuple(support.tolist()) if len(set(weights[support].tolist())) == 1 else ())
        return np.array(next(rows))

    run = initial_hint(weak, case.y, 3, 0.5, len(case.rows), strict=False)
    lists = [[label for label in row if label >= 0] for row in run.lists.tolist()]
    expected, named, left = read(case._replace(rows=case.rows[: len(case.rows) - dropped]), survivors)
    return asked == expected and lists == named and run.remaining[-1] == left


shipped_function_is_the_algorithm.mutant("S_{j+1} holds what h_j predicts correctly", survivors=right)
shipped_function_is_the_algorithm.mutant("S_{j+1} = S_j", survivors=everything)
shipped_function_is_the_algorithm.mutant("p - 1 rounds", dropped=1)
