"""An explanation → columns in which both sentences stand over each other.

Links may cross, columns cannot: shown side by side is the heaviest set of pieces that keep their
order in both sentences. What stands between two of them shares a column too, matched or not.
"""

from __future__ import annotations

from collections.abc import Iterator

from celab.explanation import Explanation, Span


def columns(explanation: Explanation) -> Iterator[tuple[Span, Span]]:
    """(reference span, hypothesis span) from left to right; together they are both sentences."""
    r = h = 0
    for ref, hyp in [*_chain(explanation), _end(explanation)]:
        if r < ref[0] or h < hyp[0]:
            yield (r, ref[0]), (h, hyp[0])
        if ref[0] < ref[1]:
            yield ref, hyp
        r, h = ref[1], hyp[1]


def _end(explanation: Explanation) -> tuple[Span, Span]:
    m, n = len(explanation.ref_tokens), len(explanation.hyp_tokens)
    return (m, m), (n, n)


def _chain(explanation: Explanation) -> list[tuple[Span, Span]]:
    # The heaviest chain of pieces; a piece weighs as much as the links it is part of cover.
    support: dict[tuple[Span, Span], float] = {}
    for link in explanation.links:
        covered = link.weight * (len(link.covers_ref) + len(link.covers_hyp))
        for piece in link.pieces:
            pair = piece.ref, piece.hyp
            support[pair] = support.get(pair, 0.0) + covered
    pieces = sorted(support)
    weight: list[float] = []
    before: list[int] = []
    for k, (ref, hyp) in enumerate(pieces):
        fitting = [j for j in range(k) if pieces[j][0][1] <= ref[0] and pieces[j][1][1] <= hyp[0]]
        best = max(fitting, key=lambda j: weight[j], default=-1)
        before.append(best)
        weight.append(support[ref, hyp] + (weight[best] if best >= 0 else 0.0))
    chain = []
    k = max(range(len(pieces)), key=lambda j: weight[j], default=-1)
    while k >= 0:
        chain.append(pieces[k])
        k = before[k]
    return chain[::-1]
