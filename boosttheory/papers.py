"""The two papers: how to cite them, and the list of every numbered result.

A result without a claim in the ledger says why; one with a claim says nothing here, its verdict is computed.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PAPERS", "RESULTS", "Paper", "Result"]


@dataclass(frozen=True)
class Paper:
    """One paper.

    Attributes
    ----------
    title, venue : str
        As published.
    authors : tuple of str
        Full names, in order.
    year : int
        Of publication.
    prefix : str
        First part of the ids of its results.
    bibtex : str
        Entry for a bibliography.
    """

    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    prefix: str
    bibtex: str

    @property
    def reference(self) -> str:
        """Reference as one line of plain text."""
        *others, last = self.authors
        names = f"{', '.join(others)} and {last}" if others else last
        return f"{names}. {self.title}. {self.venue}, {self.year}."


@dataclass(frozen=True)
class Result:
    """One numbered result, or one remark that states something checkable.

    Attributes
    ----------
    paper : str
        Key of `PAPERS`.
    id : str
        Id of its claim.
    locator : str
        Where it stands.
    without_claim : str
        Why the ledger has no claim of this id; empty where it has one.
    equations : tuple of int
        The numbered equations that belong to it; each equation of a paper belongs to one result.
    """

    paper: str
    id: str
    locator: str
    without_claim: str = ""
    equations: tuple[int, ...] = ()


PAPERS = {
    "perrot2019": Paper(
        title="Boosting for Comparison-Based Learning",
        authors=("Michaël Perrot", "Ulrike von Luxburg"),
        venue="International Joint Conference on Artificial Intelligence (IJCAI-19)",
        year=2019,
        prefix="triplet",
        bibtex="""@inproceedings{perrot2019,
  title = {Boosting for Comparison-Based Learning},
  author = {Perrot, Micha{\\"e}l and von Luxburg, Ulrike},
  booktitle = {Proceedings of the Twenty-Eighth International Joint Conference on Artificial Intelligence},
  year = {2019},
}""",
    ),
    "brukhim2023": Paper(
        title="Multiclass Boosting: Simple and Intuitive Weak Learning Criteria",
        authors=("Nataly Brukhim", "Amit Daniely", "Yishay Mansour", "Shay Moran"),
        venue="Advances in Neural Information Processing Systems 36",
        year=2023,
        prefix="multiclass",
        bibtex="""@inproceedings{brukhim2023,
  title = {Multiclass Boosting: Simple and Intuitive Weak Learning Criteria},
  author = {Brukhim, Nataly and Daniely, Amit and Mansour, Yishay and Moran, Shay},
  booktitle = {Advances in Neural Information Processing Systems},
  volume = {36},
  year = {2023},
}""",
    ),
}

_FIGURE = "a figure: drawn by simulations, it states nothing to check"
_EXPERIMENT = "an experiment: repeated by simulations, it states nothing to check"


def _triplet(name: str, locator: str, without_claim: str = "", equations: tuple[int, ...] = ()) -> Result:
    return Result("perrot2019", f"triplet.{name}", locator, without_claim, equations)


def _multiclass(name: str, locator: str, without_claim: str = "", equations: tuple[int, ...] = ()) -> Result:
    return Result("brukhim2023", f"multiclass.{name}", locator, without_claim, equations)


RESULTS: tuple[Result, ...] = (
    _triplet("eq1", "Equation 1, Section 2", equations=(1,)),
    _triplet("fig1", "Figure 1, Section 2", _FIGURE),
    _triplet("eq2", "Equation 2, Section 2.2", equations=(2,)),
    _triplet("alg1", "Algorithm 1, Section 2.2", equations=(3, 4, 5)),
    _triplet("eq4.remark", "Remark before Equation 4, Section 2.2"),
    _triplet("predict", "Prediction cost, Section 2.2"),
    _triplet("thm1.1", "Theorem 1, part 1, Section 3.1"),
    _triplet("thm1.2", "Theorem 1, part 2, Section 3.1"),
    _triplet("thm2", "Theorem 2, Section 3.2"),
    _triplet("thm2.monotone", "Remark before Theorem 2, Section 3.2"),
    _triplet("thm3.1", "Theorem 3, part 1, Section 3.2"),
    _triplet("thm3.2", "Theorem 3, part 2, Section 3.2"),
    _triplet("thm3.remark", "Remark after Theorem 3, Section 3.2"),
    _triplet("thm4", "Theorem 4, Section 3.3", equations=(6,)),
    _triplet("ex1", "Example 1, Section 3.3"),
    _triplet("thm5", "Theorem 5, Section 3.3"),
    _triplet("ex1.general", "Example 1 for general C and p, Section 3.3"),
    _triplet("rate", "Number of triplets, Sections 3.3 and 5"),
    _triplet("count", "Number of possible triplets, Section 4"),
    _triplet("onepercent", "Abstention at 1 %, Section 4"),
    *(
        _triplet(f"fig{number}{part}", f"Figure {number}{part}, Section 4", _EXPERIMENT)
        for number in (2, 3)
        for part in "abc"
    ),
    _triplet("movielens", "MovieLens, Section 5", _EXPERIMENT),
    _multiclass("labelfree", "Abstract and Section 1.1"),
    _multiclass("intro.hint", "Section 1"),
    _multiclass("def1", "Definition 1, Section 1.1", equations=(1,)),
    _multiclass("def2", "Definition 2, Section 1.1", equations=(2,)),
    _multiclass("thm1", "Theorem 1, Section 1.1"),
    _multiclass("thm1.calls", "Number of oracle calls, Theorem 1, Section 1.1"),
    _multiclass("def3", "Definition 3, Section 2", equations=(3,)),
    _multiclass("warmup", "Example with three points, Section 2"),
    _multiclass("nfl", "Remark on {1,2,3}^N, Section 2"),
    _multiclass("alg1", "Algorithm 1, Section 2"),
    _multiclass("lem1a", "Lemma 1, first part, Section 2"),
    _multiclass("lem1b", "Lemma 1, H(x,y) > T/k, Appendix A"),
    _multiclass("lem1c", "Lemma 1, second part, Section 2"),
    _multiclass("def4", "Definition 4, Section 3", equations=(4,)),
    _multiclass("alg2", "Algorithm 2, Section 3"),
    _multiclass("alg3", "Algorithm 3, Section 3"),
    _multiclass("thm2", "Theorem 2, Section 3"),
    _multiclass("adaptive", "Adaptive boosting, Section 3"),
    _multiclass("def5", "Definition 5, Section 4"),
    _multiclass("def6", "Definition 6, Section 4"),
    _multiclass("lem2", "Lemma 2, Section 4"),
    _multiclass("lem3", "Lemma 3, Section 4; proof in Appendix B.1", equations=(21, 22)),
    _multiclass("thm3", "Theorem 3, Section 4; proof in Appendix B.2", equations=(23,)),
    _multiclass("thm4", "Theorem 4, Section 4.1; proof in Appendix B.3"),
    _multiclass("cor1", "Corollary 1, Section 4.1"),
    _multiclass("def7", "Definition 7, Section 4.2"),
    _multiclass("thm5.brg", "Remark before Theorem 5, Section 4.2"),
    _multiclass("thm5", "Theorem 5, Section 4.2; proof in Appendix C"),
    _multiclass("thm5.remark", "Remark after Theorem 5, Section 4.2"),
    _multiclass("def8", "Definition 8, Section 5"),
    _multiclass("thm2.size", "Size of the compression, proof of Theorem 2, Section 5", equations=(5,)),
    _multiclass("thm2.arith", "Sample size, proof of Theorem 2, Section 5"),
    _multiclass("eq6", "Equation 6, Appendix A", equations=(6,)),
    _multiclass("lem4", "Lemma 4, Appendix A", equations=(7,)),
    _multiclass("def8.lists", "Compression schemes for lists, Appendix B"),
    _multiclass("thm6", "Theorem 6, Appendix B", equations=tuple(range(8, 18))),
    _multiclass("thm7", "Theorem 7, Appendix B", equations=(18, 19)),
    _multiclass("alg4", "Algorithm 4, Appendix B"),
    _multiclass("lem5", "Lemma 5, Appendix B", equations=(20,)),
    _multiclass("appC.indegree", "Remark on the in-degree, Appendix C"),
    _multiclass("def9", "Definition 9, Appendix C"),
    _multiclass("def10", "Definition 10, Appendix C"),
    _multiclass("def11", "Definition 11, Appendix C"),
    _multiclass("def10.eq", "Remark after Definition 11, Appendix C"),
    _multiclass("def12", "Definition 12, Appendix C", equations=(24,)),
    _multiclass("def13", "Definition 13, Appendix C"),
    _multiclass("def14", "Definition 14, Appendix C"),
    _multiclass("def15", "Definition 15, Appendix C", equations=(25, 26)),
    _multiclass("lem6", "Lemma 6, Appendix C"),
    _multiclass("alg5", "Algorithm 5, Appendix C"),
    _multiclass("lem7", "Lemma 7, Appendix C", equations=(27,)),
    _multiclass("lem8", "Lemma 8, Appendix C.1", equations=(28,)),
    _multiclass("lem9", "Lemma 9, Appendix C.1"),
    _multiclass("lem10.exp", "Exponential dimension, proof of Lemma 10, Appendix C.2"),
    _multiclass("lem10", "Lemma 10, Appendix C.2"),
    _multiclass("lem11", "Lemma 11, Appendix C.2", equations=(29,)),
    _multiclass("thm8", "Theorem 8, Appendix C.2", equations=(30, 31, 32)),
    _multiclass("alg6", "Algorithm 6, Appendix C"),
    _multiclass("ds.monotone", "Monotonicity of the k-DS dimension, proof of Theorem 5, Appendix C"),
    _multiclass("eq33", "Equations 33 to 36, proof of Theorem 5, Appendix C", equations=(33, 34, 35, 36)),
)
