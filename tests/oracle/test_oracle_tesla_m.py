"""The slow twin of TESLA-M: the papers' figures and scores by hand."""

from fractions import Fraction

import pytest

from oracle import tesla_m
from oracle.tesla_m import Word, bag, features, figure_2010, figure_2011, match, score

THE = Word("the", "the", "DT", True)
BIG = Word("big", "big", "JJ")
LARGE = Word("large", "large", "JJ")
HUGE = Word("hugely", "huge", "RB")
DOG = Word("dog", "dog", "NN")
DOGS = Word("dogs", "dog", "NNS")
STOP = Word(".", ".", ".", True)
GROUPS = {"big": {0}, "large": {0, 1}, "huge": {1}}


def test_figure_1_of_2010():
    assert match(*figure_2010()) == Fraction(11, 10)


def test_figure_1_of_2011():
    assert match(*figure_2011()) == Fraction(165, 1000)


def test_weights_are_counts_with_a_tenth_for_each_function_word():
    words = [THE, DOG, THE, DOG, THE, THE]
    the, dog = ("the", "DT"), ("dog", "NN")
    assert bag(words, 1) == {(the,): Fraction(4, 10), (dog,): 2}
    assert bag(words, 2) == {
        (the, dog): Fraction(2, 10),
        (dog, the): Fraction(2, 10),
        (the, the): Fraction(1, 100),
    }
    assert bag(words[:2], 3) == {}


def test_tokens_without_letter_or_digit_go_before_ngrams_are_made():
    assert bag([DOG, STOP, DOG], 2) == bag([DOG, DOG], 2) != {}


@pytest.mark.parametrize(
    ("x", "y", "ms", "lem", "pos"),
    [
        (DOG, DOGS, 1, 1, 0),  # the lemma alone
        (BIG, LARGE, 1, 0, 1),  # a synonym of the same kind is as good as the word
        (LARGE, HUGE, Fraction(1, 2), 0, 0),
        (BIG, HUGE, 0, 0, 0),  # groups are not chained
        (DOG, Word("cat", "cat", "NN"), Fraction(1, 2), 0, 1),
    ],
)
def test_similarities_of_words(x, y, ms, lem, pos):
    for a, b in ((x, y), (y, x)):
        pair = (a.lemma, a.tag), (b.lemma, b.tag)
        found = [s(*pair, GROUPS) for s in tesla_m.SIMILARITIES.values()]
        assert found == [ms, lem, pos]


def test_an_ngram_pair_is_nothing_if_one_position_is():
    def similarity(x, y):
        pairs = [tuple((word.lemma, word.tag) for word in words) for words in (x, y)]
        return tesla_m.ngram_similarity(*pairs, tesla_m.s_ms, GROUPS)

    assert similarity([LARGE, DOG], [HUGE, DOGS]) == Fraction(3, 4)
    assert similarity([BIG, DOG], [HUGE, DOG]) == 0


def test_score_by_hand():
    # Orders 1 and 2 count. Weights: the 1/10, big 1, dog 1; the hypothesis lacks the article.
    #   n=1: S = 2 both by ms (big-large, dog-dogs) and, since NN and NNS differ, 1 by pos
    #   n=2: reference {the big: 1/10, big dog: 1}, hypothesis {large dogs: 1}: S = 1 and 0
    #   n=3: reference has one, hypothesis none: 0 and 0
    hyp, ref = [LARGE, DOGS], [THE, BIG, DOG]

    def f(total, hyp_weight, ref_weight):
        p, r = total / hyp_weight, total / ref_weight
        return p * r / (Fraction(4, 5) * p + Fraction(1, 5) * r)

    by_hand = [
        f(Fraction(2), 2, Fraction(21, 10)),
        f(Fraction(1), 2, Fraction(21, 10)),
        f(Fraction(1), 1, Fraction(11, 10)),
        0,
        0,
        0,
    ]
    assert [feature.f for feature in features(hyp, ref, GROUPS)] == by_hand
    assert score(hyp, ref, GROUPS) == sum(by_hand) / 6


def test_an_order_that_neither_side_has_is_left_out():
    assert [feature.n for feature in features([DOG], [DOGS], {})] == [1, 1]
    assert score([DOG], [DOGS], {}) == Fraction(1, 2)


def test_empty_sides():
    assert score([], [DOG], {}) == score([DOG], [STOP], {}) == 0
    assert score([], [STOP], {}) is None
