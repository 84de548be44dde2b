"""References of a wrong shape are answered with the right call."""

import itertools
import random
import warnings

import pytest

import celab
from celab.base.errors import InputError
from celab.base.text.sequences import check_corpus, warn_if_transposed

HYPS = ["买伞", "去北京", "你好吗"]
BY_SEGMENT = [["买雨伞", "买一把伞"], ["去北京", "到北京去"], ["你好", "您好吗"]]


@pytest.mark.parametrize(
    ("refs", "call"),
    [
        (BY_SEGMENT, "list(zip(*refs))"),
        ([tuple(one[:1]) for one in BY_SEGMENT], "list(zip(*refs))"),
        ([["买雨伞"], *BY_SEGMENT[1:]], "list(itertools.zip_longest(*refs))"),
    ],
)
def test_references_by_segment_are_answered_with_the_right_call(refs, call):
    metric = celab.TeslaCelab(lexicon=None)
    with pytest.raises(InputError) as caught:
        metric.corpus_score(HYPS, refs)
    assert str(caught.value).endswith(f"these look like one list per segment: pass {call}")
    right = eval(call, {"refs": refs, "itertools": itertools})  # the call works as it is shown
    score = metric.corpus_score(HYPS, right)
    for hyp, some, segment in zip(HYPS, refs, score.segments, strict=True):
        assert segment.score == metric.sentence_score(hyp, list(some)).score


@pytest.mark.parametrize(
    ("hyps", "refs", "is_advised"),
    [
        (["甲", "乙"], ["丙", "丁"], True),
        (["甲", "乙"], ["丙"], False),
        ("甲乙", ["丙", "丁"], False),
        (["甲"], "丙", False),
    ],
)
def test_one_reference_as_a_list_of_texts_is_advised_to_be_in_a_list(hyps, refs, is_advised):
    with pytest.raises(InputError) as caught:
        check_corpus(hyps, refs)
    assert ("pass [refs]" in str(caught.value)) == is_advised


def test_other_lists_get_no_advice_about_their_shape():
    square = [["甲", "乙"], ["丙", "丁"]]
    assert check_corpus(["甲", "丙"], square) == (["甲", "丙"], square, None)
    with pytest.raises(InputError, match=r"has 2$"):
        check_corpus(HYPS, [HYPS, HYPS[:2]])


SQUARE = [["买雨伞", "去买一把伞"], ["明天他们到北京去", "他们明天上北京"]]  # by segment
OUTPUTS = ["买伞", "他们明天去北京"]
SCORED = {
    "score": lambda refs: celab.score(OUTPUTS, refs),
    "corpus_score": lambda refs: celab.TeslaCelab().corpus_score(OUTPUTS, refs),
    "corpus_scores": lambda refs: celab.Chrf().corpus_scores([OUTPUTS, OUTPUTS], refs),
    "campaign": lambda refs: celab.Campaign.from_lists({"A": OUTPUTS}, refs).score("bleu"),
}


@pytest.mark.parametrize("score", SCORED.values(), ids=SCORED)
def test_square_references_by_segment_are_warned_about(score):
    with pytest.warns(
        celab.InputWarning, match=r"one list per segment.*list\(zip\(\*refs\)\)"
    ) as seen:
        score(SQUARE)
    assert len(seen) == 1 and seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(list(zip(*SQUARE, strict=True)))


def test_square_references_of_a_test_set_are_quiet_and_transposed_ones_seldom(shared):
    data = shared / "data" / "wmt21-enzh-sys"
    refs = [(data / f"ref-{name}.txt").read_text("utf-8").split("\n") for name in "AB"]
    (first, *_) = sorted(data.glob("hyp/*.txt"))
    hyps, rng, n_seen = first.read_text("utf-8").split("\n"), random.Random(5), 0
    for _ in range(1000):
        places = rng.sample(range(len(hyps) - 1), 2)
        outputs, *sides = ([texts[place] for place in places] for texts in (hyps, *refs))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            warn_if_transposed(outputs, sides)
            assert not seen
            warn_if_transposed(outputs, list(zip(*sides, strict=True)))
        n_seen += len(seen)
    assert n_seen > 900


@pytest.mark.parametrize(("place", "is_seen"), [(19, True), (20, False)])
def test_the_first_twenty_segments_are_compared(monkeypatch, place, is_seen):
    monkeypatch.setattr("celab.base.text.sequences._MIN_FAR_MORE", 0)
    hyps = [f"{number}" for number in range(21)]
    refs = [["无"] * 21 for _ in hyps]
    hyps[place] = refs[place][0] = "买一把雨伞"  # which the list of its segment has
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warn_if_transposed(hyps, refs)
    assert bool(seen) == is_seen


def test_texts_that_are_references_of_one_segment_are_not_zipped():
    for score in (celab.score, celab.TeslaCelab().corpus_score):
        refs = ["买雨伞", "买一把伞"]
        with pytest.raises(InputError):
            score(["买伞"], refs if score is celab.score else [refs])


@pytest.mark.parametrize(
    ("refs", "call"),
    [
        ([["买雨伞", "买一把伞"]], "refs[0]"),
        ([["买雨伞"], ["买一把伞"]], "[ref[0] for ref in refs]"),
    ],
)
def test_nested_references_of_a_sentence_are_answered_with_the_right_call(refs, call):
    metric = celab.TeslaCelab()
    for score in (metric.sentence_score, celab.explain):
        with pytest.raises(InputError) as caught:
            score("买伞", refs)
        assert str(caught.value).endswith(f"for one sentence, pass {call}")
    right = eval(call, {"refs": refs})
    expected = metric.sentence_score("买伞", ["买雨伞", "买一把伞"])
    assert metric.sentence_score("买伞", right) == expected
    with pytest.raises(InputError):
        metric.sentence_score("买伞", [["买", "伞"], "雨伞"])
    with pytest.raises(InputError, match="corpus_score"):
        metric.sentence_score(["买伞"], ["买雨伞"])
