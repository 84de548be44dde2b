"""References of a wrong shape are answered with the right call."""

import itertools

import pytest

import celab
from celab.base.errors import InputError
from celab.base.text.sequences import check_corpus

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


def test_other_lists_get_no_advice_about_their_shape():
    square = [["甲", "乙"], ["丙", "丁"]]
    assert check_corpus(["甲", "丙"], square) == (["甲", "丙"], square)
    with pytest.raises(InputError, match=r"reference 2 has 2$"):
        check_corpus(HYPS, [HYPS, HYPS[:2]])


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
    with pytest.raises(InputError, match=r"pass one str per reference$"):
        metric.sentence_score("买伞", [["买", "伞"], "雨伞"])
    with pytest.raises(InputError, match=r"hyp is of type list.*corpus_score takes several$"):
        metric.sentence_score(["买伞"], ["买雨伞"])
