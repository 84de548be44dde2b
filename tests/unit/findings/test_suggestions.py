"""Suggestions: candidates, exact gains, and a file that `--lexicon` reads."""

import re

import numpy as np
import pytest

import celab
from celab.base.errors import OptionError
from celab.corpus import Corpus, Segment
from celab.findings.suggestions import suggest

REFS = ["我们去北京旅游。", "他喜欢旅游，也喜欢读书。", "她买了一把雨伞。", "天气很好"]
SYSTEMS = {
    "A": ["我们去北京旅行。", "他爱旅行，也爱读书。", "她买了一把伞。", "天气很好"],
    "B": ["咱们去北京旅行。", "他喜欢旅游，也喜欢看书。", "她卖了一把伞。", "天气很好！"],
}
HARD = "雨雨伞雨伞雨伞"  # against 伞雨伞, only HiGHS proves its score


def corpus(refs=(REFS,), systems=SYSTEMS):
    segments = [Segment("", str(n)) for n in range(len(refs[0]))]
    return Corpus(
        segments=segments,
        systems=systems,
        refs=list(refs),
        ref_names=[f"ref{k}" for k in range(len(refs))],
    )


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
    base = "cilin" if "grades" in options else "zh-core"  # which is smaller
    metric = celab.TeslaCelab(lexicon=base, **options)
    suggestions = suggest(metric, corpus(refs), min_segments=1)
    gains = [pair.gain for pair in suggestions.pairs]
    assert gains == sorted(gains, reverse=True) and gains[0] > 0
    own = tmp_path / "own.tsv"
    for pair in suggestions.pairs[: 1 if base == "cilin" else 3]:
        own.write_text(f"{pair.ref}\t{pair.hyp}\n", "utf-8")
        changed = celab.TeslaCelab(lexicon=[base, own], **options).corpus_scores(SYSTEMS, refs)
        after = sum(score.score for score in changed.values()) / len(SYSTEMS)
        before = sum(suggestions.scores.values()) / len(SYSTEMS)
        assert pair.gain == pytest.approx(after - before, abs=1e-12)


def test_numbers_of_a_table_are_below_the_ends_of_their_headings():
    headings, row, *_ = suggest(celab.TeslaCelab(), corpus()).render().splitlines()
    row = re.sub(r"([旅游行])", r"\1-", row)  # these are two columns wide
    for heading in ("gain", "outputs", "first segment"):
        end = headings.index(heading) + len(heading)
        assert row[end - 1].isdigit() and not row[end : end + 2].strip()
    assert [row[headings.index(heading)] for heading in ("reference", "of")] == ["旅", "A"]


def test_the_file_is_a_lexicon(tmp_path):
    suggestions = suggest(celab.TeslaCelab(), corpus())
    (first,) = suggestions.pairs  # the only one that two segments have
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
    suggestions = suggest(celab.TeslaCelab(), corpus([refs], {"A": hyps}), min_segments=1)
    words = [(pair.ref, pair.hyp) for pair in suggestions.pairs]
    assert ("的", "了") not in words and ("甲", "子") in words


def test_pairs_whose_gain_is_not_proved_are_left_out():
    # HiGHS, which has no time, is needed only if 伞伞 and 雨 are synonyms.
    texts = corpus([["伞伞伞伞雨", "去旅游"]], {"A": ["雨雨伞买", "去旅行"]})
    hurried = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9)
    proved = [pair[:3] for pair in suggest(hurried, texts, min_segments=1).pairs]
    patient = hurried.with_run(time_limit=60.0)
    in_time = [pair[:3] for pair in suggest(patient, texts, min_segments=1).pairs]
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
    metric = celab.TeslaCelab(lexicon=None, **options)
    suggestions = suggest(metric, corpus([refs], systems), min_segments=1)
    first, own = suggestions.pairs[0], tmp_path / "own.tsv"
    own.write_text(f"{first.ref}\t{first.hyp}\n", "utf-8")
    changed = celab.TeslaCelab(lexicon=own, **options).corpus_scores(systems, [refs])
    assert [score.n_skipped for score in changed.values()] == n_skipped
    rises = [score.score - suggestions.scores[name] for name, score in changed.items()]
    assert first.gain == pytest.approx(np.nanmean(rises), abs=1e-12)


def test_pairs_of_one_segment_are_left_out():
    """A segment of one word would gain more by its pair than long segments by theirs."""
    long = "他们昨天在城里的一家小店{}了三个小时的书"
    refs = ["开场白", long.format("浏览"), long.format("浏览").replace("昨天", "明天")]
    hyps = ["序言", *(ref.replace("浏览", "翻看") for ref in refs[1:])]
    metric, texts = celab.TeslaCelab(lexicon=None), corpus([refs], {"A": hyps, "B": hyps})

    def words(**options):
        suggestions = suggest(metric, texts, **options)
        return [(pair.ref, pair.hyp) for pair in suggestions.pairs], suggestions

    pairs, suggestions = words(min_segments=1)
    assert pairs == [("开场白", "序言"), ("浏览", "翻看")] and suggestions.n_left_out == 0
    assert "left out" not in str(suggestions)
    pairs, suggestions = words()
    assert pairs == [("浏览", "翻看")] and suggestions.n_left_out == 1
    assert "\n# 1 left out: seen in fewer than 2 segments, or a" in str(suggestions)
    assert words(min_segments=3)[0] == []
    assert suggestions.n_candidates == 2 and suggestions.to_dict()["n_left_out"] == 1


@pytest.mark.parametrize(
    ("ref", "hyp", "words"),
    [
        ("请看@user44的文章", "请看@用户的文章", ("user44", "用户")),
        ("写信给wang@mail.cn吧", "写信给小李吧", ("wang", "小李")),
        ("见HTTPS://Abc.cn/def的文章", "见HTTPS://Abc.cn/新闻的文章", ("def", "新闻")),
        ("一共有1,200个人", "一共有很多个人", ("1,200", "很多")),
    ],
)
def test_handles_addresses_and_numbers_are_left_out(ref, hyp, words):
    metric, texts = celab.TeslaCelab(lexicon=None), corpus([[ref, ref]], {"A": [hyp, hyp]})
    every = [pair[:2] for pair in suggest(metric, texts, min_segments=1).pairs]
    assert words in every
    suggestions = suggest(metric, texts)
    assert suggestions.pairs == () and suggestions.n_left_out == len(every)
    # The same word elsewhere is a word.
    if words[0].isalnum():
        plain = corpus([[f"今天{words[0]}很忙"] * 2], {"A": [f"今天{words[1]}很忙"] * 2})
        assert [pair[:2] for pair in suggest(metric, plain).pairs] == [words]


@pytest.mark.parametrize("number", [0, -1, 1.5, "2"])
def test_a_wrong_number_of_segments_is_refused(number):
    with pytest.raises(OptionError):
        suggest(celab.TeslaCelab(), corpus(), min_segments=number)


def test_progress_is_told():
    calls = []
    suggest(celab.TeslaCelab(), corpus(), progress=lambda *numbers: calls.append(numbers))
    assert calls[-1] == (8, 8)
