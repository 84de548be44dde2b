"""An explanation adds up to the score it explains."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ngrams import spans
from pairs import LINKS, ORDERS, group_lists, metric_for

import celab
from celab.errors import InputError

TEXT = st.text("甲乙丙", min_size=1, max_size=8)


def contains(outer, inner):
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@settings(max_examples=100)
@given(TEXT, TEXT, group_lists("甲乙丙"), ORDERS, LINKS)
def test_the_links_make_the_score(hyp, ref, groups, order, links):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, links=links, script="keep")
        told = metric.explain(hyp, ref)
        score = metric.sentence_score(hyp, [ref])
    assert (told.score, told.precision, told.recall) == (score.score, score.precision, score.recall)
    for side, text, rate in (("hyp", hyp, score.precision), ("ref", ref, score.recall)):
        ngrams = getattr(told, f"{side}_ngrams")
        assert [x.span for x in ngrams] == spans(len(text), order)
        assert sum(x.cover for x in ngrams) / len(ngrams) == pytest.approx(rate, abs=1e-7)
        for x in ngrams:
            over = [k for k in told.links if contains(getattr(k, side), x.span)]
            own = [k.kind for k in over if getattr(k, side) == x.span]
            assert x.cover <= sum(k.weight for k in over) + 1e-7
            assert sum(k.weight for k in over if getattr(k, side) == x.span) <= 1 + 1e-7
            if own:
                assert x.state == ("equal" if "equal" in own else "synonym")
            else:
                assert x.state == ("covered" if over else "unmatched")


SPACED = st.text("ab甲 ", min_size=1, max_size=9).filter(str.strip)


@settings(max_examples=200)
@given(TEXT | SPACED, TEXT | SPACED, group_lists("甲乙丙") | group_lists("ab甲"), ORDERS, LINKS)
def test_every_link_has_a_reason(hyp, ref, groups, order, links):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, links=links, script="keep")
        told = metric.explain(hyp, ref)
    for link in told.links:
        for side in ("hyp", "ref"):
            pieces = [getattr(piece, side) for piece in link.pieces]
            assert pieces[0][0] == getattr(link, side)[0]
            assert pieces[-1][1] == getattr(link, side)[1]
            assert all(a[1] == b[0] for a, b in pairwise(pieces))
            assert getattr(link, f"covers_{side}")[-1] == getattr(link, side)
        for piece in link.pieces:
            words = ["".join(told.hyp_tokens[slice(*piece.hyp)]),
                     "".join(told.ref_tokens[slice(*piece.ref)])]  # fmt: skip
            if piece.kind == "equal":
                assert words[0] == words[1]
                assert piece.groups == ()
            else:
                assert piece.groups
                for label in piece.groups:  # "groups.tsv line 3"
                    assert set(words) <= set(groups[int(label.split()[-1]) - 1])


def test_the_running_example():
    told = celab.TeslaCelab().explain("买伞", "买雨伞")
    (link,) = told.links  # it covers everything, so nothing else is needed
    assert (link.hyp, link.ref, link.weight, link.kind) == ((0, 2), (0, 3), 1.0, "synonym")
    equal, synonym = link.pieces
    assert (equal.kind, equal.hyp, equal.ref) == ("equal", (0, 1), (0, 1))
    assert (synonym.kind, synonym.hyp, synonym.ref) == ("synonym", (1, 2), (1, 3))
    assert all(label.startswith("cilin B") for label in synonym.groups)
    assert {x.state for x in told.ref_ngrams} == {"covered", "synonym"}


def test_an_empty_hypothesis_explains_itself():
    told = celab.TeslaCelab(lexicon=None).explain("", "买雨伞")
    assert told.links == told.hyp_ngrams == told.hyp_tokens == ()
    assert {x.state for x in told.ref_ngrams} == {"unmatched"}


def test_an_empty_reference_is_refused():
    with pytest.raises(InputError, match="reference is blank"):
        celab.TeslaCelab(lexicon=None).explain("买雨伞", " ")
