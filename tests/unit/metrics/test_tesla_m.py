"""TESLA-M against its slow twin, and at its edges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import tesla_m as twin
from tagged_words import GROUPS, SENTENCE, metric, tagged

import celab
from celab.base.errors import InputError


@settings(max_examples=120)
@given(
    SENTENCE,
    SENTENCE,
    GROUPS,
    st.integers(1, 4),
    st.sampled_from(["ms+pos", "ms", "lem", "pos", "ms+lem+pos"]),
    st.sampled_from(["0.1", "0.5", "1", "0.25"]),
    st.sampled_from(["0.8", "0.5"]),
)
def test_the_score_is_the_twins(
    tmp_path_factory, hyp, ref, groups, order, similarities, discount, alpha
):
    made = metric(
        tmp_path_factory,
        groups,
        max_order=order,
        similarities=similarities,
        discount=float(discount),
        alpha=float(alpha),
    )
    by_lemma = {}
    for number, group in enumerate(groups):
        for word in group:
            by_lemma.setdefault(word, set()).add(number)
    expected = twin.score(
        hyp,
        ref,
        by_lemma or {},
        alpha=Fraction(alpha),
        discount=Fraction(discount),
        orders=range(1, order + 1),
        names=similarities.split("+"),
    )
    found = made.sentence_score(tagged(hyp), [tagged(ref)])
    expected = 1 if expected is None else expected  # neither has a word, and neither is blank
    assert found.score == pytest.approx(float(expected), abs=1e-12)


def test_a_sentence_equals_itself_and_swapping_swaps():
    made = celab.TeslaM(analysis="surface", lexicon=None)
    same = made.sentence_score("Das ist ein Haus.", ["Das ist ein Haus."])
    assert (same.score, same.precision, same.recall) == (1.0, 1.0, 1.0)
    one = made.sentence_score("Das Haus", ["Das ist ein Haus"])
    two = made.sentence_score("Das ist ein Haus", ["Das Haus"])
    assert (one.precision, one.recall) == (two.recall, two.precision)


def test_synonyms_count_by_lemma():
    made = celab.TeslaM(analysis="tagged", lexicon="de-core")
    pair = "Schirme|Schirm|NN", ["Regenschirm|Regenschirm|NN"]
    plain = celab.TeslaM(analysis="tagged", lexicon=None)
    assert made.sentence_score(*pair).score == 1.0  # a synonym with the same tag
    assert plain.sentence_score(*pair).score == 0.75  # ms one half, pos whole


def test_averages_may_be_geometric_and_the_best_reference_may_count():
    pair = "a b x", ["a b c", "a y z"]
    settings = {"analysis": "surface", "lexicon": None, "similarities": "lem", "max_order": 1}
    plain = celab.TeslaM(**settings).sentence_score(*pair)
    best = celab.TeslaM(combine="max", **settings).sentence_score(*pair)
    assert best.score == max(r.score for r in plain.references) > plain.score
    assert (best.precision, best.recall) == (plain.references[0].precision, 2 / 3)
    settings |= {"max_order": 2, "similarities": "ms+pos"}
    # Order 1: 2/3 by lemma (surface has no tags, so pos is whole); order 2: one bigram of two.
    means = {
        name: celab.TeslaM(average=name, **settings).sentence_score("a b x", ["a b c"])
        for name in ("arithmetic", "geometric")
    }
    assert means["geometric"].score < means["arithmetic"].score < 1
    nothing = celab.TeslaM(average="geometric", **settings | {"similarities": "lem"})
    assert nothing.sentence_score("x", ["a"]).score == 0.0
    assert nothing.sentence_score("", ["a"]).score == 0.0


def test_references_are_averaged_and_may_be_absent():
    made = celab.TeslaM(analysis="surface", lexicon=None)
    found = made.corpus_score(["a b", "c"], [["a b", ""], ["x y", "c"]])
    assert found.segments[0].score == np.mean([r.score for r in found.segments[0].references])
    assert [r.index for r in found.segments[1].references] == [1]
    assert made.sentence_score("", ["a"]).score == 0.0
    assert made.sentence_score("!?", ["a"]).score == 0.0
    assert made.sentence_score("a", ["!?"]).score == 0.0
    assert made.sentence_score("...", ["!?"]).score == 1.0
    assert made.sentence_score(" ", ["!?"]).score == 0.0
    with pytest.raises(InputError, match="segment 1 has no reference"):
        made.sentence_score("a", [" "])


def test_german_splits_compounds_and_says_so():
    made = celab.TeslaM(lang="de")
    assert "compounds" in made.signature and "lex:de-core@" in made.signature
    whole = made.sentence_score("Er kauft einen Regenschirm.", ["Er kauft einen Regen Schirm."])
    assert whole.score > 0.9


def test_the_signature_says_what_moves_a_score():
    made = celab.TeslaM(analysis="surface", lexicon=None)
    changes = {
        "max_order": 2,
        "alpha": 0.5,
        "discount": 0.2,
        "similarities": "ms",
        "average": "geometric",
        "combine": "max",
    }
    others = {
        celab.TeslaM(analysis="surface", lexicon=None, **{key: value}).signature
        for key, value in changes.items()
    }
    assert len(others | {made.signature}) == len(changes) + 1
    for same in ({"jobs": 2}, {"solver": "check"}):
        assert celab.TeslaM(analysis="surface", lexicon=None, **same).signature == made.signature
    assert str(made.corpus_score(["a"], [["a"]])).startswith("TESLA-M = 1.0000")
