"""Suggestions: candidates, exact gains, and a file that `--lexicon` reads."""

import numpy as np
import pytest

import celab
from celab.base.errors import OptionError
from celab.corpus import Corpus, Segment
from celab.evaluation.suggestions import suggest

REFS = ["我们去北京旅游。", "他喜欢旅游，也喜欢读书。", "她买了一把雨伞。", "天气很好"]
SYSTEMS = {
    "A": ["我们去北京旅行。", "他爱旅行，也爱读书。", "她买了一把伞。", "天气很好"],
    "B": ["咱们去北京旅行。", "他喜欢旅游，也喜欢看书。", "她卖了一把伞。", "天气很好！"],
}
HARD = "雨雨伞雨伞雨伞"  # against 伞雨伞, only HiGHS proves its score


def corpus(refs=(REFS,), systems=SYSTEMS):
    segments = [Segment("", str(n)) for n in range(len(refs[0]))]
    return Corpus(segments, systems, list(refs), [f"ref{k}" for k in range(len(refs))])


@pytest.mark.parametrize(
    ("options", "refs"),
    [
        ({}, [REFS]),
        ({"weights": "information", "decay": 0.3}, [REFS]),
        ({"weights": "references"}, [REFS]),
        ({"grades": {"=": 1, "#": 0.5}}, [REFS]),
        ({}, [REFS, REFS[::-1]]),
    ],
)
def test_gains_are_those_of_a_lexicon_with_the_pair(tmp_path, options, refs):
    metric = celab.TeslaCelab(**options)
    suggestions = suggest(metric, corpus(refs))
    gains = [pair.gain for pair in suggestions.pairs]
    assert gains == sorted(gains, reverse=True) and gains[0] > 0
    own = tmp_path / "own.tsv"
    for pair in suggestions.pairs[:3]:
        own.write_text(f"{pair.ref}\t{pair.hyp}\n", "utf-8")
        changed = celab.TeslaCelab(lexicon=["cilin", own], **options).corpus_scores(SYSTEMS, refs)
        after = sum(score.score for score in changed.values()) / len(SYSTEMS)
        before = sum(suggestions.scores.values()) / len(SYSTEMS)
        assert pair.gain == pytest.approx(after - before, abs=1e-12)


def test_the_file_is_a_lexicon(tmp_path):
    suggestions = suggest(celab.TeslaCelab(), corpus())
    first = suggestions.pairs[0]
    assert {first.ref, first.hyp} == {"旅游", "旅行"}
    path = tmp_path / "suggested.tsv"
    path.write_text(str(suggestions), "utf-8")
    metric = celab.TeslaCelab(lexicon=["cilin", path])
    assert metric.sentence_score("旅行", ["旅游"]).score == 1
    before = celab.TeslaCelab().corpus_score(SYSTEMS["A"], [REFS]).score
    assert metric.corpus_score(SYSTEMS["A"], [REFS]).score > before


def test_at_most_as_many_as_asked_for():
    assert len(suggest(celab.TeslaCelab(), corpus(), most=1).pairs) == 1


def test_words_that_only_happen_to_be_in_the_same_sentences_are_left_out():
    # 的 and 了 are opposite each other once, and in ten other outputs by chance.
    refs = ["我的", *(f"{c}的了" for c in "甲乙丙丁戊己庚辛壬癸")]
    hyps = ["我了", *(f"{c}的了" for c in "子丑寅卯辰巳午未申酉")]
    words = [(p.ref, p.hyp) for p in suggest(celab.TeslaCelab(), corpus([refs], {"A": hyps})).pairs]
    assert ("的", "了") not in words and ("甲", "子") in words


def test_pairs_whose_gain_is_not_proved_are_left_out():
    # HiGHS, which has no time, is needed only if 伞伞 and 雨 are synonyms.
    texts = corpus([["伞伞伞伞雨", "去旅游"]], {"A": ["雨雨伞买", "去旅行"]})
    hurried = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9)
    proved = [pair[:3] for pair in suggest(hurried, texts).pairs]
    in_time = [pair[:3] for pair in suggest(hurried.with_run(time_limit=60.0), texts).pairs]
    assert [pair[:2] for pair in in_time if pair not in proved] == [("伞伞", "雨")]
    assert proved == [pair for pair in in_time if pair in proved] != []


@pytest.mark.parametrize(
    ("systems", "n_skipped"),
    [
        ({"A": [HARD, "雨伞", "去旅行"], "B": ["伞", "伞", "去旅行"]}, [1, 0]),
        ({"A": ["伞", "雨伞", "去旅行"], "B": [HARD, HARD, "去旅行"]}, [0, 2]),
        ({"A": ["伞", "买伞"], "B": [HARD, HARD]}, [0, 2]),  # B has no score
    ],
)
def test_gains_are_of_the_segments_that_have_a_score(tmp_path, systems, n_skipped):
    refs = ["伞雨伞", "伞雨伞", "去旅游"][: len(systems["A"])]
    options = {"script": "keep", "time_limit": 1e-9, "on_error": "skip"}
    suggestions = suggest(celab.TeslaCelab(lexicon=None, **options), corpus([refs], systems))
    first, own = suggestions.pairs[0], tmp_path / "own.tsv"
    own.write_text(f"{first.ref}\t{first.hyp}\n", "utf-8")
    changed = celab.TeslaCelab(lexicon=own, **options).corpus_scores(systems, [refs])
    assert [score.n_skipped for score in changed.values()] == n_skipped
    rises = [score.score - suggestions.scores[name] for name, score in changed.items()]
    assert first.gain == pytest.approx(np.nanmean(rises), abs=1e-12)


def test_a_metric_without_such_words_is_refused():
    with pytest.raises(OptionError, match="no words to suggest"):
        suggest(celab.TeslaCelab(lang="en"), corpus())


def test_progress_is_told():
    calls = []
    suggest(celab.TeslaCelab(), corpus(), progress=lambda *numbers: calls.append(numbers))
    assert calls[-1] == (8, 8)
