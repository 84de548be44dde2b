"""The paper's program of covered matching on given links, solved exactly (sections 3.3 and 3.4).

Links are pairs (y, x) of a hypothesis span y and a reference span x, as `oracle.links` makes them.

Section 3.3, with max replaced by the sum, and 3.4:

    maximize    sum_X c_ref(X) + f * sum_Y c_hyp(Y)

    w(x, y) >= 0                for each link
    w_ref(x) = sum_y w(x, y) <= 1,    w_hyp(y) = sum_x w(x, y) <= 1
    0 <= c_ref(X) <= 1,   c_ref(X) <= sum of w_ref(Z) over spans Z that contain X
    0 <= c_hyp(Y) <= 1,   c_hyp(Y) <= sum of w_hyp(Z) over spans Z that contain Y

The columns are w in the order of sorted(links), then c_ref and c_hyp in the order of `spans`.
Score = optimum / (|reference n-grams| + f * |hypothesis n-grams|).

With weights (section 5.3), a pair of lists (hypothesis, reference) with m of each span in the order
of `spans`, each c is multiplied by its m, and sums of m take the place of numbers of n-grams.
"""

from fractions import Fraction
from typing import NamedTuple

from oracle.ngrams import spans
from oracle.rational import Program, simplex


class Covered(NamedTuple):
    objective: Fraction  # of the joint program
    ref: Fraction  # largest sum of c_ref alone
    hyp: Fraction  # largest sum of c_hyp alone


def contains(outer, inner) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def ngram_weights(token_weights, max_order, decay) -> list[Fraction]:
    """decay^(n - 1) times the mean weight of the tokens, of each span of n tokens."""
    return [
        Fraction(decay) ** (stop - start - 1) * sum(token_weights[start:stop]) / (stop - start)
        for start, stop in spans(len(token_weights), max_order)
    ]


def covered_program(
    links, n_hyp, n_ref, max_order, ref_gain=1, hyp_gain=Fraction(1, 4), weights=None
) -> Program:
    """The covered-matching program, every row written out."""
    links = sorted(links)
    hyp_spans, ref_spans = spans(n_hyp, max_order), spans(n_ref, max_order)
    of_hyp, of_ref = weights or ([1] * len(hyp_spans), [1] * len(ref_spans))
    nodes = [("ref", x) for x in ref_spans] + [("hyp", y) for y in hyp_spans]
    w = [{"hyp": hyp_span, "ref": ref_span} for hyp_span, ref_span in links]

    rows, limit = [], []
    for side, node in nodes:  # the weights at a node sum to at most 1
        rows.append([int(link[side] == node) for link in w] + [0] * len(nodes))
        limit.append(1)
    for k, (side, node) in enumerate(nodes):  # c(node) - sum of weights that cover it <= 0
        covering = [-int(contains(link[side], node)) for link in w]
        rows.append(covering + [int(k == j) for j in range(len(nodes))])
        limit.append(0)
    for k in range(len(nodes)):  # c(node) <= 1
        rows.append([0] * len(w) + [int(k == j) for j in range(len(nodes))])
        limit.append(1)

    gain = [0] * len(w) + [ref_gain * m for m in of_ref] + [hyp_gain * m for m in of_hyp]
    return Program(gain, rows, limit)


def recall_half(links, n_hyp, n_ref, max_order, weights=None) -> Fraction:
    """Largest sum of c_ref: the same program with nothing gained on the hypothesis side."""
    return simplex(covered_program(links, n_hyp, n_ref, max_order, 1, 0, weights))[0]


def precision_half(links, n_hyp, n_ref, max_order, weights=None) -> Fraction:
    """Largest sum of c_hyp: the same program with nothing gained on the reference side."""
    return simplex(covered_program(links, n_hyp, n_ref, max_order, 0, 1, weights))[0]


def covered(links, n_hyp, n_ref, max_order, f=Fraction(1, 4), weights=None) -> Covered:
    """The joint optimum, and each side's own: three programs, so that the split can be tested."""
    return Covered(
        simplex(covered_program(links, n_hyp, n_ref, max_order, 1, f, weights))[0],
        recall_half(links, n_hyp, n_ref, max_order, weights),
        precision_half(links, n_hyp, n_ref, max_order, weights),
    )


def linked_half(links, side) -> Fraction:
    """Largest sum of c on one side (0 hypothesis, 1 reference), from what the links reach alone.

    The same program without n-grams that have no link and coverages that are bound to be 0.
    """
    links = sorted(links)
    reached = {link[side] for link in links}
    cells = sorted({(i, j) for a, b in reached for i in range(a, b) for j in range(i + 1, b + 1)})
    none = [0] * len(cells)
    rows = [
        [int(link[k] == node) for link in links] + none
        for k in (0, 1)
        for node in sorted({link[k] for link in links})
    ]
    limit = [1] * len(rows)
    for k, cell in enumerate(cells):
        own = [int(k == j) for j in range(len(cells))]
        rows += [[-int(contains(link[side], cell)) for link in links] + own, [0] * len(links) + own]
        limit += [0, 1]
    return simplex(Program([0] * len(links) + [1] * len(cells), rows, limit))[0]


def length_factor(limit: float | None, n_hyp: int, n_ref: int) -> Fraction:
    """min(1, max(X |r|, |r| + 2) / |o|), with X as it is written; 1 without a limit."""
    if limit is None or not n_hyp:
        return Fraction(1)
    return min(Fraction(1), max(Fraction(str(limit)) * n_ref, Fraction(n_ref + 2)) / n_hyp)
