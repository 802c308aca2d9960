"""Lemma 1, first part, with Definition 2 read literally, Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

from boosttheory.claims import Claim, Verdict
from proofs_checks.multiclass.alg1_hedge import lower_right

claim = Claim(
    id="multiclass.lem1a.literal",
    paper="brukhim2023",
    locator="Lemma 1, Section 2, with Definition 2 as printed",
    title="read literally, the weak learner is right on all of S",
    statement=r"\mathcal W\text{ satisfies Definition 2 for }S\ \Rightarrow\ H(x,y)=T\text{ for all "
    r"}(x,y)\in S",
    assumes=(
        r"\text{for every distribution }p\text{ and }m_0\text{ examples drawn from }p,\ \mathcal W\text{ "
        r"outputs }h:\ \textstyle\sum_ip_i\mathbb "
        r"1[h(x_i)=y_i]\ge\left(\frac1k+\gamma\right)\sum_ip_i\mathbb 1[y_i\in\mu(x_i)]",
        r"\mathcal W\text{ is deterministic},\ y_i\in\mu(x_i)",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg1",),
    note="Definition 2 names no failure probability. A sample u of S can be drawn from every distribution "
    "whose support holds u, also from one that lies almost wholly on any one example; so h_u must be right "
    "on that example, hence on all of S. Lemma 1 is then trivially true and boosting is not needed. The "
    "other claims on Lemma 1 read the definition as an oracle that is accurate on the distribution it was "
    "given.",
)


class Table(NamedTuple):
    """A deterministic rule: for each sample u of the m examples, where its hypothesis h_u is right."""

    m: int
    m0: int
    answers: tuple[tuple[bool, ...], ...]
    accuracy: Fraction

    def rows(self):
        """Pairs of a sample and the correctness of its hypothesis."""
        return zip(product(range(self.m), repeat=self.m0), self.answers, strict=True)


def tables():
    """All rules on two examples with one or two draws, and on three examples with one draw."""
    for m, m0 in ((1, 1), (2, 1), (2, 2), (3, 1)):
        hypotheses = list(product((False, True), repeat=m))
        for answers in product(hypotheses, repeat=m**m0):
            for accuracy in (Fraction(1, 2) + Fraction(1, 2), Fraction(1, 10) + Fraction(1, 20)):
                yield Table(m, m0, answers, accuracy)


def near_points(table):
    """The uniform distribution, and distributions with full support that lie almost wholly on one example."""
    rest = table.accuracy / (2 * table.m)
    yield [Fraction(1, table.m)] * table.m
    for i in range(table.m):
        yield [1 - (table.m - 1) * rest if j == i else rest for j in range(table.m)]


def uniform_only(table):
    """The uniform distribution alone."""
    yield [Fraction(1, table.m)] * table.m


def every_sample(table, p):
    """Definition 2 as printed: each sample that p can give yields an accurate hypothesis."""
    return all(weigh(p, correct) >= table.accuracy for u, correct in table.rows() if all(p[i] for i in u))


def half_of_the_samples(table, p):
    """A sample of p yields an accurate hypothesis with probability at least 1/2."""
    chance = Fraction(0)
    for u, correct in table.rows():
        share = Fraction(1)
        for i in u:
            share *= p[i]
        chance += share * (weigh(p, correct) >= table.accuracy)
    return chance >= Fraction(1, 2)


def weigh(p, correct):
    """Accuracy under p."""
    return sum(w for w, right in zip(p, correct, strict=True) if right)


SCOPE = (
    "all rules u → h_u with (m, m0) = (1, 1), (2, 1), (2, 2), (3, 1), at 1/k + γ = 1 and 3/20; in rationals"
)


@claim.check("exhaustive", scope=SCOPE, over=tables, relation="equivalence")
def literal_definition_means_right_everywhere(table, *, demand=every_sample, over=near_points):
    """Definition 2 holds on the distributions tried if and only if every h_u is right on all of S."""
    return all(demand(table, p) for p in over(table)) == all(all(correct) for correct in table.answers)


literal_definition_means_right_everywhere.mutant("only the uniform distribution", over=uniform_only)
literal_definition_means_right_everywhere.mutant(
    "success with probability 1/2 over the sample", demand=half_of_the_samples
)


def literal_rules():
    """The rules that meet Definition 2 on the distributions tried."""
    return (table for table in tables() if all(every_sample(table, p) for p in near_points(table)))


@claim.check("exhaustive", scope=SCOPE + "; those that meet Definition 2; T = 3", over=literal_rules)
def hits_in_every_round(table, *, multiple=1, first=0):
    """H/T - (1/k + γ), more than Lemma 1 asks, for the worst draws of Hedge with e^{-η} = 1/2."""
    T, weights, hits = 3, [Fraction(1)] * table.m, [0] * table.m
    for t in range(T):
        # the least accurate answer to any sample
        correct = min(table.answers, key=lambda c: weigh(weights, c))
        correct = correct if t >= first else (False,) * table.m
        hits = [h + right for h, right in zip(hits, correct, strict=True)]
        weights = [lower_right(w, right, Fraction(1, 2)) for w, right in zip(weights, correct, strict=True)]
    return Fraction(min(hits), T) - multiple * table.accuracy


hits_in_every_round.mutant("twice the accuracy of the weak learner", multiple=2)
hits_in_every_round.mutant("one round without a hypothesis", first=1)
