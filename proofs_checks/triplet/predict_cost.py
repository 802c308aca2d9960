"""Cost of prediction (Section 2.2), Perrot & von Luxburg 2019."""

from math import ceil, log2
from random import Random
from typing import NamedTuple

import numpy as np

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.tripletboost import Model, train
from boosttheory.triplets import TripletSet

claim = Claim(
    id="triplet.predict",
    paper="perrot2019",
    locator="Section 2.2, Using H for prediction",
    title="Cost of prediction by sorting",
    reading=Reading.CANONICAL,
    statement=r"\text{by first sorting the triplets and the triplet classifiers, a complexity of }"
    r"O(|T_x|\log|T_x|+C\log C)\text{ can be achieved}",
    assumes=(r"\text{repeated classifiers are merged after sorting}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    note="The constants are given: |T_x|⌈log₂|T_x|⌉ + C⌈log₂ C⌉ + 2(|T_x| + C) comparisons. Sorting alone"
    " is not enough: with the same pair in many triplets and many classifiers, a join of the two "
    "sorted lists costs |T_x|·C. Pairs are drawn with repetition, so the case is real; merging equal"
    " classifiers after sorting settles it.",
)


class Key:
    """A pair code that counts comparisons."""

    count = 0
    __slots__ = ("code",)

    def __init__(self, code):
        self.code = code

    def __lt__(self, other):
        Key.count += 1
        return self.code < other.code

    def __eq__(self, other):
        Key.count += 1
        return self.code == other.code

    __hash__ = None  # type: ignore[assignment]  # a key is never put in a set


class Query(NamedTuple):
    """Pair codes of the triplets of one example, and (code, votes) of the classifiers."""

    triplets: tuple[int, ...]
    classifiers: tuple[tuple[int, int], ...]


def merged(classifiers):
    """Add up the votes of equal neighbours in a sorted list."""
    found: list = []
    for key, votes in classifiers:
        if found and found[-1][0] == key:
            found[-1] = (found[-1][0], found[-1][1] + votes)
        else:
            found.append((key, votes))
    return found


def unmerged(classifiers):
    """Leave equal neighbours as they are."""
    return list(classifiers)


def first_only(classifiers):
    """Keep the first of equal neighbours."""
    found: list = []
    for item in classifiers:
        if not found or found[-1][0].code != item[0].code:
            found.append(item)
    return found


def join(query, merge=merged):
    """Sort both lists, merge repeated classifiers, walk along both; return the votes and the comparisons."""
    Key.count = 0
    triplets = sorted(map(Key, query.triplets))
    keyed = sorted(((Key(code), votes) for code, votes in query.classifiers), key=lambda item: item[0])
    classifiers = merge(keyed)
    total = start = 0
    for key in triplets:
        while start < len(classifiers) and classifiers[start][0] < key:
            start += 1
        at = start
        while at < len(classifiers) and classifiers[at][0] == key:
            total += classifiers[at][1]
            at += 1
            if merge is not unmerged:
                break
    return total, Key.count


def every_pair(query, merge=None):
    """Compare every triplet with every classifier."""
    total = sum(votes for code in query.triplets for other, votes in query.classifiers if code == other)
    return total, len(query.triplets) * len(query.classifiers)


def queries():
    """Random, sorted, reversed, repeated and equal codes, for sizes 1 to 512."""
    random = Random(0)
    found: list = []
    for t in (1, 2, 7, 64, 512):
        for c in (1, 2, 7, 64, 512):
            for highest in (1, 4, c, 20 * c):
                triplets = [random.randrange(highest) for _ in range(t)]
                classifiers = [(random.randrange(highest), random.randrange(1, 100)) for _ in range(c)]
                found += [
                    Query(tuple(triplets), tuple(classifiers)),
                    Query(tuple(sorted(triplets)), tuple(sorted(classifiers, reverse=True))),
                ]
    return found


def cost(size):
    """The printed cost n log n, rounded up."""
    return size * ceil(log2(size)) if size > 1 else 0


def chart():
    """Comparisons over the number of classifiers, as many as triplets."""
    found: dict = {}
    for query in queries():
        size = len(query.classifiers)
        if size == len(query.triplets):
            found[size] = max(found.get(size, 0), join(query)[1])
    sizes = sorted(found)
    return tightness_chart(
        [
            Curve("stated", "printed order, with its constants", sizes, [2 * cost(n) + 4 * n for n in sizes]),
            Curve("other", "every triplet against every classifier", sizes, [n * n for n in sizes]),
            Curve("worst known", "sorting and merging, counted", sizes, [found[n] for n in sizes]),
        ],
        x="triplets, and as many classifiers",
        y="comparisons",
        log_x=True,
        log_y=True,
        vacuous=(1, max(n for n in range(1, 100) if n * n <= 2 * cost(n) + 4 * n)),
        caption="Cost of a prediction. Shaded: comparing everything costs no more than the bound.",
    )


@claim.check(
    "exhaustive",
    scope="200 lists with |T_x|, C up to 512; random, ordered and repeated codes; comparisons counted",
    over=queries,
    figure=chart,
)
def comparisons_of_sorting_and_merging(query, *, predict=join, merge=merged):
    """Printed cost with its constants, minus the comparisons made."""
    t, c = len(query.triplets), len(query.classifiers)
    return cost(t) + cost(c) + 2 * (t + c) - predict(query, merge)[1]


comparisons_of_sorting_and_merging.mutant("every triplet against every classifier", predict=every_pair)
comparisons_of_sorting_and_merging.mutant("repeated classifiers not merged", merge=unmerged)


@claim.check("exhaustive", scope="the same lists", over=queries, relation="equality")
def votes_of_sorting_and_merging(query, *, merge=merged, predict=join):
    """Minus the distance between the votes found by the walk and by comparing every pair."""
    return -abs(predict(query, merge)[0] - every_pair(query)[0])


def last_only(query, merge):
    """Look at the largest code only."""
    top = max(query.triplets)
    return join(Query(tuple(code for code in query.triplets if code == top), query.classifiers), merge)


votes_of_sorting_and_merging.mutant("only the first of repeated classifiers kept", merge=first_only)
votes_of_sorting_and_merging.mutant("one code only", predict=last_only)


@claim.check(
    "search",
    scope="models trained on 12 objects, 20 test examples, 8 seeds; the merged model against Equation 5",
    over=range(8),
    relation="equality",
)
def scores_of_the_library(seed, *, other_side=False, rounds=None):
    """Minus the largest distance between scores summed over rounds and those of the merged model."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 3
    run = train(TripletSet.from_metric(X, proportion=0.5, rng=rng), y, 3, 60, rng)
    test = TripletSet.from_metric(X, queries=rng.normal(size=(20, 2)), proportion=0.3, rng=rng)
    scores = np.zeros((20, 3))
    for (j, k), labels, alpha in zip(run.pairs[:rounds].tolist(), run.labels, run.alpha, strict=False):
        sides = labels[::-1] if other_side else labels
        for heads, chosen in zip(test.half_spaces(j, k), sides, strict=True):
            scores[heads] += alpha * chosen
    return 1e-12 - float(np.abs(scores - Model.from_run(run, 12, 3).scores(test)).max())


scores_of_the_library.mutant("half-spaces exchanged", other_side=True)
scores_of_the_library.mutant("the first round only", rounds=1)
