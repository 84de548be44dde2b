"""The whole program of TESLA-M judges its kernel, and explanations add up to the score."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from tagged_words import GROUPS, SENTENCE, metric, tagged

import celab
from celab.base.errors import InputError, SolverError
from celab.metrics import bag_scorer
from celab.metrics.explaining.printed import explanation as view

SIMILARITIES = "ms+lem+pos"


@examples(40)
@given(SENTENCE, SENTENCE, GROUPS)
def test_kernel_and_whole_program_agree(tmp_path_factory, hyp, ref, groups):
    pair = tagged(hyp), [tagged(ref)]
    made = {
        solver: metric(tmp_path_factory, groups, solver=solver, similarities=SIMILARITIES)
        for solver in ("auto", "highs", "check")
    }
    scores = {solver: one.sentence_score(*pair) for solver, one in made.items()}
    assert scores["auto"] == scores["highs"] == scores["check"]


def test_a_kernel_that_errs_is_found_out(monkeypatch):
    made = celab.TeslaM(analysis="surface", lexicon=None, solver="check")
    right = bag_scorer.match_bags

    def wrong(*arguments, **options):
        matched = right(*arguments, **options)
        matched[0, 0, 0] += 1e-6
        return matched

    monkeypatch.setattr(bag_scorer, "match_bags", wrong)
    with pytest.raises(SolverError, match=r"segment 1, reference 1: at order 1 .* by ms"):
        made.sentence_score("a b", ["a c"])


@examples(40)
@given(SENTENCE, SENTENCE, GROUPS)
def test_links_add_up_to_the_features_and_these_to_the_score(tmp_path_factory, hyp, ref, groups):
    made = metric(tmp_path_factory, groups, similarities=SIMILARITIES)
    found = made.explain(tagged(hyp), tagged(ref))
    score = made.sentence_score(tagged(hyp), [tagged(ref)])
    assert (found.score, found.precision, found.recall) == (
        score.score,
        score.precision,
        score.recall,
    )
    mean = np.mean([x.f for x in found.features] or [1.0])
    assert mean == pytest.approx(found.score, abs=1e-12)
    for x in found.features:
        assert sum(link.similarity * link.weight for link in x.links) == pytest.approx(x.total)
        if x.hyp_weight:
            assert x.precision == pytest.approx(x.total / x.hyp_weight)
        for side, words in (("hyp", found.hyp_words), ("ref", found.ref_words)):
            used: dict[tuple[int, int], float] = {}
            for link in x.links:
                span = getattr(link, side)
                used[span] = used.get(span, 0.0) + link.weight
            for (start, stop), weight in used.items():
                functions = sum(word.function for word in words[start:stop])
                assert weight <= 0.1**functions + 1e-12
        for link in x.links:
            if x.similarity != "pos":
                each = [pair.similarity for pair in link.pairs]
                assert np.mean(each) == pytest.approx(link.similarity)


def test_an_explanation_names_groups_and_prefers_like_places():
    made = celab.TeslaM(analysis="tagged", function_tags=["ART"], lexicon="de-core")
    found = made.explain(
        "der|der|ART Schirm|Schirm|NN der|der|ART Mann|Mann|NN",
        "der|der|ART Regenschirm|Regenschirm|NN der|der|ART Mann|Mann|NN",
    )
    by_place = {(link.hyp[0], link.ref[0]): link for link in found.features[0].links}
    assert set(by_place) == {(0, 0), (1, 1), (2, 2), (3, 3)}
    (pair,) = by_place[1, 1].pairs
    assert pair.kind == "synonym" and all(g.startswith("de-core ") for g in pair.groups)
    assert by_place[0, 0].weight == 0.1 and by_place[3, 3].weight == 1.0
    assert max(map(len, view("t", found.drawing(), width=10, color=False).splitlines()[:8])) <= 48
    assert "\x1b[" in view("t", found.drawing(), width=80, color=True)


def test_sides_without_words_are_explained_too():
    made = celab.TeslaM(analysis="surface", lexicon=None)
    for hyp in ("...", " ", "a"):
        found = made.explain(hyp, "!?")
        assert found.score == made.sentence_score(hyp, ["!?"]).score
        assert "(empty)" in view("t", found.drawing(), width=80, color=False)
    with pytest.raises(InputError):
        made.explain("a", " ")


def test_hostile_words_do_not_reach_the_terminal():
    made = celab.TeslaM(analysis="tagged", lexicon=None)
    found = made.explain("a\x1bb|a|N [red]c|c|N", "a|a|N [red]c|c|N")
    shown = view("t", found.drawing(), width=80, color=False)
    assert "\x1b" not in shown and "[red]c" in shown
